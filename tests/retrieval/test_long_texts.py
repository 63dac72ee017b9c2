"""Long lines and long texts give what short ones would, within their time."""

from __future__ import annotations

import itertools
import time
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_service.search import exact_view as exact_view_module
from corpus_service.search.exact_patterns import (
    LineTooLongError,
    Pattern,
    PatternError,
    literal_pattern,
    matching_view,
    regex_pattern,
)
from corpus_service.search.exact_view import LongView, exact_view
from corpus_service.services import find_passages
from corpus_service.services.find_passages import LineMatcher, PageRoom
from corpus_service.services.found_lines import FoundLines, LinedText, LinePlace

HARD = "abB ßⅢİﾄﾞｸ\u3000\t\u0301\u0308\u1100\u1161\u11a8한字𠮷ｶﾞ\u00ad\u200b\u00a8½ﬁЖй"
PIECE = 3


@given(line=st.text(alphabet=HARD, max_size=60), fold_case=st.booleans())
def test_a_long_line_is_viewed_as_a_short_one(line: str, fold_case: bool) -> None:
    with mock.patch.object(exact_view_module, "PIECE_CODE_POINTS", PIECE):
        long = LongView(line, fold_case=fold_case)
        short = exact_view(line, fold_case=fold_case)
        assert long.text == short.text
        places = range(len(short.text) + 1)
        for start, end in itertools.combinations_with_replacement(places, 2):
            assert long.is_whole(start, end) == short.is_whole(start, end)
            assert long.original_span(start, end) == short.original_span(start, end)


def found_in_pages(matcher: LineMatcher, text: str, room: PageRoom) -> list[FoundLines]:
    pages = [matcher.find(text, room)]
    while (following := pages[-1].following) is not None:
        pages.append(matcher.find(text, room, begin=following))
    return pages


@given(
    text=st.text(alphabet="ab 字\n", max_size=60),
    pattern=st.sampled_from([literal_pattern("a"), regex_pattern("^a|字$"), regex_pattern("^$"), None]),
    terms=st.sampled_from([(), ("b",)]),
    over=st.booleans(),
)  # fmt: skip
def test_blocks_and_pages_find_what_one_pass_finds(
    text: str, pattern: Pattern | None, terms: tuple[str, ...], over: bool
) -> None:
    matcher = LineMatcher(pattern, terms)
    whole = matcher.find(text, PageRoom(1_000, 100_000, lambda: False))
    assert whole.following is None
    with (
        mock.patch.object(LinedText, "block_end", small_block_end),
        mock.patch.object(find_passages, "LONG_LINE_CODE_POINTS", PIECE),
    ):
        pages = found_in_pages(matcher, text, PageRoom(1_000, 100_000, lambda: over))
    assert numbers(pages) == numbers([whole])
    assert sum(page.scanned_code_points for page in pages) == LinedText(text).end


def small_block_end(lined: LinedText, start: int, size: int) -> int:
    """Blocks of a few code points."""
    del size
    return BLOCK_END(lined, start, PIECE)


BLOCK_END = LinedText.block_end


def numbers(pages: list[FoundLines]) -> list[tuple[int, object]]:
    return [
        (line.number, line.matches)
        for page in pages
        for passage in page.passages
        for line in passage.lines
        if line.role in (1, 4)
    ]


def test_the_time_ends_a_page_within_a_text_that_holds_nothing() -> None:
    matcher = LineMatcher(literal_pattern("needle"))
    text = "hay and straw\n" * 20_000
    page = matcher.find(text, PageRoom(500, 100_000, lambda: True))
    assert page.passages == ()
    assert page.following is not None
    assert page.following.number > 1
    assert LinedText(text).line(page.following).end > page.following.offset


def test_a_call_that_is_over_ends_between_blocks_and_within_half_characters() -> None:
    def check() -> None:
        raise TimeoutError

    room = PageRoom(500, 100_000, lambda: False, check)
    with pytest.raises(TimeoutError):
        LineMatcher(literal_pattern("needle")).find("hay and straw\n" * 20_000, room)
    with pytest.raises(TimeoutError):
        LineMatcher(literal_pattern("ii")).find("Ⅲ" * 100_000, room)


@pytest.mark.parametrize(
    "line", ["(笑) " * 200_000, "Ⅲ" * 300_000, " " * 1_000_000, "\u0301" * 200_000]
)
@pytest.mark.parametrize("pattern", [literal_pattern("needle"), literal_pattern("笑"), regex_pattern("a*"),
                                     regex_pattern("笑.笑"), regex_pattern("(x+x+)+y")])  # fmt: skip
def test_lines_of_a_million_characters_take_a_moment(line: str, pattern: Pattern) -> None:
    began = time.monotonic()
    matched = matching_view(pattern, line)
    for span in matched[1] if matched else ():
        assert matched is not None
        matched[0].original_span(*span)
    assert time.monotonic() - began < 5.0


def test_expressions_are_bounded_by_their_size() -> None:
    with pytest.raises(PatternError, match="too large"):
        regex_pattern(".{0,999}.{0,999}.{0,999}")
    large = regex_pattern("[ab].{900}Q")
    with pytest.raises(LineTooLongError):
        matching_view(large, "a" * 1_000_000)
    with pytest.raises(LineTooLongError):
        matching_view(large, "字" * 400_000)
    assert regex_pattern("a").block_code_points > large.block_code_points
    began = time.monotonic()
    page = LineMatcher(large).find(
        "ab" * 400 + "\n" + "ba" * 400, PageRoom(1, 1_000, lambda: False)
    )
    assert page.following is None
    assert time.monotonic() - began < 5.0


def test_places_of_lines() -> None:
    lined = LinedText("a\n\nbc\n")
    first = lined.line(LinePlace())
    near = [(line.number, lined.of(line)) for line in lined.near(first, 9)]
    assert near == [(1, "a"), (2, ""), (3, "bc")]
    assert [lined.of(line) for line in LinedText("").near(LinedText("").line(LinePlace()), 3)] == [
        ""
    ]
