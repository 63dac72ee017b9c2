"""Highlights and snippets: inside the passage, in code points, whole grapheme clusters."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_service.search.limits import HIGHLIGHTS_MAX, SNIPPET_CODE_POINTS
from corpus_service.search.query import parse_query
from corpus_service.search.snippets import find_highlights, make_snippet

LETTERS = list("ab1v.'+ \n-C\u2019\u0301\u3099ﾞカハ悬空引Ⅲßİé\u00ad\u200bй\u093f\u0915👩\u200d👧")
TEXTS = st.text(alphabet=st.sampled_from(LETTERS), max_size=60)


def shown(text: str, query: str) -> list[str]:
    snippet = make_snippet(text, parse_query(query).required)
    return [snippet.text[start:end] for start, end in snippet.highlights]


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("Stone Stonemason stone", "stone", ["Stone", "stone"]),
        ("Stone Stonemason", "ston*", ["Stone", "Stonemason"]),
        ("use foo-bar, foo  bar, foobar", "foo-bar", ["foo-bar", "foo  bar"]),
        ("see v1.21.4 and 1.21.40", "1.21.4", ["1.21.4"]),
        ("learn C++ or C", "C++", ["C++"]),
        ("don\u2019t and dont", "don't", ["don\u2019t", "dont"]),
        ("修复悬空引用已验证", "悬空", ["悬空"]),
        ("修复悬空引用，悬挂", "悬", ["悬", "悬"]),
        ("お久しぶりです、ﾄﾞｸﾀｰ。", "ドクター", ["ﾄﾞｸﾀｰ"]),
        ("关于Ⅲ号", "iii", ["Ⅲ"]),
        ("关于Ⅲ号", "ii", []),
        ("Die Straße dort", "STRASSE", ["Straße"]),
        ("in İSTANBUL heute", "istanbul", ["İSTANBUL"]),
        ("관리자님".encode().decode(), "관리", ["관리"]),
        ("so\u00adft wear", "soft", ["so\u00adft"]),
        ("cafe\u0301 noir", "cafe", ["cafe\u0301"]),
        ("カ\u3099ラス カラス", "カラス", ["カラス"]),
        ("𠮷野家 👍 𠮷", "𠮷", ["𠮷", "𠮷"]),
        ("Kal'tsit spricht", "kaltsit", ["Kal'tsit"]),
    ],
)
def test_highlighted_text(text: str, query: str, expected: list[str]) -> None:
    assert shown(text, query) == expected


def test_snippet_shows_where_most_words_stand() -> None:
    text = "alpha " + "x " * 400 + "then beta and alpha meet gamma " + "y " * 400
    snippet = make_snippet(text, parse_query("alpha beta gamma").required)
    assert len(snippet.text) <= SNIPPET_CODE_POINTS
    assert [snippet.text[a:b] for a, b in snippet.highlights] == ["beta", "alpha", "gamma"]
    assert text[snippet.start :].startswith(snippet.text)


def test_passage_found_by_its_heading_has_no_highlight() -> None:
    snippet = make_snippet("nothing here", parse_query("elsewhere").required)
    assert snippet.highlights == ()
    assert snippet.text == "nothing here"


def test_highlights_are_bounded() -> None:
    assert len(find_highlights("a " * 5_000, parse_query("a b").required)) == HIGHLIGHTS_MAX


@settings(max_examples=500, deadline=None)
@given(TEXTS, st.text(alphabet=st.sampled_from(LETTERS), min_size=1, max_size=8), st.integers(1, 9))
def test_highlights_cut_no_cluster(text: str, query: str, times: int) -> None:
    passage = (text + query) * times
    snippet = make_snippet(passage, parse_query(query).required)
    assert passage[snippet.start : snippet.start + len(snippet.text)] == snippet.text
    borders = {0}
    for match in regex.finditer(r"\X", passage):
        borders.add(match.end())
    previous = -1
    for start, end in snippet.highlights:
        assert previous < start < end <= len(snippet.text)
        assert {snippet.start + start, snippet.start + end} <= borders
        previous = end
