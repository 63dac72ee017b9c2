"""Citation shapes: to the forms that others read, and back to the same place."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import assume, given
from hypothesis import strategies as st

from sourcecorpus.bridge.citation_shapes import (
    anthropic,
    csl,
    footnotes,
    text_fragments,
    web_annotation,
)
from sourcecorpus.bridge.citation_shapes.places import CitedPlace, ShapeError, cited_place
from sourcecorpus.bridge.citation_shapes.text_fragments import TextDirective
from sourcecorpus.corpus.v1.citation_pb2 import Citation, LineRange, Span
from sourcecorpus.corpus.v1.source_pb2 import Version

TEXT = (
    "# Cold iron\n\nCold iron ends every ember ward, says the smith - and 冷铁 does too.\n"
    "A ward, once ended, stays ended & cold. 🗡 Cold iron ends every quarrel.\n"
)
REF = "v-7k2m9q4x1c8v5b3n6p0z#13-44-kq"


def place_of(text: str, start: int, end: int, **facts: object) -> CitedPlace:
    citation = Citation(
        ref=REF,
        span=Span(start=start, end=end),
        quote=text[start:end],
        lines=LineRange(first=3, last=3),
        title="Cold iron",
        original_uri="https://wiki.example/Cold_iron",
        version=Version(language="en", kind="page"),
        fetched_time=Timestamp(seconds=1_796_000_000),
    )
    return replace(cited_place(citation, text), **facts)  # type: ignore[arg-type]


PLACE = place_of(TEXT, 13, 44)
TEXTS = st.text(st.sampled_from("ab \n.,-&冷铁🗡é"), min_size=1, max_size=80)


def spans(text: str) -> st.SearchStrategy[tuple[int, int]]:
    ends = st.integers(0, len(text))
    return st.tuples(ends, ends).map(sorted).map(tuple)  # type: ignore[arg-type]


TEXT_AND_SPAN = TEXTS.flatmap(lambda text: st.tuples(st.just(text), spans(text)))
STARTS = st.sets(st.integers(1, 79)).map(lambda found: [0, *sorted(found)])


def test_a_place_has_the_text_around_it() -> None:
    assert PLACE.quote == "Cold iron ends every ember ward"
    assert PLACE.prefix == "# Cold iron\n\n"
    assert PLACE.suffix == TEXT[44:76]
    part = cited_place(Citation(span=Span(start=13, end=44), quote="x"), TEXT[5:], 5)
    assert (part.prefix, part.suffix) == (TEXT[5:13], TEXT[44:76])


def test_a_quote_that_was_cut_is_no_quote() -> None:
    assert cited_place(Citation(quote="half", quote_cut=True)).quote == ""


# Anthropic citations


def test_locations_have_the_documented_fields() -> None:
    assert anthropic.char_location(PLACE, 2) == {
        "type": "char_location",
        "cited_text": "Cold iron ends every ember ward",
        "document_index": 2,
        "document_title": "Cold iron",
        "start_char_index": 13,
        "end_char_index": 44,
    }
    starts = [0, 13, 30, 44]
    assert anthropic.page_location(PLACE, 0, starts) == {
        "type": "page_location",
        "cited_text": "Cold iron ends every ember ward",
        "document_index": 0,
        "document_title": "Cold iron",
        "start_page_number": 2,
        "end_page_number": 4,
    }
    blocks = anthropic.content_block_location(PLACE, 0, starts)
    assert (blocks["start_block_index"], blocks["end_block_index"]) == (1, 3)
    result = anthropic.search_result_location(PLACE, 1, starts)
    assert (result["search_result_index"], result["source"]) == (1, REF)


@given(TEXT_AND_SPAN)
def test_character_locations_come_back_exactly(given_text: tuple[str, tuple[int, int]]) -> None:
    text, (start, end) = given_text
    location = anthropic.char_location(place_of(text, start, end), 3)
    found = anthropic.read_location(location)
    assert (found.document, found.start, found.end) == (3, start, end)
    assert found.quote == text[start:end]


@given(TEXT_AND_SPAN, STARTS)
def test_pages_and_blocks_hold_the_place_and_no_part_too_many(
    given_text: tuple[str, tuple[int, int]], starts: list[int]
) -> None:
    text, (start, end) = given_text
    starts = [number for number in starts if number == 0 or number < len(text)]
    place = place_of(text, start, end)
    for location in (
        anthropic.page_location(place, 0, starts),
        anthropic.content_block_location(place, 0, starts),
        anthropic.search_result_location(place, 0, starts),
    ):
        found = anthropic.read_location(location, starts, len(text))
        assert found.start is not None
        assert found.end is not None
        assert found.start <= start
        assert end <= found.end
        inner = [part for part in itertools.pairwise([*starts, len(text)]) if part[0] < found.end]
        touched = [part for part in inner if part[1] > found.start]
        # The first and the last part are touched by the place itself.
        assert touched[0][1] > start or start == len(text)
        assert touched[-1][0] < end or start == end


def test_a_web_search_result_gives_words_and_address_to_verify() -> None:
    found = anthropic.read_location(
        {
            "type": "web_search_result_location",
            "url": "https://wiki.example/",
            "title": "Wiki",
            "encrypted_index": "Eo8BCioIAhgB",
            "cited_text": "Cold iron",
        }
    )
    assert found == anthropic.LocatedQuote(None, None, None, "Cold iron", "https://wiki.example/")


@pytest.mark.parametrize(
    "location",
    [
        {},
        {"type": "nowhere", "cited_text": "x"},
        {"type": "char_location", "cited_text": 7},
        {"type": "char_location", "cited_text": "x", "document_index": 0, "start_char_index": -1},
        {
            "type": "char_location",
            "cited_text": "x",
            "document_index": 0,
            "start_char_index": 5,
            "end_char_index": 4,
        },
        {
            "type": "page_location",
            "cited_text": "x",
            "document_index": 0,
            "start_page_number": 0,
            "end_page_number": 1,
        },
        {
            "type": "page_location",
            "cited_text": "x",
            "document_index": 0,
            "start_page_number": 1,
            "end_page_number": 9,
        },
        {"type": "web_search_result_location", "cited_text": "x"},
    ],
)
def test_what_is_no_location_is_refused(location: dict[str, object]) -> None:
    with pytest.raises(ShapeError):
        anthropic.read_location(location, [0, 5], 9)


@pytest.mark.parametrize("starts", [[], [1, 2], [0, 5, 5], [0, 9, 3]])
def test_parts_that_are_no_parts_are_refused(starts: list[int]) -> None:
    with pytest.raises(ShapeError):
        anthropic.page_location(PLACE, 0, starts)


# W3C Web Annotation


def test_an_annotation_has_both_selectors_and_the_state() -> None:
    made = web_annotation.annotation(PLACE)
    assert made["@context"] == "http://www.w3.org/ns/anno.jsonld"
    assert made["target"] == {
        "source": "https://wiki.example/Cold_iron",
        "selector": [
            {
                "type": "TextQuoteSelector",
                "exact": "Cold iron ends every ember ward",
                "prefix": "# Cold iron\n\n",
                "suffix": PLACE.suffix,
            },
            {"type": "TextPositionSelector", "start": 13, "end": 44},
        ],
        "state": {"type": "TimeState", "sourceDate": "2026-11-30T00:53:20Z"},
    }
    assert "#" not in made["id"]


@given(TEXT_AND_SPAN)
def test_selectors_find_their_place_again(given_text: tuple[str, tuple[int, int]]) -> None:
    text, (start, end) = given_text
    assume(start < end)
    both = web_annotation.selectors(place_of(text, start, end))
    assert web_annotation.resolve(both, text) == (start, end)
    assert web_annotation.resolve(both[1], text) == (start, end)


def test_a_quotation_finds_its_place_in_an_edited_text_or_none() -> None:
    quote, position = web_annotation.selectors(PLACE)
    edited = "A line more.\n" + TEXT
    assert web_annotation.resolve([quote, position], edited) == (26, 57)
    changed = TEXT.replace("ember ward", "amber ward")
    with pytest.raises(ShapeError, match="does not hold"):
        web_annotation.resolve([quote, position], changed)


def test_a_quotation_that_stands_twice_needs_what_tells_it_apart() -> None:
    start = TEXT.rindex("Cold iron ends every")
    place = place_of(TEXT, start, start + 20)
    quote, position = web_annotation.selectors(place)
    bare = {"type": "TextQuoteSelector", "exact": place.quote}
    with pytest.raises(ShapeError, match="more than once"):
        web_annotation.resolve(bare, TEXT)
    assert web_annotation.resolve(quote, TEXT) == (start, start + 20)
    assert web_annotation.resolve([bare, position], TEXT) == (start, start + 20)


@pytest.mark.parametrize(
    "selector",
    [
        [],
        {"type": "CssSelector", "value": "p"},
        {"type": "TextPositionSelector", "start": 0, "end": 10_000},
        {"type": "TextPositionSelector", "start": "0", "end": 1},
        {"type": "TextPositionSelector", "start": True, "end": 1},
        {"type": "TextQuoteSelector", "exact": ""},
        {"type": "TextQuoteSelector", "exact": 7},
    ],
)
def test_what_is_no_selector_is_refused(selector: object) -> None:
    with pytest.raises(ShapeError):
        web_annotation.resolve(selector, TEXT)  # type: ignore[arg-type]


def test_a_place_without_quotation_or_address_is_no_annotation() -> None:
    for place in (replace(PLACE, quote=""), replace(PLACE, uri="")):
        with pytest.raises(ShapeError):
            web_annotation.annotation(place)


# Text fragments


@pytest.mark.parametrize(
    ("directive", "written"),
    [
        (TextDirective("an example"), "text=an%20example"),
        (TextDirective("start", "end"), "text=start,end"),
        (TextDirective("a", prefix="before", suffix="behind"), "text=before-,a,-behind"),
        (TextDirective("a", "b", "p", "s"), "text=p-,a,b,-s"),
        (TextDirective("x-y, z & w"), "text=x%2Dy%2C%20z%20%26%20w"),
        (TextDirective("冷铁"), "text=%E5%86%B7%E9%93%81"),
    ],
)
def test_directives_are_written_as_the_specification_says(
    directive: TextDirective, written: str
) -> None:
    assert text_fragments.format_directive(directive) == written
    link = f"https://a.example/#:~:{written}"
    assert text_fragments.read_directives(link) == [directive]


@pytest.mark.parametrize(
    ("uri", "link"),
    [
        ("https://a.example/p", "https://a.example/p#:~:text=ward"),
        ("https://a.example/p#top", "https://a.example/p#top:~:text=ward"),
        ("https://a.example/p#:~:text=old", "https://a.example/p#:~:text=old&text=ward"),
        ("https://a.example/p#", "https://a.example/p#:~:text=ward"),
    ],
)
def test_a_link_keeps_the_fragment_that_was_there(uri: str, link: str) -> None:
    place = CitedPlace(ref=REF, start=0, end=4, quote="ward", uri=uri)
    assert text_fragments.text_fragment_link(place) == link


def test_only_web_addresses_have_fragments_and_nothing_needs_none() -> None:
    with pytest.raises(ShapeError):
        text_fragments.text_fragment_link(replace(PLACE, uri="file:/manual.pdf"))
    assert text_fragments.text_fragment_link(replace(PLACE, quote=" ")) == PLACE.uri


WORDS = st.lists(st.sampled_from(["ember", "ward", "cold-iron", "a,b", "R&D", "冷铁", "🗡"]))


@given(WORDS, st.lists(st.sampled_from(["alpha", "beta", "gamma"]), min_size=1, max_size=60), WORDS)
def test_a_link_leads_back_to_the_quotation(
    before: list[str], cited: list[str], behind: list[str]
) -> None:
    text = " ".join([*before, *cited, *behind])
    start = len(" ".join(before)) + bool(before)
    place = place_of(text, start, start + len(" ".join(cited)))
    (directive,) = text_fragments.read_directives(text_fragments.text_fragment_link(place))
    found = text_fragments.resolve(directive, text)
    assert found[0] == start
    assert found[1] <= place.end
    if len(place.quote) <= text_fragments.EXACT_CODE_POINTS_MAX:
        assert found == (start, place.end)


def test_a_quotation_over_lines_is_given_by_its_ends() -> None:
    end = TEXT.index("cold. 🗡")
    place = place_of(TEXT, 13, end + 5)
    directive = text_fragments.directive_of(place)
    assert (directive.start, directive.end) == ("Cold iron ends every", "stays ended & cold.")
    assert text_fragments.resolve(directive, TEXT) == (13, end + 5)


@pytest.mark.parametrize("value", ["", "p-", "-s", "p-,-s", "a,b,c", "p-,a,b,c,-s"])
def test_what_is_no_directive_is_refused(value: str) -> None:
    with pytest.raises(ShapeError):
        text_fragments.read_directives(f"https://a.example/#:~:text={value}")


def test_other_directives_are_skipped() -> None:
    link = "https://a.example/#x:~:selector(a)&text=b&unknown=1"
    assert text_fragments.read_directives(link) == [TextDirective("b")]
    assert text_fragments.read_directives("https://a.example/#text=b") == []


# CSL-JSON


def test_an_item_has_what_citation_managers_need_and_gives_the_ref_back() -> None:
    item = csl.csl_item(PLACE)
    assert item == {
        "id": REF,
        "type": "webpage",
        "title": "Cold iron",
        "URL": "https://wiki.example/Cold_iron",
        "language": "en",
        "accessed": {"date-parts": [[2026, 11, 30]]},
        "archive": "SourceCorpus",
        "archive_location": REF,
        "note": "Cold iron ends every ember ward",
    }
    assert csl.ref_of_item(item) == REF
    bare = csl.csl_item(CitedPlace(ref=REF, start=0, end=1, quote=""))
    assert set(bare) == {"id", "type", "archive", "archive_location"}
    assert bare["type"] == "document"


@pytest.mark.parametrize("item", [{}, {"archive": "Other", "archive_location": REF}])
def test_an_item_of_somebody_else_names_no_ref(item: dict[str, str]) -> None:
    with pytest.raises(ShapeError):
        csl.ref_of_item(item)


# Markdown footnotes


def test_a_footnote_reads_well_and_ends_in_its_ref() -> None:
    assert footnotes.footnotes([PLACE], 4) == (
        "[^4]: [Cold iron](<https://wiki.example/Cold_iron>), “Cold iron ends every ember ward”,"
        f" line 3, fetched 2026-11-30, `{REF}`"
    )


@given(st.text(max_size=60), st.text(max_size=400))
def test_footnotes_are_lines_whatever_their_texts_are(title: str, quote: str) -> None:
    places = [replace(PLACE, title=title, quote=quote), PLACE]
    written = footnotes.footnotes(places)
    assert len(written.splitlines()) == 2
    assert (
        footnotes.refs_in_footnotes(f"Text{footnotes.footnote_mark(1)}\n\n{written}") == [REF] * 2
    )


def test_markup_of_a_title_stands_for_itself() -> None:
    written = footnotes.footnotes([replace(PLACE, title="](evil) *x* `y`\n[^9]: no")])
    assert r"\]\(evil\) \*x\* \`y\` \[^9\]: no" in written


def test_times_are_those_of_utc() -> None:
    assert PLACE.fetched == datetime(2026, 11, 30, 0, 53, 20, tzinfo=UTC).replace(tzinfo=None)
