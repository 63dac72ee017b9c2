"""Lines of a text by their places, and what exact search shows of them. Pure."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from corpus_service.search.exact_patterns import Span


class LineRole(enum.IntEnum):
    """Why a line is shown."""

    MATCH = 1
    CONSTRAINT = 2
    """It holds a context term."""
    NEIGHBOUR = 3
    SECTION = 4
    """It belongs to a section that was asked for."""


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line, or the part of it around its first match.

    Attributes:
        number: Number, from 1.
        role: Why it is shown.
        text: The text, at most `FIND_LINE_CODE_POINTS_MAX` code points.
        offset: First code point of the text within the version.
        partial: The line is longer.
        matches: Spans of the matches within the version, those outside of ``text`` included.
        speaker: Who says it, "" where the line names nobody.
    """

    number: int
    role: LineRole
    text: str
    offset: int
    partial: bool
    matches: tuple[Span, ...]
    speaker: str


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """Neighbouring lines."""

    lines: tuple[FoundLine, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class LinePlace:
    """Where a line begins: its number, from 1, and its first code point."""

    number: int = 1
    offset: int = 0


@dataclass(frozen=True, slots=True)
class FoundLines:
    """What a text gave.

    Attributes:
        passages: The lines with their surroundings.
        matching_lines: Number of lines that matched.
        shown_code_points: Code points of them.
        scanned_code_points: Text that was looked at.
        following: Where to go on; None where all of it was looked at.
    """

    passages: tuple[FoundPassage, ...]
    matching_lines: int
    shown_code_points: int
    scanned_code_points: int
    following: LinePlace | None


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text; ``end`` is the place of its line feed."""

    number: int
    start: int
    end: int


class LinedText:
    """A text whose lines are found from place to place: none is copied before it is needed.

    A line feed at the end begins no line; the empty text has one empty line.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.end = len(text) - text.endswith("\n")

    def line(self, place: LinePlace) -> Line:
        """Returns the line that begins at a place."""
        end = self.text.find("\n", place.offset, self.end)
        return Line(place.number, place.offset, self.end if end < 0 else end)

    def next(self, line: Line) -> Line | None:
        """Returns the line behind a line."""
        if line.end >= self.end:
            return None
        return self.line(LinePlace(line.number + 1, line.end + 1))

    def previous(self, line: Line) -> Line | None:
        """Returns the line before a line."""
        if line.start == 0:
            return None
        end = line.start - 1
        return Line(line.number - 1, self.text.rfind("\n", 0, end) + 1, end)

    def near(self, line: Line, distance: int) -> Iterator[Line]:
        """Yields a line and those at most so many lines away, ascending."""
        first = line
        for _ in range(distance):
            first = self.previous(first) or first
        at: Line | None = first
        while at is not None and at.number <= line.number + distance:
            yield at
            at = self.next(at)

    def block_end(self, start: int, size: int) -> int:
        """Returns where a block of whole lines ends: about ``size`` code points, or one long line."""
        if self.end - start <= size:
            return self.end
        cut = self.text.rfind("\n", start, start + size + 1)
        if cut < 0:
            cut = self.text.find("\n", start + size, self.end)
        return self.end if cut < 0 else cut

    def of(self, line: Line) -> str:
        """Returns the text of a line."""
        return self.text[line.start : line.end]
