"""The game directory asks when it must, rests after failures, and never guesses."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from capture_service.domain.games import Directory, GameEntry
from capture_service.games.directory import DirectoryUnreachableError, GameDirectory
from sourcecorpus.rpc.failures import Failure
from tests.capture.running import run


class Corpus:
    def __init__(self, *games: GameEntry) -> None:
        self.games: Sequence[GameEntry] = games
        self.reachable = True
        self.asked = 0

    async def list_games(self) -> Sequence[GameEntry]:
        self.asked += 1
        if not self.reachable:
            raise DirectoryUnreachableError
        return self.games


class Store:
    def __init__(self, directory: Directory | None = None) -> None:
        self.directory = directory
        self.session_games: dict[str, str] = {}
        self.takes = True

    async def load_directory(self) -> Directory | None:
        return self.directory

    async def save_directory(self, directory: Directory, now_milliseconds: int) -> bool:
        if self.takes:
            self.directory = directory
        return self.takes

    async def game_of_session(self, session_id: str) -> str:
        return self.session_games.get(session_id, "")


class Clock:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        # Time goes on between two looks, as it does outside of tests.
        self.seconds += 0.000_001
        return self.seconds


EMBER = GameEntry("emberfall", ("Ember Fall",))


async def directory_of(corpus: Corpus, store: Store, clock: Clock) -> GameDirectory:
    directory = GameDirectory(corpus, store, monotonic_seconds=clock, wall_milliseconds=lambda: 1)
    await directory.start()
    return directory


def test_ids_aliases_and_their_other_case() -> None:
    directory = Directory.of([EMBER, GameEntry("other")])
    for name in ("emberfall", "Ember Fall", "EMBER FALL"):
        assert directory.find(name) == EMBER
    assert directory.find("EMBERFALL") is None
    assert directory.find("ember") is None


def test_an_age_within_the_limit_asks_nobody() -> None:
    async def test() -> None:
        corpus, clock = Corpus(EMBER), Clock()
        directory = await directory_of(corpus, Store(), clock)
        for _ in range(5):
            assert (await directory.choose("emberfall", "", 0.1)).game_id == "emberfall"
        assert corpus.asked == 1
        clock.seconds += 0.2
        await directory.choose("emberfall", "", 0.1)
        assert corpus.asked == 2

    run(test())


def test_an_unknown_game_is_asked_for_before_it_is_called_unknown() -> None:
    async def test() -> None:
        corpus, clock = Corpus(), Clock()
        directory = await directory_of(corpus, Store(), clock)
        assert (await directory.choose("emberfall", "", 60)).refusal == "UNKNOWN_GAME"
        corpus.games = [EMBER]
        assert (await directory.choose("emberfall", "", 60)).game_id == "emberfall"

    run(test())


def test_without_the_corpus_the_kept_directory_serves_and_others_fail() -> None:
    async def test() -> None:
        corpus, clock = Corpus(), Clock()
        corpus.reachable = False
        directory = await directory_of(corpus, Store(Directory.of([EMBER])), clock)
        assert (await directory.choose("emberfall", "", 0.0)).game_id == "emberfall"
        with pytest.raises(Failure) as failure:
            await directory.choose("newer", "", 0.0)
        assert failure.value.reason == "GAME_DIRECTORY_UNAVAILABLE"
        asked = corpus.asked
        await directory.choose("emberfall", "", 0.0)
        assert corpus.asked == asked, "it rests after a failure"
        clock.seconds += 2
        await directory.choose("emberfall", "", 0.0)
        assert corpus.asked == asked + 1

    run(test())


def test_a_directory_that_could_not_be_kept_is_kept_later() -> None:
    async def test() -> None:
        corpus, store, clock = Corpus(EMBER), Store(), Clock()
        store.takes = False
        directory = await directory_of(corpus, store, clock)
        assert (await directory.choose("emberfall", "", 0.0)).game_id == "emberfall"
        assert store.directory is None
        store.takes = True
        await directory.choose("emberfall", "", 0.0)
        assert store.directory is not None

    run(test())


def test_the_session_gives_the_game_where_the_envelope_names_none() -> None:
    async def test() -> None:
        store = Store()
        store.session_games["s"] = "emberfall"
        directory = await directory_of(Corpus(EMBER), store, Clock())
        choice = await directory.choose("", "s", 0.0)
        assert (choice.game_id, choice.named) == ("emberfall", False)
        assert (await directory.choose("", "t", 0.0)).refusal == "NO_GAME"
        assert (await directory.choose("", "", 0.0)).refusal == "NO_GAME"

    run(test())
