"""CitationService over a real socket: the exact place or the reason, never a neighbour."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_service.services.limits import QUOTES_BYTES_MAX
from corpus_service.services.refs import format_ref, parse_ref
from sourcecorpus.corpus.v1 import citation_service_pb2 as pb
from sourcecorpus.rpc.limits import MESSAGE_BYTES_MAX, QUOTE_CODE_POINTS_MAX, RESOLVE_REFS_MAX
from tests.reading.stocked import (
    BACKENDS,
    GAME,
    Stock,
    Stubs,
    hash_of,
    over_socket,
    refused,
    stocks,
)

PAGE = "https://example.org/page"
VERSION = "ver-0123456789abcdefghjk"


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def test_every_ref_has_its_own_result(stock: Stock) -> None:
    text = "alpha\nβήτα 😀\nlast"
    version = stock.add(PAGE, text, title="Page")
    newer = stock.add(PAGE, "other")
    start = text.index("βήτα")
    ref = format_ref(version, start, start + 6)
    bare = "v-" + version.removeprefix("ver-")
    refs = [ref, "nonsense", f"{bare}#3-99", f"{bare}#5-3", "v-00000000000000000000#0-1", bare,
            version, format_ref(newer, 0, 5), ref, f"{bare}#0-0"]  # fmt: skip

    async def body(stubs: Stubs) -> None:
        answer = await stubs.citation.ResolveCitations(
            pb.ResolveCitationsRequest(game_id=GAME, refs=refs)
        )
        assert [result.ref for result in answer.results] == refs
        first = answer.results[0].citation
        assert first.quote == "βήτα 😀"
        assert first.quote_hash == hash_of("βήτα 😀".encode())
        assert (first.lines.first, first.lines.last) == (2, 2)
        assert first.superseded
        assert first.original_uri == PAGE
        assert first.version.version_id == first.version_id == version
        reasons = [result.failure.reason for result in answer.results[1:5]]
        assert reasons == [
            "INVALID_REF",
            "SPAN_OUT_OF_RANGE",
            "SPAN_OUT_OF_RANGE",
            "VERSION_NOT_FOUND",
        ]
        for result in answer.results[5:7]:
            assert result.citation.quote == text
            assert result.citation.quote_hash == hash_of(text.encode())
        assert not answer.results[7].citation.superseded
        assert answer.results[8].citation == first
        assert answer.results[9].citation.quote == ""

    over_socket(stock, body)


def test_no_other_game_is_cited(stock: Stock) -> None:
    version = stock.add(PAGE, "text")
    stock.add(PAGE, "other", game="g2")

    async def body(stubs: Stubs) -> None:
        answer = await stubs.citation.ResolveCitations(
            pb.ResolveCitationsRequest(game_id="g2", refs=[format_ref(version, 0, 4)])
        )
        assert answer.results[0].failure.reason == "VERSION_NOT_FOUND"

    over_socket(stock, body)


@pytest.mark.parametrize("refs", [["x"], [VERSION], ["x", VERSION]])
def test_an_unknown_game_is_told_whatever_is_asked(stock: Stock, refs: list[str]) -> None:
    stock.add(PAGE, "text")

    async def body(stubs: Stubs) -> None:
        request = pb.ResolveCitationsRequest(game_id="nowhere", refs=refs)
        answer = await refused(stubs.citation.ResolveCitations(request))
        assert answer == ("NOT_FOUND", "UNKNOWN_GAME", "game_id")

    over_socket(stock, body)


@pytest.mark.parametrize("length", [65_536, 65_537])
def test_short_and_long_texts_resolve_alike(stock: Stock, length: int) -> None:
    text = "ab\n" * (length // 3) + "x" * (length % 3)
    version = stock.add(PAGE, text)

    async def body(stubs: Stubs) -> None:
        request = pb.ResolveCitationsRequest(
            game_id=GAME, refs=[format_ref(version, length - 4, length)]
        )
        citation = (await stubs.citation.ResolveCitations(request)).results[0].citation
        assert citation.quote == text[-4:]
        assert citation.lines.first == text.count("\n", 0, length - 4) + 1

    over_socket(stock, body)


def test_large_quotes_are_cut_and_still_hashed_as_a_whole(stock: Stock) -> None:
    text = "字" * (QUOTE_CODE_POINTS_MAX + 10)
    version = stock.add(PAGE, text)

    async def body(stubs: Stubs) -> None:
        refs = [format_ref(version, 0, len(text) - number) for number in range(RESOLVE_REFS_MAX)]
        answer = await stubs.citation.ResolveCitations(
            pb.ResolveCitationsRequest(game_id=GAME, refs=refs)
        )
        assert answer.ByteSize() < MESSAGE_BYTES_MAX
        assert (
            sum(len(result.citation.quote.encode()) for result in answer.results)
            <= QUOTES_BYTES_MAX
        )
        for number, result in enumerate(answer.results):
            assert result.citation.quote_cut
            assert result.citation.quote_hash == hash_of(text[: len(text) - number].encode())
        one = await stubs.citation.ResolveCitations(
            pb.ResolveCitationsRequest(game_id=GAME, refs=refs[:1])
        )
        assert len(one.results[0].citation.quote) == QUOTE_CODE_POINTS_MAX

    over_socket(stock, body)


def test_batches_are_bounded(stock: Stock) -> None:
    stock.add(PAGE, "text")

    async def body(stubs: Stubs) -> None:
        resolve = stubs.citation.ResolveCitations
        empty = await refused(resolve(pb.ResolveCitationsRequest(game_id=GAME)))
        assert empty == ("INVALID_ARGUMENT", "BATCH_EMPTY", "refs")
        many = pb.ResolveCitationsRequest(game_id=GAME, refs=["x"] * (RESOLVE_REFS_MAX + 1))
        assert (await refused(resolve(many)))[1] == "FIELD_TOO_MANY_VALUES"

    over_socket(stock, body)


@given(st.integers(0, 10**11), st.integers(0, 10**11))
def test_refs_read_back(start: int, end: int) -> None:
    ref = parse_ref(format_ref(VERSION, start, end))
    assert ref is not None
    assert (ref.version_id, ref.span) == (VERSION, (start, end))


@given(st.text(max_size=70))
def test_any_text_is_a_ref_or_none(text: str) -> None:
    ref = parse_ref(text)
    assert ref is None or ref.version_id.startswith("ver-")


@pytest.mark.parametrize(
    "text",
    ["", "v-", VERSION.upper(), f"{VERSION}#", f"{VERSION}#1", f"{VERSION}#1-", f"{VERSION}#-1",
     f"{VERSION}#01-2", f"{VERSION}#1-2 ", f" {VERSION}", f"{VERSION}#١-٢", f"{VERSION}#1-2#3-4",
     "src-0123456789abcdefghjk", f"{VERSION}#{10**12}-{10**12}"],
)  # fmt: skip
def test_what_is_no_ref(text: str) -> None:
    assert parse_ref(text) is None
