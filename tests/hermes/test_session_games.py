from collections.abc import Iterator
from pathlib import Path

import pytest
from capture_double import CaptureDouble
from sidecar_double import PluginConnection, RunningSidecar, results, until

from sourcecorpus.hermes.sidecar.games import GameBook
from sourcecorpus.hermes.sidecar.store import SidecarStore
from sourcecorpus.rpc.failures import Failure, FailureCode


class ServiceDouble:
    """The capture service's calls about games."""

    def __init__(self) -> None:
        self.games: dict[str, str] = {}
        self.away = False
        self.asked: list[str] = []

    def get_session_game(self, session_id: str) -> str:
        self.asked.append(session_id)
        self._fail_if_away()
        return self.games.get(session_id, "")

    def set_session_game(self, session_id: str, game_id: str) -> str:
        self._fail_if_away()
        if game_id == "nowhere":
            raise Failure(FailureCode.NOT_FOUND, "UNKNOWN_GAME", "game_id")
        self.games[session_id] = {"ember": "emberfall"}.get(game_id, game_id)
        return self.games[session_id]

    def _fail_if_away(self) -> None:
        if self.away:
            raise Failure(FailureCode.UNAVAILABLE, "SERVICE_UNREACHABLE")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def service() -> ServiceDouble:
    return ServiceDouble()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SidecarStore]:
    opened = SidecarStore(tmp_path / "spool.db", bytes_max=10**9, wall_milliseconds=lambda: 1)
    yield opened
    opened.close()


@pytest.fixture
def book(store: SidecarStore, service: ServiceDouble, clock: Clock) -> GameBook:
    return GameBook(store, service, clock)


def test_nearest_session_with_a_game_decides_then_the_default(
    book: GameBook, service: ServiceDouble
) -> None:
    service.games["parent"] = "saltmouth"
    assert book.current(["child", "parent"], "emberfall").game_id == "saltmouth"
    assert book.current(["stranger"], "emberfall").game_id == "emberfall"
    assert book.current([], "emberfall").game_id == "emberfall"
    assert book.current(["stranger"], "").game_id == ""


def test_cleared_game_outweighs_the_default(book: GameBook) -> None:
    book.choose("session", "ember")
    assert book.current(["session"], "other").game_id == "emberfall"
    book.choose("session", "")
    assert book.current(["session"], "other").game_id == ""


def test_what_the_bridge_sets_or_clears_counts_within_two_seconds(
    book: GameBook, service: ServiceDouble, clock: Clock
) -> None:
    book.choose("session", "ember")
    service.games["session"] = "saltmouth"
    assert book.current(["session"], "").game_id == "emberfall"
    clock.now = 2.5
    assert book.current(["session"], "").game_id == "saltmouth"
    service.games.clear()
    clock.now = 5.0
    assert book.current(["session"], "default").game_id == ""


def test_game_that_is_set_while_the_service_is_away_is_told_later(
    book: GameBook, service: ServiceDouble, clock: Clock
) -> None:
    service.away = True
    chosen = book.choose("session", "ember")
    assert (chosen.game_id, chosen.confirmed) == ("ember", False)
    assert book.current(["session"], "").game_id == "ember"
    service.away = False
    clock.now = 10.0
    current = book.current(["session"], "")
    assert (current.game_id, current.confirmed) == ("emberfall", True)
    assert service.games == {"session": "emberfall"}


def test_service_that_is_away_is_left_alone_for_a_while(
    book: GameBook, service: ServiceDouble, clock: Clock
) -> None:
    service.away = True
    for _ in range(50):
        book.current(["a", "b", "c"], "emberfall")
    assert len(service.asked) == 1
    clock.now = 3.0
    book.current(["a"], "emberfall")
    assert len(service.asked) == 2


def test_unknown_game_is_an_error_and_changes_nothing(book: GameBook) -> None:
    book.choose("session", "ember")
    with pytest.raises(Failure, match="UNKNOWN_GAME"):
        book.choose("session", "nowhere")
    assert book.current(["session"], "").game_id == "emberfall"


def test_games_survive_a_restart(
    book: GameBook, store: SidecarStore, service: ServiceDouble, clock: Clock
) -> None:
    book.choose("session", "ember")
    book.choose("off", "")
    service.away = True
    again = GameBook(store, service, clock)
    assert again.current(["session"], "").game_id == "emberfall"
    assert again.current(["off"], "default").game_id == ""


def test_late_delivery_goes_to_the_game_of_its_own_time(
    tmp_path: Path, capture: CaptureDouble
) -> None:
    address = capture.address
    capture.stop()
    with RunningSidecar(tmp_path / "data", address) as running:
        plugin = PluginConnection(running, game="")
        for number, game in enumerate(["emberfall", "saltmouth", ""], start=1):
            answer = running.ask("set_game", sessions=["session"], game=game)
            assert answer == {"game": game, "confirmed": False}
            plugin.send(number, game.encode() or b"none")
            plugin.wait_durable(number)
        capture.start()
        until(lambda: len(results(capture)) == 2)
        kept = [(envelope.head.game_id, envelope.result) for envelope in capture.memory.snapshot()]
        assert kept == [("emberfall", b"emberfall"), ("saltmouth", b"saltmouth")]
        assert running.counters()["refused"] == {"NO_GAME": 1}
