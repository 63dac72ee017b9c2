"""One thread that writes: what waits together becomes durable together.

A commit with ``synchronous=FULL`` costs a flush of the disk (0.3 ms quiet, 4 ms busy) whether it
holds one row or a hundred, so the thread takes the first unit of work and everything that waits.
Each unit runs in a savepoint of its own: a unit that fails leaves no trace and harms no neighbour.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

import apsw

from capture_service.spool import limits
from capture_service.spool.errors import (
    SpoolBusyError,
    SpoolClosedError,
    SpoolFaultError,
    SpoolFullError,
)

Result = TypeVar("Result")
Work = Callable[[apsw.Connection], Result]
# The index of the write-ahead log cannot grow either when the disk is full.
_FULL_IN_OTHER_WORDS = frozenset({apsw.SQLITE_IOERR_SHMSIZE, apsw.SQLITE_IOERR_SHMMAP})
_FAULTS_OF_THE_FILE = (
    apsw.FullError,
    apsw.IOError,
    apsw.CorruptError,
    apsw.NotADBError,
    apsw.ReadOnlyError,
    apsw.CantOpenError,
    apsw.BusyError,
    apsw.NoMemError,
)


@dataclass(slots=True)
class _Unit:
    work: Callable[[apsw.Connection], Any]
    size_bytes: int
    apart: bool
    future: Future[Any] = field(default_factory=Future)
    outcome: Any = None
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class CommitHooks:
    """Places where a test may end the process; they do nothing in production."""

    before_commit: Callable[[], None] = lambda: None
    after_commit: Callable[[], None] = lambda: None
    during_checkpoint: Callable[[], None] = lambda: None


def _extended(error: apsw.Error) -> int:
    """SQLite's extended result code, which the types of the library leave out."""
    return int(getattr(error, "extendedresult", 0))


def _meaning(error: Exception) -> Exception:
    """What a failed transaction means to those who wait for it."""
    if isinstance(error, apsw.FullError):
        return SpoolFullError("DISK_FULL")
    if isinstance(error, apsw.IOError) and _extended(error) in _FULL_IN_OTHER_WORDS:
        return SpoolFullError("DISK_FULL")
    return SpoolFaultError() if isinstance(error, _FAULTS_OF_THE_FILE) else error


class GroupCommitWriter:
    """Runs units of work on the one writing connection.

    Thread-safe. A future resolves after the durable commit of its unit, never before.
    """

    def __init__(self, connection: apsw.Connection, hooks: CommitHooks | None = None) -> None:
        """Take ownership of the connection and start the thread."""
        self._connection = connection
        self._hooks = hooks or CommitHooks()
        self._units: queue.Queue[_Unit | None] = queue.Queue(limits.WRITER_QUEUE_UNITS_MAX)
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._commits = 0
        self._thread = threading.Thread(target=self._run, name="spool-writer", daemon=True)
        self._thread.start()

    @property
    def commits(self) -> int:
        """Number of durable commits so far."""
        return self._commits

    @property
    def waiting_units(self) -> int:
        """Units that wait for the thread."""
        return self._units.qsize()

    @property
    def alive(self) -> bool:
        """Whether the thread takes work."""
        return self._thread.is_alive() and not self._closed.is_set()

    def submit(
        self, work: Work[Result], size_bytes: int = 0, *, apart: bool = True
    ) -> Future[Result]:
        """Queue a unit of work.

        Args:
            work: Called with the connection inside an open transaction; it must not commit.
            size_bytes: About how much it writes, for the bound of one transaction.
            apart: Run it in a savepoint, so that it may fail alone. A unit that deletes much runs
                without: the savepoint would keep every deleted page in memory
                (https://sqlite.org/tempfiles.html, "statement journal"). If such a unit fails, so
                does everything in its transaction.

        Returns:
            A future with the value of ``work`` or its exception; ``SpoolFullError`` (DISK_FULL)
            where the disk had no space, with nothing of the unit written.

        Raises:
            SpoolBusyError: ``WRITER_QUEUE_UNITS_MAX`` units wait already.
            SpoolClosedError: The writer is closed.
        """
        unit = _Unit(work=work, size_bytes=size_bytes, apart=apart)
        # A caller that goes away cannot take back what others already count on.
        unit.future.set_running_or_notify_cancel()
        with self._lock:
            if not self.alive:
                raise SpoolClosedError
            try:
                self._units.put_nowait(unit)
            except queue.Full as error:
                raise SpoolBusyError from error
        return unit.future

    def close(self) -> None:
        """Finish what waits, copy the log back, close the connection. Idempotent."""
        with self._lock:
            already = self._closed.is_set()
            self._closed.set()
        if not already:
            self._units.put(None)
        self._thread.join()

    def _run(self) -> None:
        try:
            while (unit := self._units.get()) is not None:
                self._commit(self._collect(unit))
                # While the thread waits it holds on to nothing: a unit may carry a large content.
                del unit
                self._checkpoint_when_due()
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except apsw.Error:
            # The log is copied back at the next start; closing must not fail because of it.
            self._closed.set()
        finally:
            self._closed.set()
            self._refuse_the_rest()
            self._connection.close(True)

    def _collect(self, first: _Unit) -> list[_Unit]:
        batch, size_bytes = [first], first.size_bytes
        while len(batch) < limits.COMMIT_UNITS_MAX and size_bytes < limits.COMMIT_BYTES_MAX:
            try:
                unit = self._units.get_nowait()
            except queue.Empty:
                break
            if unit is None:
                self._units.put(None)
                break
            batch.append(unit)
            size_bytes += unit.size_bytes
        return batch

    def _commit(self, batch: list[_Unit]) -> None:
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            for unit in batch:
                self._run_unit(unit)
            self._hooks.before_commit()
            connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001 - every unit of the transaction gets it
            self._roll_back()
            failure = _meaning(error)
            for unit in batch:
                unit.future.set_exception(failure)
            return
        self._commits += 1
        self._hooks.after_commit()
        for unit in batch:
            if unit.error is not None:
                unit.future.set_exception(unit.error)
            else:
                unit.future.set_result(unit.outcome)

    def _run_unit(self, unit: _Unit) -> None:
        connection = self._connection
        if not unit.apart:
            unit.outcome = unit.work(connection)
            return
        connection.execute("SAVEPOINT unit")
        try:
            unit.outcome = unit.work(connection)
        except _FAULTS_OF_THE_FILE:
            # A full or failing disk may have ended the transaction: no unit of it can go on.
            raise
        except Exception as error:  # noqa: BLE001 - the caller of the unit gets it
            connection.execute("ROLLBACK TO unit")
            unit.error = error
        connection.execute("RELEASE unit")

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _checkpoint_when_due(self) -> None:
        """Copy pages back when the log is long and nobody waits, or when it is far too long."""
        try:
            pages, _ = self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
            overdue = pages > 4 * limits.CHECKPOINT_PAGES
            if pages < limits.CHECKPOINT_PAGES or not (overdue or self._units.empty()):
                return
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
            self._hooks.during_checkpoint()
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_RESTART)
        except (apsw.BusyError, apsw.FullError):
            # A reader holds the log or the disk is full: the next commit tries again.
            return

    def _refuse_the_rest(self) -> None:
        while True:
            try:
                unit = self._units.get_nowait()
            except queue.Empty:
                return
            if unit is not None:
                unit.future.set_exception(SpoolClosedError())
