"""`GameTransfer` over the file of each game.

An imported game is filled in a file of its own. Its catalog entry and the note that its file has to
take its place are one commit; what a crash leaves undone behind it is done when the store is opened.
"""

from __future__ import annotations

import os
import shutil
import threading
from abc import ABC, abstractmethod
from collections.abc import Collection
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Final

import apsw

from corpus_service.domain.exports import GameState, TakeRow
from corpus_service.domain.games import Game
from corpus_service.limits import DISK_FULL_RETRY_SECONDS, STORE_RETRY_SECONDS
from corpus_service.storage.sqlite.catalog import SqliteCatalog
from corpus_service.storage.sqlite.export_rows import export_rows
from corpus_service.storage.sqlite.failures import failures
from corpus_service.storage.sqlite.game_database import GameDatabase, snapshot_of
from corpus_service.storage.sqlite.importing import STAGED_SUFFIX, SqliteImport, remove_staged
from corpus_service.storage.sqlite.index_upkeep import IndexPreparation
from corpus_service.storage.sqlite.open_games import OpenGames
from sourcecorpus.rpc import faults
from sourcecorpus.rpc.failures import Failure, FailureCode

_STORED: Final = "SELECT EXISTS (SELECT 1 FROM sources) OR EXISTS (SELECT 1 FROM tombstones)"


class SqliteTransfer(ABC):
    """Whole games out of the store and into it."""

    _catalog: SqliteCatalog
    _games: OpenGames
    _games_folder: Path
    _preparation: IndexPreparation
    _importing: threading.Lock

    @abstractmethod
    def _lease(self, game_id: str) -> AbstractContextManager[GameDatabase]:
        """Lend the open game."""

    @abstractmethod
    def _reading(
        self, game_id: str, deadline_seconds: float | None = None
    ) -> AbstractContextManager[apsw.Connection]:
        """Give a connection whose statements all see one state."""

    def export_rows(
        self,
        game_id: str,
        tables: Collection[str],
        take: TakeRow,
        *,
        deadline_seconds: float | None = None,
    ) -> GameState:
        """See `GameTransfer.export_rows`."""
        with self._reading(game_id, deadline_seconds) as connection:
            sequence = snapshot_of(connection).sequence
            game = self._catalog.get_game(game_id)
            if game is None:
                raise Failure(FailureCode.NOT_FOUND, "UNKNOWN_GAME", "game_id")
            export_rows(connection, tables, take)
        return GameState(game, sequence)

    def begin_import(self, state: GameState, size_bytes: int) -> SqliteImport:
        """See `GameTransfer.begin_import`."""
        game_id = state.game.game_id
        if not self._importing.acquire(blocking=False):
            raise Failure(
                FailureCode.RESOURCE_EXHAUSTED,
                "TOO_MANY_CALLS",
                retry_after_seconds=STORE_RETRY_SECONDS,
            )
        try:
            self._catalog.check_names(state.game)
            if self._catalog.get_game(game_id) is not None:
                with self._lease(game_id) as database, database.reader() as connection:
                    _check_empty(connection)
            if shutil.disk_usage(self._games_folder).free < size_bytes:
                raise Failure(
                    FailureCode.RESOURCE_EXHAUSTED,
                    "DISK_FULL",
                    retry_after_seconds=DISK_FULL_RETRY_SECONDS,
                )
        except BaseException:
            self._importing.release()
            raise
        return SqliteImport(
            self._staged(game_id),
            state,
            self._preparation,
            lambda: self._show(state.game),
            self._importing.release,
        )

    def _finish_imports(self) -> None:
        """Do what a crash left undone, and drop what it broke off."""
        for game_id in self._catalog.pending_imports():
            if self._staged(game_id).exists():
                self._put_in_place(game_id)
            self._catalog.finish_import(game_id)
        for path in self._games_folder.glob(f"*{STAGED_SUFFIX}*"):
            path.unlink(missing_ok=True)

    def _show(self, game: Game) -> None:
        with self._games.exclusive(game.game_id):
            path = self._path(game.game_id)
            if path.exists():
                with failures(), _opened(path) as connection:
                    _check_empty(connection)
            with failures():
                self._catalog.begin_import(game)
            faults.reach("corpus.mid_import_shown")
            self._put_in_place(game.game_id)
            with failures():
                self._catalog.finish_import(game.game_id)

    def _put_in_place(self, game_id: str) -> None:
        # A log that belongs to the file before would be taken for one of the new file.
        remove_staged(self._path(game_id))
        self._staged(game_id).replace(self._path(game_id))
        folder = os.open(self._games_folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _path(self, game_id: str) -> Path:
        return self._games_folder / f"{game_id}.db"

    def _staged(self, game_id: str) -> Path:
        return self._games_folder / f"{game_id}.db{STAGED_SUFFIX}"


def _opened(path: Path) -> AbstractContextManager[apsw.Connection]:
    return closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE))


def _check_empty(connection: apsw.Connection) -> None:
    if connection.execute(_STORED).get:
        raise Failure(FailureCode.FAILED_PRECONDITION, "GAME_NOT_EMPTY", "game_id")
