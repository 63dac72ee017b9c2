"""How closely words stand together, and what it does to the order of hits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_service.domain.queries import SearchFilter
from corpus_service.search.closeness import closeness
from corpus_service.search.preparation import normalise
from corpus_service.search.query import parse_query
from corpus_service.services.search import SearchPage, SearchRequest, SearchUseCase
from tests.reading.stocked import BACKENDS, GAME, Stock, stocks


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def search(stock: Stock, query: str, *, size: int = 10) -> SearchPage:
    request = SearchRequest(GAME, query, SearchFilter(), size, 3)
    return SearchUseCase(stock.store).search(request, stock.store.snapshot(GAME))


def names(page: SearchPage) -> list[str]:
    return [hit.version.canonical_uri.rpartition("/")[2] for hit in page.hits]


def measure(text: str, query: str) -> tuple[float, float]:
    return closeness(normalise(text), parse_query(query).required)


@pytest.mark.parametrize(
    ("text", "query", "share", "ends"),
    [
        ("a cold iron sword here", "cold iron sword", 1.0, 0.0),
        ("before\ncold iron sword\nafter", "cold iron sword", 1.0, 1.0),
        ("tool - cold iron sword\nafter", "cold iron sword", 1.0, 1.0),
        ("## 3. Cold iron sword.", "cold iron sword", 1.0, 1.0),
        ("cold iron sword and more", "cold iron sword", 1.0, 0.5),
        ("only cold iron", "cold iron sword", 0.0, 0.0),
        ("文件系统", "文件系统", 1.0, 1.0),
        ("这个 文件系统 很大", "文件系统", 1.0, 0.3),
        ("旧文件系统表", "文件系统", 1.0, 0.0),
    ],
)
def test_share_and_ends(text: str, query: str, share: float, ends: float) -> None:
    found = measure(text, query)
    assert found[0] == pytest.approx(share, abs=0.05)
    assert found[1] == pytest.approx(ends)


def test_words_apart_have_a_smaller_share_than_words_together() -> None:
    near, _ = measure("cold and iron", "cold iron")
    far, _ = measure("cold and many other words before the iron", "cold iron")
    assert 0.0 < far < near < 1.0


@given(text=st.text(max_size=60), query=st.text(min_size=1, max_size=20))
def test_every_text_has_a_measure(text: str, query: str) -> None:
    units = parse_query(query).required
    if units:
        share, ends = closeness(normalise(text), units)
        assert 0.0 <= share <= 1.0
        assert 0.0 <= ends <= 1.0


def add_others(stock: Stock) -> None:
    """Texts without the words, so that these are rare enough to have a weight."""
    for number in range(12):
        stock.add(f"https://example.org/other-{number}", f"plain words {number} 另外的内容")


def test_side_by_side_comes_before_scattered(stock: Stock) -> None:
    add_others(stock)
    stock.add("https://example.org/apart", "first some iron and then in the evening the cold")
    stock.add("https://example.org/together", "first some cold iron and then in the evening the")
    assert names(search(stock, "cold iron")) == ["together", "apart"]


def test_a_name_of_its_own_comes_before_the_word_inside_others(stock: Stock) -> None:
    add_others(stock)
    for number in range(4):
        stock.add(f"https://example.org/{number}", f"关于旧文件系统表{number}")
    stock.add("https://example.org/named", "fs - 文件系统\n\n其他的说明在这里")
    assert names(search(stock, "文件系统"))[0] == "named"


def test_hits_with_some_words_stand_behind_those_with_every_word(stock: Stock) -> None:
    stock.add("https://example.org/whole", "copper lantern workshop " + "filler " * 80)
    for number in range(3):
        stock.add(f"https://example.org/some-{number}", "copper lantern copper lantern")
    page = search(stock, "copper lantern workshop")
    assert names(page)[0] == "whole"
    assert len(page.hits) == 4
    assert page.explanation.relaxed
    scores = [hit.score for hit in page.hits]
    assert scores == sorted(scores, reverse=True)


def test_half_of_two_words_is_not_added_to_hits_with_both(stock: Stock) -> None:
    stock.add("https://example.org/both", "copper lantern")
    stock.add("https://example.org/one", "copper pot")
    page = search(stock, "copper lantern")
    assert names(page) == ["both"]
    assert not page.explanation.relaxed


@pytest.mark.parametrize("size", [1, 2, 5])
def test_pages_go_on_from_one_stage_into_the_next(stock: Stock, size: int) -> None:
    for number in range(3):
        stock.add(f"https://example.org/whole-{number}", f"copper lantern workshop {number}")
        stock.add(f"https://example.org/some-{number}", f"copper lantern store {number}")
    use_case = SearchUseCase(stock.store)
    as_of = stock.store.snapshot(GAME)
    request = SearchRequest(GAME, "copper lantern workshop", SearchFilter(), size, 3)
    found: list[str] = []
    position = None
    while True:
        page = use_case.search(request, as_of, position)
        found += names(page)
        position = page.following
        if position is None:
            break
    assert len(found) == len(set(found)) == 6
    assert {name.partition("-")[0] for name in found[:3]} == {"whole"}


def test_the_share_of_a_document_holds_over_stages_and_pages(stock: Stock) -> None:
    long = "\n\n".join(["copper lantern " + "filler " * 130] * 6)
    stock.add("https://example.org/long", f"copper lantern workshop {'filler ' * 130}\n\n{long}")
    use_case = SearchUseCase(stock.store)
    as_of = stock.store.snapshot(GAME)
    request = SearchRequest(GAME, "copper lantern workshop", SearchFilter(), 1, 2)
    first = use_case.search(request, as_of)
    second = use_case.search(request, as_of, first.following)
    assert len(first.hits) == len(second.hits) == 1
    assert second.following is None


def test_a_section_comes_before_the_sections_below_it(stock: Stock) -> None:
    text = (
        "## Keep the lantern lit\n\nOil and patience. " + "Trim it daily. " * 40
        + "\n\n### Oil\n\nWhale.\n\n### Wick\n\nCotton."
    )  # fmt: skip
    stock.add("https://example.org/page", text, title="Guide")
    page = search(stock, "keep the lantern lit")
    assert "Oil and patience" in page.hits[0].passage.text
