"""Evidence: the spans hold the same text in both, grades stand in order, changed numbers are told."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corpus_service.proposals.comparing import (
    ComparedPassage,
    ComparedSentence,
    Comparison,
    Grade,
    search_words,
)
from corpus_service.quotes.view import QuoteView

PASSAGE = (
    "The wandering castle moves at dusk. Its great northern gate was built in 1203 by Aldric. "
    "Nobody has seen the cellar."
)


def compare(sentence: str, passage: str = PASSAGE) -> Comparison | None:
    return ComparedPassage(passage).compare(ComparedSentence(sentence))


def test_a_shared_stretch_is_shown_in_both_texts() -> None:
    sentence = "Records say its  great\nNORTHERN gate was built in 1203, which is early."
    found = compare(sentence)
    assert found is not None
    assert found.grade is Grade.OVERLAP
    shared = found.evidence[0]
    assert sentence[slice(*shared.sentence)] == "its  great\nNORTHERN gate was built in 1203"
    assert PASSAGE[slice(*shared.passage)] == "Its great northern gate was built in 1203"
    assert PASSAGE[slice(*found.span)] == ("Its great northern gate was built in 1203 by Aldric.")
    assert not found.numbers_differ


def test_another_number_is_told() -> None:
    found = compare("Its great northern gate was built in 1204.")
    assert found is not None
    assert found.numbers_differ
    thousands = compare(
        "It has 1203 rooms in the northern wing.", "It has 1,203 rooms in the northern wing."
    )
    assert thousands is not None
    assert not thousands.numbers_differ


def test_names_of_sources_are_not_what_a_sentence_says() -> None:
    sentence = "Nobody has seen the cellar (v-0123456789abcdefghjk#10-20-ab, https://a.example/77)."
    found = compare(sentence)
    assert found is not None
    assert found.share > 0.7
    assert not found.numbers_differ


def test_a_reworded_sentence_is_near_or_shares_words() -> None:
    near = compare("Castle wanders", "castles wander") or compare(
        "The dark gates opens north by nights", "The dark gate opened north by night"
    )
    assert near is not None
    assert near.grade is Grade.NEAR
    lexical = compare("Aldric ordered the gate in the year 1203.")
    assert lexical is not None
    assert lexical.grade is Grade.LEXICAL
    assert {PASSAGE[slice(*shared.passage)].lower() for shared in lexical.evidence} >= {
        "aldric",
        "gate",
        "1203",
    }


def test_chinese_and_korean_stretches_are_short() -> None:
    chinese = compare("据记载，血魔大君在北门等待。", "夜里，血魔大君在北门等待黎明。")
    assert chinese is not None
    assert chinese.grade is Grade.OVERLAP
    korean = compare("관리자님은 성의 북문을 지켰다.", "기록: 관리자님은 성의 북문을 열었다.")
    assert korean is not None
    assert korean.grade is Grade.OVERLAP


def test_what_has_nothing_in_common_is_not_proposed() -> None:
    assert compare("Photosynthesis happens in leaves.") is None
    assert compare("The and of it was.") is None


def test_too_little_is_not_comparable() -> None:
    assert not ComparedSentence("Yes").comparable
    assert not ComparedSentence("--- ---").comparable
    assert not ComparedSentence("the of and").comparable
    assert ComparedSentence("Aldric").comparable


def test_no_syntax_of_queries_gets_through() -> None:
    words = search_words(ComparedSentence('The "gate" -north cast* AND C++'))
    assert words == "gate north cast c"


def test_text_that_repeats_itself_is_bounded() -> None:
    found = compare("ab " * 600, "ab " * 500)
    assert found is not None
    assert compare("a" * 2_000, "a" * 1_500) is None


@given(
    st.text(alphabet="abß İ血魔 .\n-12", max_size=80),
    st.text(alphabet="abß İ血魔 .\n-12", max_size=120),
)
def test_evidence_lies_inside_and_stretches_are_equal(sentence: str, passage: str) -> None:
    found = compare(sentence, passage)
    if found is None:
        return
    assert 0 <= found.span[0] < found.span[1] <= len(passage)
    assert 0 < found.share <= 1
    for shared in found.evidence:
        assert 0 <= shared.sentence[0] < shared.sentence[1] <= len(sentence)
        assert found.span[0] <= shared.passage[0] < shared.passage[1] <= found.span[1]
        if found.grade is not Grade.NEAR:
            here = QuoteView(sentence[slice(*shared.sentence)]).text.strip()
            assert here == QuoteView(passage[slice(*shared.passage)]).text.strip()
