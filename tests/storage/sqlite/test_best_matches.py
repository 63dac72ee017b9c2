"""Every way to the best matches gives the matches and scores of FTS5's own bm25()."""

from __future__ import annotations

import random

import pytest

from corpus_service.domain.queries import (
    And,
    Candidate,
    Not,
    Or,
    Phrase,
    Prefix,
    Query,
    SearchFilter,
    Term,
)
from corpus_service.storage.sqlite import SqliteStore, best_matches
from corpus_service.storage.sqlite.match_expressions import match_expression
from corpus_service.storage.sqlite.scoring import K1
from tests.storage.records import GAME, put_page

WORDS = ("ore", "gate", "tower", "lamp", "river", "stone", "owl", "fern")
DOCUMENTS = 150


@pytest.fixture
def filled(store: SqliteStore) -> SqliteStore:
    """Words fall by Zipf's law, so that some are in most texts and some in few."""
    draw = random.Random(11)
    weights = [1 / (number + 1) ** 1.5 for number in range(len(WORDS))]
    for number in range(DOCUMENTS):
        words = draw.choices(WORDS, weights, k=draw.randint(1, 12))
        put_page(
            store,
            f"e{number}",
            " ".join(words).encode(),
            f"https://a.example/{number}",
            at=number + 1,
        )
    return store


def by_fts5(store: SqliteStore, query: Query, limit: int) -> list[tuple[int, float]]:
    with store._reading(GAME) as connection:
        return connection.execute(  # type: ignore[return-value]
            "SELECT rowid, -bm25(passage_index, 3.0, 1.0) AS score FROM passage_index"
            " WHERE passage_index MATCH ? ORDER BY score DESC, rowid DESC LIMIT ?",
            (match_expression(query), limit),
        ).fetchall()


def rows_and_scores(found: list[Candidate]) -> list[tuple[int, float]]:
    return [(candidate.row, pytest.approx(candidate.score, rel=1e-9)) for candidate in found]


QUERIES = [
    Or((Term("ore"), Term("fern"))),
    Or((Term("ore"), Term("gate"), Term("owl"), Term("fern"))),
    Or((Term("ore"), Term("gate"), Term("tower"), Term("absent"))),
    Or((Phrase(("ore", "gate")), Term("lamp"), Prefix(("st",)))),
    Or((Or((Term("river"), Term("stone"))), Term("ore"))),
    Or((Term("ore"), Term("ore"), Term("owl"))),
    Not(Or((Term("ore"), Term("lamp"), Term("fern"))), Term("gate")),
    And((Term("ore"), Term("gate"), Term("tower"))),
    And((Or((Term("ore"), Term("lamp"))), Term("owl"))),
    Not(And((Term("ore"), Term("gate"))), Or((Term("fern"), Term("lamp")))),
]


@pytest.mark.parametrize("query", QUERIES, ids=match_expression)
@pytest.mark.parametrize("limit", [1, 3, 10, 200])
def test_some_and_known_agree_with_fts5(
    filled: SqliteStore, monkeypatch: pytest.MonkeyPatch, query: Query, limit: int
) -> None:
    expected = by_fts5(filled, query, limit)
    monkeypatch.setattr(best_matches, "LEAF_GAIN", K1 + 1.0)
    assert (
        rows_and_scores(list(filled.search(GAME, query, SearchFilter(), limit=limit))) == expected
    )
    for worth_it, own_cost, share in (
        (0, 0.0, 1.0),
        (0, 1e6, 1.0),
        (0, 1e6, 0.5),
        (10**9, 1e6, 1.0),
    ):
        monkeypatch.setattr(best_matches, "MATCHES_WORTH_IT_MIN", worth_it)
        monkeypatch.setattr(best_matches, "OWN_COUNT_MICROSECONDS", own_cost)
        monkeypatch.setattr(best_matches, "SHARE_OF_MATCHES_MAX", share)
        found = filled.search(GAME, query, SearchFilter(), limit=limit)
        assert rows_and_scores(list(found)) == expected


def test_rare_words_answer_without_the_common_ones(
    filled: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(best_matches, "MATCHES_WORTH_IT_MIN", 0)
    query = Or((Term("ore"), Term("gate"), Term("owl"), Term("fern")))
    with filled._reading(GAME) as connection:
        statistics = best_matches.statistics_of(connection, filled.snapshot(GAME), whole=True)
        assert statistics is not None
        found = best_matches.best_of_some(connection, query, statistics, 2)
    assert found is not None
    assert [row for row, _ in found] == [row for row, _ in by_fts5(filled, query, 2)]


def test_filter_that_takes_matches_away_falls_back_to_all(
    filled: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_page(filled, "kind", b"fern and ore", "https://b.example/", at=500, kind="other")
    query = Or((Term("ore"), Term("fern")))
    narrowing = SearchFilter(kinds=("other",))
    expected = [candidate.row for candidate in filled.search(GAME, query, narrowing, limit=3)]
    monkeypatch.setattr(best_matches, "MATCHES_WORTH_IT_MIN", 0)
    assert [one.row for one in filled.search(GAME, query, narrowing, limit=3)] == expected
    assert len(expected) == 1


def test_counts_follow_new_chunks_and_earlier_snapshots(filled: SqliteStore) -> None:
    query = And((Term("ore"), Term("gate")))
    before = filled.snapshot(GAME)
    first = list(filled.search(GAME, query, SearchFilter(), limit=50))
    for number in range(20):
        put_page(
            filled, f"n{number}", b"ore gate lamp", f"https://c.example/{number}", at=900 + number
        )
        present = filled.search(GAME, query, SearchFilter(), limit=100)
        assert rows_and_scores(list(present)) == by_fts5(filled, query, 100)
        earlier = filled.search(GAME, query, SearchFilter(), limit=50, as_of=before)
        assert rows_and_scores(list(earlier)) == [(one.row, one.score) for one in first]
