"""Matching lines of one text with their surroundings. Pure."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from corpus_service.search.exact_patterns import Pattern, Span, matching_view
from corpus_service.search.exact_view import fold_exactly
from corpus_service.search.limits import (
    FIND_CONTEXT_LINES,
    FIND_LINE_CODE_POINTS_MAX,
    FIND_PASSAGE_GAP_LINES,
)
from corpus_service.search.speakers import speaker_of


class LineRole(enum.IntEnum):
    """Why a line is shown."""

    MATCH = 1
    CONSTRAINT = 2
    """It holds a context term."""
    NEIGHBOUR = 3


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
class FoundLines:
    """What a text gave; ``next_line`` is 0 where all of it was looked at."""

    passages: tuple[FoundPassage, ...]
    matching_lines: int
    shown_code_points: int
    next_line: int


@dataclass(slots=True)
class _Text:
    """A text with its folded lines and their places."""

    text: str
    folded: str
    lines: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    folded_lines: list[str] = field(default_factory=list)

    def cut(self) -> None:
        """Cuts the lines, once a line is needed."""
        if self.lines:
            return
        self.lines = self.text.split("\n")
        at = 0
        for line in self.lines:
            self.starts.append(at)
            at += len(line) + 1

    def folded_line(self, number: int) -> str:
        """Returns a line as context terms are compared with it."""
        if not self.folded_lines:
            self.folded_lines = fold_exactly(self.text, fold_case=True).split("\n")
        return self.folded_lines[number - 1]


@dataclass(frozen=True, slots=True)
class LineMatcher:
    """Decides which lines of a text are found.

    Attributes:
        pattern: What a line holds; None for any line of the speakers.
        context_terms: Folded terms near it.
        speakers: Folded names of who says the line; empty for anybody.
    """

    pattern: Pattern | None
    context_terms: tuple[str, ...] = ()
    speakers: frozenset[str] = frozenset()

    def matches_title(self, title: str) -> bool:
        """Whether a title matches; conditions on lines rule titles out."""
        if self.pattern is None or self.context_terms or self.speakers:
            return False
        return matching_view(self.pattern, title.replace("\n", " ")) is not None

    def find(
        self,
        text: str,
        *,
        first_line: int,
        lines_max: int,
        code_points_max: int,
        is_over: Callable[[], bool],
    ) -> FoundLines:
        """Finds the matching lines of a text.

        Args:
            text: The whole text of a version.
            first_line: Line to begin with.
            lines_max: Matching lines to give; at least one is given where there is one.
            code_points_max: Code points of matching lines to give, in the same way.
            is_over: Whether the time for this page is used up.
        """
        fold_case = self.pattern is None or self.pattern.fold_case
        whole = _Text(text, fold_exactly(text, fold_case=fold_case))
        found: dict[int, tuple[Span, ...]] = {}
        constraints: set[int] = set()
        shown = next_line = 0
        for number in self._numbers(whole, first_line):
            if found and (len(found) >= lines_max or shown >= code_points_max or is_over()):
                next_line = number
                break
            whole.cut()
            spans = self._spans(whole, number, constraints)
            if spans is not None:
                found[number] = spans
                shown += min(len(whole.lines[number - 1]), FIND_LINE_CODE_POINTS_MAX)
        passages = _passages(whole, found, constraints)
        return FoundLines(passages, len(found), shown, next_line)

    def _numbers(self, whole: _Text, first_line: int) -> Iterator[int]:
        """Yields lines that may match; a line feed at the end of the text begins none."""
        last = whole.text.count("\n") + (not whole.text.endswith("\n"))
        if self.pattern is None:
            return iter(range(first_line, last + 1))
        return (
            number
            for number in self.pattern.lines(whole.folded, first_line)
            if number <= max(last, 1)
        )

    def _spans(self, whole: _Text, number: int, constraints: set[int]) -> tuple[Span, ...] | None:
        line = whole.lines[number - 1]
        if self.speakers and fold_term(speaker_of(line)) not in self.speakers:
            return None
        spans: list[Span] = []
        if self.pattern is not None:
            matched = matching_view(self.pattern, line)
            if matched is None:
                return None
            spans = [matched[0].original_span(*span) for span in matched[1]]
        nearby = _near(whole, number, self.context_terms)
        if nearby is None:
            return None
        constraints |= nearby
        start = whole.starts[number - 1]
        return tuple((start + first, start + end) for first, end in spans)


def fold_term(term: str) -> str:
    """Folds a term to compare with."""
    return fold_exactly(term.replace("\n", " "), fold_case=True)


def _near(whole: _Text, number: int, terms: Sequence[str]) -> set[int] | None:
    """Returns the lines near a line that hold the terms; None where one of them is missing."""
    lines: set[int] = set()
    near = range(
        max(1, number - FIND_CONTEXT_LINES),
        min(len(whole.lines), number + FIND_CONTEXT_LINES) + 1,
    )
    for term in terms:
        holding = {other for other in near if term in whole.folded_line(other)}
        if not holding:
            return None
        lines |= holding
    return lines


def _passages(
    whole: _Text, found: dict[int, tuple[Span, ...]], constraints: set[int]
) -> tuple[FoundPassage, ...]:
    groups: list[list[int]] = []
    for number in sorted(found.keys() | constraints):
        if groups and number - groups[-1][-1] <= FIND_PASSAGE_GAP_LINES:
            groups[-1].append(number)
        else:
            groups.append([number])
    passages: list[FoundPassage] = []
    shown = 0
    for group in groups:
        first = max(1, shown + 1, group[0] - 1)
        last = min(len(whole.lines), group[-1] + 1)
        shown = last
        lines = tuple(
            _line(whole, number, found.get(number), number in constraints)
            for number in range(first, last + 1)
        )
        start = whole.starts[group[0] - 1]
        end = whole.starts[group[-1] - 1] + len(whole.lines[group[-1] - 1])
        passages.append(FoundPassage(lines, start, end))
    return tuple(passages)


def _line(
    whole: _Text,
    number: int,
    matches: tuple[Span, ...] | None,
    constraint: bool,
) -> FoundLine:
    line, start = whole.lines[number - 1], whole.starts[number - 1]
    role = LineRole.NEIGHBOUR
    if matches is not None:
        role = LineRole.MATCH
    elif constraint:
        role = LineRole.CONSTRAINT
    first = 0
    if len(line) > FIND_LINE_CODE_POINTS_MAX and matches:
        first = max(0, matches[0][0] - start - FIND_LINE_CODE_POINTS_MAX // 4)
        first = min(first, len(line) - FIND_LINE_CODE_POINTS_MAX)
    text = line[first : first + FIND_LINE_CODE_POINTS_MAX]
    return FoundLine(
        number=number,
        role=role,
        text=text,
        offset=start + first,
        partial=len(text) < len(line),
        matches=matches or (),
        speaker=speaker_of(line),
    )
