"""Highlights and snippets: where the words of a query stand in a passage, in code points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpus_service.chunking.graphemes import cut_at_or_after, cut_at_or_before, is_boundary
from corpus_service.search.limits import (
    HIGHLIGHTS_MAX,
    SNIPPET_CODE_POINTS,
    SNIPPET_LEAD_CODE_POINTS,
)
from corpus_service.search.units import Unit
from corpus_service.search.view import View, view_of

Span = tuple[int, int]
"""Half-open, in code points."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of a passage.

    Attributes:
        start: First code point of the part within the passage.
        text: The part as it stands there.
        highlights: Spans within ``text``, in order, apart from each other, whole grapheme clusters.
    """

    start: int
    text: str
    highlights: tuple[Span, ...]


def covered_units(text: str, units: Sequence[Unit]) -> frozenset[int]:
    """Returns the positions of the units that a text holds."""
    view = view_of(text)
    return frozenset(number for number, unit in enumerate(units) if unit.find(view.text, limit=1))


def find_highlights(
    text: str, units: Sequence[Unit], view: View | None = None
) -> list[tuple[Span, int]]:
    """Finds units in a passage: spans of whole grapheme clusters with the position of the unit.

    Args:
        text: The passage.
        units: Words and phrases of the query.
        view: The view of the passage, where it was made already.
    """
    view = view or view_of(text)
    # In ASCII only a carriage return with its line feed is a cluster of several characters.
    divided = text.isascii() and "\r" not in text
    found: list[tuple[Span, int]] = []
    for number, unit in enumerate(units):
        for start, end in unit.find(view.text, limit=HIGHLIGHTS_MAX):
            span = view.original_span(start, end)
            found.append((span if divided else _whole_clusters(text, span), number))
        if len(found) >= HIGHLIGHTS_MAX:
            break
    found.sort()
    return found[:HIGHLIGHTS_MAX]


def make_snippet(text: str, units: Sequence[Unit], view: View | None = None) -> Snippet:
    """Cuts the part of a passage that shows most of the query.

    Args:
        text: The passage.
        units: Words and phrases of the query.
        view: The view of the passage, where it was made already.

    Returns:
        At most `SNIPPET_CODE_POINTS` code points and the rest of a grapheme cluster; without
        highlights where the passage was found by its title or heading.
    """
    found = find_highlights(text, units, view)
    start, end = _window(text, found)
    spans: list[list[int]] = []
    for (first, behind), _ in found:
        if first < start or behind > end:
            continue
        if spans and first <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], behind)
        else:
            spans.append([first, behind])
    return Snippet(
        start=start,
        text=text[start:end],
        highlights=tuple((first - start, behind - start) for first, behind in spans),
    )


def _window(text: str, found: Sequence[tuple[Span, int]]) -> Span:
    if len(text) <= SNIPPET_CODE_POINTS:
        return 0, len(text)
    start = _lead(text, _densest(found)) if found else 0
    start = max(0, min(start, len(text) - SNIPPET_CODE_POINTS))
    start = _boundary_at_or_before(text, start)
    end = min(len(text), start + SNIPPET_CODE_POINTS)
    if end < len(text):
        end = _word_border(text, start + SNIPPET_CODE_POINTS // 2, end)
        end = max(cut_at_or_before(text, end, start), start + 1)
    return start, end


def _densest(found: Sequence[tuple[Span, int]]) -> int:
    """Returns the first highlight behind which most different units follow within a snippet."""
    room = SNIPPET_CODE_POINTS - SNIPPET_LEAD_CODE_POINTS
    most = len({unit for _, unit in found})
    best, best_count = found[0][0][0], 0
    for number, ((start, _), _) in enumerate(found):
        count = len({unit for (_, end), unit in found[number:] if end <= start + room})
        if count > best_count:
            best, best_count = start, count
            if count == most:
                break
    return best


def _lead(text: str, highlight: int) -> int:
    """Returns a good beginning before a highlight: behind a line feed, else behind a space."""
    earliest = max(0, highlight - SNIPPET_LEAD_CODE_POINTS)
    if earliest == 0:
        return 0
    line = text.rfind("\n", earliest, highlight)
    if line >= 0:
        return line + 1
    space = text.find(" ", earliest, highlight)
    return space + 1 if space >= 0 else earliest


def _word_border(text: str, earliest: int, end: int) -> int:
    border = max(text.rfind(" ", earliest, end), text.rfind("\n", earliest, end))
    return border if border > 0 else end


def _whole_clusters(text: str, span: Span) -> Span:
    start, end = span
    return _boundary_at_or_before(text, start), cut_at_or_after(text, end, 0)


def _boundary_at_or_before(text: str, position: int) -> int:
    if is_boundary(text, position, 0):
        return position
    before = cut_at_or_before(text, position, 0)
    return before if before <= position else 0
