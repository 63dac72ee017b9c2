"""Stretches that two texts share, found in their quote views. Pure.

Every place of the sentence is looked up by its first characters in an index of the passage; places
that agree are followed as far as both go on alike. Work is bounded by the lengths of both.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from corpus_service.proposals.limits import (
    BEGINNING_CHARACTERS,
    DENSE_CHARACTER_WEIGHT,
    STRETCH_PLACES_MAX,
    STRETCH_WEIGHT_MIN,
)
from corpus_service.quotes.characters import WIDE, holds_wide

# Characters that carry about as much as half a word: wide ones and Hangul.
_DENSE: Final = re.compile(f"[{WIDE}\u1100-\u11ff\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True)
class Stretch:
    """The same ``length`` characters at two places of two views."""

    here: int
    there: int
    length: int


class StretchIndex:
    """Where the beginnings of stretches stand in one view."""

    __slots__ = ("_places", "_view")

    def __init__(self, view: str) -> None:
        self._view = view
        self._places: dict[str, list[int]] = defaultdict(list)
        wide = holds_wide(view)
        for at in range(len(view) - BEGINNING_CHARACTERS + 1):
            # Stretches begin with whole words, so the inside of a word need not be found.
            if at and view[at - 1].isalnum() and not (wide and _is_border(view, at)):
                continue
            places = self._places[view[at : at + BEGINNING_CHARACTERS]]
            if len(places) < STRETCH_PLACES_MAX:
                places.append(at)

    def shared_with(self, view: str) -> list[Stretch]:
        """Returns the longest stretches of another view, from its beginning on, without overlap.

        A stretch begins and ends with whole words and weighs at least `STRETCH_WEIGHT_MIN`.
        """
        found: list[Stretch] = []
        at = 0
        while at <= len(view) - BEGINNING_CHARACTERS:
            longest = self._longest(view, at) if _is_border(view, at) else None
            whole = None if longest is None else _whole_words(view, self._view, longest)
            if whole is None:
                at += 1
                continue
            found.append(whole)
            at = whole.here + whole.length
        return found

    def _longest(self, view: str, at: int) -> Stretch | None:
        best: Stretch | None = None
        size = BEGINNING_CHARACTERS
        for there in self._places.get(view[at : at + size], ()):
            length = size
            end = min(len(view) - at, len(self._view) - there)
            while length < end and view[at + length] == self._view[there + length]:
                length += 1
            if best is None or length > best.length:
                best = Stretch(at, there, length)
        return best


def _whole_words(view: str, other: str, stretch: Stretch) -> Stretch | None:
    """Cuts a stretch to whole words of both texts; None where too little is left."""
    start, end = stretch.here, stretch.here + stretch.length
    shift = stretch.there - stretch.here
    while start < end and not (_is_border(view, start) and _is_border(other, start + shift)):
        start += 1
    while end > start and not (_is_border(view, end) and _is_border(other, end + shift)):
        end -= 1
    while start < end and view[start] == " ":
        start += 1
    while end > start and view[end - 1] == " ":
        end -= 1
    dense = len(_DENSE.findall(view, start, end))
    weight = end - start + dense * (DENSE_CHARACTER_WEIGHT - 1)
    return Stretch(start, start + shift, end - start) if weight >= STRETCH_WEIGHT_MIN else None


def _is_border(text: str, at: int) -> bool:
    if at in (0, len(text)):
        return True
    before, after = text[at - 1], text[at]
    return not (before.isalnum() and after.isalnum()) or holds_wide(before) or holds_wide(after)
