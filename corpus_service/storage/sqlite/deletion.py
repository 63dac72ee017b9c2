"""The deleting side of the embedded store, down to the bytes in its files."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager
from functools import partial
from typing import TypeVar

import apsw

from corpus_service.domain.deletions import Deletion, DeletionReason, DeletionResult, Tombstone
from corpus_service.storage.sqlite.deleting import delete
from corpus_service.storage.sqlite.failures import failures
from corpus_service.storage.sqlite.game_database import GameDatabase
from corpus_service.storage.sqlite.purging import merge_step, note_done, pending_purge
from corpus_service.storage.sqlite.rows import Row, all_rows
from corpus_service.storage.sqlite.writing import wait
from sourcecorpus.rpc import faults
from sourcecorpus.rpc.failures import Failure, FailureCode

T = TypeVar("T")


class SqliteDeletion(ABC):
    """`SourceDeleter` over the file of each game."""

    @abstractmethod
    def _lease(self, game_id: str) -> AbstractContextManager[GameDatabase]:
        """Lend the open game."""

    @abstractmethod
    def _reader(
        self, game_id: str, deadline_seconds: float | None = None
    ) -> AbstractContextManager[apsw.Connection]:
        """Give a connection for reading."""

    def delete_source(
        self, game_id: str, deletion: Deletion, *, deadline_seconds: float | None = None
    ) -> DeletionResult:
        """See `SourceDeleter.delete_source`."""
        end = None if deadline_seconds is None else time.monotonic() + deadline_seconds
        with self._lease(game_id) as database:
            result = wait(
                database.write(lambda transaction: delete(transaction, deletion)), deadline_seconds
            )
            faults.reach("corpus.before_purge")
            purge(database, end)
        return result

    def stored_source(self, game_id: str, canonical_uri: str) -> str:
        """See `SourceDeleter.stored_source`."""
        with self._reader(game_id) as connection:
            found: str | None = connection.execute(
                "SELECT id FROM sources WHERE canonical_uri = ?", (canonical_uri,)
            ).get
        return found or ""

    def tombstones(self, game_id: str, version_ids: Collection[str]) -> Mapping[str, Tombstone]:
        """See `SourceDeleter.tombstones`."""
        names = list(version_ids)
        with self._reader(game_id) as connection:
            rows = all_rows(
                connection,
                "SELECT version_id, source_id, canonical_uri, title, content_hash, fetched_time,"  # noqa: S608 - marks alone
                " deleted_time, reason, note FROM deleted_versions"
                f" WHERE version_id IN ({', '.join('?' * len(names))})",
                names,
            )
        return {row[0]: _tombstone(row) for row in rows}


def _tombstone(row: Row) -> Tombstone:
    values = [*row[:7], DeletionReason(row[7]), row[8]]
    return Tombstone(*values)


def purge(database: GameDatabase, end: float | None = None) -> None:
    """Remove the bytes of what was deleted from the files of a game.

    Between two steps captures are written. What is not done at ``end`` (monotonic seconds) is done
    when the game is opened again, or with the next deletion.

    Raises:
        Failure: DEADLINE_EXCEEDED; UNAVAILABLE where a reader kept the log from being cut.
    """
    database.remove_copies()
    # A deletion that comes meanwhile has a number of its own and stays pending until its own purge.
    number = wait(_in_transaction(database, pending_purge), _left(end))
    begin = going_on = True
    while going_on:
        step = partial(merge_step, begin=begin)
        going_on = wait(_in_transaction(database, step), _left(end))
        begin = False
    with failures():
        database.cut_log()
    wait(_in_transaction(database, partial(note_done, number=number)), _left(end))


def _in_transaction(database: GameDatabase, work: Callable[[apsw.Connection], T]) -> Future[T]:
    return database.write(lambda transaction: work(transaction.connection))


def _left(end: float | None) -> float | None:
    if end is None:
        return None
    left = end - time.monotonic()
    if left <= 0:
        raise Failure(FailureCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED")
    return left
