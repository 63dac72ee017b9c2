"""Filters of passages: the headings above them and who speaks in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import apsw

from corpus_service.domain.queries import EVERY_PASSAGE, PassageFilter
from corpus_service.search.exact_view import fold_title
from corpus_service.search.speakers import speaks
from corpus_service.search.units import literal_query
from corpus_service.storage.sqlite.match_expressions import match_expression

HEADING_PATHS_KEPT_MAX: Final = 4_096
"""Folded paths that are kept in memory: neighbouring passages mostly have the same one."""

_SECTIONS: Final = (
    " AND EXISTS (SELECT 1 FROM readable_chunks AS h"
    " WHERE h.id = {0} AND stands_below(h.heading_path, :sections))"
)
# Without the plus sign FTS5 would be asked again for each row of the list.
_WITH_WORDS: Final = (
    " AND +passage_index.rowid IN"
    " (SELECT rowid FROM passage_index WHERE passage_index MATCH :words)"
)
# A passage that follows one without a line feed at its end begins within a line.
_SPEAKERS: Final = (
    " AND EXISTS (SELECT 1 FROM readable_chunks AS h WHERE h.id = {0} AND speaks(h.text,"
    " coalesce((SELECT substr(b.text, -1) = char(10) FROM readable_chunks AS b"
    " WHERE b.id = h.id - 1 AND h.ordinal > 0), 1), :speakers))"
)


@dataclass(frozen=True, slots=True)
class PassageConditions:
    """A filter of passages in SQL.

    Attributes:
        standing: What a passage must fulfil, as " AND …"; ``{0}`` stands for the number of the chunk.
        matching: What a row of the index must fulfil before, as " AND …": the words of a name are in
            the index, and looking there is a hundred times as fast as reading the passage.
        bindings: Values of both.
    """

    standing: str = ""
    matching: str = ""
    bindings: Mapping[str, object] = field(default_factory=dict)


def passage_conditions(within: PassageFilter) -> PassageConditions:
    """Write a filter of passages; all parts are empty where it admits every passage."""
    if within == EVERY_PASSAGE:
        return PassageConditions()
    standing = matching = ""
    bindings: dict[str, object] = {}
    if within.sections:
        # The index has the nearest heading of a passage alone.
        standing += _SECTIONS
        bindings["sections"] = json.dumps(within.sections)
    if within.speakers:
        standing += _SPEAKERS
        bindings["speakers"] = json.dumps(within.speakers)
        words = literal_query(within.speakers)
        if words is not None:
            matching = _WITH_WORDS
            bindings["words"] = match_expression(words)
    return PassageConditions(standing, matching, bindings)


def register_passage_filters(connection: apsw.Connection) -> None:
    """Make ``stands_below`` and ``speaks`` known to a connection."""
    connection.create_scalar_function("stands_below", _stands_below, 2, deterministic=True)
    connection.create_scalar_function("speaks", _speaks, 3, deterministic=True)


def _stands_below(*values: apsw.SQLiteValue) -> bool:
    path, sections = values
    return not _folded_headings(str(path)).isdisjoint(_names(str(sections)))


@lru_cache(maxsize=HEADING_PATHS_KEPT_MAX)
def _folded_headings(path: str) -> frozenset[str]:
    return frozenset(map(fold_title, json.loads(path)))


def _speaks(*values: apsw.SQLiteValue) -> bool:
    text, begins_line, names = values
    return speaks(str(text), _names(str(names)), begins_line=bool(begins_line))


@lru_cache(maxsize=64)
def _names(written: str) -> frozenset[str]:
    return frozenset(json.loads(written))
