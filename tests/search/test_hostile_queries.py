"""No query raises, none is an error dressed as zero, every answer says what it is."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus_service.bootstrap import PREPARATION
from corpus_service.domain.queries import SearchFilter
from corpus_service.search.query import (
    NO_MATCH,
    NOTHING_TO_SEARCH_FOR,
    ONLY_EXCLUSIONS,
    parse_query,
)
from corpus_service.services.search import SearchRequest, SearchUseCase
from corpus_service.storage.sqlite import SqliteStore
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.failures import Failure, FailureCode
from tests.reading.stocked import GAME, Stock
from tests.search.hostile_queries import hostile_queries

COUNT = int(os.environ.get("SOURCECORPUS_TEST_HOSTILE_QUERIES", "1500"))
SECONDS_OF_A_CALL = 60.0
WORDS = (
    "iron", "sword", "swords", "lantern", "workshop", "C++", "foo-bar", "1.21.4", "悬空引用", "ドクター",
    "관리자님", "血魔大君", "Kal'tsit", "Straße", "don't",
)  # fmt: skip
REASONS = {NO_MATCH, NOTHING_TO_SEARCH_FOR, ONLY_EXCLUSIONS}


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stock]:
    folder: Path = tmp_path_factory.mktemp("hostile")
    store = SqliteStore(folder, PREPARATION)
    stock = Stock(store)
    for number in range(40):
        text = " ".join(WORDS[(number * 7 + step) % len(WORDS)] for step in range(number % 9 + 1))
        stock.add(f"https://example.org/{number}", f"{text}\n\n修复{number} the end, {text[::-1]}")
    yield stock
    store.close()


@pytest.mark.timeout(3600)
def test_every_hostile_query_has_an_honest_answer(
    stock: Stock, caplog: pytest.LogCaptureFixture
) -> None:
    use_case = SearchUseCase(stock.store)
    as_of = stock.store.snapshot(GAME)
    found = 0
    with caplog.at_level(logging.WARNING):
        for query in hostile_queries(20_261_201, COUNT, WORDS):
            deadline.begin(SECONDS_OF_A_CALL)
            page = use_case.search(SearchRequest(GAME, query, SearchFilter(), 5, 3), as_of)
            assert page.hits or page.explanation.empty_reason in REASONS, ascii(query)
            if not page.hits and page.explanation.empty_reason == NO_MATCH:
                assert parse_query(query).required, ascii(query)
            for hit in page.hits:
                for start, end in hit.snippet.highlights:
                    assert 0 <= start < end <= len(hit.snippet.text)
            found += bool(page.hits)
    deadline.begin(None)
    # Errors of SQLite would be in the log.
    assert not caplog.records
    assert found > COUNT // 4


def test_a_deadline_that_has_passed_is_an_error_and_never_an_empty_page(stock: Stock) -> None:
    use_case = SearchUseCase(stock.store)
    as_of = stock.store.snapshot(GAME)
    deadline.begin(0.0)
    try:
        with pytest.raises(Failure) as caught:
            use_case.search(SearchRequest(GAME, "iron sword", SearchFilter(), 5, 3), as_of)
    finally:
        deadline.begin(None)
    assert caught.value.code is FailureCode.DEADLINE_EXCEEDED
