"""The normalised view of a text with the way back to its code points."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import regex

from corpus_service.search.characters import IGNORED
from corpus_service.search.preparation import normalise

CLUSTERS_KEPT_MAX: Final = 8_192
"""Normalised clusters that are kept in memory; a language uses some hundreds."""

CLUSTER_KEPT_CODE_POINTS_MAX: Final = 8
"""Longer clusters are no language's and are not kept."""

# What may compose with, or vanish behind, the character before it: marks, vowels and finals of
# Hangul, half-width voicing marks, invisible characters. A text can be normalised piece by piece
# at every place that is not before one of these.
_EXTENDING: Final = f"[\\p{{M}}\u1160-\u11ff\u3131-\u318e\ud7b0-\ud7fb\uff9e-\uffdc{IGNORED}]"
_CLUSTER: Final = regex.compile(f".{_EXTENDING}*", regex.DOTALL)
# Blocks that hold one of these. Outside of them no character vanishes and none joins another, so
# that a text which keeps its length was replaced one by one.
_MAY_EXTEND: Final = re.compile(
    f"[{IGNORED}\u0300-\u036f\u0483-\u0489\u0591-\u109f\u1160-\u11ff\u135d-\u135f\u1700-\u1cff"
    "\u1dc0-\u1dff\u20d0-\u20ff\u2cef-\u2cf1\u2d7f-\u2dff\u302a-\u302f\u3099\u309a\u3131-\u318e"
    "\ua66f-\uabff\ud7b0-\ud7fb\ufb1e\ufe20-\ufe2f\uff9e-\uffdc\U00010000-\U0001efff]"
)
# Characters that are replaced one by one wherever they stand, unless the next one extends them.
_PLAIN_RUN: Final = re.compile(
    "[\\x00-\\x7f\u2010-\u2023\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u9fff]{2,}"
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


def clusters(text: str) -> Iterator[tuple[int, int]]:
    """Yields spans that cover a text and can be normalised apart from each other."""
    for cluster in _CLUSTER.finditer(text):
        yield cluster.span()


def view_of(text: str) -> View:
    """Makes the view of a text; ``view_of(text).text`` equals ``normalise(text)``."""
    whole = normalise(text)
    if text.isascii() or (len(whole) == len(text) and _MAY_EXTEND.search(text) is None):
        return View(whole)
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    while at < len(text):
        plain = _PLAIN_RUN.match(text, at)
        if plain is not None:
            # The last one may be extended by what follows.
            behind = plain.end() - 1
            parts.append(normalise(text[at:behind]))
            starts.extend(range(at, behind))
            ends.extend(range(at + 1, behind + 1))
            at = behind
        cluster = _CLUSTER.match(text, at)
        behind = cluster.end() if cluster is not None else at + 1
        kept = behind - at <= CLUSTER_KEPT_CODE_POINTS_MAX
        part = (_normalised_cluster if kept else normalise)(text[at:behind])
        parts.append(part)
        starts.extend([at] * len(part))
        ends.extend([behind] * len(part))
        at = behind
    return View("".join(parts), starts, ends)


@lru_cache(maxsize=CLUSTERS_KEPT_MAX)
def _normalised_cluster(cluster: str) -> str:
    return normalise(cluster)
