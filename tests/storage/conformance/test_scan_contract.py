"""Versions in document order, narrowed by query, filter and snapshot."""

from __future__ import annotations

from corpus_service.domain.queries import Or, Prefix, Query, SearchFilter, Term
from corpus_service.domain.vocabulary import VersionScope
from corpus_service.storage.interface import CorpusStore
from tests.storage.records import GAME, put_page

EVERYTHING = SearchFilter(version_scope=VersionScope.ALL)


def scanned(
    store: CorpusStore, query: Query | None, narrowing: SearchFilter = EVERYTHING, **where: int
) -> list[str]:
    names = [
        version_id
        for _, version_id in store.scan_versions(
            GAME, query, narrowing, **{"first_row": 0, "limit": 99, **where}
        )
    ]
    versions = store.get_versions(GAME, names)
    return [versions[name].canonical_uri[-1] for name in names]


def test_versions_come_in_the_order_of_storing_and_page_by_row(store: CorpusStore) -> None:
    for number in range(5):
        text = b"gate one" if number % 2 else b"tower two"
        put_page(store, f"e{number}", text, f"https://a.example/{number}", at=9 - number)
    assert scanned(store, None) == ["0", "1", "2", "3", "4"]
    assert scanned(store, Term("gate")) == ["1", "3"]
    assert scanned(store, Or((Prefix(("tow",)), Term("one")))) == ["0", "1", "2", "3", "4"]
    assert scanned(store, Term("nothing")) == []
    for query in (None, Term("tower")):
        paged: list[tuple[int, str]] = []
        while part := store.scan_versions(
            GAME, query, EVERYTHING, first_row=paged[-1][0] + 1 if paged else 0, limit=2
        ):
            paged += part
        assert paged == list(store.scan_versions(GAME, query, EVERYTHING, first_row=0, limit=99))


def test_filter_and_snapshot_hold(store: CorpusStore) -> None:
    put_page(store, "e1", b"gate one", "https://a.example/1", kind="manual")
    put_page(store, "e2", b"gate two", "https://a.example/2")
    before = store.snapshot(GAME)
    put_page(store, "e3", b"gate three", "https://a.example/2", at=50)
    latest = SearchFilter()
    for query in (None, Term("gate")):
        assert scanned(store, query, SearchFilter(kinds=("manual",))) == ["1"]
        assert scanned(store, query, EVERYTHING) == ["1", "2", "2"]
        assert len(scanned(store, query, latest)) == 2
        rows = store.scan_versions(GAME, query, latest, first_row=0, limit=9, as_of=before)
        now = store.scan_versions(GAME, query, latest, first_row=0, limit=9)
        assert [row for row, _ in rows][1] < [row for row, _ in now][1]
