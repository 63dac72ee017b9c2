"""Matching lines of one text with their surroundings, block by block. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from corpus_service.search.exact_patterns import Pattern, Span, matching_view, no_check
from corpus_service.search.exact_view import LONG_LINE_CODE_POINTS, fold_exactly, fold_line
from corpus_service.search.limits import (
    FIND_BLOCK_OF_LINES_CODE_POINTS,
    FIND_CONTEXT_LINES,
    FIND_LINE_CODE_POINTS_MAX,
    FIND_PASSAGE_GAP_LINES,
)
from corpus_service.search.speakers import speaker_of
from corpus_service.services.found_lines import (
    FoundLine,
    FoundLines,
    FoundPassage,
    Line,
    LinedText,
    LinePlace,
    LineRole,
)

# Folded lines around the present one that are kept for the next one.
_FOLDED_KEPT_MAX: Final = 4 * FIND_CONTEXT_LINES


@dataclass(frozen=True, slots=True)
class PageRoom:
    """What one page may still take; at least one line is given where there is one.

    Attributes:
        lines: Matching lines.
        code_points: Code points of them.
        is_over: Whether the time for the page is used up; asked between two blocks.
        check: Called more often than that; ends the work by raising.
    """

    lines: int
    code_points: int
    is_over: Callable[[], bool]
    check: Callable[[], None] = no_check


@dataclass(frozen=True, slots=True)
class LineMatcher:
    """Decides which lines of a text are found.

    Attributes:
        pattern: What a line holds; None for any line.
        context_terms: Folded terms near it.
        speakers: Folded names of who says the line; empty for anybody.
    """

    pattern: Pattern | None
    context_terms: tuple[str, ...] = ()
    speakers: frozenset[str] = frozenset()

    @property
    def role(self) -> LineRole:
        """Why a line that is found is shown."""
        return LineRole.MATCH if self.pattern or self.speakers else LineRole.SECTION

    def matches_title(self, title: str) -> bool:
        """Whether a title matches; conditions on lines rule titles out."""
        if self.pattern is None or self.context_terms or self.speakers:
            return False
        return matching_view(self.pattern, title.replace("\n", " ")) is not None

    def find(
        self,
        text: str,
        room: PageRoom,
        *,
        begin: LinePlace = LinePlace(),  # noqa: B008 - frozen
        within: Sequence[tuple[int, int]] | None = None,
    ) -> FoundLines:
        """Finds the matching lines of a text.

        Args:
            text: The whole text of a version.
            room: What the page may take. One block is always looked at.
            begin: Line to begin with.
            within: First and last lines of the stretches that are looked at, ascending; None for all.

        Raises:
            LineTooLongError: A line is too long for the expression.
        """
        lined = LinedText(text)
        scan = _Scan(self, lined, room, within)
        size = FIND_BLOCK_OF_LINES_CODE_POINTS
        if self.pattern is not None:
            size = self.pattern.block_code_points
        at = begin
        following: LinePlace | None = None
        while True:
            end = lined.block_end(at.offset, size)
            following = scan.block(at, end)
            if following is not None or end >= lined.end:
                break
            lines = text.count("\n", at.offset, end) + 1
            at = LinePlace(at.number + lines, end + 1)
            room.check()
            if room.is_over():
                following = at
                break
        scanned = (following.offset if following else lined.end) - begin.offset
        return FoundLines(scan.passages(), len(scan.found), scan.shown, scanned, following)


@dataclass(slots=True)
class _Scan:
    """One pass over a text."""

    matcher: LineMatcher
    lined: LinedText
    room: PageRoom
    within: Sequence[tuple[int, int]] | None
    found: dict[int, tuple[Line, tuple[Span, ...]]] = field(default_factory=dict)
    constraints: dict[int, Line] = field(default_factory=dict)
    shown: int = 0
    _folded: dict[int, str] = field(default_factory=dict)

    def block(self, begin: LinePlace, end: int) -> LinePlace | None:
        """Looks at whole lines; returns the first one for which the page has no room."""
        for line in self._candidates(begin, end):
            if not self._is_within(line.number):
                continue
            full = len(self.found) >= self.room.lines or self.shown >= self.room.code_points
            if self.found and full:
                return LinePlace(line.number, line.start)
            spans = self._spans(line)
            if spans is not None:
                self.found[line.number] = (line, spans)
                self.shown += min(line.end - line.start, FIND_LINE_CODE_POINTS_MAX)
        return None

    def _candidates(self, begin: LinePlace, end: int) -> Iterator[Line]:
        """Yields the lines of a block that may match."""
        pattern, text = self.matcher.pattern, self.lined.text
        line: Line | None = self.lined.line(begin)
        # A long line is folded once, piece by piece, where it is matched.
        alone = line is not None and line.end == end and end - begin.offset > LONG_LINE_CODE_POINTS
        if pattern is None or alone:
            while line is not None and line.end <= end:
                yield line
                line = self.lined.next(line)
            return
        folded = fold_exactly(text[begin.offset : end], fold_case=pattern.fold_case)
        at, number = begin.offset, 1
        for candidate in pattern.lines(folded, 1):
            for _ in range(candidate - number):
                at = text.find("\n", at) + 1
            number = candidate
            yield self.lined.line(LinePlace(begin.number + number - 1, at))

    def _is_within(self, number: int) -> bool:
        return self.within is None or any(first <= number <= last for first, last in self.within)

    def _spans(self, line: Line) -> tuple[Span, ...] | None:
        text = self.lined.of(line)
        speakers = self.matcher.speakers
        if speakers and fold_term(speaker_of(text)) not in speakers:
            return None
        holding = self._holding_context(line)
        if holding is None:
            return None
        spans: list[Span] = []
        if self.matcher.pattern is not None:
            matched = matching_view(self.matcher.pattern, text, self.room.check)
            if matched is None:
                return None
            view, places = matched
            spans = [view.original_span(*place) for place in places]
        self.constraints |= holding
        return tuple((line.start + first, line.start + end) for first, end in spans)

    def _holding_context(self, line: Line) -> dict[int, Line] | None:
        """Returns the lines near a line that hold the context terms; None where one is missing."""
        holding: dict[int, Line] = {}
        if not self.matcher.context_terms:
            return holding
        near = list(self.lined.near(line, FIND_CONTEXT_LINES))
        for term in self.matcher.context_terms:
            hold = {other.number: other for other in near if term in self._folded_line(other)}
            if not hold:
                return None
            holding |= hold
        return holding

    def _folded_line(self, line: Line) -> str:
        folded = self._folded.get(line.number)
        if folded is None:
            self.room.check()
            if len(self._folded) >= _FOLDED_KEPT_MAX:
                self._folded.clear()
            folded = fold_line(self.lined.of(line), fold_case=True)
            self._folded[line.number] = folded
        return folded

    def passages(self) -> tuple[FoundPassage, ...]:
        """Gathers what was found into passages, with a line before and behind each."""
        lines = self.constraints | {number: line for number, (line, _) in self.found.items()}
        passages: list[FoundPassage] = []
        shown = 0
        neighbours = 0 if self.matcher.role is LineRole.SECTION else 1
        for group in self._groups(sorted(lines)):
            first, last = lines[group[0]], lines[group[-1]]
            at: Line | None = first
            if neighbours and first.number - 1 > shown:
                at = self.lined.previous(first) or first
            whole: list[FoundLine] = []
            while at is not None and at.number <= last.number + neighbours:
                whole.append(self._line(at))
                shown = at.number
                at = self.lined.next(at)
            passages.append(FoundPassage(tuple(whole), first.start, last.end))
        return tuple(passages)

    def _groups(self, numbers: Sequence[int]) -> list[list[int]]:
        """Puts lines together that stand near each other; sections stay apart."""
        groups: list[list[int]] = []
        begins = {first for first, _ in self.within or ()}
        gap = FIND_PASSAGE_GAP_LINES if self.matcher.role is LineRole.MATCH else 1
        for number in numbers:
            begins_section = self.matcher.role is LineRole.SECTION and number in begins
            if groups and number - groups[-1][-1] <= gap and not begins_section:
                groups[-1].append(number)
            else:
                groups.append([number])
        return groups

    def _line(self, line: Line) -> FoundLine:
        _, matches = self.found.get(line.number, (line, ()))
        role = LineRole.NEIGHBOUR
        if line.number in self.found:
            role = self.matcher.role
        elif line.number in self.constraints:
            role = LineRole.CONSTRAINT
        length = line.end - line.start
        first = 0
        if length > FIND_LINE_CODE_POINTS_MAX and matches:
            first = max(0, matches[0][0] - line.start - FIND_LINE_CODE_POINTS_MAX // 4)
            first = min(first, length - FIND_LINE_CODE_POINTS_MAX)
        start = line.start + first
        text = self.lined.text[start : min(start + FIND_LINE_CODE_POINTS_MAX, line.end)]
        return FoundLine(
            number=line.number,
            role=role,
            text=text,
            offset=start,
            partial=len(text) < length,
            matches=matches,
            speaker=speaker_of(self.lined.of(line)),
        )


def fold_term(term: str) -> str:
    """Folds a term to compare with."""
    return fold_exactly(term.replace("\n", " "), fold_case=True)
