"""Who says a line: the convention "Name: what is said". Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from corpus_service.search.exact_view import fold_exactly, fold_title

NAME_CODE_POINTS_MAX: Final = 64
"""A longer text before a colon is no name."""

# What may stand around a name: quotation and list marks before it, emphasis on both sides. Nothing is
# tried twice, because a line may be millions of spaces.
_BEFORE_NAME: Final = re.compile(r"[*_>#\-\s]*+")
_COLON: Final = re.compile("[:\uff1a]")
# A colon of an address or of a time ends no name.
_NO_END: Final = re.compile(r"//|\d")
_EMPHASIS: Final = re.compile(r"[*_\s]++\Z")


def speaker_of(line: str) -> str:
    """Returns who says a line written as "Name: …", else ""."""
    marks = _BEFORE_NAME.match(line)
    start = marks.end() if marks else 0
    # As much room again for the marks behind a name.
    colon = _COLON.search(line, start, start + 2 * NAME_CODE_POINTS_MAX)
    if colon is None or _NO_END.match(line, colon.end()):
        return ""
    name = _EMPHASIS.sub("", line[start : colon.start()])
    return name if len(name) <= NAME_CODE_POINTS_MAX else ""


def speaks(passage: str, names: Collection[str], *, begins_line: bool) -> bool:
    """Tells whether some line of a passage is said by one of some names.

    Args:
        passage: Text of a passage.
        names: Names, folded by `fold_title`.
        begins_line: The passage begins where a line begins, not within one.
    """
    folded = fold_exactly(passage, fold_case=True)
    if not any(name in folded for name in names):
        return False
    lines = passage.split("\n")
    return any(fold_title(speaker_of(line)) in names for line in lines[not begins_line :])
