"""``source-corpus refresh``: asks Hermes to capture sources again, or lists what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcecorpus.bridge.cli.commands.common import (
    add_game,
    open_client,
    pages,
    resolve_game,
    whole_number,
)
from sourcecorpus.bridge.cli.output import enum_text, print_json, print_rows, time_text
from sourcecorpus.capture.v1.refresh_pb2 import RefreshRefusal, RefreshRequest, RefreshState
from sourcecorpus.corpus.v1.refresh_pb2 import ListRefreshRequestsRequest, RequestRefreshRequest

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from sourcecorpus.bridge.client import SourceCorpusClient


def register(name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments of the command."""
    del name
    parser.add_argument(
        "sources",
        nargs="*",
        metavar="SOURCE",
        help="source id or any spelling of its address; without one, requests are listed",
    )
    add_game(parser)
    parser.add_argument("--reason", default="", help="why, for whoever carries it out")
    parser.add_argument(
        "--limit",
        type=whole_number,
        default=0,
        metavar="N",
        help="list at most so many; 0 means all",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Ask for a refresh of the named sources, or list the requests of the game."""
    with open_client() as client:
        game_id = resolve_game(client, options.game)
        if options.sources:
            ids = [source for source in options.sources if source.startswith("src-")]
            request = RequestRefreshRequest(
                game_id=game_id,
                source_ids=ids,
                uris=[source for source in options.sources if source not in ids],
                reason=options.reason,
            )
            found: list[RefreshRequest] = list(client.sources.RequestRefresh(request).requests)
        else:
            found = _listed(client, game_id, options.limit)
    if options.json:
        for entry in found:
            print_json(entry)
        return 0
    print_rows(_rows(found))
    return 0


def _listed(client: SourceCorpusClient, game_id: str, limit: int) -> list[RefreshRequest]:
    listed = pages(
        lambda token: client.sources.ListRefreshRequests(
            ListRefreshRequestsRequest(game_id=game_id, page_token=token)
        ),
        "requests",
        limit,
    )
    return [entry for entry in listed if isinstance(entry, RefreshRequest)]


def _rows(found: Iterable[RefreshRequest]) -> Iterable[tuple[str, ...]]:
    for entry in found:
        outcome = entry.envelope_id or "-"
        if entry.refusal:
            outcome = enum_text(RefreshRefusal.Name(entry.refusal), "REFRESH_REFUSAL_").lower()
        yield (
            entry.request_id,
            enum_text(RefreshState.Name(entry.state), "REFRESH_STATE_").lower(),
            time_text(entry.requested_time),
            outcome,
            entry.uri,
        )
