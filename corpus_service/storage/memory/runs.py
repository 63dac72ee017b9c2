"""`RunLinks` over tables in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager

from corpus_service.domain.run_links import CitingRun, RunLink, RunPlace, RunSource
from corpus_service.domain.sources import Snapshot
from corpus_service.domain.vocabulary import Instant, RunUse
from corpus_service.storage.memory.passage_index import sequence_of
from corpus_service.storage.memory.reading import original_uri
from corpus_service.storage.memory.tables import MemoryArtifact, MemoryGame
from corpus_service.storage.run_interface import RUN_PLACES_SHOWN_MAX


class MemoryRunLinks(ABC):
    """What runs did with sources."""

    @abstractmethod
    def _game(self, game_id: str) -> AbstractContextManager[MemoryGame]:
        """Give the tables of a game to one caller at a time."""

    def link_run(
        self, game_id: str, run_id: str, links: Sequence[RunLink], *, at: Instant
    ) -> Sequence[RunUse | None]:
        """See `RunLinks.link_run`."""
        del at
        with self._game(game_id) as game:
            before = (dict(game.links), dict(game.run_places))
            uses = [_link(game, run_id, link) for link in links]
            if (game.links, game.run_places) != before:
                game.sequence += 1
                game.commits[game.sequence] = game.next_chunk
            return uses

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
        with self._game(game_id) as game:
            sequence = sequence_of(game, as_of)
            found = []
            for row, artifact in enumerate(game.artifacts.values(), 1):
                use, since = game.links.get((run_id, artifact.id), (None, 0))
                if use is None or use < least_use or since > sequence or row <= after:
                    continue
                if artifact.readable:
                    found.append(_run_source(game, run_id, row, artifact, use))
            return found[:limit]

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
        with self._game(game_id) as game:
            newest = sequence_of(game, as_of)
            version = game.versions.get(version_id)
            wanted = {
                artifact.id
                for artifact in game.artifacts.values()
                if artifact.readable
                and (artifact.source.id == source_id or (version and artifact is version.artifact))
            }
            runs: dict[str, CitingRun] = {}
            for (run_id, artifact_id), (use, sequence) in game.links.items():
                if artifact_id in wanted and sequence <= newest:
                    known = runs.get(run_id, CitingRun(run_id, use, sequence))
                    runs[run_id] = CitingRun(
                        run_id, max(use, known.use), min(sequence, known.sequence)
                    )
        found = sorted(
            (run for run in runs.values() if run.use >= least_use),
            key=lambda run: (-run.sequence, run.run_id),
        )
        if after is not None:
            found = [run for run in found if (-run.sequence, run.run_id) > (-after[0], after[1])]
        return found[:limit]


def _link(game: MemoryGame, run_id: str, link: RunLink) -> RunUse | None:
    if link.version_id:
        version = game.versions.get(link.version_id)
        artifact = version.artifact if version else None
    else:
        artifact = game.artifacts.get(link.artifact_id)
    if artifact is None or not artifact.readable:
        return None
    use, sequence = game.links.get((run_id, artifact.id), (link.use, game.sequence + 1))
    game.links[(run_id, artifact.id)] = (max(use, link.use), sequence)
    if link.span is not None:
        place = (run_id, link.version_id, *link.span)
        known, since = game.run_places.get(place, (link.use, game.sequence + 1))
        game.run_places[place] = (max(link.use, known), since)
    return game.links[(run_id, artifact.id)][0]


def _run_source(
    game: MemoryGame, run_id: str, row: int, artifact: MemoryArtifact, use: RunUse
) -> RunSource:
    versions = {version.id for version in artifact.versions}
    places = [
        RunPlace(version, start, end, place_use)
        for (run, version, start, end), (place_use, _) in sorted(game.run_places.items())
        if run == run_id and version in versions
    ]
    source = artifact.source
    return RunSource(
        row=row,
        artifact_id=artifact.id,
        source_id=source.id,
        version_id=artifact.versions[-1].id if artifact.versions else "",
        canonical_uri=source.canonical_uri,
        original_uri=original_uri(source),
        title=source.title,
        family=artifact.family,
        kind=artifact.kind,
        trust=artifact.trust,
        fetched_time=artifact.fetched_time,
        use=use,
        places=tuple(places[:RUN_PLACES_SHOWN_MAX]),
        places_cut=len(places) > RUN_PLACES_SHOWN_MAX,
    )
