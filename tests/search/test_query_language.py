"""The query language: what is syntax, what is data, and that every string has a reading."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_service.domain.queries import Or, Phrase, Prefix, Term
from corpus_service.search.limits import PHRASE_TOKENS_MAX, QUERY_PREFIXES_MAX
from corpus_service.search.planning import plan
from corpus_service.search.query import (
    NOTHING_TO_SEARCH_FOR,
    ONLY_EXCLUSIONS,
    parse_query,
)
from sourcecorpus.rpc.limits import QUERY_TERMS_MAX

QUERIES = st.text(
    alphabet=st.one_of(st.sampled_from(list("ab1v.'+#_-*\" \t悬空引ガ：")), st.characters()),
    max_size=60,
)


def required(text: str) -> list[object]:
    return [unit.query for unit in parse_query(text).required]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Foo bar", [Term("foo"), Term("bar")]),
        ("foo foo FOO", [Term("foo")]),
        ('"Foo  bar', [Phrase(("foo", "bar"))]),
        ("foo-bar", [Phrase(("foo", "bar"))]),
        ("POL-358", [Phrase(("pol", "358"))]),
        ("grammar::fa", [Phrase(("grammar", "fa"))]),
        ("site:foo", [Phrase(("site", "foo"))]),
        ("pre* *x", [Prefix(("pre",)), Term("x")]),
        ("fo*o", [Phrase(("fo", "o"))]),
        ("1.21*", [Prefix(("1", "21"))]),
        ("AND OR NOT NEAR( rank", [Term(w) for w in ("and", "or", "not", "near", "rank")]),
        ("@nasa a=b 50% why?", [Term("nasa"), Phrase(("a", "b")), Term("50"), Term("why")]),
        ("悬", [Prefix(("悬",))]),
        ("悬空", [Term("悬空")]),
        ("悬空引", [Phrase(("悬空", "空引"))]),
        ("悬空，引用", [Term("悬空"), Term("引用")]),
        ("重跑gen-itgc后", [Term("重跑"), Phrase(("gen", "itgc")), Prefix(("后",))]),
        ('"悬空 引"', [Prefix(("悬空", "空", "引"))]),
        ("--help - -- a", [Term("help"), Term("a")]),
        ('5" disk', [Term("5"), Term("disk")]),
    ],
)
def test_reading(text: str, expected: list[object]) -> None:
    assert required(text) == expected


def test_words_with_signs_are_asked_for_with_their_signs() -> None:
    (unit,) = parse_query("C++").required
    assert isinstance(unit.query, Term)
    assert unit.query != Term("c")
    (phrase,) = parse_query('"C++ templates"').required
    assert phrase.query == Phrase((unit.query.token, "templates"))


def test_exact_version_number_is_preferred_not_demanded() -> None:
    (unit,) = parse_query("1.21.4").required
    assert isinstance(unit.query, Or)
    assert unit.query.parts[0] == Phrase(("1", "21", "4"))


def test_exclusions_are_only_what_follows_a_single_hyphen() -> None:
    parsed = parse_query('a -b -"c d" e-f - g --h')
    assert [unit.query for unit in parsed.excluded] == [Term("b"), Phrase(("c", "d"))]
    assert [unit.shown for unit in parsed.required] == ["a", "e-f", "g", "--h"]


@pytest.mark.parametrize("text", ["", "   ", '"', "***", "?!", "。、", "- -", "\u200b\u00ad", "🎮"])
def test_nothing_to_search_for(text: str) -> None:
    assert parse_query(text).empty_reason == NOTHING_TO_SEARCH_FOR


def test_only_exclusions() -> None:
    parsed = parse_query("-foo -bar")
    assert parsed.empty_reason == ONLY_EXCLUSIONS
    assert [unit.shown for unit in parsed.excluded] == ["foo", "bar"]


def test_terms_beyond_the_limit_are_named() -> None:
    words = [f"w{number}" for number in range(QUERY_TERMS_MAX + 3)]
    parsed = parse_query(" ".join(words))
    assert len(parsed.required) == QUERY_TERMS_MAX
    assert list(parsed.cut) == words[QUERY_TERMS_MAX:]
    assert plan("", parsed)[0].relaxed


def test_beginnings_beyond_the_limit_are_cut() -> None:
    parsed = parse_query(
        " ".join(f"w{number}*" for number in range(QUERY_PREFIXES_MAX + 3)) + " end"
    )
    assert sum(unit.prefix for unit in parsed.required) == QUERY_PREFIXES_MAX
    assert len(parsed.cut) == 3
    assert parsed.required[-1].shown == "end"


def test_long_runs_become_bounded_phrases() -> None:
    text = "".join(chr(0x4E00 + number) for number in range(1_000))
    for unit in parse_query(text).required:
        assert isinstance(unit.query, Phrase)
        assert len(unit.query.tokens) <= PHRASE_TOKENS_MAX


def test_plan_goes_from_all_to_some() -> None:
    parsed = parse_query("how to craft the sword")
    stages = plan("", parsed)
    assert [stage.relaxed for stage in stages] == [False, True, True, True]
    assert [stage.relaxed for stage in plan("", parse_query("craft iron swords"))] == [False, True]
    assert stages[1].dropped == ("how", "to", "the")
    assert stages[2].forms
    assert stages[3].some


def test_stop_words_alone_are_used() -> None:
    stages = plan("", parse_query("to be or not"))
    assert [unit.shown for unit in stages[0].units] == ["to", "be", "or", "not"]
    assert all(not stage.dropped for stage in stages)


def test_compounds_and_short_runs_are_never_taken_apart() -> None:
    assert len(plan("", parse_query("foo-bar"))) == 1
    assert len(plan("", parse_query("血魔王"))) == 1
    assert len(plan("", parse_query("如何获得更多源石材料"))) == 2


@settings(max_examples=500, deadline=None)
@given(QUERIES)
def test_every_string_has_a_reading(text: str) -> None:
    parsed = parse_query(text)
    assert (parsed.empty_reason == "") == bool(parsed.required)
    assert len(parsed.required) + len(parsed.excluded) <= QUERY_TERMS_MAX
    if parsed.required:
        for stage in plan(text, parsed):
            assert stage.units or stage.verbatim
    assert parse_query(text) == parsed
