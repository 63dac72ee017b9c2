"""Words of scripts without spaces: what a search finds against a scan of every passage."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from typing import Final

from bench.quality.known_items import CJK, language_of
from bench.search.stocking import GAME
from corpus_service.domain.queries import SearchFilter
from corpus_service.search.preparation import normalise
from corpus_service.search.query import parse_query
from corpus_service.storage.sqlite import SqliteStore
from corpus_service.storage.sqlite.rows import all_rows

WORD_SIZES: Final = (1, 2, 3, 4, 5, 6)
WORDS_OF_A_SIZE: Final = 40
MATCHES_MAX: Final = 100_000
# The middle dot stands between words.
_RUN: Final = re.compile(f"(?:(?!\u30fb)[{CJK}])+")


@dataclass(frozen=True, slots=True)
class Agreement:
    """Recall and precision over all words of one size in one language."""

    language: str
    size: int
    words: int
    recall: float
    precision: float


def agreement(store: SqliteStore, seed: int) -> list[Agreement]:
    """Compares the index with the scan; the words stand inside runs of the corpus itself."""
    texts = _searched_texts(store)
    runs: dict[str, list[str]] = {}
    for text in texts.values():
        runs.setdefault(language_of(text), []).extend(_RUN.findall(text))
    draw = random.Random(seed)
    found = []
    for language in sorted(set(runs) - {"en"}):
        for size in WORD_SIZES:
            words = _drawn(runs[language], size, draw)
            found.append(_measure(store, texts, language, size, words))
    return found


def _searched_texts(store: SqliteStore) -> dict[int, str]:
    """Returns of each passage what a search looks at: text, title, nearest heading, apart by lines."""
    with store._reader(GAME) as connection:  # noqa: SLF001 - whole tables are no reader's need
        rows = all_rows(
            connection,
            "SELECT c.id, c.text, v.title, c.heading_path FROM source_chunks AS c"
            " JOIN document_versions AS v ON v.row = c.id - c.ordinal ORDER BY c.id",
        )
    return {
        row: "\n".join(map(normalise, (text, title, *json.loads(headings)[-1:])))
        for row, text, title, headings in rows
    }


def _drawn(runs: list[str], size: int, draw: random.Random) -> list[str]:
    words: set[str] = set()
    long_enough = [run for run in runs if len(run) >= size]
    while long_enough and len(words) < WORDS_OF_A_SIZE:
        run = draw.choice(long_enough)
        start = draw.randrange(len(run) - size + 1)
        words.add(run[start : start + size])
    return sorted(words)


def _measure(
    store: SqliteStore, texts: dict[int, str], language: str, size: int, words: list[str]
) -> Agreement:
    right = wanted = given = 0
    for word in words:
        query = parse_query(word).required[0].query
        candidates = store.search(GAME, query, SearchFilter(), limit=MATCHES_MAX)
        rows = {candidate.row for candidate in candidates}
        scanned = {row for row, text in texts.items() if word in text}
        right += len(rows & scanned)
        wanted += len(scanned)
        given += len(rows)
    return Agreement(language, size, len(words), right / max(1, wanted), right / max(1, given))
