"""Sources sorted by their facts, page by page, while the facts change."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from corpus_service.domain.queries import (
    SourceFilter,
    SourceOrder,
    SourceOrdering,
    SourcePosition,
)
from corpus_service.domain.sources import Source
from corpus_service.domain.vocabulary import SourceRole, Trust
from corpus_service.storage.interface import CorpusStore
from tests.storage.records import GAME, SECOND, put_page

SITE = "https://a.example/"
VALUES: dict[SourceOrder, Callable[[Source], int | str]] = {
    SourceOrder.TITLE: lambda source: (source.title or source.canonical_uri).lower(),
    SourceOrder.KIND: lambda source: source.kind,
    SourceOrder.TRUST: lambda source: source.trust,
    SourceOrder.FETCHED_TIME: lambda source: source.fetched_time or -1,
    SourceOrder.SIZE: lambda source: source.size_bytes,
    SourceOrder.VERSION_COUNT: lambda source: source.version_count,
    SourceOrder.OBSERVED_TIME: lambda source: source.last_observed_time,
}


def fill(store: CorpusStore) -> None:
    """Nine sources whose facts rise and fall in different orders; some facts are equal."""
    for number in range(9):
        for version in range(number % 3 + 1):
            put_page(
                store,
                f"e{number}-{version}",
                b"x" * (number * 5 % 7 + 1) + b"%d" % version,
                f"{SITE}{number}",
                at=number * 4 % 9 + 1,
                title=("", "gate", "Gate", "ward")[number % 4],
                kind=("page", "manual")[number % 2],
                role=SourceRole.DERIVED if number == 4 else SourceRole.DOCUMENT,
                fetch_time_unknown=number == 5,
            )


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("order", list(VALUES))
def test_sources_page_stably_in_every_order(
    store: CorpusStore, order: SourceOrder, descending: bool
) -> None:
    fill(store)
    ordering = SourceOrdering(order, descending)
    before = store.snapshot(GAME)
    whole = [source for source, _ in store.list_sources(GAME, SourceFilter(), ordering, limit=99)]
    values = [VALUES[order](source) for source in whole]
    assert len(whole) == 9
    assert values == sorted(values, reverse=descending)
    assert len(set(values)) > 1
    paged: list[str] = []
    position: SourcePosition | None = None
    while True:
        part = store.list_sources(
            GAME, SourceFilter(), ordering, limit=2, after=position, as_of=before
        )
        if not part:
            break
        paged += [source.canonical_uri for source, _ in part]
        position = part[-1][1]
        # Every fact of a source that was listed and of one that was not changes, and one joins.
        for number in (len(paged), 8, 0):
            facts = {"title": "zz" * number, "kind": "changed", "at": 100 + len(paged)}
            data = b"changed %d %d" % (len(paged), number)
            put_page(store, f"c{len(paged)}-{number}", data, f"{SITE}{number}", **facts)
        put_page(store, f"new{len(paged)}", b"new", f"{SITE}new{len(paged)}", title="hall")
    assert paged == [source.canonical_uri for source in whole]


def test_sources_are_narrowed_by_every_fact(store: CorpusStore) -> None:
    put_page(store, "e1", b"one", SITE + "1", title="Ｃold  Iron", at=1)
    put_page(store, "e2", b"two", "https://b.example/2", at=2, content_type="Text/HTML; charset=x")
    put_page(store, "e3", b"three", SITE + "3", role=SourceRole.DERIVED, at=3)
    put_page(store, "e4", b"four", SITE + "iron", at=4, fetch_time_unknown=True, language="ja")
    for narrowing, expected in (
        (SourceFilter(hosts=("a.example",)), {"1", "3", "n"}),
        (SourceFilter(hosts=("b.example", "c.example")), {"2"}),
        (SourceFilter(content_types=("text/html",)), {"2"}),
        (SourceFilter(content_types=("text/plain", "text/html")), {"1", "2", "3", "n"}),
        (SourceFilter(trust=(Trust.SYNTHETIC,)), {"3"}),
        (SourceFilter(trust=(Trust.FETCHED, Trust.SYNTHETIC)), {"1", "2", "3", "n"}),
        (SourceFilter(languages=("ja",)), {"n"}),
        (SourceFilter(text="cold iron"), {"1"}),
        (SourceFilter(text="iron"), {"1", "n"}),
        (SourceFilter(text="%"), set()),
        (SourceFilter(fetched_after=2 * SECOND), {"2", "3"}),
        (SourceFilter(fetched_before=2 * SECOND), {"1"}),
        (SourceFilter(fetched_after=2 * SECOND, fetched_before=3 * SECOND), {"2"}),
    ):
        for ordering in (SourceOrdering(), SourceOrdering(SourceOrder.TITLE)):
            listed = store.list_sources(GAME, narrowing, ordering, limit=9)
            assert {source.canonical_uri[-1] for source, _ in listed} == expected, narrowing
