"""GameService over a real socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from corpus_service.domain.games import Game
from corpus_service.servicers.conversions import game_message, game_of
from sourcecorpus.corpus.v1 import game_pb2
from sourcecorpus.corpus.v1 import game_service_pb2 as pb
from tests.reading.stocked import BACKENDS, Stock, Stubs, over_socket, refused, stocks


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def test_game_goes_there_and_back() -> None:
    game = Game("g-1", "Title 😀", ("a", "悬"), paused=True)
    assert game_of(game_message(game)) == game
    assert game_of(game_pb2.Game(game_id="g")) == Game("g")


@pytest.mark.parametrize("seconds", [1_700_000_000, 2**62, -(2**62)])
def test_when_a_game_was_made_is_not_for_its_caller_to_say(stock: Stock, seconds: int) -> None:
    async def body(stubs: Stubs) -> None:
        wanted = game_pb2.Game(game_id="g", created_time=Timestamp(seconds=seconds))
        made = await stubs.game.CreateGame(pb.CreateGameRequest(game=wanted))
        assert made.game.created_time.seconds != seconds

    over_socket(stock, body)


def test_games_are_made_changed_and_listed(stock: Stock) -> None:
    async def body(stubs: Stubs) -> None:
        for number in range(5):
            made = await stubs.game.CreateGame(
                pb.CreateGameRequest(
                    game=game_pb2.Game(game_id=f"g{number}", title="T", aliases=[f"Alias {number}"])
                )
            )
            assert made.game.created_time.seconds > 0
        got = await stubs.game.GetGame(pb.GetGameRequest(game_id="Alias 3"))
        assert got.game.game_id == "g3"
        changed = await stubs.game.UpdateGame(pb.UpdateGameRequest(game_id="g3", paused=True))
        assert (changed.game.paused, changed.game.title) == (True, "T")
        assert list(changed.game.aliases) == ["Alias 3"]
        cleared = await stubs.game.UpdateGame(
            pb.UpdateGameRequest(game_id="g3", replace_aliases=True, title="")
        )
        assert (cleared.game.title, list(cleared.game.aliases)) == ("", [])
        listed: list[str] = []
        request = pb.ListGamesRequest(page_size=2)
        for _ in range(3):
            answer = await stubs.game.ListGames(request)
            listed += [game.game_id for game in answer.games]
            request.page_token = answer.next_page_token
        assert listed == ["g0", "g1", "g2", "g3", "g4"]
        assert request.page_token == ""

    over_socket(stock, body)


def test_games_are_refused_with_reason_and_field(stock: Stock) -> None:
    async def body(stubs: Stubs) -> None:
        async def create(**fields: object) -> tuple[str, str, str]:
            game = game_pb2.Game(**fields)  # type: ignore[arg-type] # the test names real fields
            return await refused(stubs.game.CreateGame(pb.CreateGameRequest(game=game)))

        invalid = "INVALID_ARGUMENT"
        assert await create() == (invalid, "FIELD_REQUIRED", "game.game_id")
        for bad in ("Upper", "-x", "a_b", "a" * 65, "../x", "ä"):
            assert await create(game_id=bad) == (invalid, "FIELD_INVALID", "game.game_id")
        assert (await create(game_id="g", title="字" * 513))[2] == "game.title"
        assert (await create(game_id="g", aliases=["a"] * 65))[1] == "FIELD_TOO_MANY_VALUES"
        assert (await create(game_id="g", aliases=["a", ""]))[2] == "game.aliases[1]"
        assert (await create(game_id="g", aliases=["x" * 129]))[1] == "FIELD_TOO_LARGE"
        await stubs.game.CreateGame(
            pb.CreateGameRequest(game=game_pb2.Game(game_id="g", aliases=["other"]))
        )
        assert (await create(game_id="g"))[:2] == ("ALREADY_EXISTS", "GAME_ALREADY_EXISTS")
        assert (await create(game_id="h", aliases=["other"]))[:2] == (
            "ALREADY_EXISTS",
            "ALIAS_TAKEN",
        )
        unknown = await refused(stubs.game.GetGame(pb.GetGameRequest(game_id="nobody")))
        assert unknown == ("NOT_FOUND", "UNKNOWN_GAME", "game_id")
        lost = await refused(stubs.game.UpdateGame(pb.UpdateGameRequest(game_id="nobody")))
        assert lost[:2] == ("NOT_FOUND", "UNKNOWN_GAME")
        half = await refused(
            stubs.game.UpdateGame(pb.UpdateGameRequest(game_id="g", aliases=["x"]))
        )
        assert half == (invalid, "FIELD_INVALID", "aliases")

    over_socket(stock, body)
