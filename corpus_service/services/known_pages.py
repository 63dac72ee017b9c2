"""Pages that were found lately, for whoever asks the same of an unchanged game.

Agents repeat their searches and turn pages to and fro. Pages are remembered for one state of their
game; whatever is committed meanwhile, a deletion above all, drops them with the next search.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

from corpus_service.domain.sources import Snapshot

Page = TypeVar("Page")


class KnownPages(Generic[Page]):
    """The pages used last; safe from any thread."""

    def __init__(self, number_max: int) -> None:
        self._number_max = number_max
        self._pages: OrderedDict[tuple[str, Hashable], Page] = OrderedDict()
        self._states: dict[str, Snapshot] = {}
        self._lock = threading.Lock()

    def get(self, game_id: str, present: Snapshot, key: Hashable) -> Page | None:
        """Returns a page of a game's present state, or None where it is not remembered."""
        with self._lock:
            if self._states.get(game_id) != present:
                self._forget(game_id)
                return None
            page = self._pages.get((game_id, key))
            if page is not None:
                self._pages.move_to_end((game_id, key))
            return page

    def keep(self, game_id: str, present: Snapshot, key: Hashable, page: Page) -> None:
        """Remembers a page; the one that was used longest ago makes room."""
        with self._lock:
            if self._states.get(game_id) != present:
                self._forget(game_id)
                self._states[game_id] = present
            self._pages[game_id, key] = page
            self._pages.move_to_end((game_id, key))
            if len(self._pages) > self._number_max:
                (other, _), _ = self._pages.popitem(last=False)
                if not any(game == other for game, _ in self._pages):
                    del self._states[other]

    def _forget(self, game_id: str) -> None:
        if self._states.pop(game_id, None) is not None:
            for known in [known for known in self._pages if known[0] == game_id]:
                del self._pages[known]
