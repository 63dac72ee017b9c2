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
        ).versions
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
        whole = store.scan_versions(GAME, query, EVERYTHING, first_row=0, limit=99)
        assert whole.following is None
        assert paged(store, query, EVERYTHING, limit=2) == list(whole.versions)


def paged(
    store: CorpusStore, query: Query | None, narrowing: SearchFilter, **bounds: int
) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    following: int | None = 0
    while following is not None:
        part = store.scan_versions(
            GAME, query, narrowing, **{"first_row": following, "limit": 99, **bounds}
        )
        assert part.following is None or part.following > following
        following = part.following
        found += part.versions
    return found


def test_a_scan_that_admits_nothing_ends_all_the_same(store: CorpusStore) -> None:
    for number in range(7):
        kind = "manual" if number == 5 else "page"
        put_page(store, f"e{number}", b"gate", f"https://a.example/{number}", kind=kind)
    manuals = SearchFilter(kinds=("manual",))
    for query in (None, Term("gate")):
        first = store.scan_versions(GAME, query, manuals, first_row=0, limit=9, look_at=3)
        assert first.versions == ()
        assert first.following is not None
        assert len(paged(store, query, manuals, look_at=3)) == 1
        assert len(paged(store, query, EVERYTHING, look_at=1)) == 7


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
        rows = store.scan_versions(GAME, query, latest, first_row=0, limit=9, as_of=before).versions
        now = store.scan_versions(GAME, query, latest, first_row=0, limit=9).versions
        assert [row for row, _ in rows][1] < [row for row, _ in now][1]
