"""The normalised view of a text with the way back to its code points."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import regex

from corpus_service.search.characters import BEFORE_NORMALISATION, IGNORED, MAY_FOLD
from corpus_service.search.preparation import normalise

# What may compose with, or vanish behind, the character before it: marks, vowels and finals of
# Hangul, half-width voicing marks, invisible characters. A text can be normalised piece by piece
# at every place that is not before one of these.
_EXTENDING: Final = f"[\\p{{M}}\u1160-\u11ff\u3131-\u318e\ud7b0-\ud7fb\uff9e-\uffdc{IGNORED}]"
# Characters that normalisation replaces one by one.
_PLAIN: Final = (
    "[\\x00-\\x7f\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u9fff\uac00-\ud7a3]"
)
_PIECES: Final = regex.compile(
    f"(?P<plain>(?:{_PLAIN}(?!{_EXTENDING}))+)|.{_EXTENDING}*", regex.DOTALL
)


@dataclass(frozen=True, slots=True)
class View:
    """A normalised text whose characters know where they came from.

    Attributes:
        text: The normalised text.
        starts: For each character the first code point of what it came from; None where both texts
            correspond one to one.
        ends: The code point behind what it came from.
    """

    text: str
    starts: Sequence[int] | None = None
    ends: Sequence[int] | None = None

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Returns the span of the original for a non-empty span of the view.

        A character that became several is taken as a whole.
        """
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


def view_of(text: str) -> View:
    """Makes the view of a text; ``view_of(text).text`` equals ``normalise(text)``."""
    whole = normalise(text)
    if text.isascii() or (
        len(whole) == len(text)
        and BEFORE_NORMALISATION.search(text) is None
        and MAY_FOLD.search(text) is None
        and unicodedata.is_normalized("NFKC", text)
    ):
        return View(whole)
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _PIECES.finditer(text):
        start, end = match.span()
        part = normalise(match[0])
        parts.append(part)
        if match["plain"] is not None:
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
        else:
            starts.extend([start] * len(part))
            ends.extend([end] * len(part))
    return View("".join(parts), starts, ends)
