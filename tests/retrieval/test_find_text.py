"""FindText over both backends: what is found, where, page by page, and what zero means."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus_service.domain.queries import SearchFilter
from corpus_service.domain.sources import Snapshot
from corpus_service.search.exact_view import fold_exactly
from corpus_service.services.find_text import (
    FindPage,
    FindPosition,
    FindRequest,
    FindTextUseCase,
    PageEnd,
)
from corpus_service.services.found_lines import LineRole
from corpus_service.storage.memory import MemoryStore
from sourcecorpus.rpc.failures import Failure
from tests.reading.stocked import BACKENDS, GAME, Stock, stocks


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def request(query: str, **facts: Any) -> FindRequest:
    whole = FindRequest(GAME, query, False, SearchFilter(), (), (), 12)
    return replace(whole, **facts)


def pages(
    stock: Stock, wanted: FindRequest, use_case: FindTextUseCase | None = None
) -> list[FindPage]:
    finder = use_case or FindTextUseCase(stock.store)
    as_of = stock.store.snapshot(GAME)
    found = [finder.find(wanted, as_of)]
    while found[-1].following is not None:
        found.append(finder.find(wanted, as_of, found[-1].following))
    return found


def lines(stock: Stock, query: str, **facts: Any) -> list[tuple[str, int]]:
    """(last path segment, line number) of every match."""
    return [
        (document.version.canonical_uri.rpartition("/")[2], line.number)
        for page in pages(stock, request(query, **facts))
        for document in page.documents
        for passage in document.passages
        for line in passage.lines
        if line.role is LineRole.MATCH
    ]


def add(stock: Stock, **texts: str) -> None:
    for name, text in texts.items():
        stock.add(f"https://example.org/{name}", text)


def test_literals_in_any_script_and_form(stock: Stock) -> None:
    add(stock, zh="血魔大君\n走吧，走吧", ja="お久しぶりです、ドクター。\nガラス", ko="관리자님, 오셨군요.",
        kod="\u1100\u116a\u11ab\u1105\u1175자", de="Die Straße\n発　電", ext="𠮷野家 needle haystack")  # fmt: skip
    assert lines(stock, "血魔") == lines(stock, "魔") == lines(stock, "大君") == [("zh", 1)]
    assert lines(stock, "血魔王") == []
    assert lines(stock, "走吧,走吧") == [("zh", 2)]
    assert lines(stock, "ﾄﾞｸﾀｰ") == lines(stock, "久しぶり") == [("ja", 1)]
    assert lines(stock, "カラス") == []
    assert (
        lines(stock, "관리")
        == lines(stock, "\u1100\u116a\u11ab\u1105\u1175")
        == [("ko", 1), ("kod", 1)]
    )
    assert lines(stock, "STRASSE") == [("de", 1)]
    assert lines(stock, "発 電") == [("de", 2)]
    assert (
        lines(stock, "𠮷") == lines(stock, "eedl") == lines(stock, "家 needle hay") == [("ext", 1)]
    )


def test_a_match_lies_within_one_line_and_names_its_place(stock: Stock) -> None:
    text = "甲\n乙 Straße\n丙"
    stock.add("https://example.org/a", text)
    assert lines(stock, "甲乙") == []
    (page,) = pages(stock, request("strasse"))
    (passage,) = page.documents[0].passages
    assert [line.role for line in passage.lines] == [
        LineRole.NEIGHBOUR,
        LineRole.MATCH,
        LineRole.NEIGHBOUR,
    ]
    (span,) = passage.lines[1].matches
    assert text[slice(*span)] == "Straße"
    assert text[passage.start : passage.end] == "乙 Straße"


def test_context_terms_stand_within_three_lines(stock: Stock) -> None:
    text = "\n".join(
        "hit" if n == 10 else "near" if n == 13 else "far" if n == 14 else "." for n in range(1, 20)
    )
    add(stock, a=text)
    assert lines(stock, "hit", context_terms=("NEAR",)) == [("a", 10)]
    assert lines(stock, "hit", context_terms=("far",)) == []
    (page,) = pages(stock, request("hit", context_terms=("near",)))
    roles = {
        line.number: line.role for passage in page.documents[0].passages for line in passage.lines
    }
    assert roles[10] is LineRole.MATCH
    assert roles[13] is LineRole.CONSTRAINT


def test_speakers_say_it(stock: Stock) -> None:
    add(stock, a="Ｗ：博士\nW was seen by 博士\n？？？: 博士\nhttps://w: 博士\nW：12")
    assert lines(stock, "博士", speakers=("w",)) == [("a", 1)]
    assert lines(stock, "博士", speakers=("？？？",)) == [("a", 3)]
    assert lines(stock, "", speakers=("W",)) == [("a", 1)]


def test_titles_match_unless_lines_are_asked_for(stock: Stock) -> None:
    stock.add("https://example.org/a", "body", title="The 攻略 page")
    (page,) = pages(stock, request("攻略"))
    assert page.documents[0].title_matched
    assert page.documents[0].passages == ()
    assert lines(stock, "攻略", speakers=("W",)) == []


def test_expressions(stock: Stock) -> None:
    add(stock, a="共同检索词\nABC 12", b="abc")
    assert lines(stock, "^共同[检索]{2}词", regex=True) == [("a", 1)]
    assert lines(stock, r"^abc( \d+)?$", regex=True) == [("a", 2), ("b", 1)]
    with pytest.raises(Failure) as caught:
        pages(stock, request(r"ab\1", regex=True))
    assert (caught.value.reason, caught.value.metadata["position"]) == ("PATTERN_INVALID", "2")


def test_pages_are_in_document_order_complete_and_apart(stock: Stock) -> None:
    for number in range(25):
        stock.add(f"https://example.org/{number}", f"needle {number}")
    found = pages(stock, request("needle", page_size=10))
    names = [
        [document.version.canonical_uri.rpartition("/")[2] for document in page.documents]
        for page in found
    ]
    assert [len(part) for part in names] == [10, 10, 5]
    assert list(itertools.chain(*names)) == [str(number) for number in range(25)]
    assert [page.exhausted for page in found] == [False, False, True]


def test_a_page_without_results_may_not_be_the_last(stock: Stock) -> None:
    for number in range(5):
        stock.add(f"https://example.org/{number}", "针尖 end" if number == 4 else "hay")
    # A clock that jumps ends every page after one document.
    ticks = itertools.count(0, 100)
    finder = FindTextUseCase(stock.store, lambda: float(next(ticks)))
    found = pages(stock, request("尖 ?end", regex=True), finder)
    assert [len(page.documents) for page in found] == [0, 0, 0, 0, 1]
    assert [page.exhausted for page in found] == [False] * 4 + [True]
    assert [page.end for page in found] == [PageEnd.TIME] * 4 + [PageEnd.EXHAUSTED]


def test_many_lines_of_one_document_go_over_several_pages(stock: Stock) -> None:
    add(stock, long="needle\n" * 1_203, short="needle")
    found = pages(stock, request("needle"))
    assert lines(stock, "needle") == [("long", n) for n in range(1, 1_204)] + [("short", 1)]
    assert [page.documents[0].continues for page in found] == [True, True, False]


def test_what_comes_between_pages_is_in_neither(stock: Stock) -> None:
    for number in range(3):
        stock.add(f"https://example.org/{number}", "needle")
    finder, as_of = FindTextUseCase(stock.store), stock.store.snapshot(GAME)
    first = finder.find(request("needle", page_size=2), as_of)
    stock.add("https://example.org/new", "needle")
    second = finder.find(request("needle", page_size=2), as_of, first.following)
    assert [document.version.canonical_uri[-1] for document in second.documents] == ["2"]
    assert second.exhausted
    with pytest.raises(Failure, match="SNAPSHOT_CHANGED"):
        finder.find(request("needle"), Snapshot("another", as_of.sequence), FindPosition(1))


def test_a_catalogue_without_query(stock: Stock) -> None:
    stock.add("https://example.org/a", "one", kind="manual")
    stock.add("https://example.org/b", "two")
    (page,) = pages(stock, request("", narrowing=SearchFilter(families=("page",))))
    assert [document.version.canonical_uri[-1] for document in page.documents] == ["a", "b"]
    (page,) = pages(stock, request("", narrowing=SearchFilter(kinds=("manual",))))
    assert len(page.documents) == 1


@pytest.mark.parametrize(
    ("facts", "reason"),
    [({"query": "x" * 513}, "QUERY_TOO_LONG"), ({"query": " \u3000"}, "QUERY_EMPTY"),
     ({"query": "", "context_terms": ("a",)}, "FIELD_REQUIRED"),
     ({"query": "a", "context_terms": ("a",) * 9}, "FIELD_TOO_MANY_VALUES"),
     ({"query": "a", "context_terms": (" ",)}, "FIELD_VALUE_EMPTY"),
     ({"query": "", "regex": True}, "QUERY_EMPTY"), ({"query": ""}, "FIELD_REQUIRED"),
     ({"query": "", "sections": ("a", "b")}, "FIELD_TOO_MANY_VALUES"),
     ({"query": "", "sections": ("a",), "context_terms": ("b",)}, "FIELD_REQUIRED")],
)  # fmt: skip
def test_refusals(stock: Stock, facts: dict[str, Any], reason: str) -> None:
    add(stock, a="a")
    with pytest.raises(Failure, match=reason):
        pages(stock, replace(request(""), **facts))


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    texts=st.lists(
        st.text(alphabet=st.sampled_from("ab 血魔大君.ﾄﾞド\nか'-_"), min_size=1, max_size=40),
        min_size=1,
        max_size=4,
    ),
    query=st.text(alphabet=st.sampled_from("ab 血魔大君.ﾄﾞド'-_"), min_size=1, max_size=6),
)
def test_the_index_never_hides_what_the_text_holds(texts: list[str], query: str) -> None:
    folded = fold_exactly(query, fold_case=True)
    if not folded:
        return
    stock = Stock(MemoryStore())
    for number, text in enumerate(texts):
        stock.add(f"https://example.org/{number}", text)
    expected = [
        (str(number), place)
        for number, text in enumerate(texts)
        if not text.isspace()
        for place, line in enumerate(fold_exactly(text, fold_case=True).split("\n"), start=1)
        if folded in line
    ]
    assert set(lines(stock, query)) <= set(expected)
    missing = set(expected) - set(lines(stock, query))
    # Only half characters are refused, such as the letter of a letter with a mark.
    assert all("ﾞ" in texts[int(name)] for name, _ in missing)


def test_a_literal_across_the_cut_of_a_long_line_is_found(stock: Stock) -> None:
    for shift in range(12):
        add(stock, **{f"d{shift}": "一" * (590 + shift) + "血魔大君" + "二" * 900})
    for query in ("血魔", "魔大君", "血魔大君", "君", "一血魔大君二"):
        assert lines(stock, query) == [(f"d{shift}", 1) for shift in range(12)], query
