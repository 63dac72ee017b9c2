"""Lists the sources in memory in every order."""

from __future__ import annotations

from collections.abc import Sequence

from corpus_service.domain.queries import (
    SORTED_TITLE_CODE_POINTS_MAX,
    SourceFilter,
    SourceOrder,
    SourceOrdering,
    SourcePosition,
)
from corpus_service.domain.sources import Source
from corpus_service.domain.vocabulary import Instant
from corpus_service.search.exact_view import fold_title
from corpus_service.storage.memory.ingest import host_of
from corpus_service.storage.memory.reading import linked, source_model
from corpus_service.storage.memory.tables import MemoryGame, MemorySource


def list_sources(
    game: MemoryGame,
    narrowing: SourceFilter,
    ordering: SourceOrdering,
    *,
    limit: int,
    after: SourcePosition | None,
    sequence: int,
) -> list[tuple[Source, SourcePosition]]:
    """See `SourceReader.list_sources`."""
    order, descending = ordering.order, ordering.descending
    if order is SourceOrder.NEWEST:
        order, descending = SourceOrder.OBSERVED_TIME, True
    found: list[tuple[int | str, int, Source]] = []
    for source in game.sources.values():
        if not any(entry.sequence <= sequence for entry in source.readable_observations()):
            continue
        shown = source_model(game, source)
        if _fits(game, source, shown, narrowing, sequence):
            found.append((_value(game, source, order, sequence), source.row, shown))
    found.sort(key=lambda entry: entry[:2], reverse=descending)
    if after is not None:
        key = (after.value, after.row)
        found = [entry for entry in found if (entry[:2] < key if descending else entry[:2] > key)]
    return [(shown, SourcePosition(value, row)) for value, row, shown in found[:limit]]


def _value(game: MemoryGame, source: MemorySource, order: SourceOrder, sequence: int) -> int | str:
    """What a source is sorted by, as of a commit."""
    seen = [entry for entry in source.readable_observations() if entry.sequence <= sequence]
    version = source.current_at(sequence)
    shown = source_model(game, source)
    match order:
        case SourceOrder.TITLE:
            title = (version.title if version else shown.title) or source.canonical_uri
            return fold_title(title)[:SORTED_TITLE_CODE_POINTS_MAX]
        case SourceOrder.KIND:
            return version.artifact.kind if version else shown.kind
        case SourceOrder.TRUST:
            return int(version.artifact.trust if version else shown.trust)
        case SourceOrder.FETCHED_TIME:
            return max((entry.fetched_time for entry in seen if entry.fetched_time), default=-1)
        case SourceOrder.SIZE:
            return version.artifact.size_bytes if version else shown.size_bytes
        case SourceOrder.VERSION_COUNT:
            return sum(
                entry.sequence <= sequence for part in source.artifacts for entry in part.versions
            )
        case _:
            return max(entry.record.finished_time for entry in seen)


def _fits(
    game: MemoryGame, source: MemorySource, shown: Source, narrowing: SourceFilter, sequence: int
) -> bool:
    """Whether a listing shows a source."""
    values: Sequence[tuple[Sequence[object], object]] = (
        (narrowing.families, shown.family),
        (narrowing.kinds, shown.kind),
        (narrowing.hosts, host_of(shown.canonical_uri)),
        (narrowing.languages, shown.language),
        (narrowing.content_types, shown.content_type.partition(";")[0].strip().lower()),
        (narrowing.trust, shown.trust),
    )
    if any(wanted and value not in wanted for wanted, value in values):
        return False
    names = (fold_title(shown.title), fold_title(shown.canonical_uri))
    run = narrowing.run_id
    return (
        shown.canonical_uri.startswith(narrowing.uri_prefix)
        and any(narrowing.text in name for name in names)
        and _fetched_within(shown.fetched_time, narrowing)
        and (not run or any(linked(game, run, part.id, sequence) for part in source.artifacts))
    )


def _fetched_within(time: Instant | None, narrowing: SourceFilter) -> bool:
    after, before = narrowing.fetched_after, narrowing.fetched_before
    if after is None and before is None:
        return True
    if time is None:
        return False
    return (after is None or time >= after) and (before is None or time < before)
