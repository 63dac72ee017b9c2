"""Classes of characters and how each one is folded; pure tables on the standard library.

Folding makes the spellings that a person takes for the same word equal: case, width, composition,
diacritics of Latin, Greek and Cyrillic letters, optional vowel points. What tells words apart stays:
the voicing of kana, the breve of й, the vowel signs of scripts whose vowels are marks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

# Scripts that are written without spaces between words, or whose words change by attached
# syllables. Their runs are indexed as overlapping pairs. The private ranges hold their vowel signs
# and the kana voicing marks that compose with nothing (see `mark_letter`).
UNSPACED: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81\u0e82\u0e84\u0e86-\u0e8a\u0e8c-\u0ea3\u0ea5\u0ea7-\u0ebd"
    "\u0ec0-\u0ec4\u0ec6\u0ec8-\u0ecd\u1000-\u103f\u1050-\u108f\u1780-\u17d3"
    "\u1100-\u11ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f"
    "\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7a3"
    "\ud7b0-\ud7c6\ud7cb-\ud7fb\uf900-\ufa6d\ufa70-\ufad9"
    "\U0001b000-\U0001b122\U0001b150-\U0001b152\U0001b164-\U0001b167"
    "\U00020000-\U0002a6df\U0002a700-\U0002b738\U0002b740-\U0002b81d\U0002b820-\U0002cea1"
    "\U0002ceb0-\U0002ebe0\U00030000-\U0003134a"
    "\U000f0e31-\U000f0ecd\U000f102b-\U000f108f\U000f17b4-\U000f17d3\U000f302a-\U000f309a"
)

_UNSPACED_CHARACTER: Final = re.compile(f"[{UNSPACED}]")

# Private letters spell what punctuation distinguishes. FTS5's unicode61 takes category Co as token
# characters (https://www.sqlite.org/fts5.html#unicode61_tokenizer), a lexer of words does too.
VERSION_DOT: Final = "\ue001"
"""Stands between the numbers of a version number: the token of 1.21.4."""

LEADING_DOT: Final = "\ue002"
"""Begins the token of a word that a dot begins, such as .NET."""

SIGNS: Final[Mapping[str, str]] = {"+": "\ue003", "#": "\ue004"}
"""End the token of a word that signs end, such as C++ and C#."""

PRIVATE: Final = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"

# Characters that nobody sees: soft hyphen, grapheme joiner, zero-width spaces and joiners,
# directional marks, byte order mark, variation selectors, tags.
IGNORED: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)

# Apostrophes as keyboards, typographers and transcriptions write them.
APOSTROPHES: Final = "\u2018\u2019\u201b\u02bb\u02bc\u02bd\u055a\ua78c\uff07\u00b4"

# These decompose into letters that would grow together with the word before them.
_DETACHED: Final = "\u2120\u2122"

BEFORE_NORMALISATION: Final = re.compile(f"[{IGNORED}{APOSTROPHES}{_DETACHED}]")
BEFORE_NORMALISATION_READINGS: Final[Mapping[str, str]] = {
    **dict.fromkeys(APOSTROPHES, "'"),
    **dict.fromkeys(_DETACHED, " "),
}

# Outside of these ranges (ASCII, general punctuation, Han, kana, Hangul syllables, full stops and
# brackets of CJK) folding looks at each character.
MAY_FOLD: Final = re.compile(
    "[^\\x00-\\x7f\u2010-\u2027\u3000-\u3029\u3041-\u3096\u309b-\u9fff\uac00-\ud7a3]+"
)

_DIACRITICS: Final = re.compile(
    # Combining diacritical marks in all their blocks, and points that Hebrew and Arabic writing
    # leaves out as a rule.
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc]+"
)
# Letters with a stroke or a ligature that Unicode does not decompose, and the letters whose mark
# makes another letter.
_LETTERS: Final[Mapping[str, str]] = {
    "ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe", "ǿ": "o",
    "ǽ": "ae", "й": "й", "ў": "ў", "ς": "σ",
}  # fmt: skip
# Letters that the tables of unicode61 know as marks or not at all, and room for Han of the future.
_UNSAFE_LETTERS: Final = re.compile(
    "[\u19b0-\u19c0\u19c8\u19c9\u1cf2-\u1cf6"
    "\U0002ebe1-\U0002f7ff\U0002fa1e-\U0002ffff\U0003134b-\U0003ffff]"
)
_BASIC_PLANE: Final = 0x10000
_MARKS: Final = frozenset({"Mn", "Mc", "Me"})


def is_unspaced(character: str) -> bool:
    """Whether a character belongs to a script that is written without spaces."""
    return _UNSPACED_CHARACTER.match(character) is not None


def mark_letter(code_point: int) -> str:
    """Returns the private letter that spells a mark: marks end a token in unicode61."""
    if code_point < _BASIC_PLANE:
        return chr(0xF0000 + min(code_point, 0xFFFD))
    return chr(0x100000 + min(code_point & 0xFFFF, 0xFFFD))


class FoldTable(dict[int, str]):
    """Folded form of each code point for `str.translate`, made when first asked for.

    Its size is bounded by the number of code points.
    """

    def __missing__(self, code_point: int) -> str:
        folded = _fold_character(chr(code_point))
        self[code_point] = folded
        return folded


def _fold_character(character: str) -> str:
    known = _LETTERS.get(character)
    if known is not None:
        return known
    if _DIACRITICS.fullmatch(character):
        return ""
    if _UNSAFE_LETTERS.match(character) or unicodedata.category(character) in _MARKS:
        return mark_letter(ord(character))
    parts = unicodedata.normalize("NFD", character)
    bare = _DIACRITICS.sub("", parts)
    if bare == parts:
        return character
    return "".join(_LETTERS.get(part, part) for part in unicodedata.normalize("NFC", bare))
