"""Refresh requests in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager

from corpus_service.domain.refreshes import RefreshRequest
from corpus_service.storage.memory.tables import MemoryGame
from corpus_service.storage.refresh_interface import Answer, Change


class MemoryRefreshes(ABC):
    """`RefreshStore` over tables in memory."""

    @abstractmethod
    def _game(self, game_id: str) -> AbstractContextManager[MemoryGame]:
        """Give the tables of a game to one caller at a time."""

    def refresh_requests(self, game_id: str) -> Sequence[RefreshRequest]:
        """See `RefreshStore.refresh_requests`."""
        with self._game(game_id) as game:
            return game.refreshes

    def change_refresh_requests(self, game_id: str, change: Change[Answer]) -> Answer:
        """See `RefreshStore.change_refresh_requests`."""
        with self._game(game_id) as game:
            after, answer = change(game.refreshes)
            game.refreshes = tuple(after)
            return answer
