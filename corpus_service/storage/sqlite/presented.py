"""`PresentedSources` over SQLite files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager

import apsw

from corpus_service.domain.run_links import RunSource
from corpus_service.domain.sources import Snapshot
from corpus_service.storage.sqlite import read_presented
from corpus_service.storage.sqlite.game_database import check_epoch


class SqlitePresentedSources(ABC):
    """What runs met."""

    @abstractmethod
    def _reading(
        self, game_id: str, deadline_seconds: float | None = None
    ) -> AbstractContextManager[apsw.Connection]:
        """Lend a reader whose statements all see one state."""

    def list_presented(
        self,
        game_id: str,
        run_id: str,
        *,
        limit: int,
        after: int = 0,
        as_of: Snapshot | None = None,
    ) -> Sequence[RunSource]:
        """See `PresentedSources.list_presented`."""
        with self._reading(game_id) as connection:
            return read_presented.list_presented(
                connection,
                run_id,
                limit=limit,
                after=after,
                as_of=check_epoch(connection, as_of),
            )
