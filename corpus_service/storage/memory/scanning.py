"""Versions in document order."""

from __future__ import annotations

from corpus_service.domain.queries import Query, SearchFilter, VersionScan
from corpus_service.storage.memory.reading import version_fits
from corpus_service.storage.memory.tables import MemoryGame


def scan_versions(
    game: MemoryGame,
    query: Query | None,
    narrowing: SearchFilter,
    *,
    first_row: int,
    limit: int,
    look_at: int,
    sequence: int,
) -> VersionScan:
    """See `PassageIndex.scan_versions`."""
    matching = None
    if query is not None:
        matching = {
            game.chunk_versions[row].id
            for row, chunk in game.index.items()
            if row in game.chunk_versions and chunk.matches(query)
        }
    candidates = sorted(
        (version.row, version.id)
        for version in game.versions.values()
        if version.row >= first_row and (matching is None or version.id in matching)
    )
    found: list[tuple[int, str]] = []
    for number, (row, version_id) in enumerate(candidates):
        if len(found) == limit or number == look_at:
            return VersionScan(tuple(found), row)
        version = game.versions[version_id]
        if version.sequence <= sequence and version_fits(game, version, narrowing, sequence):
            found.append((row, version_id))
    return VersionScan(tuple(found))
