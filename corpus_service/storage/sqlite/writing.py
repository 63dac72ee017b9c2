"""The one writer of a game: a thread that owns the writing connection and commits in groups.

What waits in the queue is written in one transaction and synced once. A task that fails before it
wrote anything fails alone; one that fails in between has the transaction rolled back and the others
repeated, each in a transaction of its own. Savepoints would do the same, but each one makes FTS5
write out a segment.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import apsw

from corpus_service.limits import (
    GROUP_COMMIT_BYTES_MAX,
    GROUP_COMMIT_RECORDS_MAX,
    WAL_AUTOCHECKPOINT_PAGES,
    WRITER_QUEUE_BYTES_MAX,
    WRITER_QUEUE_RECORDS_MAX,
    WRITER_RETRY_SECONDS,
)
from corpus_service.storage.sqlite.failures import as_failure, extended_result
from sourcecorpus.rpc import faults
from sourcecorpus.rpc.failures import Failure, FailureCode

_LOG: Final = logging.getLogger(__name__)
T = TypeVar("T")


class Transaction:
    """One write transaction in progress: its connection and the numbers that its rows take.

    ``sequence`` is the number of the commit that this transaction becomes if anything is written,
    that is, if somebody sets ``committed_time``.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection: Final = connection
        self._newest, self.next_chunk = newest_commit(connection)
        # Before anything is added to the index, its counts are those of the newest commit.
        self._counts_before = index_counts(connection)
        self.sequence: Final = self._newest + 1
        self.committed_time = 0

    def finish(self) -> None:
        """Write the commit's own row, and what FTS5 counted at the one before."""
        if not self.committed_time:
            return
        self.connection.execute(
            "UPDATE commits SET indexed_chunks = ?, indexed_tokens = ?"
            " WHERE sequence = ? AND indexed_chunks IS NULL",
            (*self._counts_before, self._newest),
        )
        self.connection.execute(
            "INSERT INTO commits (sequence, committed_time, next_chunk) VALUES (?, ?, ?)",
            (self.sequence, self.committed_time, self.next_chunk),
        )


@dataclass(frozen=True, slots=True)
class _Task:
    work: Callable[[Transaction], Any]
    size_bytes: int
    future: Future[Any]


class GameWriter:
    """Queue and thread of one writing connection; the connection belongs to it from then on."""

    def __init__(self, connection: apsw.Connection, name: str) -> None:
        self._connection = connection
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._waiting = 0
        self._waiting_bytes = 0
        self._closed = False
        self._wal_pages = 0
        connection.set_wal_hook(self._note_wal)
        self._thread = threading.Thread(target=self._run, name=f"writer-{name}", daemon=True)
        self._thread.start()

    @property
    def idle(self) -> bool:
        """Nothing waits and nothing is being written."""
        return self._waiting == 0

    def submit(self, work: Callable[[Transaction], T], size_bytes: int) -> Future[T]:
        """Queue work; the future is done after the commit that holds it.

        Raises:
            Failure: RESOURCE_EXHAUSTED ``WRITER_BUSY``; UNAVAILABLE ``DRAINING`` after ``close``.
        """
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise Failure(FailureCode.UNAVAILABLE, "DRAINING")
            full = self._waiting >= WRITER_QUEUE_RECORDS_MAX or (
                # A single task larger than the bound still passes through an empty queue.
                self._waiting and self._waiting_bytes + size_bytes > WRITER_QUEUE_BYTES_MAX
            )
            if full:
                raise Failure(
                    FailureCode.RESOURCE_EXHAUSTED,
                    "WRITER_BUSY",
                    retry_after_seconds=WRITER_RETRY_SECONDS,
                )
            self._waiting += 1
            self._waiting_bytes += size_bytes
            self._tasks.put(_Task(work, size_bytes, future))
        return future

    def close(self) -> None:
        """Write what waits, move the log into the file, close the connection."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._tasks.put(None)
        self._thread.join()

    def _run(self) -> None:
        going_on = True
        while going_on:
            group, going_on = self._next_group()
            if group:
                self._write(group)
                with self._lock:
                    self._waiting -= len(group)
                    self._waiting_bytes -= sum(task.size_bytes for task in group)
                self._checkpoint()
        self._close_connection()

    def _next_group(self) -> tuple[list[_Task], bool]:
        """Wait for a task, then take what waits behind it, up to the bounds of a group."""
        first = self._tasks.get()
        if first is None:
            return [], False
        group, size_bytes = [first], first.size_bytes
        while len(group) < GROUP_COMMIT_RECORDS_MAX and size_bytes < GROUP_COMMIT_BYTES_MAX:
            try:
                task = self._tasks.get_nowait()
            except queue.Empty:
                break
            if task is None:
                return group, False
            group.append(task)
            size_bytes += task.size_bytes
        return group, True

    def _write(self, group: list[_Task]) -> None:
        done = self._attempt(group)
        if done is None:
            # Somebody failed half-way. Alone, everybody gets what is theirs.
            for task in group:
                self._attempt([task])

    def _attempt(self, group: list[_Task]) -> bool | None:
        """Write a group in one transaction and answer; None asks for a repetition one by one."""
        connection = self._connection
        results: list[tuple[_Task, Any, BaseException | None]] = []
        try:
            connection.execute("BEGIN IMMEDIATE")
            transaction = Transaction(connection)
            for task in group:
                before = connection.total_changes()
                try:
                    results.append((task, task.work(transaction), None))
                except Exception as error:
                    if connection.total_changes() != before:
                        raise
                    results.append((task, None, error))
                faults.reach("corpus.mid_batch")
            transaction.finish()
            faults.reach("corpus.before_commit")
            connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001 - the thread must live, the callers must know
            self._roll_back()
            if isinstance(error, apsw.FullError):
                # The log may hold what the file could take over: room for the next attempt.
                self._wal_pages = WAL_AUTOCHECKPOINT_PAGES
            if len(group) > 1:
                return None
            _answer(group[0].future, None, error)
            return False
        faults.reach("corpus.after_commit_before_answer")
        for task, result, fault in results:
            _answer(task.future, result, fault)
        return True

    def _roll_back(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except apsw.Error:
            _LOG.exception("a transaction could not be rolled back")

    def _note_wal(self, _connection: apsw.Connection, _database: str, pages: int) -> int:
        self._wal_pages = pages
        return apsw.SQLITE_OK

    def _checkpoint(self) -> None:
        """Move the log into the file between two commits, as far as readers allow."""
        if self._wal_pages < WAL_AUTOCHECKPOINT_PAGES:
            return
        faults.reach("corpus.during_checkpoint")
        try:
            remaining, moved = self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
            self._wal_pages = max(0, remaining - moved)
        except apsw.Error as error:
            # The log keeps everything; the next commit tries again.
            _LOG.warning("checkpoint failed with result %d", extended_result(error))

    def _close_connection(self) -> None:
        try:
            self._connection.execute("PRAGMA optimize").fetchall()
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except apsw.Error as error:
            _LOG.warning("last checkpoint failed with result %d", extended_result(error))
        self._connection.close()


def _answer(future: Future[Any], result: object, error: BaseException | None) -> None:
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(as_failure(error) if isinstance(error, apsw.Error) else error)


def newest_commit(connection: apsw.Connection) -> tuple[int, int]:
    """Return the newest sequence and the number that the next chunk takes."""
    found = connection.execute(
        "SELECT sequence, next_chunk FROM commits ORDER BY sequence DESC LIMIT 1"
    ).fetchone()
    return (found[0], found[1]) if found else (0, 1)


def index_counts(connection: apsw.Connection) -> tuple[int, int]:
    """Return the chunks and tokens in the index, as FTS5 counts them for bm25().

    FTS5 keeps them in row 1 of its data table ("averages record": variable-length integers, the
    number of rows and then the tokens of each column; fts5_index.c).
    """
    block = connection.execute("SELECT block FROM passage_index_data WHERE id = 1").get
    numbers = list(_variable_length_integers(block or b""))
    return (numbers[0], sum(numbers[1:])) if numbers else (0, 0)


def _variable_length_integers(block: bytes) -> Iterator[int]:
    """SQLite's variable-length integers (fileformat2.html, 1.6): 7 bits a byte, high first."""
    value = length = 0
    for byte in block:
        length += 1
        if length == 9:
            yield value << 8 | byte
        else:
            value = value << 7 | byte & 0x7F
            if byte & 0x80:
                continue
            yield value
        value = length = 0


def wait(future: Future[T], deadline_seconds: float | None = None) -> T:
    """Return the result of queued work.

    Raises:
        Failure: DEADLINE_EXCEEDED where it is not committed in time; it may be later.
    """
    start = time.monotonic()
    try:
        return future.result(deadline_seconds)
    except TimeoutError:
        if deadline_seconds is None or time.monotonic() - start < deadline_seconds:
            raise
        raise Failure(FailureCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED") from None
