"""Versions in document order."""

from __future__ import annotations

from corpus_service.domain.queries import Query, SearchFilter
from corpus_service.storage.memory.reading import version_fits
from corpus_service.storage.memory.tables import MemoryGame


def scan_versions(
    game: MemoryGame,
    query: Query | None,
    narrowing: SearchFilter,
    *,
    first_row: int,
    limit: int,
    sequence: int,
) -> list[tuple[int, str]]:
    """See `PassageIndex.scan_versions`."""
    matching = None
    if query is not None:
        matching = {
            game.chunk_versions[row].id
            for row, chunk in game.index.items()
            if row in game.chunk_versions and chunk.matches(query)
        }
    found = [
        (version.row, version.id)
        for version in game.versions.values()
        if version.row >= first_row
        and version.sequence <= sequence
        and (matching is None or version.id in matching)
        and version_fits(game, version, narrowing, sequence)
    ]
    return sorted(found)[:limit]
