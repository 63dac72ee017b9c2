"""``source-corpus diff``: what differs between two versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcecorpus.bridge.cli.commands.common import (
    add_game,
    located,
    open_client,
    pages,
    resolve_game,
)
from sourcecorpus.bridge.cli.commands.sources import source_locator
from sourcecorpus.bridge.cli.faults import CommandError
from sourcecorpus.bridge.cli.output import print_json, printable, warn
from sourcecorpus.corpus.v1.differences_pb2 import (
    CHANGE_KIND_REPLACED,
    DiffVersionsRequest,
    DiffVersionsResponse,
    TextChange,
)
from sourcecorpus.corpus.v1.source_service_pb2 import ListVersionsRequest

if TYPE_CHECKING:
    import argparse

    from sourcecorpus.bridge.client import SourceCorpusClient
    from sourcecorpus.corpus.v1.citation_pb2 import LineRange

VERSION_PREFIX = "ver-"


def register(name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments."""
    del name
    add_game(parser)
    parser.add_argument(
        "base",
        metavar="OLD",
        help="version id; or source id or address: its two newest versions",
    )
    parser.add_argument("version", nargs="?", default="", metavar="NEW", help="version id")
    parser.add_argument(
        "--words", action="store_true", help="mark words: [-deleted-] and {+inserted+}"
    )
    parser.set_defaults(run=run_diff)


def run_diff(options: argparse.Namespace) -> int:
    """Print changes like a unified diff without lines around them."""
    answers: list[DiffVersionsResponse] = []
    with open_client() as client:
        game_id = resolve_game(client, options.game)
        base, version = _versions(client, game_id, options)

        def call(token: str) -> DiffVersionsResponse:
            request = DiffVersionsRequest(
                game_id=game_id,
                base_version_id=base,
                version_id=version,
                with_words=options.words,
                page_token=token,
            )
            answers.append(client.sources.DiffVersions(request))
            return answers[-1]

        changes = [change for change in pages(call, "changes", 0) if isinstance(change, TextChange)]
    if options.json:
        for change in changes:
            print_json(change)
        return 0
    print(f"--- {base}\n+++ {version}")
    for change in changes:
        _print_change(change)
    first = answers[0]
    warn(f"{first.deleted_line_count} lines out, {first.inserted_line_count} lines in")
    return 0


def _versions(
    client: SourceCorpusClient, game_id: str, options: argparse.Namespace
) -> tuple[str, str]:
    if options.version:
        return options.base, options.version
    if options.base.startswith(VERSION_PREFIX):
        raise CommandError("say which version to compare it with, or name a source")
    request = ListVersionsRequest(game_id=game_id, page_size=2)
    listed = client.sources.ListVersions(located(request, source_locator(options.base))).versions
    if len(listed) < 2:
        raise CommandError("the source has fewer than two versions")
    return listed[1].version_id, listed[0].version_id


def _print_change(change: TextChange) -> None:
    old, new = _range(change.base_lines), _range(change.lines)
    print(f"@@ -{old} +{new} @@" + (" (not compared line by line)" if change.coarse else ""))
    if change.words_complete and not change.cut and change.kind == CHANGE_KIND_REPLACED:
        _print_lines(" ", _with_marks(change))
        return
    _print_lines("-", change.base_text)
    _print_lines("+", change.text)
    if change.cut:
        warn("   cut: read the lines to see all of them")


def _with_marks(change: TextChange) -> str:
    """The new text with what was inserted and deleted in it."""
    parts: list[str] = []
    place = change.base_span.start
    for words in change.words:
        parts.append(_part(change, place, words.base_span.start))
        deleted = _part(change, words.base_span.start, words.base_span.end)
        start = change.span.start
        inserted = change.text[words.span.start - start : words.span.end - start]
        parts += [f"[-{deleted}-]"] if deleted else []
        parts += [f"{{+{inserted}+}}"] if inserted else []
        place = words.base_span.end
    return "".join(parts) + _part(change, place, change.base_span.end)


def _part(change: TextChange, start: int, end: int) -> str:
    """Code points of the old text."""
    return change.base_text[start - change.base_span.start : end - change.base_span.start]


def _range(lines: LineRange) -> str:
    return f"{lines.first},{lines.last - lines.first + 1}" if lines.first else "0,0"


def _print_lines(mark: str, text: str) -> None:
    for line in text.removesuffix("\n").split("\n") if text else ():
        print(mark + printable(line.replace("\t", "    ")))
