"""BM25 with statistics that are known, as a function of SQL beside FTS5's own bm25().

FTS5's function counts the matches of every phrase anew for each query, by going through all of them,
and it knows the statistics of the whole index alone. Where few passages match common words, or where
a page belongs to an earlier snapshot, this function repeats the formula of fts5_aux.c with the
statistics given, term by term in the same order of operations.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, Final

import apsw

from corpus_service.storage.passage_interface import HEADING_WEIGHT

K1: Final = 1.2
B: Final = 0.75
IDF_MIN: Final = 1e-6

OWN_SCORE: Final = f"bm25(passage_index, {HEADING_WEIGHT}, 1.0)"
"""FTS5's score; negative, less is better."""

KNOWN_SCORE: Final = f"bm25_known(passage_index, :statistics, {HEADING_WEIGHT}, 1.0)"
"""The same score by the statistics that `write_statistics` wrote."""


def inverse_document_frequency(chunks: int, matching: int) -> float:
    """Weight of a leaf: rarer is heavier, and never below 1e-6."""
    idf = math.log((chunks - matching + 0.5) / (matching + 0.5))
    return idf if idf > 0.0 else IDF_MIN


def write_statistics(chunks: int, tokens: int, matching: Sequence[int]) -> str:
    """Write what `KNOWN_SCORE` takes.

    Args:
        chunks: Indexed chunks, at least 1.
        tokens: Their tokens.
        matching: Chunks that each leaf matches, in the order of the expression.
    """
    weights = [inverse_document_frequency(chunks, count) for count in matching]
    return json.dumps([float(tokens) / float(chunks), weights])


def register_scoring(connection: apsw.Connection) -> None:
    """Make ``bm25_known`` known to a connection."""
    connection.register_fts5_function("bm25_known", _score)


def _score(api: apsw.FTS5ExtensionApi, /, *arguments: Any) -> float:  # noqa: ANN401 - SQL values
    """Return FTS5's negative score of the current row."""
    known = api.aux_data
    if known is None:
        statistics, *weights = arguments
        average, idf_of_phrase = json.loads(statistics)
        known = api.aux_data = (average, list(enumerate(idf_of_phrase)), *weights)
    average, phrases, heading_weight, body_weight = known
    norm = K1 * (1 - B + B * float(api.column_size(-1)) / average)
    score = 0.0
    places_of = api.phrase_locations
    for phrase, idf in phrases:
        heading, body = places_of(phrase)
        if heading or body:
            frequency = heading_weight * len(heading) + body_weight * len(body)
            score += idf * ((frequency * (K1 + 1.0)) / (frequency + norm))
    return -1.0 * score
