"""Queries of every class, drawn from the passages of a store by a seed."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bench.quality.known_items import CJK
from bench.search.raw_index import RawIndex, pairs

QUERIES_OF_A_CLASS: Final = 24
COMMON_SHARE: Final = 0.08
MIDDLE_SHARES: Final = (0.004, 0.02)
RARE_SHARE_MAX: Final = 0.0004
QUESTION_WORDS: Final = 5
TRIES_MAX: Final = 20_000
_WORD: Final = re.compile(r"(?<![A-Za-z])[A-Za-z]{3,}(?![A-Za-z])")
_RUN: Final = re.compile(f"(?:(?!\u30fb)[{CJK}]){{4,}}")


@dataclass(frozen=True, slots=True)
class BenchQuery:
    """A query as a person types it and as FTS5 takes it."""

    typed: str
    expression: str
    host: str = ""


def draw_queries(
    texts: Sequence[str], raw: RawIndex, chunks: int, hosts: Sequence[str], seed: int
) -> dict[str, list[BenchQuery]]:
    """Draws the queries of each class."""
    draw = random.Random(seed)
    words = [_WORD.findall(text) for text in texts]
    shares = _shares(Counter(word.lower() for found in words for word in set(found)), raw, chunks)
    common = [word for word, share in shares.items() if share > COMMON_SHARE]
    low, high = MIDDLE_SHARES
    middle = [word for word, share in shares.items() if low <= share <= high]
    rare = [word for word, share in shares.items() if share <= RARE_SHARE_MAX]
    found = {
        "common word": [_all_of([draw.choice(common)]) for _ in range(QUERIES_OF_A_CLASS)],
        "rare word": [_all_of([draw.choice(rare)]) for _ in range(QUERIES_OF_A_CLASS)],
        "two words": [_all_of(draw.sample(middle, 2)) for _ in range(QUERIES_OF_A_CLASS)],
        "phrase": _phrases(words, draw),
        "prefix": [_prefix(draw.choice(middle)) for _ in range(QUERIES_OF_A_CLASS)],
        "question of five words": _questions(words, draw),
    }
    for size in (2, 4):
        found[f"CJK {size}"] = _runs(texts, size, draw)
    found["filtered"] = [
        BenchQuery(word, f'"{word}"', draw.choice(hosts))
        for word in (draw.choice(middle) for _ in range(QUERIES_OF_A_CLASS))
    ]
    return found


def _shares(sampled: Counter[str], raw: RawIndex, chunks: int) -> dict[str, float]:
    """Returns the share of passages that hold a word, for words of every frequency."""
    ordered = [word for word, _ in sampled.most_common()]
    chosen = [*ordered[:1_000], *ordered[1_000::20]]
    return {word: raw.count(f'"{word}"') / chunks for word in chosen}


def _all_of(words: Sequence[str]) -> BenchQuery:
    return BenchQuery(" ".join(words), " AND ".join(f'"{word}"' for word in words))


def _prefix(word: str) -> BenchQuery:
    return BenchQuery(f"{word[:4]}*", f'"{word[:4]}"*')


def _phrases(words: Sequence[Sequence[str]], draw: random.Random) -> list[BenchQuery]:
    found: list[BenchQuery] = []
    while len(found) < QUERIES_OF_A_CLASS:
        passage = draw.choice(words)
        if len(passage) > 3:
            at = draw.randrange(len(passage) - 1)
            pair = f'"{passage[at]} {passage[at + 1]}"'
            found.append(BenchQuery(pair, pair))
    return found


def _questions(words: Sequence[Sequence[str]], draw: random.Random) -> list[BenchQuery]:
    """The first five words of a passage, stop words among them, any of which will do."""
    found: list[BenchQuery] = []
    while len(found) < QUERIES_OF_A_CLASS:
        first = list(dict.fromkeys(word.lower() for word in draw.choice(words)))[:QUESTION_WORDS]
        if len(first) == QUESTION_WORDS:
            expression = " OR ".join(f'"{word}"' for word in first)
            found.append(BenchQuery(" ".join(first), expression))
    return found


def _runs(texts: Sequence[str], size: int, draw: random.Random) -> list[BenchQuery]:
    runs = [run for text in texts for run in _RUN.findall(text)]
    found = []
    for _ in range(QUERIES_OF_A_CLASS):
        run = draw.choice(runs)
        start = draw.randrange(len(run) - size + 1)
        word = run[start : start + size]
        found.append(BenchQuery(word, f'"{pairs(word)}"'))
    return found
