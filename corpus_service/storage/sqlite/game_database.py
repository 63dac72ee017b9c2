"""One open game: its writer and its pool of readers."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TypeVar

import apsw

from corpus_service.domain.sources import Snapshot
from corpus_service.limits import (
    READER_WAIT_SECONDS,
    READERS_PER_GAME_MAX,
    WRITER_RETRY_SECONDS,
)
from corpus_service.storage.sqlite.blob_rows import BlobTable
from corpus_service.storage.sqlite.failures import StoreOpenError, failures
from corpus_service.storage.sqlite.identity_rows import EPOCH, take_identity
from corpus_service.storage.sqlite.index_tokens import register_tokens
from corpus_service.storage.sqlite.index_upkeep import IndexPreparation, bring_index_up_to_date
from corpus_service.storage.sqlite.interrupting import DeadlineWatch
from corpus_service.storage.sqlite.leaf_counts import LeafCounts, share_counts
from corpus_service.storage.sqlite.migrating import migrate
from corpus_service.storage.sqlite.opening import (
    DatabaseKind,
    open_maintenance,
    open_reader,
    open_writer,
)
from corpus_service.storage.sqlite.purging import finish_purge
from corpus_service.storage.sqlite.read_within import register_passage_filters
from corpus_service.storage.sqlite.rows import all_rows
from corpus_service.storage.sqlite.scoring import register_scoring
from corpus_service.storage.sqlite.titles import register_titles
from corpus_service.storage.sqlite.writing import GameWriter, Transaction
from sourcecorpus.rpc.failures import Failure, FailureCode

T = TypeVar("T")


class GameDatabase:
    """The file of one game. A reader connection serves one thread at a time."""

    def __init__(
        self, path: Path, game_id: str, preparation: IndexPreparation, watch: DeadlineWatch
    ) -> None:
        self._path = path
        self._watch = watch
        connection = open_writer(path, DatabaseKind.GAME)
        try:
            migrate(connection, path, DatabaseKind.GAME)
            self._set_up(connection, game_id, preparation)
        except apsw.Error as error:
            connection.close()
            raise StoreOpenError(
                f"{path} cannot be set up: {type(error).__name__}",
                damaged=isinstance(error, apsw.CorruptError),
            ) from error
        except BaseException:
            connection.close()
            raise
        self.writer = GameWriter(connection, game_id)
        self._readers: queue.LifoQueue[apsw.Connection] = queue.LifoQueue()
        self._opened: list[apsw.Connection] = []
        self._lock = threading.Lock()
        self._counts = LeafCounts()

    @staticmethod
    def _set_up(connection: apsw.Connection, game_id: str, preparation: IndexPreparation) -> None:
        with connection:
            take_identity(connection, game_id)
            BlobTable(connection).delete_broken_uploads()
        bring_index_up_to_date(connection, preparation)
        finish_purge(connection)

    def write(self, work: Callable[[Transaction], T], size_bytes: int = 0) -> Future[T]:
        """Queue work for the writer."""
        return self.writer.submit(work, size_bytes)

    @contextmanager
    def reader(self, deadline_seconds: float | None = None) -> Iterator[apsw.Connection]:
        """Lend a reader; SQLite's errors leave as failures, its work ends at the deadline.

        Raises:
            Failure: DEADLINE_EXCEEDED ``QUERY_DEADLINE_EXCEEDED``, also where no time is left at first.
        """
        if deadline_seconds is not None and deadline_seconds <= 0.0:
            raise Failure(FailureCode.DEADLINE_EXCEEDED, "QUERY_DEADLINE_EXCEEDED")
        connection = self._take(deadline_seconds)
        in_time = (
            nullcontext()
            if deadline_seconds is None
            else self._watch.watching(connection, deadline_seconds)
        )
        try:
            with failures(), in_time:
                yield connection
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            self._readers.put(connection)

    def remove_copies(self) -> None:
        """Remove the copies that migrations left beside the file: they hold what it held then."""
        for copy in self._path.parent.glob(f"{self._path.name}.before-version-*"):
            copy.unlink(missing_ok=True)

    def cut_log(self) -> None:
        """Move the write-ahead log into the file and cut it to nothing."""
        connection = open_maintenance(self._path)
        try:
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        finally:
            connection.close()

    def close(self) -> None:
        """Finish what is queued, then close every connection; nobody may read any more."""
        with self._lock:
            for connection in self._opened:
                connection.close()
            self._opened.clear()
        self.writer.close()

    def _take(self, deadline_seconds: float | None) -> apsw.Connection:
        try:
            return self._readers.get_nowait()
        except queue.Empty:
            pass
        with self._lock:
            if len(self._opened) < READERS_PER_GAME_MAX:
                with failures():
                    connection = open_reader(self._path)
                register_scoring(connection)
                register_tokens(connection)
                register_titles(connection)
                register_passage_filters(connection)
                share_counts(connection, self._counts)
                self._opened.append(connection)
                return connection
        wait = READER_WAIT_SECONDS
        if deadline_seconds is not None:
            wait = max(0.0, min(wait, deadline_seconds))
        try:
            return self._readers.get(timeout=wait)
        except queue.Empty:
            raise Failure(
                FailureCode.RESOURCE_EXHAUSTED,
                "READER_BUSY",
                retry_after_seconds=WRITER_RETRY_SECONDS,
            ) from None


def snapshot_of(connection: apsw.Connection) -> Snapshot:
    """Return the present state; inside a transaction, that of the transaction."""
    ((epoch, newest),) = all_rows(
        connection,
        f"SELECT {EPOCH}, (SELECT max(sequence) FROM snapshots)",  # noqa: S608 - constants
    )
    return Snapshot(epoch, newest or 0)


def check_epoch(
    connection: apsw.Connection, as_of: Snapshot | None, present: Snapshot | None = None
) -> Snapshot:
    """Return the snapshot to read: the given one where it still holds, else the present one.

    Args:
        connection: A reader.
        as_of: The snapshot that was asked for.
        present: The present state, where it was read already within the same transaction.

    Raises:
        Failure: FAILED_PRECONDITION ``SNAPSHOT_CHANGED``.
    """
    present = present or snapshot_of(connection)
    if as_of is None:
        return present
    if as_of.epoch != present.epoch or as_of.sequence > present.sequence:
        raise Failure(FailureCode.FAILED_PRECONDITION, "SNAPSHOT_CHANGED", "page_token")
    return as_of
