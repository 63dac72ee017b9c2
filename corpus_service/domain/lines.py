"""Cuts a stretch of text into numbered lines. Pure.

A line ends at a line feed, which belongs to no line; a text that ends with a line feed has no line
behind it, and the empty text has one empty line.
"""

from __future__ import annotations

from corpus_service.domain.sources import Line, LineSlice


def count_lines(text: str) -> int:
    """Return the number of lines; the empty text has one."""
    return text.count("\n") + (0 if text.endswith("\n") else 1)


def cut_lines(
    window: str,
    *,
    start: int,
    first_line: int,
    first_line_offset: int,
    reaches_end: bool,
    max_lines: int,
    max_characters: int,
) -> LineSlice:
    """Cut lines out of a window of a text, at most ``max_lines`` and ``max_characters`` of them.

    Args:
        window: Text from ``start`` on; longer than what is shown unless it reaches the end.
        start: Code point of the version at which the window begins.
        first_line: Number of the line that the window begins in.
        first_line_offset: Code points of that line before the window.
        reaches_end: The window ends where the text ends.
        max_lines: Lines to show, from 1.
        max_characters: Code points to show, line feeds not counted, from 1.

    Returns:
        The lines. Where a line does not fit, its first part, and the place where it goes on.
    """
    lines: list[Line] = []
    position, number, offset_in_line = 0, first_line, first_line_offset
    room = max_characters
    while len(lines) < max_lines:
        feed = window.find("\n", position)
        whole = feed >= 0 or reaches_end
        end = feed if feed >= 0 else len(window)
        if end - position > room or not whole:
            end = position + room
            if end > position or not lines:
                lines.append(Line(number, window[position:end], start + position, partial=True))
            next_offset = offset_in_line + end - position
            return LineSlice(tuple(lines), start, start + end, number, next_offset)
        lines.append(Line(number, window[position:end], start + position, partial=False))
        room -= end - position
        at_end = feed < 0 or (reaches_end and feed == len(window) - 1)
        position = end if feed < 0 else feed + 1
        number, offset_in_line = number + 1, 0
        if at_end:
            return LineSlice(tuple(lines), start, start + position, 0, 0)
    return LineSlice(tuple(lines), start, start + position, number, 0)
