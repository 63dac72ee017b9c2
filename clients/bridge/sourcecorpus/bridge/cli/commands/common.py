"""Arguments and steps that several commands share."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, Final, TypeVar

from sourcecorpus.bridge.cli.faults import CommandError
from sourcecorpus.bridge.client import SourceCorpusClient

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from google.protobuf.message import Message


INT32_MAX: Final = 2**31 - 1
RequestType = TypeVar("RequestType", bound="Message")


def add_game(parser: argparse.ArgumentParser) -> None:
    """Register ``--game``."""
    parser.add_argument(
        "--game", metavar="ID", default="", help="game id or alias; may be left out if there is one"
    )


def whole_number(text: str) -> int:
    """Read an argument that counts something, 0 to 2³¹-1 as the contract's 32-bit fields hold.

    Raises:
        ArgumentTypeError: It is no such number.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= 10 and int(text) <= INT32_MAX):
        raise ArgumentTypeError("expected a whole number, 0 or more")
    return int(text)


def resolve_game(client: SourceCorpusClient, asked: str) -> str:
    """Give the canonical id of the asked game, or of the only one.

    Raises:
        CommandError: No game was asked for and there is not exactly one.
    """
    from sourcecorpus.corpus.v1.game_service_pb2 import GetGameRequest, ListGamesRequest

    if asked:
        return client.games.GetGame(GetGameRequest(game_id=asked)).game.game_id
    games = client.games.ListGames(ListGamesRequest(page_size=2)).games
    if len(games) == 1:
        return games[0].game_id
    if games:
        raise CommandError("there are several games: say which with --game")
    raise CommandError("there is no game yet: make one with: source-corpus games create ID")


def pages(call: Callable[[str], Message], items: str, limit: int) -> Iterator[Message]:
    """Yield at most ``limit`` items over all pages of a list call.

    Args:
        call: Takes a page token and gives the answer, which has ``next_page_token``.
        items: Name of the answer's repeated field.
        limit: Number of items; 0 means all.
    """
    token = ""
    given = 0
    while True:
        answer = call(token)
        for item in getattr(answer, items):
            if limit and given == limit:
                return
            given += 1
            yield item
        token = answer.next_page_token  # type: ignore[attr-defined]  # every List answer has it
        if not token:
            return


def located(request: RequestType, locator: tuple[str, str]) -> RequestType:
    """Set the one field of a request's locator and give the request."""
    field, value = locator
    setattr(request, field, value)
    return request


def open_client() -> SourceCorpusClient:
    """A client of the services that configuration file and environment describe."""
    return SourceCorpusClient.from_settings()
