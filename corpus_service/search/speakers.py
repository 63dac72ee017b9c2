"""Who says a line: the convention "Name: what is said". Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from corpus_service.search.exact_view import fold_exactly, fold_title

# A colon of an address or of a time ends no name.
_SPEAKER: Final = re.compile(r"\s*[*_>#\-\s]*([^:\uff1a\n]{1,64}?)[*_\s]*[:\uff1a](?!//|\d)")


def speaker_of(line: str) -> str:
    """Returns who says a line written as "Name: …", else ""."""
    match = _SPEAKER.match(line)
    return match[1].strip() if match else ""


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
