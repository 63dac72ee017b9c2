"""Random and hostile queries, the same ones for a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Final

PIECES: Final = (
    '"', '""', "*", "**", "-", "--", "- ", "+", "#", ".", "..", "'", "''", "(", ")", "^", ":", ";", "\\", "/",
    "AND", "OR", "NOT", "NEAR(", "NEAR/3", "rank", "body:", "heading:", "{body heading}:", "rowid", "*x*",
    "C++", "C#", ".NET", "1.21.4", "v1.2", "foo-bar", "don't", "l'été", "a_b", "50%", "@x", "$1", "x=y",
    "' OR 1=1 --", "'; DROP TABLE passage_index; --", "\x00", "\x01", "\t", "\n", "\r\n", "\u2028", "\ufeff",
    "\u200b", "\u00ad", "\u202e", "\ud800", "\udfff", "\U0001f600", "\U0001f468\u200d\U0001f469", "\u0301",
    "e\u0301", "\uff21\uff22", "\uff76\uff9e", "\u30ac", "\u9b54", "\u8840\u9b54\u5927\u541b", "\uad00\ub9ac",
    "\u1100\u1161", "\u0e01\u0e33", "\u05d0\u05b8", "\u0627\u064b", "\u0130", "\u00df", "\ufb01", "\u2460",
    "\U00020bb7", "\U000e0041", "\ue001", "\uf8ff", "\U0010ffff", "swords", "running", "the", "a",
)  # fmt: skip
QUERY_PIECES_MAX: Final = 12
LONG_SHARE: Final = 0.01
LONG_CODE_POINTS: Final = 4_096


def hostile_queries(seed: int, count: int, words: Sequence[str] = ()) -> Iterator[str]:
    """Yields queries out of pieces that have a meaning somewhere, words of the corpus, any characters.

    Args:
        seed: Equal seeds give equal queries.
        count: Queries to yield.
        words: Words of the corpus, so that some queries find something.
    """
    draw = random.Random(seed)
    for _ in range(count):
        if draw.random() < LONG_SHARE:
            piece = _piece(draw, words)
            text = piece * (LONG_CODE_POINTS // max(1, len(piece)))
        else:
            number = draw.randint(1, QUERY_PIECES_MAX)
            pieces = [_piece(draw, words) for _ in range(number)]
            text = draw.choice(("", " ", " ", "\u3000")).join(pieces)
        yield text[:LONG_CODE_POINTS] or "x"


def _piece(draw: random.Random, words: Sequence[str]) -> str:
    kind = draw.random()
    if words and kind < 0.4:
        word = draw.choice(words)
        return word if draw.random() < 0.7 else word[: draw.randint(1, len(word))]
    if kind < 0.8:
        return draw.choice(PIECES)
    if kind < 0.9:
        return chr(draw.randrange(0x20, 0x7F)) * draw.randint(1, 3)
    return chr(draw.randrange(0x110000))
