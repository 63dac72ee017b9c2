"""The rules of quotation verdicts by hand: what is held, where, and what is not."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_service.quotes import Likeness, Quote, QuotedText, QuoteMatch, find_nearest
from corpus_service.quotes.characters import EXPANDING
from corpus_service.quotes.limits import (
    FOLDED_PLACES_MAX,
    FOLDING_GROWTH_MAX,
    PIECE_GAP_CODE_POINTS_MAX,
    QUOTE_PIECES_MAX,
    QUOTE_PLACES_MAX,
)
from corpus_service.quotes.view import QuoteView


def find(text: str, quote: str) -> QuoteMatch | None:
    return QuotedText(text).find(Quote(quote))


def held(text: str, quote: str) -> str:
    """The text that a quotation was found to be, "" where it is none."""
    match = find(text, quote)
    return "" if match is None else text[match.start : match.end]


def test_exact_is_code_point_for_code_point() -> None:
    text = "He said: “Not now.” Nothing else."
    assert find(text, "“Not now.”") == QuoteMatch(Likeness.EXACT, 9, 19)
    assert find("e\u0301tude", "étude") is None
    assert find("a 😀 b", "😀") == QuoteMatch(Likeness.EXACT, 2, 3)


def test_exact_goes_before_an_earlier_normalised_place() -> None:
    assert find("ONE two. one two", "one two") == QuoteMatch(Likeness.EXACT, 9, 16)


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("one\n  two\tthree", "one two three", "one\n  two\tthree"),
        ("one two", " one\u00a0\u2003two\n", "one two"),
        ("it’s “so”", 'it\'s "so"', "it’s “so”"),
        ("‚a‛ ′b‵ ‹c› ＇d＇", "'a' 'b' 'c' 'd'", "‚a‛ ′b‵ ‹c› ＇d＇"),
        ("„a‟ ″b″ «c» ＂d＂ 〝e〞", '"a" "b" "c" "d" "e"', "„a‟ ″b″ «c» ＂d＂ 〝e〞"),
        ("Die STRASSE hier", "die straße", "Die STRASSE"),
        ("Die Straße hier", "DIE STRASSE", "Die Straße"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("an exam-\nple here", "example", "exam-\nple"),
        ("an exam\u2010\r\n  ple here", "example", "exam\u2010\r\n  ple"),
        ("an exam\u00ad\nple and ca\u00adse", "example and case", "exam\u00ad\nple and ca\u00adse"),
        ("悬空\n之城", "悬空之城", "悬空\n之城"),
        ("悬空之城", "悬空 之 城", "悬空之城"),
        ("カタ\u3000カナ。\nＡＢ", "カタカナ。ＡＢ", "カタ\u3000カナ。\nＡＢ"),
        ("他说：\n“好”", '他说："好"', "他说：\n“好”"),
        ("قال\nالرجل", "قال الرجل", "قال\nالرجل"),
        ("한국어\n문장", "한국어 문장", "한국어\n문장"),
    ],
)
def test_normalised(text: str, quote: str, expected: str) -> None:
    match = find(text, quote)
    assert match is not None
    assert match.likeness is Likeness.NORMALISED
    assert text[match.start : match.end] == expected
    assert match.parts == ()


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("It is not open.", "It is open."),
        ("Costs 1,000 coins", "Costs 1000 coins"),
        ("the red door", "the blue door"),
        ("「好」", "“好”"),
        ("『好』", "「好」"),
        ("'a'", '"a"'),
        ("한국어 문장", "한국어문장"),
        ("well-known", "wellknown"),
        ("foo-\n\nbar", "foobar"),
        ("3-\n4", "34"),
        ("悬空 city", "悬空city"),
        ("Straße", "tras"),
        ("e\u0301tude", "étude"),
        ("ＡＢ", "AB"),
        ("ガ", "カ"),
        ("text", "text text"),
        ("", "a"),
    ],
)
def test_absent(text: str, quote: str) -> None:
    assert find(text, quote) is None


def test_half_a_folded_character_is_never_matched() -> None:
    assert find("Maß", "MAS") is None
    assert find("ßß", "sss") is None
    assert held("xßsy", "SSS") == "ßs"
    assert held("oﬃce", "OFFICE") == "oﬃce"
    assert find("oﬃce", "OF") is None
    assert find("ß" * (FOLDED_PLACES_MAX + 10), "S") is None


def test_an_ellipsis_leaves_out() -> None:
    text = "The keeper opened the gate at dawn, and nobody else saw the lantern go out."
    for mark in ("…", "...", "[…]", "[...]", " … ", "… [...]"):
        quote = f"the keeper opened{mark}Saw the lantern"
        match = find(text, quote)
        assert match is not None, mark
        assert match.likeness is Likeness.NORMALISED
        assert [text[start:end] for start, end in match.parts] == [
            "The keeper opened",
            "saw the lantern",
        ]
        assert (match.start, match.end) == (match.parts[0][0], match.parts[1][1])
    assert held(text, "…opened the gate at dawn…") == "opened the gate at dawn"
    assert find(text, "saw the lantern … the keeper opened") is None
    assert find(text, "the keeper … saw the lantern") is None
    assert find(text, "keeper opened the gate … the gate at dawn") is None
    assert find(text, "opened the gate … nobody else heard") is None


def test_pieces_stand_within_their_gap() -> None:
    first, second = "twelve chars", "the other one"
    for gap, found in ((PIECE_GAP_CODE_POINTS_MAX, True), (PIECE_GAP_CODE_POINTS_MAX + 1, False)):
        match = find(first + "x" * gap + second, f"{first} … {second}")
        assert (match is not None) is found
    far = first + "x" * 3_000 + first + "y" + second
    match = find(far, f"{first}…{second}")
    assert match is not None
    assert match.start == len(first) + 3_000


def test_an_early_piece_hides_nothing() -> None:
    one, two, three = "the first part", "the second part", "the third part"
    text = one + two + "x" * 2_500 + one + "y" * 10 + two + "z" * 1_900 + two + "w" * 100 + three
    match = find(text, f"{one}…{two}…{three}")
    assert match is not None
    assert [text[start:end] for start, end in match.parts] == [one, two, three]
    assert match.start == text.rindex(one)


def test_texts_that_repeat_themselves_end() -> None:
    text = "ab" * 100_000
    quote = "…".join(["ab" * 8] * QUOTE_PIECES_MAX) + "…" + "c" * 20
    assert find(text, quote) is None
    assert find(text, "…".join(["ab" * 8] * (QUOTE_PIECES_MAX + 1))) is None
    assert find(text + "x" * 5_000 + "c" * 20, "…".join(["ab" * 8] * 30) + "…" + "c" * 20) is None
    assert len(QuotedText(text).find_all(Quote("AB"))) == QUOTE_PLACES_MAX


@pytest.mark.parametrize("quote", ["", " ", "\n\u3000", "\u00ad", "\u00a0\u00ad "])
def test_nothing_to_compare_is_nowhere(quote: str) -> None:
    assert Quote(quote).view == ""
    assert find("a b \u00ad c", quote) is None


def test_all_places() -> None:
    text = QuotedText("Aa aA aa")
    assert [match.start for match in text.find_all(Quote("aa"))] == [6]
    assert [match.start for match in text.find_all(Quote("AA"))] == [0, 3, 6]
    assert [match.start for match in text.find_all(Quote("a"))] == [1, 3, 6, 7]
    assert text.find_all(Quote("b")) == []


def test_the_nearest_passage_stands_beside() -> None:
    text = "Before it. The gate was closed at dawn by the old keeper. Behind it."
    near = find_nearest(QuotedText(text), Quote("The gate was opened at dawn by the old keeper."))
    assert near is not None
    assert text[near.start : near.end] == "The gate was closed at dawn by the old keeper."
    assert 0.8 < near.similarity < 1
    twice = "# Cold iron\n\nCold iron is a metal of the northern foundries.\n"
    near = find_nearest(QuotedText(twice), Quote("Cold iron is a metal of the southern foundries."))
    assert near is not None
    assert twice[near.start : near.end] == "Cold iron is a metal of the northern foundries."
    assert find_nearest(QuotedText(text), Quote("Nothing of this kind stands anywhere")) is None


def test_every_expanding_character_is_known() -> None:
    growing = [chr(point) for point in range(sys.maxunicode + 1) if len(chr(point).casefold()) > 1]
    assert set(growing) == set(EXPANDING)
    assert max(len(character.casefold()) for character in growing) == FOLDING_GROWTH_MAX
    assert all(chr(point).casefold() for point in range(sys.maxunicode + 1)), (
        "folding removes nothing, which positions rely on"
    )


_PIECES = st.sampled_from(
    [
        "a",
        "B",
        "ß",
        "ﬃ",
        "İ",
        " ",
        "\n",
        "\t ",
        "-\n",
        "\u00ad",
        "“",
        "'",
        "字",
        "。",
        "ｱ",
        "😀",
        "e\u0301",
    ]
)


@given(st.lists(_PIECES, max_size=24), st.data())
def test_any_part_of_a_text_is_exact_and_its_view_is_found(
    pieces: list[str], data: st.DataObject
) -> None:
    text = "".join(pieces)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    quote = text[start:end]
    match = find(text, quote)
    if not QuoteView(quote).text.strip(" "):
        assert match is None
        return
    assert match is not None
    assert match.likeness is Likeness.EXACT
    assert text[match.start : match.end] == quote
    assert match.start == text.index(quote)


@given(st.lists(_PIECES, max_size=24), st.lists(_PIECES, min_size=1, max_size=4))
def test_what_is_found_has_the_same_view(pieces: list[str], quoted: list[str]) -> None:
    text, quote = "".join(pieces), "".join(quoted)
    match = find(text, quote)
    if match is not None:
        assert 0 <= match.start < match.end <= len(text)
        span = text[match.start : match.end]
        assert match.likeness is Likeness.EXACT or Quote(span).view == Quote(quote).view
