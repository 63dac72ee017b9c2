"""A captured search repeats the words of every page that it found, and stands behind these pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus_service.domain.queries import SearchFilter
from corpus_service.services.search import SearchPage, SearchRequest, SearchUseCase
from tests.reading.stocked import BACKENDS, GAME, Stock, stocks

LISTING = {"family": "gtc_discovery", "kind": "search"}


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def search(stock: Stock, query: str, *, size: int = 10, **narrowing: tuple[str, ...]) -> SearchPage:
    request = SearchRequest(GAME, query, SearchFilter(**narrowing), size, 3)
    return SearchUseCase(stock.store).search(request, stock.store.snapshot(GAME))


def names(page: SearchPage) -> list[str]:
    return [hit.version.canonical_uri.rpartition("/")[2] for hit in page.hits]


def fill(stock: Stock) -> None:
    for number in range(12):
        stock.add(f"https://example.org/other-{number}", f"something else entirely {number}")
    for query in (
        "copper lantern",
        "the copper lantern",
        "where to find the copper lantern workshop",
    ):
        name = query.replace(" ", "-")
        stock.add(
            f"https://search.example/{name}", f'{{"query": "{query}"}}\n{query}\n' * 3, **LISTING
        )
    stock.add(
        "https://example.org/lantern", "a lantern made of copper hangs here " + "and so on " * 40
    )
    stock.add("https://example.org/workshop", "find a lantern of copper in each of many places")


@pytest.mark.parametrize(
    "query", ["copper lantern", "the copper lantern", "where to find the copper lantern workshop"]
)
def test_pages_stand_before_the_search_that_found_them(stock: Stock, query: str) -> None:
    fill(stock)
    found = names(search(stock, query))
    assert found[0] == "workshop" if "find" in query else set(found[:2]) == {"lantern", "workshop"}
    assert any("-" in name for name in found[1:])


def test_a_listing_alone_is_found(stock: Stock) -> None:
    fill(stock)
    stock.add("https://search.example/only", "zirconium and nothing else", **LISTING)
    assert names(search(stock, "zirconium")) == ["only"]
    assert names(search(stock, "copper lantern", families=("gtc_discovery",)))


@pytest.mark.parametrize("query", ["copper lantern", "find the copper lantern workshop"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_pages_with_listings_neither_repeat_nor_skip(stock: Stock, query: str, size: int) -> None:
    fill(stock)
    use_case = SearchUseCase(stock.store)
    as_of = stock.store.snapshot(GAME)
    found: list[str] = []
    position = None
    while True:
        page = use_case.search(SearchRequest(GAME, query, SearchFilter(), size, 3), as_of, position)
        found += names(page)
        scores = [hit.score for hit in page.hits]
        assert scores == sorted(scores, reverse=True)
        position = page.following
        if position is None:
            break
    assert len(found) == len(set(found))
    assert sorted(found) == sorted(names(search(stock, query, size=100)))
