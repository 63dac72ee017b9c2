"""Lines and words that differ between two texts, as spans of code points. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from corpus_service.differences.limits import LINE_STEPS_MAX, WORD_STEPS_MAX
from corpus_service.differences.sequences import Budget, Region, changed_regions
from corpus_service.search.view import clusters

# What stands by itself in scripts that put no spaces between words: CJK ideographs, kana, hangul.
_ALONE = (
    (0x3041, 0x30FF), (0x3400, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LineChange:
    """Whole lines that differ, with their line ends.

    Attributes:
        lines: Lines ``[first, last)`` of the old text, from 0, and those of the new one.
        span: Code points of the old lines; empty at the place of an insertion.
        new_span: Code points of the new lines; empty at the place of a deletion.
    """

    lines: Region
    span: tuple[int, int]
    new_span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class WordChange:
    """Words, spaces and marks that differ: spans within the two texts that were compared."""

    span: tuple[int, int]
    new_span: tuple[int, int]


def changed_lines(old: str, new: str, steps: int = LINE_STEPS_MAX) -> list[LineChange]:
    """Compares two texts line by line; a line with a line end differs from one without.

    Args:
        old: The old text.
        new: The new text.
        steps: Work that may be done; beyond it regions are coarse.
    """
    old_lines, new_lines = _lines(old), _lines(new)
    old_starts, new_starts = _starts(old_lines), _starts(new_lines)
    return [
        LineChange(
            region,
            (old_starts[region.first], old_starts[region.last]),
            (new_starts[region.new_first], new_starts[region.new_last]),
        )
        for region in _compared(old_lines, new_lines, steps)
    ]


def changed_words(old: str, new: str, steps: int = WORD_STEPS_MAX) -> list[WordChange]:
    """Compares two texts word by word; no span begins or ends within a character with its marks."""
    old_words, new_words = list(_words(old)), list(_words(new))
    old_starts, new_starts = _starts(old_words), _starts(new_words)
    return [
        WordChange(
            (old_starts[region.first], old_starts[region.last]),
            (new_starts[region.new_first], new_starts[region.new_last]),
        )
        for region in _compared(old_words, new_words, steps)
    ]


def _compared(old: Sequence[str], new: Sequence[str], steps: int) -> list[Region]:
    numbers: dict[str, int] = {}
    return changed_regions(
        [numbers.setdefault(item, len(numbers)) for item in old],
        [numbers.setdefault(item, len(numbers)) for item in new],
        Budget(steps),
    )


def _lines(text: str) -> list[str]:
    # Only line feeds end lines of a version; str.splitlines() knows more.
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _starts(items: Sequence[str]) -> list[int]:
    return list(accumulate(map(len, items), initial=0))


def _words(text: str) -> Iterator[str]:
    begun, kind = 0, ""
    for start, _ in clusters(text):
        found = _kind(text[start])
        if start and (found != kind or not found):
            yield text[begun:start]
            begun = start
        kind = found
    if text:
        yield text[begun:]


def _kind(character: str) -> str:
    """Say what goes on in the next character of its kind; "" stands alone."""
    if character.isspace():
        return "space"
    if not character.isalnum() or any(low <= ord(character) <= high for low, high in _ALONE):
        return ""
    return "word"
