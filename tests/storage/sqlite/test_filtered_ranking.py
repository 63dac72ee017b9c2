"""Filters give the same hits whether the first matches fill a page or all have to be asked."""

from __future__ import annotations

import pytest

from corpus_service.domain.queries import Candidate, SearchFilter, SearchPosition, Term
from corpus_service.domain.sources import Snapshot
from corpus_service.domain.vocabulary import VersionScope
from corpus_service.storage.sqlite import SqliteStore, read_marks, read_passages
from tests.storage.records import GAME, put_page

FILTERS = (
    SearchFilter(),
    SearchFilter(kinds=("rare",)),
    SearchFilter(kinds=("common",)),
    SearchFilter(kinds=("absent",)),
    SearchFilter(version_scope=VersionScope.ALL),
    SearchFilter(hosts=("a.example",)),
    SearchFilter(hosts=("b.example", "c.example"), kinds=("common",)),
)


@pytest.fixture
def filled(store: SqliteStore) -> SqliteStore:
    for number in range(30):
        text = b"gate " * (number % 5 + 1) + b"tower " * (number % 3) + b"%d" % number
        kind = "rare" if number % 7 == 0 else "common"
        uri = f"https://{'aab'[number % 3]}.example/{number % 20}"
        put_page(store, f"e{number}", text, uri, at=number + 1, kind=kind)
    return store


def pages(
    store: SqliteStore, narrowing: SearchFilter, limit: int, as_of: Snapshot
) -> list[Candidate]:
    found: list[Candidate] = []
    position = None
    while part := store.search(
        GAME, Term("gate"), narrowing, limit=limit, after=position, as_of=as_of
    ):
        found += part
        position = SearchPosition(part[-1].score, part[-1].row)
    return found


@pytest.mark.parametrize("narrowing", FILTERS)
@pytest.mark.parametrize("limit", [1, 3, 7])
def test_both_ways_agree(
    filled: SqliteStore, monkeypatch: pytest.MonkeyPatch, narrowing: SearchFilter, limit: int
) -> None:
    before = filled.snapshot(GAME)
    first = pages(filled, narrowing, limit, before)
    monkeypatch.setattr(read_passages, "SPARE_MATCHES", 0)
    assert pages(filled, narrowing, limit, before) == first
    monkeypatch.setattr(read_passages, "FILTERED_MATCHES", 1)
    assert pages(filled, narrowing, limit, before) == first
    monkeypatch.setattr(read_marks, "MARKED_VERSIONS_MAX", 0)
    assert pages(filled, narrowing, limit, before) == first
    monkeypatch.setattr(read_marks, "MARKED_VERSIONS_MAX", 99)
    monkeypatch.setattr(read_marks, "MARKED_CHUNKS_MAX", 1)
    assert pages(filled, narrowing, limit, before) == first
    put_page(filled, "later", b"gate gate", "https://later.example/", at=99)
    assert pages(filled, narrowing, limit, before) == first
    assert len({candidate.row for candidate in first}) == len(first)


def test_the_filters_of_this_test_differ(filled: SqliteStore) -> None:
    before = filled.snapshot(GAME)
    counts = [len(pages(filled, narrowing, 4, before)) for narrowing in FILTERS]
    assert counts == [27, 4, 23, 0, 30, 17, 9]
