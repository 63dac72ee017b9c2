"""`PresentedSources` over tables in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from corpus_service.domain.run_links import RunSource
from corpus_service.domain.sources import Snapshot
from corpus_service.domain.vocabulary import RunUse
from corpus_service.storage.memory.tables import MemoryGame


class MemoryPresentedSources(ABC):
    """What runs met."""

    @abstractmethod
    def _game(self, game_id: str) -> AbstractContextManager[MemoryGame]:
        """Give the tables of a game to one caller at a time."""

    @abstractmethod
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
        sources = self.list_run_sources(
            game_id, run_id, least_use=RunUse.DISCOVERED, limit=limit, after=after, as_of=as_of
        )
        with self._game(game_id) as game:
            return [_as_met(game, run_id, source) for source in sources]


def _as_met(game: MemoryGame, run_id: str, source: RunSource) -> RunSource:
    link, artifact = (
        game.links.get((run_id, source.artifact_id)),
        game.artifacts.get(source.artifact_id),
    )
    texts = artifact.versions if artifact is not None and link is not None else []
    met = [version for version in texts if link is not None and version.sequence <= link[1]]
    if not met:
        return replace(source, version_id="", title="")
    return replace(source, version_id=met[-1].id, title=met[-1].title)
