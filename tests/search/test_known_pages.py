"""Pages are remembered for one state of a game alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from corpus_service.bootstrap import PREPARATION
from corpus_service.domain.queries import SearchFilter
from corpus_service.domain.sources import Snapshot
from corpus_service.services.known_pages import KnownPages
from corpus_service.services.search import SearchPage, SearchRequest, SearchUseCase
from corpus_service.storage.sqlite import SqliteStore
from tests.reading.stocked import GAME, Stock


class CountingStore:
    """Counts the rankings that a store is asked for."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self.rankings = 0

    def search(self, *arguments: Any, **named: Any) -> Any:
        self.rankings += 1
        return self._store.search(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def ask(use_case: SearchUseCase, store: SqliteStore, query: str, size: int = 10) -> SearchPage:
    request = SearchRequest(GAME, query, SearchFilter(), size, 3)
    return use_case.search(request, store.snapshot(GAME))


@pytest.fixture
def stock(tmp_path: Path) -> Any:
    store = SqliteStore(tmp_path, PREPARATION)
    yield Stock(store)
    store.close()


def test_the_same_search_is_ranked_once_until_the_game_changes(stock: Stock) -> None:
    stock.add("https://example.org/one", "lantern")
    assert isinstance(stock.store, SqliteStore)
    store = CountingStore(stock.store)
    use_case = SearchUseCase(store)  # type: ignore[arg-type]
    first = ask(use_case, stock.store, "lantern")
    ranked = store.rankings
    assert ask(use_case, stock.store, "lantern") == first
    assert store.rankings == ranked
    stock.add("https://example.org/two", "lantern lantern")
    assert len(ask(use_case, stock.store, "lantern").hits) == 2
    assert store.rankings > ranked


def test_another_request_is_another_page(stock: Stock) -> None:
    for number in range(3):
        stock.add(f"https://example.org/{number}", f"lantern {number}")
    assert isinstance(stock.store, SqliteStore)
    use_case = SearchUseCase(stock.store)
    assert len(ask(use_case, stock.store, "lantern", size=2).hits) == 2
    assert len(ask(use_case, stock.store, "lantern", size=3).hits) == 3


def test_what_was_used_longest_ago_makes_room() -> None:
    pages: KnownPages[str] = KnownPages(2)
    state = Snapshot("e", 1)
    pages.keep("g1", state, "a", "first")
    pages.keep("g2", state, "b", "second")
    assert pages.get("g1", state, "a") == "first"
    pages.keep("g1", state, "c", "third")
    assert pages.get("g2", state, "b") is None
    assert (pages.get("g1", state, "a"), pages.get("g1", state, "c")) == ("first", "third")


@pytest.mark.parametrize("changed", [Snapshot("e", 2), Snapshot("f", 1)])
def test_pages_of_an_earlier_state_are_dropped_and_those_of_other_games_stay(
    changed: Snapshot,
) -> None:
    pages: KnownPages[str] = KnownPages(9)
    state = Snapshot("e", 1)
    pages.keep("g1", state, "a", "first")
    pages.keep("g2", state, "a", "other")
    assert pages.get("g1", changed, "a") is None
    assert pages.get("g1", state, "a") is None
    assert pages.get("g2", state, "a") == "other"
