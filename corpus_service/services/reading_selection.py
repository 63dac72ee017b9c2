"""Which lines of a document are meant, and what must hold of lines that were read. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from corpus_service.domain.sources import LineSlice, Version
from corpus_service.services.failures import invalid
from sourcecorpus.rpc.failures import Failure, FailureCode


@dataclass(frozen=True, slots=True)
class LinesAround:
    """A centre line, from 1, with the numbers of lines before and behind it."""

    line: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class SectionSelection:
    """Headings of a section, outermost first, and the field of the request that has them."""

    headings: tuple[str, ...]
    field: str


@dataclass(frozen=True, slots=True)
class LineSelection:
    """Which lines to read.

    Attributes:
        first_line: First line; 0 means the locator's own first line.
        first_line_offset: Code points of the first line to skip.
        max_lines: At most so many lines.
        max_characters: At most so many code points.
        last_line: Last line of a range, which then has a ``first_line``; 0 for none.
        around: A line with its neighbours; stands instead of a range.
        whole: The document from its first line on, whatever the locator names.
        section: A section; stands instead of a range.
        line_only: No line is returned in part.
    """

    first_line: int
    first_line_offset: int
    max_lines: int
    max_characters: int
    last_line: int = 0
    around: LinesAround | None = None
    whole: bool = False
    section: SectionSelection | None = None
    line_only: bool = False


def selected_lines(selection: LineSelection, version: Version) -> LineSelection:
    """Brings ranges and neighbourhoods into the bounds of a version.

    Returns:
        A selection without ``around`` whose ``last_line`` exists, and whose ``max_lines`` ends there.

    Raises:
        Failure: OUT_OF_RANGE LINE_OUT_OF_RANGE with ``line_count``.
    """
    around, first, last = selection.around, selection.first_line, selection.last_line
    if around is None and not last:
        return selection
    # An empty text has one empty line.
    line_count = max(version.line_count, 1)
    field = "range.first"
    if around is not None:
        field, first = "around.line", around.line
    if not 1 <= first <= line_count:
        raise Failure(
            FailureCode.OUT_OF_RANGE,
            "LINE_OUT_OF_RANGE",
            field,
            metadata={"line_count": str(version.line_count)},
        )
    if around is not None:
        first, last = max(1, around.line - around.before), around.line + around.after
    last = min(last, line_count)
    return replace(
        selection,
        first_line=first,
        last_line=last,
        around=None,
        max_lines=min(selection.max_lines, last - first + 1),
    )


def require_range(first: int, last: int) -> None:
    """Refuses a range that ends before it begins.

    Raises:
        Failure: INVALID_ARGUMENT SPAN_OUT_OF_RANGE.
    """
    if last < max(first, 1):
        raise invalid("SPAN_OUT_OF_RANGE", "range.last")


def whole_lines(lines: LineSlice) -> LineSlice | None:
    """Leaves out a last line that is there in part; None where no whole line remains."""
    if not lines.lines or not lines.lines[-1].partial:
        return lines
    cut = lines.lines[-1]
    if len(lines.lines) == 1:
        return None
    return LineSlice(lines.lines[:-1], lines.start, cut.offset, cut.number, 0, lines.proven)


def line_too_long(longest: LineSlice) -> Failure:
    """The refusal of a line that must not be cut; ``longest`` is as much of it as any limit allows."""
    (line,) = longest.lines
    name = "longest_characters" if line.partial else "needed_characters"
    return Failure(
        FailureCode.RESOURCE_EXHAUSTED,
        "LINE_TOO_LONG",
        "max_chars",
        metadata={name: str(len(line.text)), "line": str(line.number)},
    )


def version_moved(current_version_id: str) -> Failure:
    """The refusal to read another version than the expected one."""
    return Failure(
        FailureCode.ABORTED,
        "VERSION_MOVED",
        "expected_version_id",
        metadata={"current_version_id": current_version_id},
    )
