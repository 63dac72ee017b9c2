"""`RunLinks` over SQLite files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager

import apsw

from corpus_service.domain.run_links import CitingRun, RunLink, RunSource
from corpus_service.domain.sources import Snapshot
from corpus_service.domain.vocabulary import Instant, RunUse
from corpus_service.storage.sqlite import read_runs
from corpus_service.storage.sqlite.game_database import GameDatabase, check_epoch
from corpus_service.storage.sqlite.run_rows import link_run


class SqliteRunLinks(ABC):
    """What runs did with sources."""

    @abstractmethod
    def _lease(self, game_id: str) -> AbstractContextManager[GameDatabase]:
        """Lend the open database of a game."""

    @abstractmethod
    def _reading(
        self, game_id: str, deadline_seconds: float | None = None
    ) -> AbstractContextManager[apsw.Connection]:
        """Lend a reader whose statements all see one state."""

    def link_run(
        self, game_id: str, run_id: str, links: Sequence[RunLink], *, at: Instant
    ) -> Sequence[RunUse | None]:
        """See `RunLinks.link_run`."""
        with self._lease(game_id) as database:
            return database.write(
                lambda transaction: link_run(transaction, run_id, links, at)
            ).result()

    def list_run_sources(
        self,
        game_id: str,
        run_id: str,
        *,
        least_use: RunUse,
        limit: int,
        after: int = 0,
        as_of: Snapshot | None = None,
    ) -> Sequence[RunSource]:
        """See `RunLinks.list_run_sources`."""
        with self._reading(game_id) as connection:
            return read_runs.list_run_sources(
                connection,
                run_id,
                least_use=least_use,
                limit=limit,
                after=after,
                as_of=check_epoch(connection, as_of),
            )

    def list_citing_runs(
        self,
        game_id: str,
        *,
        source_id: str = "",
        version_id: str = "",
        least_use: RunUse,
        limit: int,
        after: tuple[int, str] | None = None,
        as_of: Snapshot | None = None,
    ) -> Sequence[CitingRun]:
        """See `RunLinks.list_citing_runs`."""
        with self._reading(game_id) as connection:
            return read_runs.list_citing_runs(
                connection,
                source_id=source_id,
                version_id=version_id,
                least_use=least_use,
                limit=limit,
                after=after,
                as_of=check_epoch(connection, as_of),
            )
