"""Queries over prepared tokens: a tree that no engine's syntax crosses.

A token is what `corpus_service.search.preparation` makes of text; building the tree out of what a
person typed belongs to the search package.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

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
    `corpus_service.search.exact_view.fold_title`.
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


@dataclass(frozen=True, slots=True)
class SourceFilter:
    """Narrows a listing of sources in the same way."""

    families: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    run_id: str = ""
    uri_prefix: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that matched. ``score`` is BM25, greater is better; equal scores order by ``row``.

    ``family`` is that of the chunk's artifact.
    """

    row: int
    version_id: str
    score: float
    family: str = ""


@dataclass(frozen=True, slots=True)
class SearchPosition:
    """Key of the last candidate of a page; the next page begins behind it."""

    score: float
    row: int


@dataclass(frozen=True, slots=True)
class SourcePosition:
    """Key of the last source of a page: newest observation first, equal times by row, descending."""

    last_observed_time: Instant
    row: int
