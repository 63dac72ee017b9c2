"""The catalog of games: a small database that is held in memory beside its file."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import apsw

from corpus_service.domain.games import Game, GameChange
from corpus_service.storage.sqlite.failures import failures
from corpus_service.storage.sqlite.migrating import migrate
from corpus_service.storage.sqlite.opening import DatabaseKind, open_writer
from sourcecorpus.rpc.failures import Failure, FailureCode

_IMPORT: Final = "import:"
"""Beginning of the names under which imports are noted that have to be finished."""


class SqliteCatalog:
    """Games by id and alias. One connection behind a lock writes; look-ups read memory alone.

    The corpus service is the only process that opens the file, so memory is never behind it.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._connection = open_writer(path, DatabaseKind.CATALOG)
        try:
            migrate(self._connection, path, DatabaseKind.CATALOG)
            self._games = _load(self._connection)
        except BaseException:
            self._connection.close()
            raise
        self._names = _names(self._games)
        self._order = sorted(self._games)

    def create_game(self, game: Game) -> Game:
        """See `GameCatalog.create_game`."""
        with self._lock, failures():
            if game.game_id in self._games:
                raise Failure(FailureCode.ALREADY_EXISTS, "GAME_ALREADY_EXISTS", "game.game_id")
            self._check_names(game)
            with self._connection:
                self._insert(game)
            self._remember(game)
        return game

    def get_game(self, name: str) -> Game | None:
        """See `GameCatalog.get_game`."""
        return self._games.get(self._names.get(name, ""))

    def list_games(self, *, after: str, limit: int) -> Sequence[Game]:
        """See `GameCatalog.list_games`."""
        order, games = self._order, self._games
        start = bisect_right(order, after)
        return tuple(games[name] for name in order[start : start + limit])

    def update_game(self, game_id: str, change: GameChange) -> Game:
        """See `GameCatalog.update_game`."""
        with self._lock, failures():
            before = self._games.get(game_id)
            if before is None:
                raise Failure(FailureCode.NOT_FOUND, "UNKNOWN_GAME", "game_id")
            game = replace(
                before,
                title=before.title if change.title is None else change.title,
                aliases=before.aliases if change.aliases is None else change.aliases,
                paused=before.paused if change.paused is None else change.paused,
            )
            self._check_names(game)
            with self._connection:
                self._connection.execute(
                    "UPDATE games SET title = ?, paused = ? WHERE game_id = ?",
                    (game.title, int(game.paused), game_id),
                )
                self._connection.execute("DELETE FROM game_names WHERE game_id = ?", (game_id,))
                self._write_names(game)
            self._remember(game)
        return game

    def check_names(self, game: Game) -> None:
        """Refuse a game whose id or alias names another one.

        Raises:
            Failure: ALREADY_EXISTS ``ALIAS_TAKEN``.
        """
        with self._lock:
            self._check_names(game)

    def begin_import(self, game: Game) -> None:
        """Note a game whose file has to take its place; seen by nobody before `finish_import`.

        Raises:
            Failure: ALREADY_EXISTS ``ALIAS_TAKEN``.
        """
        with self._lock, failures():
            self._check_names(game)
            with self._connection:
                self._connection.execute("DELETE FROM games WHERE game_id = ?", (game.game_id,))
                self._insert(game)
                self._connection.execute(
                    "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)",
                    (_IMPORT + game.game_id, game.game_id),
                )

    def finish_import(self, game_id: str) -> None:
        """Show a game whose file has taken its place."""
        with self._lock, failures():
            self._connection.execute("DELETE FROM meta WHERE name = ?", (_IMPORT + game_id,))
            for game in _load(self._connection).values():
                if game.game_id == game_id:
                    self._remember(game)

    def pending_imports(self) -> Sequence[str]:
        """Return the games whose file has not taken its place yet."""
        with self._lock, failures():
            rows = self._connection.execute(
                "SELECT value FROM meta WHERE name LIKE ?", (_IMPORT + "%",)
            )
            return [game_id for (game_id,) in rows]

    def close(self) -> None:
        """Close the file; later look-ups still answer from memory."""
        with self._lock:
            self._connection.close()

    def _check_names(self, game: Game) -> None:
        for position, name in enumerate((game.game_id, *game.aliases)):
            owner = self._names.get(name)
            if owner is not None and owner != game.game_id:
                field = f"aliases[{position - 1}]" if position else "game_id"
                raise Failure(FailureCode.ALREADY_EXISTS, "ALIAS_TAKEN", field)

    def _insert(self, game: Game) -> None:
        self._connection.execute(
            "INSERT INTO games (game_id, title, paused, created_time) VALUES (?, ?, ?, ?)",
            (game.game_id, game.title, int(game.paused), game.created_time),
        )
        self._write_names(game)

    def _write_names(self, game: Game) -> None:
        self._connection.executemany(
            "INSERT INTO game_names (name, game_id, position) VALUES (?, ?, ?)",
            (
                (name, game.game_id, position)
                for position, name in enumerate(dict.fromkeys((game.game_id, *game.aliases)))
            ),
        )

    def _remember(self, game: Game) -> None:
        """Put new mappings in place as wholes: readers take no lock."""
        games = {**self._games, game.game_id: game}
        self._games, self._names, self._order = games, _names(games), sorted(games)


def _names(games: dict[str, Game]) -> dict[str, str]:
    return {name: game.game_id for game in games.values() for name in (*game.aliases, game.game_id)}


def _load(connection: apsw.Connection) -> dict[str, Game]:
    aliases: dict[str, list[str]] = {}
    for name, game_id in connection.execute(
        "SELECT name, game_id FROM game_names WHERE position > 0 ORDER BY game_id, position"
    ):
        aliases.setdefault(game_id, []).append(name)
    return {
        game_id: Game(game_id, title, tuple(aliases.get(game_id, ())), bool(paused), created)
        for game_id, title, paused, created in connection.execute(
            "SELECT game_id, title, paused, created_time FROM games"
        )
    }
