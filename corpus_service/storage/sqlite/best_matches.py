"""The best matches of a query by BM25, by the way that costs least; scores are the same on each.

* FTS5's bm25() scores in C, and counts the matches of every leaf first: about 22 ns for each of them.
* `scoring.KNOWN_SCORE` scores in Python, about 3 µs for each passage of a few words, with counts that are known.
* Of a query of which some leaves will do, passages with common words alone need no score where few
  passages have the rare ones: a leaf adds at most ``idf · (k1 + 1)`` to a score, and `LEAF_GAIN` times
  its idf in all but short passages that are full of it. So passages with a rare leaf are scored, with
  all their leaves, and where the best of them score higher than all common leaves together do, the
  others are left out (after MaxScore: Turtle and Flood, "Query evaluation: strategies and
  optimizations", Information Processing & Management 31, 1995).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import apsw

from corpus_service.domain.queries import And, Not, Or, Phrase, Prefix, Query, Term
from corpus_service.domain.sources import Snapshot
from corpus_service.storage.sqlite.leaf_counts import IndexState, Leaf, count_matching
from corpus_service.storage.sqlite.match_expressions import leaves_of, match_expression
from corpus_service.storage.sqlite.rows import all_rows
from corpus_service.storage.sqlite.scoring import (
    KNOWN_SCORE,
    OWN_SCORE,
    inverse_document_frequency,
    write_statistics,
)
from corpus_service.storage.sqlite.writing import index_counts

MATCHES_WORTH_IT_MIN: Final = 2_000
"""Fewer matches are scored faster than they are thought about."""

LEAVES_WORTH_IT_MIN: Final = 3
"""Of fewer leaves, counts cost as much as they save."""

SHARE_OF_MATCHES_MAX: Final = 0.6
"""Rare leaves with a greater share of all matches would save nothing."""

LEAF_GAIN: Final = 1.6
"""What the common leaves are taken for, in multiples of their idf. With ``k1 + 1`` no passage is ever
missed, and questions take 40 % longer; with this the ten best of 55 questions over 485,000 passages
were the same, with 1.3 they were 97 % the same (bench/search)."""

OWN_COUNT_MICROSECONDS: Final = 0.022
KNOWN_SCORE_MICROSECONDS: Final = 3.0
"""What a passage costs more in Python than in C."""

# Bounds and scores are sums in different orders.
_ROUNDING: Final = 1e-9

Scored = list[tuple[int, float]]
"""Rows with FTS5's scores, which are negative, best first."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What scores of a state of the index are made of."""

    state: IndexState
    chunks: int
    tokens: int

    def counts(self, connection: apsw.Connection, leaves: Sequence[Leaf]) -> list[int]:
        """Returns the chunks that each leaf matches."""
        return [count_matching(connection, leaf, self.state) for leaf in leaves]

    def written(self, connection: apsw.Connection, leaves: Sequence[Leaf]) -> str:
        """Returns what `KNOWN_SCORE` takes for an expression with these leaves."""
        return write_statistics(self.chunks, self.tokens, self.counts(connection, leaves))


def statistics_of(
    connection: apsw.Connection, as_of: Snapshot, *, whole: bool
) -> Statistics | None:
    """Returns the statistics of a snapshot; None where nothing was indexed, so nothing matches.

    Args:
        connection: Inside a read transaction.
        as_of: The snapshot.
        whole: It is the present state.
    """
    counts = connection.execute(
        "SELECT next_chunk, indexed_chunks, indexed_tokens FROM snapshots WHERE sequence = ?",
        (as_of.sequence,),
    ).fetchone()
    if counts is None:
        return None
    next_chunk, chunks, tokens = counts
    if whole:
        chunks, tokens = index_counts(connection)
    if not chunks:
        return None
    return Statistics(IndexState(as_of.epoch, next_chunk, whole), chunks, tokens)


def score_expression(
    connection: apsw.Connection, query: Query, statistics: Statistics, *, expression: str = ""
) -> tuple[str, dict[str, object]]:
    """Chooses the expression of SQL that scores the matches of a query, with its bindings.

    Args:
        connection: Inside a read transaction.
        query: The query.
        statistics: Of the present state.
        expression: The query as FTS5 takes it, where it is written already.
    """
    leaves = leaves_of(query)
    if len(leaves) < LEAVES_WORTH_IT_MIN:
        return OWN_SCORE, {}
    counts = statistics.counts(connection, leaves)
    affordable = int(sum(counts) * OWN_COUNT_MICROSECONDS / KNOWN_SCORE_MICROSECONDS)
    if affordable < 1:
        return OWN_SCORE, {}
    matching = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM passage_index WHERE passage_index MATCH ? LIMIT ?)",
        (expression or match_expression(query), affordable + 1),
    ).get
    if matching > affordable:
        return OWN_SCORE, {}
    written = write_statistics(statistics.chunks, statistics.tokens, counts)
    return KNOWN_SCORE, {"statistics": written}


def best_of_some(
    connection: apsw.Connection, query: Query, statistics: Statistics, limit: int
) -> Scored | None:
    """Returns the best matches of an `Or` of leaves, those that scoring all would give; see `LEAF_GAIN`.

    Args:
        connection: Inside a read transaction.
        query: Any query.
        statistics: Of the present state.
        limit: Matches to return.

    Returns:
        ``limit`` matches; None where this way is not shorter or the query is no such Or.
    """
    wanted, unwanted = (query.wanted, query.unwanted) if isinstance(query, Not) else (query, None)
    leaves = _alternatives(wanted)
    if len(leaves) < 2:
        return None
    counts = statistics.counts(connection, leaves)
    total = sum(counts)
    if total < MATCHES_WORTH_IT_MIN:
        return None
    rarest_first = sorted(range(len(leaves)), key=lambda number: (counts[number], number))
    leaves = [leaves[number] for number in rarest_first]
    counts = sorted(counts)
    weights = [inverse_document_frequency(statistics.chunks, count) for count in counts]
    bounds = [LEAF_GAIN * weight for weight in weights]
    rare = _reaching(counts, limit)
    while rare < len(leaves) and sum(counts[:rare]) <= SHARE_OF_MATCHES_MAX * total:
        halves = _Halves(leaves[:rare], leaves[rare:], unwanted)
        found = _best_with(connection, halves, statistics, limit, one_leaf_at_most=bounds[0])
        worst = -found[-1][1] - _ROUNDING if len(found) == limit else 0.0
        if worst > sum(bounds[rare:]):
            return found
        # What was found stays as good with more leaves: so many will be enough.
        rare = max(rare + 1, _leaving_less_than(worst, bounds))
    return None


def _alternatives(query: Query) -> list[Leaf]:
    """Returns the leaves of an `Or`, each once; none where it has other parts."""
    if isinstance(query, (Term, Phrase, Prefix)):
        return [query]
    if not isinstance(query, Or):
        return []
    parts = [_alternatives(part) for part in query.parts]
    leaves = [leaf for part in parts for leaf in part]
    # A leaf that stands twice counts twice, which this way of counting would not do.
    return leaves if all(parts) and len(set(leaves)) == len(leaves) else []


def _reaching(counts: Sequence[int], limit: int) -> int:
    """Returns how many of the rarest leaves have enough matches to fill the limit."""
    matches = 0
    for rare, count in enumerate(counts, 1):
        matches += count
        if matches >= limit:
            return rare
    return len(counts)


def _leaving_less_than(score: float, bounds: Sequence[float]) -> int:
    """Returns how many leaves must be among the rare ones, so that the others stay below a score."""
    for rare in range(len(bounds)):
        if sum(bounds[rare:]) < score:
            return rare
    return len(bounds)


@dataclass(frozen=True, slots=True)
class _Halves:
    """The leaves of an `Or`, and what no match may hold."""

    rare: Sequence[Leaf]
    common: Sequence[Leaf]
    unwanted: Query | None

    @property
    def with_rare(self) -> Query:
        """Passages that have a rare leaf, scored by the rare ones."""
        return self._without(Or(tuple(self.rare)))

    @property
    def with_both(self) -> Query:
        """Passages that have a common leaf beside a rare one, scored by all."""
        return self._without(And((Or(tuple(self.rare)), Or(tuple(self.common)))))

    @property
    def pairs_of_rare(self) -> list[Query]:
        """Passages that have a rare leaf and one of those behind it, a query for each leaf."""
        return [
            self._without(And((leaf, Or(tuple(self.rare[number + 1 :])))))
            for number, leaf in enumerate(self.rare[:-1])
        ]

    def _without(self, query: Query) -> Query:
        return query if self.unwanted is None else Not(query, self.unwanted)


def _best_with(
    connection: apsw.Connection,
    halves: _Halves,
    statistics: Statistics,
    limit: int,
    *,
    one_leaf_at_most: float,
) -> Scored:
    """Scores the passages that have a rare leaf by all their leaves; returns the best.

    Several questions, as no leaf may stand twice in an expression: passages with a common leaf beside
    a rare one, by their whole score; then the others, by their rare leaves, which is their whole
    score. Where the first are better than one leaf alone can be, of the others those with two
    rare leaves are enough. A part of a score never displaces a whole one.
    """
    with_both = _best(connection, halves.with_both, statistics, limit)
    scores: dict[int, float] = {}
    full = len(with_both) == limit
    if full and -with_both[-1][1] > one_leaf_at_most + _ROUNDING:
        # The last pair first: what has more rare leaves is found again with more of its score.
        for query in reversed(halves.pairs_of_rare):
            scores |= dict(_best(connection, query, statistics, limit))
    else:
        scores |= dict(_best(connection, halves.with_rare, statistics, limit))
    scores |= dict(with_both)
    return sorted(scores.items(), key=lambda entry: (entry[1], -entry[0]))[:limit]


def _best(connection: apsw.Connection, query: Query, statistics: Statistics, limit: int) -> Scored:
    """Scores every match of a query."""
    expression = match_expression(query)
    score, bindings = score_expression(connection, query, statistics, expression=expression)
    return all_rows(
        connection,
        f"SELECT rowid, {score} AS score FROM passage_index"  # noqa: S608 - constants
        " WHERE passage_index MATCH :match ORDER BY score, rowid DESC LIMIT :limit",
        bindings | {"match": expression, "limit": limit},
    )
