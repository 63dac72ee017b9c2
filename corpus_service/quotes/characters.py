"""Classes of characters of the quote view.

White space is Unicode's White_Space property. Quotation marks are those of Unicode's Quotation_Mark
property and the primes, without corner brackets, which mean something of their own in Chinese and
Japanese text.
"""

from __future__ import annotations

import re
from typing import Final

LINE_ENDS: Final = "\n\r\v\f\x85\u2028\u2029"
OTHER_SPACES: Final = (
    "\t\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f"
    "\u3000"
)
SOFT_HYPHEN: Final = "\xad"
HYPHENS: Final = f"-\u2010{SOFT_HYPHEN}"

SINGLE_QUOTES: Final = "\u2018\u2019\u201a\u201b\u2032\u2035\u2039\u203a\uff07"
DOUBLE_QUOTES: Final = "\xab\xbb\u201c\u201d\u201e\u201f\u2033\u2036\u2e42\u301d\u301e\u301f\uff02"

# Between two of these a break of the line means nothing: Han, kana, the blocks of CJK punctuation
# and compatibility forms, full-width and half-width forms without those of Hangul. Quotation marks
# are among the shared ones, however wide: all spellings of a mark must give the same view.
WIDE: Final = (
    "\u2e80-\u2fdf\u2ff0-\u2fff\u3001-\u301c\u3020-\u312f\u3190-\u31ff\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\ufe10-\ufe1f\ufe30-\ufe4f\uff01\uff03-\uff06\uff08-\uff9f\uffe0-\uffe6\U00016fe0-\U00016fff"
    "\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
# Marks that Chinese shares with other scripts: CJK punctuation where they stand beside a wide
# character.
SHARED: Final = f"\"'{SINGLE_QUOTES}{DOUBLE_QUOTES}\xb7\u2014\u2015\u2025\u2026"

_WIDE: Final = re.compile(f"[{WIDE}]")
_WIDE_OR_SHARED: Final = re.compile(f"[{WIDE}{SHARED}]")


def holds_wide(text: str) -> bool:
    """Whether a text holds a character of a script that breaks lines between any two of them."""
    return not text.isascii() and _WIDE.search(text) is not None


def joins_without_space(before: str, after: str) -> bool:
    """Whether white space between two characters means nothing."""
    wide_before, wide_after = _WIDE.match(before), _WIDE.match(after)
    if wide_before and wide_after:
        return True
    if wide_before:
        return _WIDE_OR_SHARED.match(after) is not None
    return wide_after is not None and _WIDE_OR_SHARED.match(before) is not None


def _expanding() -> str:
    """Characters that full case folding makes longer; all of them stand in these blocks."""
    blocks = (range(0x80, 0x600), range(0x1E00, 0x2000), range(0xFB00, 0xFB20))
    characters = (chr(code_point) for block in blocks for code_point in block)
    return "".join(character for character in characters if len(character.casefold()) > 1)


EXPANDING: Final = _expanding()
