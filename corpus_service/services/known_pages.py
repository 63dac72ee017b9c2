"""Pages that were found lately, for whoever asks the same of an unchanged game.

Agents repeat their searches and turn pages to and fro. A page is remembered for one state of its
game; whatever is committed meanwhile, a deletion above all, makes it unreachable.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Page = TypeVar("Page")


class KnownPages(Generic[Page]):
    """The pages used last; safe from any thread."""

    def __init__(self, number_max: int) -> None:
        self._number_max = number_max
        self._pages: OrderedDict[Hashable, Page] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Page | None:
        """Returns a page, or None where it is not remembered."""
        with self._lock:
            page = self._pages.get(key)
            if page is not None:
                self._pages.move_to_end(key)
            return page

    def keep(self, key: Hashable, page: Page) -> None:
        """Remembers a page; the one that was used longest ago makes room."""
        with self._lock:
            self._pages[key] = page
            self._pages.move_to_end(key)
            if len(self._pages) > self._number_max:
                self._pages.popitem(last=False)
