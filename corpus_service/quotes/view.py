"""The view of a text in which quotations are compared, and the way back to the text.

White-space runs are one space, none between wide characters; quotation marks are ``'`` or ``"``;
case is folded in full; a hyphen between letters directly before a line end joins, other soft
hyphens are nothing. Lengths change in few places, so a position map keeps those places alone: the
view of 1 MB of text costs some 10 ms rather than a second.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

from corpus_service.quotes.characters import (
    DOUBLE_QUOTES,
    EXPANDING,
    HYPHENS,
    LINE_ENDS,
    OTHER_SPACES,
    SHARED,
    SINGLE_QUOTES,
    SOFT_HYPHEN,
    WIDE,
    holds_wide,
    joins_without_space,
)
from corpus_service.quotes.limits import FOLDED_PLACES_MAX

_HYPHEN_AT_LINE_END: Final = re.compile(f"[{HYPHENS}](?:\r\n|[{LINE_ENDS}])[ {OTHER_SPACES}]*")
_SOFT_HYPHEN: Final = re.compile(SOFT_HYPHEN)
_SPACES: Final = re.compile("  +")
_SPACES_BEFORE_WIDE: Final = re.compile(f" (?: +|(?=[{WIDE}{SHARED}]))")
_EXPANDING: Final = re.compile(f"[{re.escape(EXPANDING)}]")
_ASCII_SPACES: Final = tuple(
    space for space in LINE_ENDS + OTHER_SPACES if space.isascii() and space != " "
)
_FURTHER_SPACES: Final = tuple(space for space in LINE_ENDS + OTHER_SPACES if not space.isascii())

_Edit = tuple[int, int, str]


class QuoteView:
    """The view of one text.

    Attributes:
        text: The view, without white space at its edges being cut.
        unfolded_length: Code points of the view before case folding made some of them longer.
    """

    __slots__ = ("_expansions", "_joined", "_spaced", "text", "unfolded_length")

    def __init__(self, text: str) -> None:
        """Makes the view; time and memory grow with the length of the text alone."""
        text, self._joined = _edited(text, _hyphen_edits(text))
        # Most English texts are ASCII once their quotation marks are plain: the rest is faster then.
        text = _with_plain_quotes(_with_plain_spaces(text))
        text, self._spaced = _edited(text, _space_edits(text))
        self.unfolded_length = len(text)
        folded = text.casefold()
        # Folding never makes a character shorter, so equal lengths mean that every one kept its own.
        self._expansions = _Expansions(text if len(folded) != len(text) else "")
        self.text = folded

    def find(self, needle: str, start: int = 0, end: int | None = None) -> int:
        """Returns where a view stands in this one within ``start`` and ``end``, -1 where nowhere.

        A place that begins or ends inside a folded character is none; after `FOLDED_PLACES_MAX`
        such places the search ends.
        """
        at = self.text.find(needle, start, end)
        passed_over = 0
        while at >= 0 and not (
            self._expansions.is_border(at) and self._expansions.is_border(at + len(needle))
        ):
            passed_over += 1
            if passed_over > FOLDED_PLACES_MAX:
                return -1
            at = self.text.find(needle, at + 1, end)
        return at

    def find_all(self, needle: str) -> Iterator[int]:
        """Yields every place of a view in this one, overlapping ones too."""
        at = self.find(needle)
        while at >= 0:
            yield at
            at = self.find(needle, at + 1)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Returns the span of the text that a span of the view came from; ``start < end``."""
        return self._source_of(start), self._source_of(end - 1) + 1

    def _source_of(self, position: int) -> int:
        return self._joined.source_of(self._spaced.source_of(self._expansions.source_of(position)))


class _PositionMap:
    """Positions after edits to positions before them."""

    __slots__ = ("_after", "_before")

    def __init__(self) -> None:
        self._after = array("q", [0])
        self._before = array("q", [0])

    def note(self, after: int, before: int) -> None:
        """Notes that a stretch that stands at ``after`` stood at ``before``."""
        self._after.append(after)
        self._before.append(before)

    def source_of(self, position: int) -> int:
        stretch = bisect_right(self._after, position) - 1
        return self._before[stretch] + position - self._after[stretch]


class _Expansions:
    """Characters that became longer: where they stand in the folded text and where they stood."""

    __slots__ = ("_ends", "_starts", "_unfolded")

    def __init__(self, unfolded: str) -> None:
        self._starts = array("q")
        self._ends = array("q")
        self._unfolded = array("q")
        added = 0
        for match in _EXPANDING.finditer(unfolded):
            start = match.start() + added
            length = len(match[0].casefold())
            self._starts.append(start)
            self._ends.append(start + length)
            self._unfolded.append(match.start())
            added += length - 1

    def is_border(self, position: int) -> bool:
        """Whether a position is not inside a folded character."""
        number = bisect_right(self._starts, position) - 1
        return number < 0 or not self._starts[number] < position < self._ends[number]

    def source_of(self, position: int) -> int:
        """Returns where the character at a position stood."""
        number = bisect_right(self._starts, position) - 1
        if number < 0:
            return position
        behind = position - self._ends[number]
        return self._unfolded[number] + (behind + 1 if behind >= 0 else 0)


def _edited(text: str, edits: Iterable[_Edit]) -> tuple[str, _PositionMap]:
    """Replaces stretches (start, end, replacement) that are in order and do not overlap."""
    positions = _PositionMap()
    parts: list[str] = []
    length = behind = 0
    for start, end, replacement in edits:
        parts.append(text[behind:start])
        parts.append(replacement)
        length += start - behind + len(replacement)
        behind = end
        positions.note(length, behind)
    if not parts:
        return text, positions
    parts.append(text[behind:])
    return "".join(parts), positions


def _hyphen_edits(text: str) -> Iterator[_Edit]:
    joins = {
        match.start(): match.end()
        for match in _HYPHEN_AT_LINE_END.finditer(text)
        if match.start()
        and text[match.start() - 1].isalpha()
        and text[match.end() : match.end() + 1].isalpha()
    }
    starts = set(joins)
    if SOFT_HYPHEN in text:
        starts.update(match.start() for match in _SOFT_HYPHEN.finditer(text))
    for start in sorted(starts):
        yield start, joins.get(start, start + 1), ""


def _space_edits(text: str) -> Iterator[_Edit]:
    """Edits of runs of plain spaces; a run keeps its first space where it means something."""
    runs = _runs_before_wide(text) if holds_wide(text) else _long_runs(text)
    for start, end in runs:
        if start and end < len(text) and joins_without_space(text[start - 1], text[end]):
            yield start, end, ""
        elif end > start + 1:
            yield start, end, " "


def _runs_before_wide(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _SPACES_BEFORE_WIDE.finditer(text))


def _long_runs(text: str) -> Iterator[tuple[int, int]]:
    # A search for two spaces is some ten times as fast as one by an expression.
    start = text.find("  ")
    while start >= 0:
        run = _SPACES.match(text, start)
        end = start + 2 if run is None else run.end()
        yield start, end
        start = text.find("  ", end)


def _with_plain_spaces(text: str) -> str:
    for space in _ASCII_SPACES:
        text = text.replace(space, " ")
    if not text.isascii():
        for space in _FURTHER_SPACES:
            text = text.replace(space, " ")
    return text


def _with_plain_quotes(text: str) -> str:
    if not text.isascii():
        for mark in SINGLE_QUOTES:
            text = text.replace(mark, "'")
        for mark in DOUBLE_QUOTES:
            text = text.replace(mark, '"')
    return text
