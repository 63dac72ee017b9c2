"""Undoes the `N|` prefixes of `read_file`, where the result proves that this is exact."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_PREFIX: Final = re.compile(r" *([0-9]{1,9})\|")
LINE_LIMIT: Final = 2_000
"""Characters at which Hermes 0.19.0 cuts a line."""

_CUT: Final = "... [truncated]"


@dataclass(frozen=True, slots=True)
class NumberedText:
    """A window of a file.

    Attributes:
        text: The lines without their prefixes, or as they came where that is not exact.
        start: Number of the first line, 0 where the prefixes could not be read.
        end: Number of the last line.
        undone: Whether the prefixes were removed.
        cut_lines: Lines that the tool cut.
    """

    text: str
    start: int
    end: int
    undone: bool
    cut_lines: int


def read_numbered_lines(content: str, first: int) -> NumberedText:
    """Reads numbered rows.

    Joined without their prefixes the rows are the text of the window, final newline included: a
    window that ends on a newline has one more row without text, which is no line.

    Args:
        content: Rows, each `<number>|<line>`.
        first: Number that the first row must have.
    """
    rows = content.split("\n")
    lines: list[str] = []
    for number, row in enumerate(rows, first):
        prefix = _PREFIX.match(row)
        if prefix is None or int(prefix[1]) != number:
            return NumberedText(content, 0, 0, undone=False, cut_lines=0)
        lines.append(row[prefix.end() :])
    cut = sum(_is_cut(line) for line in lines)
    phantom = len(lines) > 1 and lines[-1] == ""
    last = first + len(lines) - (2 if phantom else 1)
    if cut:
        return NumberedText(content, first, last, undone=False, cut_lines=cut)
    return NumberedText("\n".join(lines), first, last, undone=True, cut_lines=0)


def _is_cut(line: str) -> bool:
    return line.endswith(_CUT) and len(line) >= LINE_LIMIT
