"""BM25 of an earlier snapshot, as a function of SQL beside FTS5's own bm25().

FTS5 ranks with the statistics of the whole index. A later page of a search that began before the
newest commits needs those of its snapshot, or its scores would shift and pages repeat or skip. This
function repeats the formula of fts5_aux.c, term by term in the same order of operations, with the
statistics given; it costs Python time for each match and serves later pages only.
"""

from __future__ import annotations

import math
from typing import Any, Final

import apsw

K1: Final = 1.2
B: Final = 0.75
IDF_MIN: Final = 1e-6


def inverse_document_frequency(chunks: int, matching: int) -> float:
    """Weight of a leaf: rarer is heavier, and never below 1e-6."""
    idf = math.log((chunks - matching + 0.5) / (matching + 0.5))
    return idf if idf > 0.0 else IDF_MIN


def register_ranking(connection: apsw.Connection) -> None:
    """Make ``bm25_as_of(index, next_chunk, chunks, tokens, heading weight, body weight)`` known."""
    connection.register_fts5_function("bm25_as_of", _rank)


def _rank(api: apsw.FTS5ExtensionApi, /, *arguments: Any) -> float:  # noqa: ANN401 - SQL values
    """Return FTS5's negative score of the current row by the statistics of a snapshot."""
    next_chunk, chunks, tokens, *weights = arguments
    if api.aux_data is None:
        api.aux_data = [
            inverse_document_frequency(chunks, _count_before(api, phrase, next_chunk))
            for phrase in range(api.phrase_count)
        ]
    length = float(api.column_size(-1))
    average = float(tokens) / float(chunks)
    score = 0.0
    for phrase, idf in enumerate(api.aux_data):
        frequency = 0.0
        for column, places in enumerate(api.phrase_locations(phrase)):
            for _ in places:
                frequency += weights[column]
        score += idf * (
            (frequency * (K1 + 1.0)) / (frequency + K1 * (1 - B + B * length / average))
        )
    return -1.0 * score


def _count_before(api: apsw.FTS5ExtensionApi, phrase: int, next_chunk: int) -> int:
    counted = [0]

    def count(found: apsw.FTS5ExtensionApi, total: list[int]) -> None:
        if found.rowid < next_chunk:
            total[0] += 1

    api.query_phrase(phrase, count, counted)
    return counted[0]
