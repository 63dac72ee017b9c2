"""Work past its deadline ends, whatever it is; who comes after it is left alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import apsw
import pytest

from corpus_service.storage.sqlite.interrupting import DeadlineWatch

ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
WAIT_SECONDS = 20.0


class Work:
    """Counts interruptions and tells when there were enough."""

    def __init__(self, enough: int) -> None:
        self.interruptions = 0
        self._enough = enough
        self.interrupted = threading.Event()

    def interrupt(self) -> None:
        self.interruptions += 1
        if self.interruptions == self._enough:
            self.interrupted.set()


@pytest.fixture
def watch() -> Iterator[DeadlineWatch]:
    watch = DeadlineWatch()
    yield watch
    watch.close()


def test_an_endless_statement_ends_and_the_connection_goes_on(watch: DeadlineWatch) -> None:
    connection = apsw.Connection(":memory:")
    for _ in range(3):
        with pytest.raises(apsw.InterruptError), watch.watching(connection, 0.01):
            connection.execute(ENDLESS).fetchall()
        assert connection.execute("SELECT 1").get == 1


def test_setting_up_a_beginning_of_words_can_be_interrupted() -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5 (x, content = '')")
    with connection:
        connection.executemany(
            "INSERT INTO t (rowid, x) VALUES (?, ?)",
            ((row, " ".join(f"a{row * 20 + word}" for word in range(20))) for row in range(2_000)),
        )
    pages = 0

    def interrupt(*_: object) -> bool:
        # The only step of the statement itself is one instruction; pages are read within it.
        nonlocal pages
        pages += 1
        if pages == 2:
            connection.interrupt()
        return False

    connection.set_progress_handler(interrupt, 1)
    with pytest.raises(apsw.InterruptError):
        connection.execute("SELECT rowid FROM t WHERE t MATCH 'a *' LIMIT 1").fetchall()


def test_work_is_interrupted_until_it_ends_and_never_afterwards(watch: DeadlineWatch) -> None:
    late, other = Work(enough=3), Work(enough=1)
    with watch.watching(other, 1_000.0):
        with watch.watching(late, 0.0):
            assert late.interrupted.wait(WAIT_SECONDS)
        interruptions = late.interruptions
        again = Work(enough=2)
        with watch.watching(again, 0.0):
            assert again.interrupted.wait(WAIT_SECONDS)
    assert late.interruptions == interruptions
    assert other.interruptions == 0


def test_an_earlier_deadline_is_not_kept_waiting_by_a_later_one(watch: DeadlineWatch) -> None:
    first, second = Work(enough=1), Work(enough=1)
    with watch.watching(first, 1_000.0), watch.watching(second, 0.0):
        assert second.interrupted.wait(WAIT_SECONDS)
    assert first.interruptions == 0
