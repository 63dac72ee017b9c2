"""A game on its way into a store: a file of its own beside the others until it is whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import apsw

from corpus_service.domain.exports import GameState, Row
from corpus_service.limits import IMPORT_COMMIT_ROWS, STORE_RETRY_SECONDS
from corpus_service.storage.preparation import ContentPiece
from corpus_service.storage.sqlite.failures import failures
from corpus_service.storage.sqlite.identity_rows import take_identity
from corpus_service.storage.sqlite.import_facts import make_facts
from corpus_service.storage.sqlite.import_rows import RowImport
from corpus_service.storage.sqlite.import_texts import TextImport
from corpus_service.storage.sqlite.index_upkeep import IndexPreparation, bring_index_up_to_date
from corpus_service.storage.sqlite.migrating import migrate
from corpus_service.storage.sqlite.opening import DatabaseKind, open_writer
from sourcecorpus.rpc import faults
from sourcecorpus.rpc.failures import Failure, FailureCode

STAGED_SUFFIX: Final = ".importing"


class SqliteImport:
    """`GameImport` that fills a staged file and hands it over whole."""

    def __init__(
        self,
        path: Path,
        state: GameState,
        preparation: IndexPreparation,
        show: Callable[[], None],
        done: Callable[[], None],
    ) -> None:
        """Make the staged file.

        Args:
            path: Where; a file that is there is from an import that broke off.
            state: The game.
            preparation: Of texts for the index.
            show: Puts the whole file, closed and synced, in its place.
            done: Called once, however the import ends.
        """
        self._path = path
        self._state = state
        self._show = show
        self._done: Callable[[], None] | None = done
        self._connection: apsw.Connection | None = None
        self._in_transaction = 0
        try:
            remove_staged(path)
            with failures():
                self._open(preparation)
        except BaseException:
            self.abort()
            raise

    def add(self, table: str, row: Row) -> None:
        """See `GameImport.add`."""
        with failures():
            if table == "chunks":
                self._texts.add(row)
            else:
                self._rows.add(table, row)
            self._count()

    def add_piece(self, content_hash: str, ordinal: int, piece: ContentPiece) -> None:
        """See `GameImport.add_piece`."""
        with failures():
            self._rows.add_piece(content_hash, ordinal, piece)
            self._count(weight=len(piece.frame) // 1_024 + 1)

    def commit(self) -> None:
        """See `GameImport.commit`."""
        connection = self._connection
        if connection is None:
            raise ValueError("the import has ended")
        with failures():
            self._texts.finish()
            make_facts(connection, self._state, self._rows.next_chunk)
            connection.execute("COMMIT")
            connection.execute("PRAGMA synchronous = FULL")
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        self._close()
        with self._path.open("rb") as file:
            os.fsync(file.fileno())
        faults.reach("corpus.before_import_shown")
        try:
            self._show()
        except OSError as error:
            # The catalog has the game: the file stays, and takes its place when the store is opened.
            self._end()
            raise Failure(
                FailureCode.UNAVAILABLE,
                "STORE_UNAVAILABLE",
                retry_after_seconds=STORE_RETRY_SECONDS,
            ) from error
        self._end()

    def abort(self) -> None:
        """See `GameImport.abort`."""
        if self._done is None:
            return
        self._close()
        remove_staged(self._path)
        self._end()

    def _open(self, preparation: IndexPreparation) -> None:
        connection = self._connection = open_writer(self._path, DatabaseKind.GAME)
        # Nobody relies on the file before it is whole; then it is synced once.
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA wal_autocheckpoint = 1000").fetchall()
        migrate(connection, self._path, DatabaseKind.GAME)
        game_id = self._state.game.game_id
        with connection:
            take_identity(connection, game_id)
        bring_index_up_to_date(connection, preparation)
        self._rows = RowImport(connection, game_id)
        self._texts = TextImport(connection, preparation)
        connection.execute("BEGIN IMMEDIATE")

    def _count(self, weight: int = 1) -> None:
        """Commit now and then, so that neither log nor memory grows with the game."""
        self._in_transaction += weight
        if self._in_transaction >= IMPORT_COMMIT_ROWS and self._connection is not None:
            self._in_transaction = 0
            self._connection.execute("COMMIT")
            faults.reach("corpus.mid_import")
            self._connection.execute("BEGIN IMMEDIATE")

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _end(self) -> None:
        if self._done is not None:
            self._done()
            self._done = None


def remove_staged(path: Path) -> None:
    """Remove a staged file with its log."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
