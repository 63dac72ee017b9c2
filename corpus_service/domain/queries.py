"""Queries over prepared tokens: a tree that no engine's syntax crosses.

A token is what `corpus_service.search.preparation` makes of text; building the tree out of what a
person typed belongs to the search package.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from corpus_service.domain.vocabulary import Instant, Trust, VersionScope


@dataclass(frozen=True, slots=True)
class Term:
    """One token."""

    token: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Tokens that stand one behind another; at least one."""

    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prefix:
    """Tokens one behind another, the last one only begun; at least one."""

    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class And:
    """Every part matches; at least one part."""

    parts: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Some part matches; at least one part."""

    parts: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """``wanted`` matches and ``unwanted`` does not. ``unwanted`` adds nothing to the score."""

    wanted: Query
    unwanted: Query


Query: TypeAlias = Term | Phrase | Prefix | And | Or | Not


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """Narrows a search: OR inside a field, AND across fields; an empty tuple does not narrow.

    ``content_types`` are media types without parameters, ``hosts`` lower-case A-labels,
    ``fetched_after`` is included, ``fetched_before`` is not. ``titles`` are whole titles, folded by
    `corpus_service.search.exact_view.fold_title`. ``collections`` are source ids or whole titles, folded so,
    of the jobs that listed the document.
    """

    families: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    uri_prefixes: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    content_types: tuple[str, ...] = ()
    trust: tuple[Trust, ...] = ()
    run_ids: tuple[str, ...] = ()
    fetched_after: Instant | None = None
    fetched_before: Instant | None = None
    version_scope: VersionScope = VersionScope.LATEST
    titles: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PassageFilter:
    """Narrows a search to passages by where they stand and who speaks in them, in the same way.

    ``sections`` are whole headings above a passage, on any level; ``speakers`` are names with which a line
    of the passage begins as "Name: …". Both are folded by `corpus_service.search.exact_view.fold_title`.
    """

    sections: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()


EVERY_PASSAGE: Final = PassageFilter()


@dataclass(frozen=True, slots=True)
class SourceFilter:
    """Narrows a listing of sources in the same way, by the facts that it shows.

    ``content_types``, ``hosts``, ``fetched_after`` and ``fetched_before`` are as in `SearchFilter`;
    ``text`` is folded by `corpus_service.search.exact_view.fold_title` and stands in the title or in
    the canonical URI folded alike.
    """

    families: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    run_id: str = ""
    uri_prefix: str = ""
    hosts: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    content_types: tuple[str, ...] = ()
    trust: tuple[Trust, ...] = ()
    fetched_after: Instant | None = None
    fetched_before: Instant | None = None
    text: str = ""


class SourceOrder(enum.IntEnum):
    """What a listing of sources is sorted by; numbers as in the contract."""

    NEWEST = 0
    TITLE = 1
    KIND = 2
    TRUST = 3
    FETCHED_TIME = 4
    SIZE = 5
    VERSION_COUNT = 6
    OBSERVED_TIME = 7


SORTED_TITLE_CODE_POINTS_MAX = 128
"""Code points of a folded title that are compared."""


@dataclass(frozen=True, slots=True)
class SourceOrdering:
    """How a listing is sorted; equal values by the order in which sources came, the same way round.

    ``NEWEST`` is the newest observation first, whatever ``descending`` says.
    """

    order: SourceOrder = SourceOrder.NEWEST
    descending: bool = False


NEWEST_FIRST = SourceOrdering()


class FacetField(enum.IntEnum):
    """A fact of versions by which they are counted; numbers as in the contract."""

    FAMILY = 1
    HOST = 2
    KIND = 3
    LANGUAGE = 4


@dataclass(frozen=True, slots=True)
class DocumentCounts:
    """Versions of which some chunk matched, in numbers.

    Attributes:
        documents: All of them.
        by_field: For each field that was asked for, the number of versions with each value.
        at_least: More chunks match than were looked at.
    """

    documents: int = 0
    by_field: Mapping[FacetField, Mapping[str, int]] = field(default_factory=dict)
    at_least: bool = False


def count_values(
    fields: Iterable[FacetField], versions: Iterable[Iterable[str]], *, at_least: bool
) -> DocumentCounts:
    """Counts versions, each given by its values in the order of ``fields``."""
    asked = tuple(fields)
    counts: list[dict[str, int]] = [{} for _ in asked]
    documents = 0
    for values in versions:
        documents += 1
        for known, value in zip(counts, values, strict=True):
            known[value] = known.get(value, 0) + 1
    return DocumentCounts(documents, dict(zip(asked, counts, strict=True)), at_least)


def add_counts(parts: Iterable[DocumentCounts]) -> DocumentCounts:
    """Adds the counts of several games."""
    documents, at_least = 0, False
    by_field: dict[FacetField, dict[str, int]] = {}
    for part in parts:
        documents += part.documents
        at_least = at_least or part.at_least
        for facet, values in part.by_field.items():
            known = by_field.setdefault(facet, {})
            for value, number in values.items():
                known[value] = known.get(value, 0) + number
    return DocumentCounts(documents, by_field, at_least)


@dataclass(frozen=True, slots=True)
class WordUse:
    """Where a word of the index stands.

    Attributes:
        documents: Versions that hold it.
        row: Number of the chunk that was stored last of those that hold it.
        at_least: More chunks hold it than were looked at.
    """

    documents: int
    row: int
    at_least: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that matched. ``score`` is BM25, greater is better; of equal scores the greatest ``row`` comes first.

    ``family`` is that of the chunk's artifact.
    """

    row: int
    version_id: str
    score: float
    family: str = ""


@dataclass(frozen=True, slots=True)
class VersionScan:
    """Versions in document order.

    Attributes:
        versions: Row and id of each version, rows ascending; a row never changes within an epoch.
        following: First row that was not looked at; None where none is left.
    """

    versions: tuple[tuple[int, str], ...]
    following: int | None = None


@dataclass(frozen=True, slots=True)
class SearchPosition:
    """Key of the last candidate of a page; the next page begins behind it."""

    score: float
    row: int


@dataclass(frozen=True, slots=True)
class SourcePosition:
    """Key of the last source of a page: the value that the listing is sorted by, then the row."""

    value: int | str
    row: int
