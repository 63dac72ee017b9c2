"""``source-corpus delete``: a source, or one version of it, goes for good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sourcecorpus.bridge.cli.commands.common import add_game, located, open_client, resolve_game
from sourcecorpus.bridge.cli.commands.sources import source_locator
from sourcecorpus.bridge.cli.output import message_document, print_json, print_rows
from sourcecorpus.corpus.v1.deletion_pb2 import DeleteSourceRequest, DeletionReason

if TYPE_CHECKING:
    import argparse

_PREFIX: Final = "DELETION_REASON_"


def register(name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments of the command."""
    del name
    reasons = [word.removeprefix(_PREFIX).lower() for word in DeletionReason.keys()[1:]]
    parser.add_argument("source", metavar="SOURCE", help="source id or any spelling of its address")
    add_game(parser)
    parser.add_argument(
        "--version",
        dest="version_id",
        default="",
        metavar="ID",
        help="withdraw this version alone, with the content that it was made from",
    )
    parser.add_argument(
        "--reason", choices=reasons, default="unwanted", help="kept in the tombstone"
    )
    parser.add_argument("--note", default="", help="a few words, kept in the tombstone")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Delete, and say what was removed."""
    with open_client() as client:
        request = DeleteSourceRequest(
            game_id=resolve_game(client, options.game),
            version_id=options.version_id,
            reason=DeletionReason.Value(_PREFIX + options.reason.upper()),
            note=options.note,
        )
        answer = client.sources.DeleteSource(located(request, source_locator(options.source)))
    if options.json:
        print_json(message_document(answer))
        return 0
    print_rows(
        [
            ("deleted", "the source" if answer.source_deleted else "one content of the source"),
            ("versions", str(answer.version_count)),
            ("observations", str(answer.observation_count)),
            ("contents", f"{answer.content_count}, {answer.content_bytes} bytes"),
            ("current", answer.current_version_id or "-"),
            ("came with", ", ".join(answer.related_source_ids) or "-"),
        ]
    )
    return 0
