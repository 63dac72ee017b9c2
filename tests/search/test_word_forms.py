"""Other forms of words: found behind the words themselves, never weighing on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from corpus_service.domain.queries import SearchFilter
from corpus_service.search.word_forms import forms_of
from corpus_service.services.search import SearchPage, SearchRequest, SearchUseCase
from tests.reading.stocked import BACKENDS, GAME, Stock, stocks


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def search(stock: Stock, query: str, *, size: int = 10, **narrowing: tuple[str, ...]) -> SearchPage:
    request = SearchRequest(GAME, query, SearchFilter(**narrowing), size, 3)
    return SearchUseCase(stock.store).search(request, stock.store.snapshot(GAME))


def names(page: SearchPage) -> list[str]:
    return [hit.version.canonical_uri.rpartition("/")[2] for hit in page.hits]


@dataclass(frozen=True)
class Words:
    """The words of a made-up corpus."""

    known: tuple[str, ...]

    def tokens(self, beginning: str, limit: int) -> Sequence[str]:
        return sorted(word for word in self.known if word.startswith(beginning))[:limit]

    def known_tokens(self, words: Sequence[str]) -> Sequence[str]:
        return [word for word in words if word in self.known]


@pytest.mark.parametrize(
    ("word", "languages", "known", "forms"),
    [
        ("swords", (), ["sword", "swords", "swordsman"], ("sword",)),
        ("installing", (), ["install", "installed", "installer"], ("installed", "install")),
        ("happy", (), ["happiness", "happen"], ("happiness",)),
        ("running", (), ["run", "runner", "runs", "rung"], ("run", "runs")),
        ("studies", (), ["study", "studying", "stud"], ("study", "studying")),
        ("configuration", (), ["configure", "configured", "config"], ("configure", "configured")),
        ("as", (), ["as", "ass"], ()),
        ("мечи", (), ["меч", "мечами", "мечта"], ("меч", "мечами")),
        ("schwertern", ("de",), ["schwert", "schwerter", "schwer"], ("schwert",)),
        ("swords", ("zh",), ["sword"], ()),
        ("007", (), ["0071"], ()),
    ],
)
def test_forms_share_a_stem(
    word: str, languages: tuple[str, ...], known: list[str], forms: tuple[str, ...]
) -> None:
    found = forms_of(word, languages, Words(tuple(known)))
    assert set(found) >= set(forms[:1])
    assert set(found) <= set(known) - {word}
    assert set(forms) <= set(found)


def test_other_forms_are_found_and_said(stock: Stock) -> None:
    stock.add("https://example.org/one", "a rusty sword")
    page = search(stock, "swords")
    assert names(page) == ["one"]
    assert page.explanation.relaxed
    assert page.explanation.terms == ("swords", "sword")
    snippet = page.hits[0].snippet
    assert [snippet.text[start:end] for start, end in snippet.highlights] == ["sword"]


def test_the_exact_word_comes_first_however_rare_the_form(stock: Stock) -> None:
    for number in range(4):
        stock.add(f"https://example.org/exact-{number}", f"swords of iron and {'words ' * 30}")
    stock.add("https://example.org/form", "sword sword sword")
    found = names(search(stock, "swords"))
    assert found[-1] == "form"
    assert len(found) == 5


def test_many_exact_hits_need_no_forms(stock: Stock) -> None:
    for number in range(5):
        stock.add(f"https://example.org/exact-{number}", f"swords number {number}")
    stock.add("https://example.org/form", "sword")
    page = search(stock, "swords")
    assert "form" not in names(page)
    assert not page.explanation.relaxed


@pytest.mark.parametrize("size", [1, 2, 10])
def test_pages_with_forms_are_the_same_list(stock: Stock, size: int) -> None:
    for number in range(3):
        stock.add(f"https://example.org/exact-{number}", f"swords number {number}")
        stock.add(f"https://example.org/form-{number}", f"sword number {number}")
    use_case = SearchUseCase(stock.store)
    as_of = stock.store.snapshot(GAME)
    request = SearchRequest(GAME, "swords", SearchFilter(), size, 3)
    found: list[str] = []
    position = None
    while True:
        page = use_case.search(request, as_of, position)
        found += names(page)
        position = page.following
        if position is None:
            break
    assert sorted(found) == sorted(names(search(stock, "swords", size=100)))
    assert {name.partition("-")[0] for name in found[:3]} == {"exact"}


def test_exclusions_hold_for_forms(stock: Stock) -> None:
    stock.add("https://example.org/one", "a rusty sword")
    stock.add("https://example.org/two", "a golden sword")
    assert names(search(stock, "swords -golden")) == ["one"]


def test_phrases_beginnings_and_unspaced_scripts_have_no_forms(stock: Stock) -> None:
    stock.add("https://example.org/one", "iron sword 血魔大君")
    for query in ('"iron swords"', "ironss*", "血魔王"):
        assert names(search(stock, query)) == []


def test_tokens_come_in_order_and_once(stock: Stock) -> None:
    stock.add("https://example.org/one", "sword swords Sword swan 剑 剑术")
    assert stock.store.tokens(GAME, "sw", limit=10) == ["swan", "sword", "swords"]
    assert stock.store.tokens(GAME, "sw", limit=2) == ["swan", "sword"]
    assert stock.store.tokens(GAME, "剑", limit=10) == ["剑", "剑术"]
    assert stock.store.tokens(GAME, "absent", limit=10) == []
    assert stock.store.known_tokens(GAME, ["swords", "absent", "swan"]) == ["swords", "swan"]
