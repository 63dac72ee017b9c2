"""Folded views and patterns against plain readings of the same rules."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_service.domain.queries import Or, Term
from corpus_service.search.exact_candidates import candidate_query
from corpus_service.search.exact_patterns import (
    PatternError,
    literal_pattern,
    matching_view,
    regex_pattern,
)
from corpus_service.search.exact_view import exact_view, fold_exactly

HARD = "aBß Ⅲİﾄﾞｸ\u3000\t\u0301\u0308\u1100\u1161\u11a8한ㅋ𠮷ｶﾞe\u00ad\u200b🏳️‍🌈\u00a8½Ωﬁ"
texts = st.text(alphabet=HARD + "\n", max_size=30) | st.text(max_size=20)


@given(text=texts, fold_case=st.booleans())
def test_the_view_of_every_line_is_the_line_of_the_folded_text(text: str, fold_case: bool) -> None:
    lines = fold_exactly(text, fold_case=fold_case).split("\n")
    views = [exact_view(line, fold_case=fold_case) for line in text.split("\n")]
    assert [view.text for view in views] == lines
    for line, view in zip(text.split("\n"), views, strict=True):
        assert len(view.text) == len(view.starts) == len(view.ends)
        assert all(
            0 <= start < end <= len(line) for start, end in zip(view.starts, view.ends, strict=True)
        )


def quotations(literal: str, line: str) -> list[str]:
    pattern = literal_pattern(literal)
    assert pattern is not None
    found = matching_view(pattern, line)
    if found is None:
        return []
    view, spans = found
    return [line[slice(*view.original_span(*span))] for span in spans]


def test_quotations_are_whole_characters_of_the_original() -> None:
    assert quotations("走吧,走吧", "走吧，走吧") == ["走吧，走吧"]
    assert quotations("abc", "ＡＢＣ") == ["ＡＢＣ"]
    assert quotations("iii", "Ⅲ号") == ["Ⅲ"]
    assert quotations("ii", "Ⅲ号") == []
    assert quotations("STRASSE", "die Straße") == ["Straße"]
    assert quotations("発 電", "発\u3000 電") == ["発\u3000 電"]
    assert quotations("ﾄﾞｸﾀｰ", "お久しぶり、ドクター。") == ["ドクター"]
    assert quotations("カ", "ガラスカ") == ["カ"]
    assert quotations("한", "한ㅋㅋ") == ["한"]
    assert quotations("관리", "관리자".encode().decode()) == ["관리"]
    assert quotations("i̇", "İstanbul") == ["İ"]


@given(
    text=st.lists(st.text(alphabet="ab cX", max_size=6), max_size=6).map("\n".join),
    pattern=st.sampled_from(
        ["a", "^a", "b$", "a b", "[^a]", "^$", "a*", r"\bc", r"\Aa", "(?i)x", r"\s", "a|b$", ".", r"b\z"]
    ),
)  # fmt: skip
def test_a_whole_text_is_matched_as_its_lines_are(text: str, pattern: str) -> None:
    regex = regex_pattern(pattern)
    folded = fold_exactly(text, fold_case=False)
    assert list(regex.lines(folded, 1)) == [
        number
        for number, line in enumerate(folded.split("\n"), start=1)
        if regex.compiled.search(line) is not None
    ]


@given(
    text=st.lists(st.text(alphabet="ab", max_size=5), max_size=6).map("\n".join),
    literal=st.text(alphabet="ab", min_size=1, max_size=3),
    first=st.integers(1, 7),
)
def test_literals_are_found_on_every_line(text: str, literal: str, first: int) -> None:
    pattern = literal_pattern(literal)
    assert pattern is not None
    assert list(pattern.lines(text, first)) == [
        number
        for number, line in enumerate(text.split("\n"), start=1)
        if literal in line and number >= first
    ]


def test_expressions() -> None:
    view = matching_view(regex_pattern("^共同[检索]{2}词"), "共同检索词。")
    assert view is not None
    assert matching_view(regex_pattern("（笑）"), "oh (笑)") is not None
    assert matching_view(regex_pattern("（笑）"), "oh （笑）") is not None
    assert matching_view(regex_pattern("（笑）"), "笑") is None
    began = time.monotonic()
    for hostile in ("(a|aa)+$", "^(.|..)+X$"):
        matching_view(regex_pattern(hostile), "a" * 200)
    assert time.monotonic() - began < 0.5


@pytest.mark.parametrize("pattern", [r"a\\C", r"\Qa\C\E", r"\Qa\C"])
def test_what_only_looks_like_an_escape_for_a_byte_is_allowed(pattern: str) -> None:
    assert matching_view(regex_pattern(pattern), "a\\c") is not None


@pytest.mark.parametrize(
    ("pattern", "position"),
    [("ab(c", 0), (r"x\1", 1), ("x(?=a)", 1), ("a{3,2}", 1), ("ab\\", 2), ("x[b-a]", 2), ("a" * 9 + "{1001}", 9),
     (r"a\\\C", 3)],
)  # fmt: skip
def test_refused_expressions_name_the_place(pattern: str, position: int) -> None:
    with pytest.raises(PatternError) as caught:
        regex_pattern(pattern)
    assert caught.value.position == position
    assert "(c" not in caught.value.problem


def test_candidates_never_miss_a_cut_line() -> None:
    counts = {"血魔": 9, "魔大": 2, "大君": 1}
    query = candidate_query("血魔大君", lambda term: counts[term.token])  # type: ignore[union-attr]
    assert query == Or((Term("大君"), Term("魔大")))
    assert candidate_query("血魔", lambda _: 1) == Or((Term("血魔"), Term("血")))
    assert candidate_query("needle", lambda _: 1) is None
    assert candidate_query("a big word", lambda _: 1) is None
