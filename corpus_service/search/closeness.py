"""How closely the words of a query stand together in a passage: the tightest stretch that holds all.

BM25 counts words wherever they stand. Of two passages with the same words the one that has them side
by side, as a title or a line of its own, is mostly the one that was meant (Tao and Zhai, "An
Exploration of Proximity Measures in Information Retrieval", SIGIR 2007).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from corpus_service.search.characters import is_unspaced
from corpus_service.search.limits import (
    CLOSENESS_OCCURRENCES_MAX,
    CLOSENESS_OCCURRENCES_OF_ALL,
)
from corpus_service.search.units import Unit

_LINE_OPENERS: Final = " \t-*#>[\"'(0123456789.:|\u2013\u2014\u00b7\u2022\u3000"
_LINE_CLOSERS: Final = " \t.:;,!?)]\"'|\u3002\uff1f\uff01"

_LINE_END: Final = 0.5
_RUN_END: Final = 0.15


def closeness(normalised: str, units: Sequence[Unit]) -> tuple[float, float]:
    """Measures a passage.

    Args:
        normalised: Text of the passage as `normalise` gives it.
        units: Words and phrases of the query.

    Returns:
        The share of the tightest stretch with every unit that the units themselves fill, from 0
        where some unit is missing to 1 where nothing stands between them; and how far its ends are
        ends of a line or, less, of a run in a script without spaces: from 0 to 1.
    """
    places: list[tuple[int, int, int]] = []
    shared = CLOSENESS_OCCURRENCES_OF_ALL // len(units)
    each = max(2, min(CLOSENESS_OCCURRENCES_MAX, shared))
    for number, unit in enumerate(units):
        found = unit.find(normalised, limit=each)
        if not found:
            return 0.0, 0.0
        places.extend((start, end, number) for start, end in found)
    places.sort()
    best, best_ends = 0.0, 0.0
    for start, end, filled in _stretches(places, len(units)):
        share = min(1.0, filled / (end - start))
        ends = _ends(normalised, start, end)
        best, best_ends = max((best, best_ends), (share, ends))
    return best, best_ends


def _stretches(
    places: Sequence[tuple[int, int, int]], unit_count: int
) -> list[tuple[int, int, int]]:
    """Finds the tight stretches that hold every unit: start, end, code points of the units."""
    latest: dict[int, tuple[int, int]] = {}
    found = []
    for start, end, number in places:
        latest[number] = (start, end)
        if len(latest) == unit_count:
            first = min(begin for begin, _ in latest.values())
            last = max(behind for _, behind in latest.values())
            # The gaps between neighbours, one space each, are no distance.
            filled = sum(behind - begin for begin, behind in latest.values()) + unit_count - 1
            found.append((first, last, filled))
    return found


def _ends(text: str, start: int, end: int) -> float:
    return _begins(text, start) + _finishes(text, end)


def _begins(text: str, start: int) -> float:
    before = text[text.rfind("\n", 0, start) + 1 : start]
    if not before.strip(_LINE_OPENERS) or before.endswith(" - "):
        return _LINE_END
    return _RUN_END if is_unspaced(text[start]) and not is_unspaced(before[-1]) else 0.0


def _finishes(text: str, end: int) -> float:
    behind = text.find("\n", end)
    after = text[end : behind if behind >= 0 else len(text)]
    if not after.strip(_LINE_CLOSERS):
        return _LINE_END
    return _RUN_END if is_unspaced(text[end - 1]) and not is_unspaced(after[0]) else 0.0
