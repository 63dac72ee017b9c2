"""``source-corpus games``: lists, makes, pauses and resumes games."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcecorpus.bridge.cli.commands.common import open_client, pages
from sourcecorpus.bridge.cli.output import print_json, print_rows, time_text
from sourcecorpus.corpus.v1.game_pb2 import Game
from sourcecorpus.corpus.v1.game_service_pb2 import (
    CreateGameRequest,
    ListGamesRequest,
    UpdateGameRequest,
)

if TYPE_CHECKING:
    import argparse


def register(_name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments."""
    parser.add_argument(
        "action", nargs="?", default="list", choices=("list", "create", "pause", "resume")
    )
    parser.add_argument(
        "game", nargs="?", default="", metavar="ID", help="game id, for all but list"
    )
    parser.add_argument("--title", default="", help="title, for create")
    parser.add_argument("--alias", action="append", default=[], help="other name, for create")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Do the asked action."""
    with open_client() as client:
        if options.action == "list":
            found = pages(
                lambda token: client.games.ListGames(ListGamesRequest(page_token=token)), "games", 0
            )
            games = [game for game in found if isinstance(game, Game)]
        elif options.action == "create":
            wanted = Game(game_id=options.game, title=options.title, aliases=options.alias)
            games = [client.games.CreateGame(CreateGameRequest(game=wanted)).game]
        else:
            change = UpdateGameRequest(game_id=options.game, paused=options.action == "pause")
            games = [client.games.UpdateGame(change).game]
    if options.json:
        for game in games:
            print_json(game)
    else:
        print_rows(
            (
                game.game_id,
                "paused" if game.paused else "open",
                time_text(game.created_time),
                game.title or "-",
            )
            for game in games
        )
    return 0
