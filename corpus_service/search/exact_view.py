"""The view of exact search: NFKC, case and white space alike, every place mapped back. Pure.

White space, whatever its kind, is one space between words and nothing at the edges of a line. Nothing
else is dropped: diacritics, invisible characters and the voicing of kana count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from corpus_service.search.view import clusters

GROUPS_KEPT_MAX: Final = 8_192
"""Folded characters that are kept in memory."""

_SPACES: Final = re.compile(r"[^\S\n]+")
_EDGES: Final = re.compile(r" ?\n ?")


def fold_exactly(text: str, *, fold_case: bool) -> str:
    """Folds a text line by line; its line feeds stay, so lines correspond by number.

    Args:
        text: Any text.
        fold_case: Fold the case as well (the Unicode Standard, 3.13, toNFKC_Casefold without the
            removal of ignorable characters).
    """
    folded = _fold(text, fold_case=fold_case)
    return _EDGES.sub("\n", _SPACES.sub(" ", folded)).strip(" ")


def fold_title(title: str) -> str:
    """Folds a title to compare it whole; a line feed is white space like any other."""
    return fold_exactly(title.replace("\n", " "), fold_case=True)


@dataclass(frozen=True, slots=True)
class ExactView:
    """One folded line whose characters know where they came from.

    Attributes:
        text: The folded line.
        starts: For each character the first code point of what it came from.
        ends: The code point behind what it came from.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def is_whole(self, start: int, end: int) -> bool:
        """Whether a span begins and ends between characters of the original, not within one."""
        return not self._within(start) and not self._within(end)

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Returns the original's span, whole characters, for a span of the view."""
        if start == end:
            at = self.starts[start] if start < len(self.starts) else self._length()
            return at, at
        return self.starts[start], self.ends[end - 1]

    def _within(self, place: int) -> bool:
        return 0 < place < len(self.starts) and self.starts[place] == self.starts[place - 1]

    def _length(self) -> int:
        return self.ends[-1] if self.ends else 0


def exact_view(line: str, *, fold_case: bool) -> ExactView:
    """Makes the view of one line; its text equals that of `fold_exactly`."""
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end, folded in _groups(line, fold_case=fold_case):
        for character in folded:
            if not character.isspace():
                characters.append(character)
                starts.append(start)
                ends.append(end)
            elif characters and characters[-1] != " ":
                characters.append(" ")
                starts.append(start)
                ends.append(end)
            elif characters:
                ends[-1] = end
    if characters and characters[-1] == " ":
        del characters[-1], starts[-1], ends[-1]
    return ExactView("".join(characters), tuple(starts), tuple(ends))


def _groups(line: str, *, fold_case: bool) -> Iterator[tuple[int, int, str]]:
    """Yields what folds independently: characters, or clusters whose characters compose."""
    for at, behind in clusters(line):
        if behind - at > 1:
            cluster = line[at:behind]
            whole = _fold(cluster, fold_case=fold_case)
            apart = [_fold_kept(character, fold_case) for character in cluster]
            if "".join(apart) != whole:
                yield at, behind, whole
                continue
            for place, folded in enumerate(apart, start=at):
                yield place, place + 1, folded
        else:
            yield at, behind, _fold_kept(line[at:behind], fold_case)


@lru_cache(maxsize=GROUPS_KEPT_MAX)
def _fold_kept(character: str, fold_case: bool) -> str:
    return _fold(character, fold_case=fold_case)


def _fold(text: str, *, fold_case: bool) -> str:
    if text.isascii():
        return text.lower() if fold_case else text
    text = unicodedata.normalize("NFKC", text)
    if fold_case:
        # Folding can undo the composition.
        text = unicodedata.normalize("NFKC", text.casefold())
    return text
