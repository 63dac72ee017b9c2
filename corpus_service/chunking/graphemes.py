"""Cuts that never divide a grapheme cluster (Unicode Standard Annex 29).

Only a cut that falls between two characters outside the plain ranges needs the segmentation
library; ASCII, Han and kana are decided by one look at each side.
"""

from __future__ import annotations

import re
from typing import Final

import regex

from corpus_service.chunking.limits import LONGEST_KEPT_GRAPHEME_CODE_POINTS

# Code points that extend no cluster to their left and prepend nothing to their right. The
# combining voiced sound marks U+3099 and U+309A stand between the kana ranges and are left out.
_PLAIN: Final = re.compile(
    "[\\x20-\\x7e\u00a0-\u00a8\u00aa-\u00ac\u00af-\u02ff"
    "\u2010-\u2027\u3000-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60]"
)
_CLUSTER: Final = regex.compile(r"\X")


def is_boundary(text: str, position: int, start: int) -> bool:
    """Say whether a cut before `position` divides no grapheme cluster.

    Args:
        text: the text.
        position: code point offset of the cut.
        start: a known boundary at or before `position`; segmentation begins there.
    """
    if position <= start or position >= len(text):
        return True
    before, after = text[position - 1], text[position]
    if before == "\n" or (_PLAIN.match(after) and _PLAIN.match(before)):
        return True
    return _boundary_near(text, position, start)[0] == position


def cut_at_or_before(text: str, position: int, start: int) -> int:
    """Return the last boundary at or before `position`, or the first after `start` if there is none.

    The result lies in `(start, len(text)]`, so a caller always advances. A cluster of more than
    `LONGEST_KEPT_GRAPHEME_CODE_POINTS` code points is cut after that many.
    """
    if position >= len(text):
        return len(text)
    if position > start and is_boundary(text, position, start):
        return position
    before, after = _boundary_near(text, max(position, start + 1), start)
    if before > start:
        return before
    return min(after, start + max(LONGEST_KEPT_GRAPHEME_CODE_POINTS, position - start))


def cut_at_or_after(text: str, position: int, start: int) -> int:
    """Return the first boundary at or behind `position`; `start` is a known boundary before it."""
    if position >= len(text) or is_boundary(text, position, start):
        return min(position, len(text))
    return _boundary_near(text, position, start)[1]


def _boundary_near(text: str, position: int, start: int) -> tuple[int, int]:
    """Return the boundary at or before `position` and the first one behind it."""
    origin = _safe_origin(text, position, start)
    stop = min(len(text), position + LONGEST_KEPT_GRAPHEME_CODE_POINTS)
    last = origin
    for match in _CLUSTER.finditer(text, origin, stop):
        if match.end() > position:
            return last, match.end()
        last = match.end()
    return last, stop


def _safe_origin(text: str, position: int, start: int) -> int:
    """Return a certain boundary before `position`: between two plain characters, else `start`."""
    for candidate in range(position - 1, max(start, position - 64), -1):
        if _PLAIN.match(text[candidate]) and _PLAIN.match(text[candidate - 1]):
            return candidate
    return start
