"""The view of exact search: NFKC, case and white space alike, every place mapped back. Pure.

White space, whatever its kind, is one space between words and nothing at the edges of a line. Nothing
else is dropped: diacritics, invisible characters and the voicing of kana count.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

from corpus_service.search.view import clusters

GROUPS_KEPT_MAX: Final = 8_192
"""Folded characters that are kept in memory."""

LONG_LINE_CODE_POINTS: Final = 4_096
"""Longer lines are folded piece by piece, and only pieces with a match are looked at closely."""

PIECE_CODE_POINTS: Final = 2_048
"""Size of a piece, more where no place to cut is near."""

# Characters that neither fold to white space nor join what stands beside them.
_APART: Final = (
    "!-~\u0391-\u03a9\u03b1-\u03c9\u0410-\u044f\u05d0-\u05ea\u0e01-\u0e30\u3041-\u3096\u30a1-\u30fa"
    "\u3400-\u9fff\uac00-\ud7a3\U0001f300-\U0001faff\U00020000-\U0003134a"
)
_CUT: Final = re.compile(f"(?<=[{_APART}])(?=[{_APART}])")
# Full-width ASCII and the ideographic space. Where nothing else is to be replaced, normalising a text
# without them takes a hundredth of the time.
_FULL_WIDTH: Final = re.compile("[\uff01-\uff5e\u3000]")
_NARROW: Final = {0x3000: " "} | {
    code_point: chr(code_point - 0xFEE0) for code_point in range(0xFF01, 0xFF5F)
}


def fold_exactly(text: str, *, fold_case: bool) -> str:
    """Folds a text line by line; its line feeds stay, so lines correspond by number.

    Args:
        text: Any text.
        fold_case: Fold the case as well (the Unicode Standard, 3.13, toNFKC_Casefold without the
            removal of ignorable characters).
    """
    folded = _fold(text, fold_case=fold_case)
    # The white space of `str.split` is that of `str.isspace`, by which views are made.
    return "\n".join([" ".join(line.split()) for line in folded.split("\n")])


def fold_title(title: str) -> str:
    """Folds a title to compare it whole; a line feed is white space like any other."""
    return fold_exactly(title.replace("\n", " "), fold_case=True)


class LineView(Protocol):
    """A folded line and the way back to its original."""

    @property
    def text(self) -> str:
        """The folded line."""

    def is_whole(self, start: int, end: int) -> bool:
        """Whether a span begins and ends between characters of the original, not within one."""

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Returns the original's span, whole characters, for a span of the view."""


def line_view(line: str, *, fold_case: bool) -> LineView:
    """Makes the view of a line of any length."""
    if len(line) > LONG_LINE_CODE_POINTS:
        return LongView(line, fold_case=fold_case)
    return exact_view(line, fold_case=fold_case)


def fold_line(line: str, *, fold_case: bool) -> str:
    """Folds a line of any length; other threads run in between."""
    if len(line) > LONG_LINE_CODE_POINTS:
        return LongView(line, fold_case=fold_case).text
    return fold_exactly(line, fold_case=fold_case)


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
        """See `LineView.is_whole`."""
        return not self.within_character(start) and not self.within_character(end)

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """See `LineView.original_span`."""
        if start == end:
            at = self.starts[start] if start < len(self.starts) else self._length()
            return at, at
        return self.starts[start], self.ends[end - 1]

    def within_character(self, place: int) -> bool:
        """Whether a place lies between characters that came from the same one."""
        return 0 < place < len(self.starts) and self.starts[place] == self.starts[place - 1]

    def _length(self) -> int:
        return self.ends[-1] if self.ends else 0


class LongView:
    """A long line, of which only the pieces that are asked about know where characters came from.

    Pieces are asked about in ascending order, so that the last one is all that is kept.
    """

    def __init__(self, line: str, *, fold_case: bool) -> None:
        self._line = line
        self._fold_case = fold_case
        self._cuts = [0]
        while (cut := _CUT.search(line, self._cuts[-1] + PIECE_CODE_POINTS)) is not None:
            self._cuts.append(cut.start())
        folded = [
            fold_exactly(line[start:end], fold_case=fold_case)
            for start, end in zip(self._cuts, [*self._cuts[1:], len(line)], strict=True)
        ]
        self.text = "".join(folded)
        self._starts: list[int] = []
        at = 0
        for piece in folded:
            self._starts.append(at)
            at += len(piece)
        self._kept: tuple[int, ExactView] | None = None

    def is_whole(self, start: int, end: int) -> bool:
        """See `LineView.is_whole`."""
        return not self._within_character(start) and not self._within_character(end)

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """See `LineView.original_span`."""
        if start == end:
            piece, view, place = self._at(start)
            at = self._cuts[piece] + view.original_span(place, place)[0]
            return at, at
        piece, view, place = self._at(start)
        first = self._cuts[piece] + view.starts[place]
        piece, view, place = self._at(end - 1)
        return first, self._cuts[piece] + view.ends[place]

    def _within_character(self, place: int) -> bool:
        _, view, inside = self._at(place)
        return view.within_character(inside)

    def _at(self, place: int) -> tuple[int, ExactView, int]:
        """Returns the piece of a place, its view, and the place within it."""
        piece = max(bisect_right(self._starts, place) - 1, 0)
        if self._kept is None or self._kept[0] != piece:
            end = self._cuts[piece + 1] if piece + 1 < len(self._cuts) else len(self._line)
            part = self._line[self._cuts[piece] : end]
            self._kept = (piece, exact_view(part, fold_case=self._fold_case))
        return piece, self._kept[1], place - self._starts[piece]


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
    if _FULL_WIDTH.search(text) is not None:
        text = text.translate(_NARROW)
    text = unicodedata.normalize("NFKC", text)
    if fold_case:
        # Folding can undo the composition.
        text = unicodedata.normalize("NFKC", text.casefold())
    return text
