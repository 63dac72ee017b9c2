"""Ranked search over a store: families of queries that went wrong elsewhere, pages, recall."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus_service.domain.queries import SearchFilter
from corpus_service.domain.sources import Snapshot
from corpus_service.search.query import NO_MATCH, NOTHING_TO_SEARCH_FOR, ONLY_EXCLUSIONS
from corpus_service.services.search import SearchPage, SearchRequest, SearchUseCase
from sourcecorpus.rpc.failures import Failure
from sourcecorpus.rpc.limits import QUERY_CODE_POINTS_MAX
from tests.reading.stocked import BACKENDS, GAME, Stock, stocks


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def request(query: str, *, size: int = 10, per_document: int = 3) -> SearchRequest:
    return SearchRequest(GAME, query, SearchFilter(), size, per_document)


def search(stock: Stock, query: str, **options: int) -> SearchPage:
    snapshot = stock.store.snapshot(GAME)
    return SearchUseCase(stock.store).search(request(query, **options), snapshot)


def found(stock: Stock, query: str, **options: int) -> list[str]:
    """Last path segments of the sources that were found, best first."""
    page = search(stock, query, **options)
    return [hit.version.canonical_uri.rpartition("/")[2] for hit in page.hits]


def add(stock: Stock, **texts: str) -> None:
    for name, text in texts.items():
        stock.add(f"https://example.org/{name}", text)


def test_punctuation_is_never_an_error_dressed_as_zero(stock: Stock) -> None:
    add(stock, nasa="follow @nasa for a=b", percent="50% of it, why?", issue="see POL-358 now",
        code="use grammar::fa here", words="AND NEAR( rank site:foo")  # fmt: skip
    assert found(stock, "@nasa") == found(stock, "a=b") == ["nasa"]
    assert found(stock, "50%") == found(stock, "why?") == ["percent"]
    assert found(stock, "POL-358") == ["issue"]
    assert found(stock, "grammar::fa") == ["code"]
    for word in ("AND", "NEAR(", "rank", "site:foo"):
        assert found(stock, word) == ["words"]
    assert search(stock, '"').explanation.empty_reason == NOTHING_TO_SEARCH_FOR


def test_chinese_inside_a_run_and_mixed_text(stock: Stock) -> None:
    add(stock, a="修复悬空引用已验证", b="重跑gen-itgc后再看", c="血魔大君")
    assert found(stock, "悬空") == ["a"]
    assert (
        found(stock, "itgc") == found(stock, "gen-itgc") == found(stock, "重跑gen-itgc后") == ["b"]
    )
    assert found(stock, "血魔") == found(stock, "魔") == found(stock, "君") == ["c"]
    assert found(stock, "血魔王") == []


def test_forms_of_the_same_word(stock: Stock) -> None:
    add(stock, ja="お久しぶりです、ドクター。ガラス", ko="관리자님, 오셨군요.", de="Die Straße",
        full="ＡＢＣ Ⅲ号", ext="𠮷野家", space="発\u3000電")  # fmt: skip
    assert found(stock, "ドクター") == found(stock, "ﾄﾞｸﾀｰ") == ["ja"]
    assert found(stock, "カラス") == []
    assert found(stock, "관리") == found(stock, "\u1100\u116a\u11ab\u1105\u1175") == ["ko"]
    assert found(stock, "STRASSE") == ["de"]
    assert found(stock, "abc") == found(stock, "iii") == ["full"]
    assert found(stock, "𠮷") == ["ext"]
    assert found(stock, "発 電") == ["space"]


def test_signs_compounds_and_versions(stock: Stock) -> None:
    add(stock, cpp="Learn C++ today", c="The letter c today", net="Use .NET today", fish="A net",
        foobar="a foo-bar thing", foo="a foo thing", v1="Version 1.21.4 is out",
        v2="Version 1.21.40 is out", v3="from 1.21.4.9 on", bond="agent 007", seven="agent 7")  # fmt: skip
    assert found(stock, "C++") == ["cpp"]
    assert found(stock, ".NET")[0] == "net"
    assert found(stock, "foo-bar") == ["foobar"]
    assert found(stock, "1.21.4")[0] == "v1"
    assert "v2" not in found(stock, "1.21.4")
    assert found(stock, "007") == ["bond"]


def test_apostrophes_lose_nothing(stock: Stock) -> None:
    add(stock, straight="Kal'tsit speaks", curly="the player\u2019s sword", french="l'été dernier")
    for query in ("Kal'tsit", "Kal\u2019tsit", "kaltsit", "tsit"):
        assert found(stock, query) == ["straight"]
    assert found(stock, "player") == found(stock, "player's") == ["curly"]
    assert found(stock, "ete") == found(stock, "été") == ["french"]


def test_exclusions(stock: Stock) -> None:
    add(stock, both="alpha beta", one="alpha gamma")
    assert found(stock, "alpha -beta") == ["one"]
    assert found(stock, "gamma -alpha") == []
    page = search(stock, "alpha -beta")
    assert page.explanation.excluded == ("beta",)
    assert search(stock, "-alpha").explanation.empty_reason == ONLY_EXCLUSIONS


def test_pasted_message_with_hyphens_finds_its_page(stock: Stock) -> None:
    add(stock, page="It said:\nld: cannot find  -lfoo\nand stopped", other="ld cannot find it")
    page = search(stock, "ld: cannot find -lfoo")
    assert [hit.version.canonical_uri[-4:] for hit in page.hits] == ["page"]
    assert page.explanation.excluded == ()


def test_words_in_different_passages_of_a_document(stock: Stock) -> None:
    filler = "\n\n".join(["plain filler text goes on and on " * 20] * 6)
    add(stock, whole=f"zirconium mine\n\n{filler}\n\nthe walrus sleeps", half="the walrus and a walrus",
        other="a walrus walrus walrus")  # fmt: skip
    page = search(stock, "zirconium walrus")
    assert page.explanation.relaxed
    assert found(stock, "zirconium walrus")[:2] == ["whole", "whole"]


def test_relaxing_says_what_was_dropped(stock: Stock) -> None:
    add(stock, page="craft sword iron")
    page = search(stock, "how to craft a sword")
    assert page.explanation.relaxed
    assert page.explanation.dropped == ("how", "to", "a")
    assert len(page.hits) == 1
    assert search(stock, "to be or not").explanation.empty_reason == NO_MATCH


def test_scores_fall_strictly_with_the_match(stock: Stock) -> None:
    add(stock, much="ore ore ore", some="ore and other things", little="ore " + "word " * 60)
    page = search(stock, "ore")
    scores = [hit.score for hit in page.hits]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 3
    assert scores[-1] > 0


def test_hits_of_one_document_are_bounded(stock: Stock) -> None:
    add(stock, long="\n\n".join(["granite " + "filler " * 130] * 8), short="granite too")
    for per_document in (1, 2, 3):
        names = found(stock, "granite", per_document=per_document)
        assert names.count("long") == per_document
        assert "short" in names


def test_query_beyond_the_limit_is_refused_with_its_bound(stock: Stock) -> None:
    add(stock, page="x")
    with pytest.raises(Failure) as caught:
        search(stock, "x" * (QUERY_CODE_POINTS_MAX + 1))
    assert caught.value.reason == "QUERY_TOO_LONG"
    assert caught.value.metadata["limit"] == str(QUERY_CODE_POINTS_MAX)
    assert found(stock, "x " * (QUERY_CODE_POINTS_MAX // 2)) == ["page"]


def all_pages(stock: Stock, query: str, size: int, between: object = None) -> list[int]:
    use_case = SearchUseCase(stock.store)
    as_of: Snapshot = stock.store.snapshot(GAME)
    rows: list[int] = []
    position = None
    for number in range(100):
        page = use_case.search(request(query, size=size), as_of, position)
        assert len(page.hits) <= size
        rows += [hit.passage.row for hit in page.hits]
        position = page.following
        if position is None:
            return rows
        stock.add(
            f"https://example.org/late-{size}-{number}", f"命中 hit late {number} " * (number + 1)
        )
    raise AssertionError("paging does not end")


@pytest.mark.parametrize("query", ["命中", "hit", "hit absentword"])
def test_pages_joined_are_the_whole_list_while_the_corpus_grows(stock: Stock, query: str) -> None:
    for number in range(30):
        stock.add(f"https://example.org/{number}", f"命中 hit {'filler ' * number}")
    before = stock.store.snapshot(GAME)
    whole = {hit.passage.row for hit in search(stock, query, size=100).hits}
    for size in (7, 12):
        rows = all_pages(stock, query, size)
        assert len(rows) == len(set(rows))
        assert set(rows) >= whole
        assert len(search(stock, query, size=100).hits) > len(whole)
    use_case = SearchUseCase(stock.store)
    again = use_case.search(request(query, size=100), before)
    assert {hit.passage.row for hit in again.hits} == whole


def test_the_same_query_twice_gives_the_same_order(stock: Stock) -> None:
    for number in range(20):
        stock.add(f"https://example.org/{number}", "same words in every page")
    assert found(stock, "same words", size=20) == found(stock, "same words", size=20)


def test_of_equal_scores_the_newest_comes_first(stock: Stock) -> None:
    add(stock, old="copper lantern", middle="copper lantern", new="copper lantern")
    for query in ("lantern", "copper lantern", "copper lantern absentword"):
        assert found(stock, query) == ["new", "middle", "old"]


CHARACTERS = "悬空引用验证ガカスラ漢字관리자한国語"
RUNS = st.lists(st.text(alphabet=CHARACTERS, min_size=1, max_size=12), min_size=1, max_size=6).map(
    "，".join
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(texts=st.lists(RUNS, min_size=1, max_size=8, unique=True), data=st.data())
def test_words_of_cjk_are_found_exactly(
    stock: Stock, texts: list[str], data: st.DataObject
) -> None:
    game = f"g{stock.captures}-cjk"
    for number, text in enumerate(texts):
        stock.add(f"https://example.org/{number}", text, game=game)
    text = data.draw(st.sampled_from(texts))
    run = data.draw(st.sampled_from(text.split("，")))
    start = data.draw(st.integers(0, len(run) - 1))
    word = run[start : start + data.draw(st.integers(1, 6))]
    page = SearchUseCase(stock.store).search(
        SearchRequest(game, word, SearchFilter(), 100, 100), stock.store.snapshot(game)
    )
    expected = {other for other in texts if word in other}
    assert {hit.passage.text for hit in page.hits} == expected
    for hit in page.hits:
        assert [hit.snippet.text[a:b] for a, b in hit.snippet.highlights]


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    query=st.text(
        alphabet=st.one_of(
            st.sampled_from(list("ab1.'+#_-*\" \t悬空引NEAR(:^)")),
            st.characters(codec="utf-8"),
        ),
        max_size=40,
    )
)
def test_every_query_has_an_answer(stock: Stock, query: str) -> None:
    if not stock.captures:
        add(stock, page="a b 1 悬空引用 near")
    page = search(stock, query)
    assert page.hits or page.explanation.empty_reason
