"""The full-text side of the store in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager

from corpus_service.domain.queries import (
    EVERY_PASSAGE,
    Candidate,
    DocumentCounts,
    FacetField,
    PassageFilter,
    Query,
    SearchFilter,
    SearchPosition,
    Term,
    VersionScan,
    WordUse,
    count_values,
)
from corpus_service.domain.sources import Passage, Snapshot
from corpus_service.limits import VERSIONS_SCANNED_MAX
from corpus_service.storage.memory import reading
from corpus_service.storage.memory.ranking import ranked
from corpus_service.storage.memory.scanning import scan_versions
from corpus_service.storage.memory.tables import MemoryGame
from sourcecorpus.rpc.failures import Failure, FailureCode


class MemoryPassageIndex(ABC):
    """`PassageIndex` over tables in memory."""

    @abstractmethod
    def _game(self, game_id: str) -> AbstractContextManager[MemoryGame]:
        """Give the tables of a game to one caller at a time."""

    def search(
        self,
        game_id: str,
        query: Query,
        narrowing: SearchFilter,
        *,
        limit: int,
        after: SearchPosition | None = None,
        as_of: Snapshot | None = None,
        within: PassageFilter = EVERY_PASSAGE,
        deadline_seconds: float | None = None,
    ) -> Sequence[Candidate]:
        """See `PassageIndex.search`."""
        with self._game(game_id) as game:
            sequence = sequence_of(game, as_of)
            behind = game.commits.get(sequence, 1)
            chunks = {row: chunk for row, chunk in game.index.items() if row < behind}
            found = [
                Candidate(row, version.id, score, version.artifact.family)
                for score, row in ranked(chunks, query)
                for version in (game.chunk_versions[row],)
                if reading.version_fits(game, version, narrowing, sequence)
                and reading.passage_fits(version, row, within)
            ]
        if after is not None:
            key = (-after.score, -after.row)
            found = [entry for entry in found if (-entry.score, -entry.row) > key]
        return found[:limit]

    def count_matches(
        self, game_id: str, query: Query, *, limit: int, deadline_seconds: float | None = None
    ) -> int:
        """See `PassageIndex.count_matches`."""
        with self._game(game_id) as game:
            return min(limit, sum(chunk.matches(query) for chunk in game.index.values()))

    def count_documents(
        self,
        game_id: str,
        matching: Query | Collection[int],
        narrowing: SearchFilter,
        fields: Sequence[FacetField],
        *,
        passages_max: int,
        as_of: Snapshot | None = None,
        within: PassageFilter = EVERY_PASSAGE,
        deadline_seconds: float | None = None,
    ) -> DocumentCounts:
        """See `PassageIndex.count_documents`."""
        with self._game(game_id) as game:
            sequence = sequence_of(game, as_of)
            if isinstance(matching, Collection):
                rows = set(matching)
            else:
                behind = game.commits.get(sequence, 1)
                rows = {
                    row
                    for row, chunk in game.index.items()
                    if row < behind and chunk.matches(matching)
                }
            looked_at = sorted(rows, reverse=True)[:passages_max]
            versions = {
                version.id: version
                for row in looked_at
                if (version := game.chunk_versions.get(row)) is not None
                and reading.version_fits(game, version, narrowing, sequence)
                and reading.passage_fits(version, row, within)
            }
            values = [reading.facet_values(version, fields) for version in versions.values()]
        return count_values(fields, values, at_least=len(rows) > len(looked_at))

    def tokens(
        self, game_id: str, beginning: str, *, limit: int, deadline_seconds: float | None = None
    ) -> Sequence[str]:
        """See `PassageIndex.tokens`."""
        with self._game(game_id) as game:
            found = {
                token
                for chunk in game.index.values()
                for token in (*chunk.heading, *chunk.body)
                if token.startswith(beginning)
            }
        return sorted(found)[:limit]

    def known_tokens(
        self, game_id: str, tokens: Collection[str], *, deadline_seconds: float | None = None
    ) -> Sequence[str]:
        """See `PassageIndex.known_tokens`."""
        with self._game(game_id) as game:
            known = {
                token for chunk in game.index.values() for token in (*chunk.heading, *chunk.body)
            }
        return [token for token in tokens if token in known]

    def counted_tokens(
        self, game_id: str, beginning: str, *, limit: int, deadline_seconds: float | None = None
    ) -> Sequence[tuple[str, int]]:
        """See `PassageIndex.counted_tokens`."""
        with self._game(game_id) as game:
            found = Counter(
                token
                for chunk in game.index.values()
                for token in {*chunk.heading, *chunk.body}
                if token.startswith(beginning)
            )
        return sorted(found.items())[:limit]

    def word_uses(
        self,
        game_id: str,
        tokens: Collection[str],
        *,
        passages_max: int,
        deadline_seconds: float | None = None,
    ) -> Mapping[str, WordUse]:
        """See `PassageIndex.word_uses`."""
        found: dict[str, WordUse] = {}
        with self._game(game_id) as game:
            for token in tokens:
                matching = [row for row, chunk in game.index.items() if chunk.matches(Term(token))]
                admitted = {
                    row: game.chunk_versions[row].id
                    for row in sorted(matching, reverse=True)[:passages_max]
                    if reading.version_fits(
                        game, game.chunk_versions[row], SearchFilter(), game.sequence
                    )
                }
                if admitted:
                    found[token] = WordUse(
                        documents=len(set(admitted.values())),
                        row=max(admitted),
                        at_least=len(matching) > passages_max,
                    )
        return found

    def passages(self, game_id: str, rows: Collection[int]) -> Mapping[int, Passage]:
        """See `PassageIndex.passages`."""
        with self._game(game_id) as game:
            return {
                row: reading.passage_model(version, row - version.row)
                for row in rows
                if (version := game.chunk_versions.get(row)) is not None
            }

    def scan_versions(
        self,
        game_id: str,
        query: Query | None,
        narrowing: SearchFilter,
        *,
        first_row: int,
        limit: int,
        look_at: int = VERSIONS_SCANNED_MAX,
        as_of: Snapshot | None = None,
        deadline_seconds: float | None = None,
    ) -> VersionScan:
        """See `PassageIndex.scan_versions`."""
        with self._game(game_id) as game:
            return scan_versions(
                game,
                query,
                narrowing,
                first_row=first_row,
                limit=limit,
                look_at=look_at,
                sequence=sequence_of(game, as_of),
            )


def sequence_of(game: MemoryGame, as_of: Snapshot | None) -> int:
    """The commit that a snapshot names; the newest one for None."""
    if as_of is None:
        return game.sequence
    if as_of.epoch != game.epoch or as_of.sequence > game.sequence:
        raise Failure(FailureCode.FAILED_PRECONDITION, "SNAPSHOT_CHANGED", "page_token")
    return as_of.sequence
