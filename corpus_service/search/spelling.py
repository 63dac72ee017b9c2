"""Words of a text that may be mistyped, and words of a corpus that are like them.

Two words are neighbours when one letter was left out, added, replaced, or exchanged with the next one
(the optimal string alignment distance: Damerau, "A technique for computer detection and correction
of spelling errors", Communications of the ACM 7, 1964, found that these are 80 % of all errors); longer
words may differ by two. Only words of letters in scripts with spaces count: of the others the index
holds pairs of characters, which are no words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from corpus_service.search.characters import is_unspaced
from corpus_service.search.limits import (
    CORRECTED_CODE_POINTS_MAX,
    CORRECTED_CODE_POINTS_MIN,
    TWO_ERRORS_CODE_POINTS_MIN,
    TWO_ERRORS_COMMON_BEGINNING,
    TWO_ERRORS_WORDS_MAX,
)
from corpus_service.search.preparation import PieceKind, analyse_normalised
from corpus_service.search.view import view_of

_BEGUN: Final = "*"
# Folded letters of the scripts in which errors are guessed by writing every letter everywhere.
_ALPHABETS: Final = (
    "abcdefghijklmnopqrstuvwxyz",
    "".join(map(chr, range(0x430, 0x450))) + "\u0451\u0454\u0456\u0457\u0491\u045e",
    "".join(map(chr, range(0x3B1, 0x3CA))),
    "".join(map(chr, range(0x5D0, 0x5EB))),
    "".join(map(chr, range(0x621, 0x64B))),
    "".join(map(chr, range(0x561, 0x587))),
    "".join(map(chr, range(0x10D0, 0x10F1))),
)


class Neighbourhood(Protocol):
    """The words of a corpus."""

    def known_tokens(self, words: Sequence[str]) -> Sequence[str]:
        """Returns those of some words that the corpus has."""

    def tokens(self, beginning: str, limit: int) -> Sequence[str]:
        """Returns words that begin with a text, ascending, at most so many."""


@dataclass(frozen=True, slots=True)
class TypedWord:
    """A word as it was typed.

    Attributes:
        token: As the index has it.
        start: First code point in the text.
        end: Code point behind the last one.
        begun: Only its beginning was typed, as the star says.
    """

    token: str
    start: int
    end: int
    begun: bool

    @property
    def correctable(self) -> bool:
        """Whether it has few enough neighbours to look for them."""
        size = len(self.token)
        return (
            not self.begun
            and self.token.isalpha()
            and CORRECTED_CODE_POINTS_MIN <= size <= CORRECTED_CODE_POINTS_MAX
        )


def typed_words(text: str) -> list[TypedWord]:
    """Finds the words of a text that are words of letters and digits alone, in order.

    Excluded words, words with signs and apostrophes, numbers with dots and runs of scripts without
    spaces are none.
    """
    view = view_of(text)
    pieces = analyse_normalised(view.text)
    special = [(piece.start, piece.end) for piece in pieces if piece.kind is not PieceKind.WORD]
    words = []
    for piece in pieces:
        if piece.kind is not PieceKind.WORD or is_unspaced(piece.token[0]):
            continue
        if any(start < piece.end and piece.start < end for start, end in special):
            continue
        start, end = view.original_span(piece.start, piece.end)
        if not piece.token.isalnum() or _is_excluded(text, start):
            continue
        words.append(TypedWord(piece.token, start, end, text.startswith(_BEGUN, end)))
    return words


def _is_excluded(text: str, start: int) -> bool:
    before = text[max(0, start - 2) : start]
    return before.endswith("-") and (start == 1 or before[0].isspace())


def neighbours(word: str, vocabulary: Neighbourhood) -> dict[str, int]:
    """Returns words of a corpus that are like a folded word with their number of errors, nearest first."""
    near = dict.fromkeys(vocabulary.known_tokens(_one_error(word)), 1)
    if len(word) >= TWO_ERRORS_CODE_POINTS_MIN:
        beginning = word[:TWO_ERRORS_COMMON_BEGINNING]
        for other in vocabulary.tokens(beginning, TWO_ERRORS_WORDS_MAX):
            if other not in near and abs(len(other) - len(word)) <= 2 and other.isalpha():
                errors = _errors(word, other)
                if errors <= 2:
                    near[other] = errors
    near.pop(word, None)
    ordered = sorted(near, key=lambda other: (near[other], abs(len(other) - len(word)), other))
    return {other: near[other] for other in ordered}


def _one_error(word: str) -> list[str]:
    letters = next((known for known in _ALPHABETS if word[0] in known), "")
    found: dict[str, None] = {}
    for at in range(len(word) + 1):
        before, behind = word[:at], word[at:]
        if behind:
            found[before + behind[1:]] = None
            found.update((before + letter + behind[1:], None) for letter in letters)
        if len(behind) > 1:
            found[before + behind[1] + behind[0] + behind[2:]] = None
        found.update((before + letter + behind, None) for letter in letters)
    found.pop(word, None)
    return list(found)


def _errors(first: str, second: str) -> int:
    """Counts the errors between two words: the optimal string alignment distance."""
    before: list[int] = []
    previous = list(range(len(second) + 1))
    for row, letter in enumerate(first, 1):
        current = [row]
        for column, other in enumerate(second, 1):
            cost = min(
                previous[column] + 1,
                current[column - 1] + 1,
                previous[column - 1] + (letter != other),
            )
            exchanged = (
                row > 1 and column > 1 and letter == second[column - 2] and first[row - 2] == other
            )
            if exchanged:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        before, previous = previous, current
    return previous[-1]
