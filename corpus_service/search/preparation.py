"""Text as the full-text index and queries see it: pure, versioned, the same on every backend.

`prepare_for_index` writes tokens of letters, digits and private letters that SQLite's unicode61 and
any other lexer of words keep as they are. A query is read by `analyse`, which yields the same tokens
in the same order, so that words become phrases of neighbouring tokens:

* words are folded (see `characters`) and cut at everything that is no letter and no digit;
* ``don't`` is ``don t dont``: the parts and, behind them, the word without apostrophes;
* ``1.21.4`` is ``1 21 4`` and one token for the whole; ``v1.21.4`` has ``v`` before them;
* ``C++``, ``C#`` and ``.NET`` are the bare word and one token for the word with its signs;
* a run of a script without spaces is its overlapping pairs and then its last character, so that a
  word of two or more characters is a phrase of pairs and one character is the prefix of a pair.
"""

from __future__ import annotations

import enum
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Final

from corpus_service.search.characters import (
    BEFORE_NORMALISATION,
    BEFORE_NORMALISATION_READINGS,
    LEADING_DOT,
    MAY_FOLD,
    PRIVATE,
    SIGNS,
    UNSPACED,
    VERSION_DOT,
    FoldTable,
)

PREPARATION_VERSION: Final = "3"
"""Stored beside every index; another version means that the index must be made again."""

TOKEN_CODE_POINTS_MAX: Final = 128
"""Longer tokens are cut; 128 code points are at most 512 bytes, a fourth of PostgreSQL's limit."""

_FOLD: Final = FoldTable()
# Stands between texts that are prepared together. It is no letter, and no fold makes or moves it.
_BETWEEN: Final = "\x1e"
_RUNS: Final = re.compile(f"([{UNSPACED}]+)")
# Pairs over the border of two runs; see `_written_runs`.
_BORDER: Final = re.compile("\n \n. ")
_WIDE: Final = re.compile("([^\\x00-\\x7f]+)")
# What NFKC makes of the punctuation of CJK texts. A text without it is mostly in NFKC, which is
# found out ten times as fast as it is made.
_PUNCTUATION: Final = tuple(
    (sign, unicodedata.normalize("NFKC", sign)) for sign in "\u3000\xa0，：；！？（）…"
)
_TOKEN: Final = re.compile(f"[\\w{PRIVATE}]+")
_NO_TOKEN: Final = re.compile(f"[^\\w{PRIVATE}\n]+")
# Longer tokens hold a whole stretch of this size that begins at a multiple of it.
_STRETCH_CODE_POINTS: Final = TOKEN_CODE_POINTS_MAX // 2
_STRETCH: Final = re.compile(f"[\\w{PRIVATE}]{{{_STRETCH_CODE_POINTS}}}")
# One character of a word between spaces; underscores are spaces by the time it is used.
_LETTER: Final = f"(?:(?![{UNSPACED}])[\\w{PRIVATE}])"
_RUN_OR_WORD: Final = re.compile(f"([{UNSPACED}]+)|{_LETTER}+")
_ONE_LETTER: Final = re.compile(_LETTER)
# Every alternative begins with a literal: the scanner then skips to these four characters.
_SPECIAL: Final = re.compile(
    r"'(?<=[^\W_]')(?=[^\W\d_])"
    rf"|\+(?<=[^\W_]\+)(?:\+|(?!{_LETTER}))"
    rf"|#(?<=[^\W_]#)(?!{_LETTER}|#)"
    r"|\.(?<=\d\.)(?=\d)"
    rf"|\.(?:(?<![^\W_.]\.)|(?<=[{UNSPACED}]\.))(?<!\.\.)(?=[^\W\d_])"
)
_WORD_FORWARD: Final = re.compile(f"(?:{_LETTER}|'(?={_LETTER}))*")
# Of a text that is turned round: a search for the end of a line would try every beginning.
_WORD_BACKWARD: Final = re.compile(f"(?:{_LETTER}|'(?=[\\w{PRIVATE}]))*")
_NUMBER_FORWARD: Final = re.compile(r"\d*(?:\.\d+)*")
_NUMBER_BACKWARD: Final = re.compile(r"\d+$")


class PieceKind(enum.Enum):
    """What a token stands for."""

    WORD = 1
    """A word or a part of one."""

    PAIR = 2
    """Two neighbouring characters of a run, or a run of one character."""

    LAST = 3
    """The last character of a run of two or more, behind its pairs."""

    JOINED = 4
    """The whole of a word with apostrophes or of a version number, behind its parts."""

    DOTTED = 5
    """A word with the dot before it, behind the bare word."""

    SIGNED = 6
    """A word with the signs behind it, behind the bare word."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One token of a text.

    Attributes:
        token: The token as the index has it.
        kind: What it stands for.
        start: First code point in the normalised text.
        end: Code point behind the last one.
    """

    token: str
    kind: PieceKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Insertion:
    """A token that stands behind a position; empty where a word is only cut there."""

    position: int
    start: int
    token: str
    kind: PieceKind


def normalise(text: str) -> str:
    """Folds a text: NFKC, case, diacritics, width; what nobody sees is gone.

    Total over all strings, lone surrogates included, and idempotent.
    """
    if text.isascii():
        return text.lower()
    parts = _WIDE.split(text)
    parts[::2] = map(str.lower, parts[::2])
    parts[1::2] = _folded("\n".join(parts[1::2])).split("\n")
    return "".join(parts)


def prepare_for_index(text: str) -> str:
    """Writes the tokens of a text for a full-text index, apart from each other.

    Returns:
        Text that a lexer of words (unicode61, without folding of its own) cuts into exactly the
        tokens of `analyse`, in their order.
    """
    prepared = normalise(text)
    if "_" in prepared:
        prepared = prepared.replace("_", " ")
    insertions = list(_insertions(prepared))
    if insertions:
        prepared = _with_insertions(prepared, insertions)
    if not prepared.isascii():
        prepared = _with_pairs(prepared)
    beginnings = range(0, len(prepared) - _STRETCH_CODE_POINTS, _STRETCH_CODE_POINTS)
    if any(map(_STRETCH.match, repeat(prepared), beginnings)):
        prepared = _TOKEN.sub(_write_cut, prepared)
    return prepared


def prepare_all_for_index(texts: Sequence[str]) -> list[str]:
    """Does what `prepare_for_index` does for each text, in one pass over all of them.

    Most of the cost of a short text is that of beginning with it.
    """
    joined = _BETWEEN.join(texts)
    if joined.count(_BETWEEN) != len(texts) - 1:
        # None at all, or a text that has the separator itself.
        return [prepare_for_index(text) for text in texts]
    return prepare_for_index(joined).split(_BETWEEN)


def analyse(text: str) -> list[Piece]:
    """Reads the tokens of a text, which may be a query, with what each one stands for."""
    return analyse_normalised(normalise(text))


def analyse_normalised(normalised: str) -> list[Piece]:
    """Reads the tokens of a text that `normalise` made."""
    prepared = normalised.replace("_", " ")
    insertions = list(_insertions(prepared))
    pieces: list[Piece] = []
    following = 0
    for match in _RUN_OR_WORD.finditer(prepared):
        start, end = match.span()
        cuts = [start]
        arrived = []
        while following < len(insertions) and insertions[following].position <= end:
            insertion = insertions[following]
            following += 1
            if insertion.token:
                arrived.append(insertion)
            elif insertion.position < end:
                cuts.append(insertion.position)
        if match[1]:
            pieces.extend(_pairs(prepared, start, end))
        else:
            for first, behind in zip(cuts, [*cuts[1:], end], strict=True):
                pieces.extend(_cut(prepared, first, behind))
        pieces.extend(Piece(entry.token, entry.kind, entry.start, end) for entry in arrived)
    return pieces


def _folded(wide: str) -> str:
    """Folds what a text has outside of ASCII, a line for each stretch; line feeds stay.

    A mark may be apart from the ASCII letter that carries it. Folding drops such marks.
    """
    wide = BEFORE_NORMALISATION.sub(_read_before, wide)
    for character, reading in _PUNCTUATION:
        wide = wide.replace(character, reading)
    # Case folding can undo the composition, and composing can bring up new pairs of case (the
    # Unicode Standard, 3.13, toNFKC_Casefold).
    wide = unicodedata.normalize("NFKC", wide).casefold()
    return MAY_FOLD.sub(_fold, unicodedata.normalize("NFKC", wide))


def _fold(match: re.Match[str]) -> str:
    return match[0].translate(_FOLD)


def _read_before(match: re.Match[str]) -> str:
    return BEFORE_NORMALISATION_READINGS.get(match[0], "")


def _insertions(text: str) -> Iterator[_Insertion]:
    """Finds the tokens for what punctuation distinguishes, in order of their positions.

    A stretch of text is looked at once, whether it gives a token or not, so that the work stays
    linear whatever the text is made of.
    """
    behind = 0
    for match in _SPECIAL.finditer(text):
        at = match.start()
        if at < behind:
            continue
        sign = text[at]
        if sign == "'":
            found, behind = _joined_word(text, at, behind)
        elif sign != ".":
            found, behind = _signed_word(text, at, match[0], behind)
        elif at and text[at - 1].isdigit():
            found, behind = _version_number(text, at, behind)
        else:
            found, behind = _dotted_word(text, at)
        yield from found


def _word_start(text: str, at: int, behind: int) -> int:
    near = max(behind, at - TOKEN_CODE_POINTS_MAX - 1)
    found = _WORD_BACKWARD.match(text[near:at][::-1])
    return at - found.end() if found else at


def _word_end(text: str, at: int) -> int:
    found = _WORD_FORWARD.match(text, at, at + TOKEN_CODE_POINTS_MAX + 1)
    return found.end() if found else at


def _is_word(token: str) -> bool:
    """Whether a word, with up to two signs, is short enough for a token of its own."""
    return 0 < len(token) <= TOKEN_CODE_POINTS_MAX - 2


_Found = tuple[list[_Insertion], int]
"""Insertions, and the position behind which the search goes on."""


def _joined_word(text: str, at: int, behind: int) -> _Found:
    start, end = _word_start(text, at, behind), _word_end(text, at)
    word = text[start:end].replace("'", "")
    return [_Insertion(end, start, word, PieceKind.JOINED)] if _is_word(word) else [], end


def _signed_word(text: str, at: int, signs: str, behind: int) -> _Found:
    start = _word_start(text, at, behind)
    word = text[start:at].rpartition("'")[2]
    resume = at + len(signs)
    if not _is_word(word):
        return [], resume
    token = word + "".join(SIGNS[sign] for sign in signs)
    return [_Insertion(at, at - len(word), token, PieceKind.SIGNED)], resume


def _dotted_word(text: str, at: int) -> _Found:
    word = text[at + 1 : _word_end(text, at + 1)].partition("'")[0]
    end = at + 1 + len(word)
    if not _is_word(word):
        return [], end
    return [_Insertion(end, at, LEADING_DOT + word, PieceKind.DOTTED)], end


def _version_number(text: str, at: int, behind: int) -> _Found:
    near = max(behind, at - TOKEN_CODE_POINTS_MAX)
    first = _NUMBER_BACKWARD.search(text[near:at])
    rest = _NUMBER_FORWARD.match(text, at + 1, at + TOKEN_CODE_POINTS_MAX)
    if first is None or rest is None:
        return [], at + 1
    start, end = at - len(first[0]), rest.end()
    if _ONE_LETTER.match(text, end):
        return [], end
    number = _Insertion(end, start, text[start:end].replace(".", VERSION_DOT), PieceKind.JOINED)
    before = text[max(0, start - 2) : start]
    if not before or not _ONE_LETTER.match(before[-1]):
        return [number], end
    if before[-1] == "v" and (len(before) == 1 or not _ONE_LETTER.match(before[0])):
        return [_Insertion(start, start, "", PieceKind.WORD), number], end
    return [], end


def _with_insertions(text: str, insertions: list[_Insertion]) -> str:
    written = []
    last = 0
    for insertion in insertions:
        written.append(text[last : insertion.position])
        written.append(insertion.token)
        last = insertion.position
    written.append(text[last:])
    return " ".join(written)


def _with_pairs(text: str) -> str:
    """Writes runs as pairs and blanks what is no token outside of ASCII.

    Only that is looked at: most characters of most texts are ASCII, and classes of characters that
    know all of Unicode are slow.
    """
    parts = _WIDE.split(text)
    wide = _NO_TOKEN.sub(" ", "\n".join(parts[1::2]))
    parts[1::2] = _written_runs(wide).split("\n")
    return "".join(parts)


def _written_runs(text: str) -> str:
    """Writes every run as its pairs and its last character; all runs in one pass."""
    parts = _RUNS.split(text)
    runs = parts[1::2]
    if runs:
        # "AB", "C" is read as AB, B+feed, feed+C, C+feed: behind the border comes a pair too many.
        line = "\n".join([*runs, ""])
        pairs = _BORDER.sub("\n", _neighbours(line))
        parts[1::2] = [f" {pair} " for pair in pairs.split("\n")[:-1]]
    return "".join(parts)


def _neighbours(text: str) -> str:
    """Each character with the one behind it and a space; the last one has no pair.

    Strides of bytes take a fifth of the time of a string for each pair.
    """
    encoded = text.encode("utf-32-le")
    size = len(encoded) - 4
    spaced = bytearray(b" \0\0\0" * (3 * size // 4))
    for byte in range(4):
        spaced[byte::12] = encoded[byte:size:4]
        spaced[byte + 4 :: 12] = encoded[byte + 4 :: 4]
    return spaced.decode("utf-32-le")


def _pairs(text: str, start: int, end: int) -> Iterator[Piece]:
    if end - start == 1:
        yield Piece(text[start:end], PieceKind.PAIR, start, end)
        return
    for at in range(start, end - 1):
        yield Piece(text[at : at + 2], PieceKind.PAIR, at, at + 2)
    yield Piece(text[end - 1], PieceKind.LAST, end - 1, end)


def _write_cut(match: re.Match[str]) -> str:
    word = match[0]
    size = TOKEN_CODE_POINTS_MAX
    return " ".join(word[at : at + size] for at in range(0, len(word), size))


def _cut(text: str, start: int, end: int) -> Iterator[Piece]:
    for at in range(start, end, TOKEN_CODE_POINTS_MAX):
        behind = min(end, at + TOKEN_CODE_POINTS_MAX)
        yield Piece(text[at:behind], PieceKind.WORD, at, behind)
