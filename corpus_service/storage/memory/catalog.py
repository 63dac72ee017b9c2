"""The games of the backend in memory."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

from corpus_service.domain.games import Game, GameChange
from sourcecorpus.rpc.failures import Failure, FailureCode


class MemoryCatalog:
    """Games by id and alias behind one lock."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._games: dict[str, Game] = {}

    def create_game(self, game: Game) -> Game:
        """See `GameCatalog.create_game`."""
        with self._lock:
            if game.game_id in self._games:
                raise Failure(FailureCode.ALREADY_EXISTS, "GAME_ALREADY_EXISTS", "game.game_id")
            self._check_names(game)
            self._games[game.game_id] = game
            return game

    def get_game(self, name: str) -> Game | None:
        """See `GameCatalog.get_game`."""
        with self._lock:
            found = self._games.get(name)
            if found is not None:
                return found
            return next((game for game in self._games.values() if name in game.aliases), None)

    def list_games(self, *, after: str, limit: int) -> Sequence[Game]:
        """See `GameCatalog.list_games`."""
        with self._lock:
            names = sorted(name for name in self._games if name > after)
            return [self._games[name] for name in names[:limit]]

    def update_game(self, game_id: str, change: GameChange) -> Game:
        """See `GameCatalog.update_game`."""
        with self._lock:
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
            self._games[game_id] = game
            return game

    def _check_names(self, game: Game) -> None:
        for position, name in enumerate((game.game_id, *game.aliases)):
            owner = self.get_game(name)
            if owner is not None and owner.game_id != game.game_id:
                field = f"aliases[{position - 1}]" if position else "game_id"
                raise Failure(FailureCode.ALREADY_EXISTS, "ALIAS_TAKEN", field)
