"""The writer: groups, isolation of faults, bounded queue, deadlines, bounded open games."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from corpus_service import limits
from corpus_service.domain.games import Game
from corpus_service.domain.queries import Or, Prefix, SearchFilter, SourceFilter
from corpus_service.domain.vocabulary import IngestStatus
from corpus_service.storage.sqlite import SqliteStore, open_games, writing
from corpus_service.storage.sqlite.writing import Transaction, index_counts
from sourcecorpus.rpc import faults
from sourcecorpus.rpc.failures import Failure, FailureCode
from tests.storage.records import GAME, page, prepared, put, put_page, record, text_of


class Gate:
    """Holds the writer of the game inside a task until it is opened."""

    def __init__(self, store: SqliteStore) -> None:
        self._open = threading.Event()
        self._entered = threading.Event()
        with store._lease(GAME) as database:
            self.future = database.write(self._wait)
        assert self._entered.wait(10)

    def _wait(self, transaction: Transaction) -> None:
        self._entered.set()
        assert self._open.wait(10)

    def open(self) -> None:
        self._open.set()
        self.future.result(10)


def ready(number: int) -> object:
    data = b"gate %d" % number
    return prepared(record(f"e{number}", [page(f"https://a.example/{number}", data)], [data]))


def test_what_waits_is_committed_together(store: SqliteStore) -> None:
    gate = Gate(store)
    waiting = [store.submit(GAME, ready(number)) for number in range(20)]  # type: ignore[arg-type]
    before = store.snapshot(GAME).sequence
    gate.open()
    assert {future.result(10).status for future in waiting} == {IngestStatus.COMMITTED}
    assert store.snapshot(GAME).sequence == before + 1
    assert len(store.list_sources(GAME, SourceFilter(), limit=99)) == 20


def test_one_record_that_fails_half_way_takes_no_other_along(store: SqliteStore) -> None:
    gate = Gate(store)
    good = [store.submit(GAME, ready(number)) for number in range(3)]  # type: ignore[arg-type]
    text = text_of(b"bad")
    # An integer beyond 64 bits is refused by SQLite after the source was written.
    broken = replace(text, line_count=2**70)
    bad = store.submit(
        GAME, prepared(record("bad", [page("https://bad.example/", b"bad")], [b"bad"]), [broken])
    )
    more = [store.submit(GAME, ready(number)) for number in range(3, 6)]  # type: ignore[arg-type]
    gate.open()
    assert isinstance(bad.exception(10), Exception)
    assert {future.result(10).status for future in good + more} == {IngestStatus.COMMITTED}
    listed = {
        source.canonical_uri for source, _ in store.list_sources(GAME, SourceFilter(), limit=9)
    }
    assert listed == {f"https://a.example/{number}" for number in range(6)}
    assert put_page(store, "after", b"after").status is IngestStatus.COMMITTED


def test_a_full_queue_refuses_with_a_time_to_wait(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "WRITER_QUEUE_RECORDS_MAX", 3)
    gate = Gate(store)
    waiting = [store.submit(GAME, ready(number)) for number in range(2)]  # type: ignore[arg-type]
    with pytest.raises(Failure) as refused:
        store.submit(GAME, ready(9))  # type: ignore[arg-type]
    assert (refused.value.code, refused.value.reason) == (
        FailureCode.RESOURCE_EXHAUSTED,
        "WRITER_BUSY",
    )
    assert refused.value.retry_after_seconds
    gate.open()
    for future in waiting:
        future.result(10)
    assert put(store, ready(9)).status is IngestStatus.COMMITTED  # type: ignore[arg-type]


def test_a_query_ends_at_its_deadline_and_the_reader_goes_on(store: SqliteStore) -> None:
    for number in range(5):
        put(store, ready(number))  # type: ignore[arg-type]
    query = Or((Prefix(("g",)), Prefix(("ga",))))
    with pytest.raises(Failure) as late:
        store.search(GAME, query, SearchFilter(), limit=9, deadline_seconds=0.0)
    assert late.value.reason == "QUERY_DEADLINE_EXCEEDED"
    assert len(store.search(GAME, query, SearchFilter(), limit=9, deadline_seconds=30.0)) == 5
    assert len(store.search(GAME, query, SearchFilter(), limit=9)) == 5


def test_open_games_stay_bounded_and_all_games_work(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_games, "OPEN_GAMES_MAX", 3)
    names = [f"game-{number}" for number in range(7)]
    for name in names:
        store.create_game(Game(name, created_time=1))
    for turn in range(2):
        for name in names:
            put_page(store, f"e{turn}", b"x%d" % turn, record_facts={"game_id": name})
            assert len(store._games) <= 3
    for name in names:
        (listed,) = store.list_sources(name, SourceFilter(), limit=9)
        assert listed[0].observation_count == 2


def test_a_game_in_use_is_not_closed(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_games, "OPEN_GAMES_MAX", 1)
    store.create_game(Game("other", created_time=1))
    with store._reader(GAME):
        with pytest.raises(Failure) as refused:
            store.snapshot("other")
        assert refused.value.reason == "READER_BUSY"
    assert store.snapshot("other").sequence == 0


def test_nothing_is_taken_after_close_and_the_log_is_empty(
    store: SqliteStore, game_file: Path
) -> None:
    put_page(store, "e1")
    assert game_file.with_name(game_file.name + "-wal").stat().st_size > 0
    store.close()
    # SQLite removes an empty log when its last connection closes.
    assert not game_file.with_name(game_file.name + "-wal").exists()
    with pytest.raises(Failure) as refused:
        put_page(store, "e2")
    assert refused.value.reason == "DRAINING"


def test_checkpoints_run_between_commits(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "WAL_AUTOCHECKPOINT_PAGES", 1)
    reached: list[str] = []
    with faults.armed("corpus.during_checkpoint", lambda: reached.append("x")):
        put_page(store, "e1")
        put_page(store, "e2", b"other")
    assert reached


def test_counts_of_the_index_are_those_that_fts5_ranks_with(store: SqliteStore) -> None:
    for number in range(30):
        data = b"gate tower " * (number * 7 + 1)
        put_page(store, f"e{number}", data, f"https://a.example/{number}", title="castle gate")
    seen: list[tuple[int, int]] = []

    def note(api: apsw.FTS5ExtensionApi, /, *_: object) -> int:
        seen.append((api.row_count, api.column_total_size()))
        return 0

    with store._reader(GAME) as connection:
        connection.register_fts5_function("note", note)
        connection.execute(
            "SELECT note(passage_index) FROM passage_index WHERE passage_index MATCH 'gate' LIMIT 1"
        ).fetchall()
        assert seen == [index_counts(connection)]


def test_the_queue_bounds_are_named() -> None:
    assert limits.WRITER_QUEUE_RECORDS_MAX >= limits.GROUP_COMMIT_RECORDS_MAX


def test_a_full_disk_refuses_with_a_time_to_wait_and_damages_nothing(store: SqliteStore) -> None:
    put_page(store, "e1", b"gate")

    def limit_pages(transaction: Transaction) -> None:
        # SQLite answers SQLITE_FULL exactly as on a disk without room.
        pages = transaction.connection.pragma("page_count")
        transaction.connection.pragma("max_page_count", pages)

    with store._lease(GAME) as database:
        database.write(limit_pages).result(10)
    large = "".join(f"word{number} " for number in range(40_000)).encode()
    full = prepared(record("e2", [page("https://b.example/", large)], [large]))
    waiting = [store.submit(GAME, full) for _ in range(2)]
    for future in waiting:
        error = future.exception(10)
        assert isinstance(error, Failure)
        assert (error.code, error.reason) == (FailureCode.RESOURCE_EXHAUSTED, "DISK_FULL")
        assert error.retry_after_seconds
    assert len(store.list_sources(GAME, SourceFilter(), limit=9)) == 1

    def lift(transaction: Transaction) -> None:
        transaction.connection.pragma("max_page_count", 2**31)

    with store._lease(GAME) as database:
        database.write(lift).result(10)
    assert put(store, full).status is IngestStatus.COMMITTED
    with store._reader(GAME) as connection:
        assert connection.pragma("integrity_check") == "ok"


def test_closing_waits_for_whoever_reads(store: SqliteStore) -> None:
    put_page(store, "e1")
    closing = threading.Thread(target=store.close)
    with store._reader(GAME) as connection:
        closing.start()
        while not store._games._closed:
            pass
        assert connection.execute("SELECT count(*) FROM readable_sources").get == 1
        assert closing.is_alive()
    closing.join(10)
    assert not closing.is_alive()
