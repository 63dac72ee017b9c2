"""Selections of ReadDocument over a real socket: around, ranges, whole lines, the expected version, proof."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import grpc
import pytest

from sourcecorpus.corpus.v1 import source_service_pb2 as pb
from sourcecorpus.rpc.failures import Failure
from sourcecorpus.rpc.status import failure_from_rpc_error
from tests.reading.stocked import BACKENDS, GAME, Stock, Stubs, hash_of, over_socket, stocks

PAGE = "https://example.org/page"
TEN = "".join(f"line {number}\n" for number in range(1, 11))


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


async def read(stubs: Stubs, **fields: Any) -> pb.ReadDocumentResponse:
    return await stubs.source.ReadDocument(pb.ReadDocumentRequest(game_id=GAME, **fields))


async def failure_of(stubs: Stubs, **fields: Any) -> Failure:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await read(stubs, **fields)
    return failure_from_rpc_error(caught.value)


async def pages(stubs: Stubs, **fields: Any) -> list[list[str]]:
    """Texts of lines, page by page, each continuation sent back as it is."""
    answer = await read(stubs, **fields)
    found = [[line.text for line in answer.lines]]
    while answer.HasField("continuation"):
        assert len(found) < 50
        answer = await stubs.source.ReadDocument(answer.continuation)
        found.append([line.text for line in answer.lines])
    return found


@pytest.mark.parametrize(
    ("selection", "first", "last"),
    [
        ({"around": {"line": 1}}, 1, 4),
        ({"around": {"line": 5}}, 2, 8),
        ({"around": {"line": 5, "before": 0, "after": 1}}, 5, 6),
        ({"around": {"line": 10, "before": 4_000_000_000}}, 1, 10),
        ({"range": {"first": 5, "last": 999}}, 5, 10),
        ({"range": {"first": 2, "last": 3}}, 2, 3),
    ],
)
def test_lines_of_a_selection(
    stock: Stock, selection: dict[str, Any], first: int, last: int
) -> None:
    version = stock.add(PAGE, TEN)

    async def body(stubs: Stubs) -> None:
        for limits in ({}, {"max_lines": 2}, {"max_chars": 9}):
            found = await pages(stubs, version_id=version, **limits, **selection)
            joined = "".join("".join(page) for page in found)
            assert joined == "".join(f"line {number}" for number in range(first, last + 1))
        whole = await read(stubs, version_id=version, **selection)
        assert [line.number for line in whole.lines] == list(range(first, last + 1))
        assert not whole.HasField("continuation")

    over_socket(stock, body)


@pytest.mark.parametrize(
    ("selection", "field"),
    [
        ({"around": {"line": 0}}, "around.line"),
        ({"around": {"line": 11}}, "around.line"),
        ({"around": {"line": (1 << 64) - 1}}, "around.line"),
        ({"range": {"first": 11, "last": 12}}, "range.first"),
        ({"range": {"first": 0, "last": 12}}, "range.first"),
    ],
)
def test_lines_that_are_not_there_are_out_of_range(
    stock: Stock, selection: dict[str, Any], field: str
) -> None:
    version = stock.add(PAGE, TEN)

    async def body(stubs: Stubs) -> None:
        failure = await failure_of(stubs, version_id=version, **selection)
        assert (failure.reason, failure.field) == ("LINE_OUT_OF_RANGE", field)
        assert failure.code.name == "OUT_OF_RANGE"
        assert failure.metadata["line_count"] == "10"

    over_socket(stock, body)


@pytest.mark.parametrize(
    ("fields", "reason", "field"),
    [
        ({"first_line": 1, "around": {"line": 1}}, "FIELDS_CONFLICT", "first_line"),
        ({"first_line_offset": 1, "around": {"line": 1}}, "FIELDS_CONFLICT", "first_line_offset"),
        ({"first_line_offset": 1, "line_only": True}, "FIELDS_CONFLICT", "first_line_offset"),
        ({"range": {"first": 3, "last": 2}}, "SPAN_OUT_OF_RANGE", "range.last"),
        ({"range": {"first": 0, "last": 0}}, "SPAN_OUT_OF_RANGE", "range.last"),
    ],
)
def test_selections_that_contradict_themselves(
    stock: Stock, fields: dict[str, Any], reason: str, field: str
) -> None:
    version = stock.add(PAGE, TEN)

    async def body(stubs: Stubs) -> None:
        failure = await failure_of(stubs, version_id=version, **fields)
        assert (failure.reason, failure.field) == (reason, field)
        assert failure.code.name == "INVALID_ARGUMENT"

    over_socket(stock, body)


def test_ten_ten_and_five_lines(stock: Stock) -> None:
    text = "\n".join(f"line {number}" for number in range(1, 26))
    stock.add(PAGE, text)

    async def body(stubs: Stubs) -> None:
        found = await pages(stubs, canonical_uri=PAGE, max_lines=10)
        assert [len(page) for page in found] == [10, 10, 5]
        assert "\n".join(line for page in found for line in page) == text

    over_socket(stock, body)


def test_a_long_line_comes_in_parts_or_is_refused(stock: Stock) -> None:
    line = "字" * 120_000
    version = stock.add(PAGE, f"short\n{line}\nend")

    async def body(stubs: Stubs) -> None:
        found = await pages(stubs, version_id=version, max_chars=12_000, first_line=2)
        assert all(page and page[0] for page in found)
        assert "".join("".join(page) for page in found) == line + "end"
        whole = await read(stubs, version_id=version, max_chars=12_000, line_only=True)
        assert [got.text for got in whole.lines] == ["short"]
        assert whole.span.end == len("short\n")
        assert whole.continuation.line_only
        assert whole.continuation.first_line == 2
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stubs.source.ReadDocument(whole.continuation)
        failure = failure_from_rpc_error(caught.value)
        assert (failure.code.name, failure.reason) == ("RESOURCE_EXHAUSTED", "LINE_TOO_LONG")
        assert failure.metadata["needed_characters"] == "120000"
        rest = await read(
            stubs, version_id=version, max_chars=120_000, line_only=True, first_line=2
        )
        assert [len(got.text) for got in rest.lines] == [120_000]
        assert rest.continuation.first_line == 3

    over_socket(stock, body)


def test_a_line_that_no_limit_lets_through_says_so(stock: Stock) -> None:
    version = stock.add(PAGE, "x" * 200_001)

    async def body(stubs: Stubs) -> None:
        failure = await failure_of(stubs, version_id=version, line_only=True)
        assert failure.reason == "LINE_TOO_LONG"
        assert failure.metadata["longest_characters"] == "200000"
        assert "needed_characters" not in failure.metadata

    over_socket(stock, body)


def test_a_version_that_is_not_the_expected_one_is_not_read(stock: Stock) -> None:
    old = stock.add(PAGE, "one\ntwo\nold third")
    new = stock.add(PAGE, "one\ntwo\nnew third")

    async def body(stubs: Stubs) -> None:
        third = {"range": {"first": 3, "last": 3}}
        answer = await read(stubs, version_id=old, **third)
        assert answer.lines[0].text == "old third"
        assert answer.version.text_hash == hash_of(b"one\ntwo\nold third")
        answer = await read(stubs, canonical_uri=PAGE, expected_version_id=new, **third)
        assert answer.lines[0].text == "new third"
        failure = await failure_of(stubs, canonical_uri=PAGE, expected_version_id=old)
        assert (failure.code.name, failure.reason) == ("ABORTED", "VERSION_MOVED")
        assert failure.metadata["current_version_id"] == new

    over_socket(stock, body)


@pytest.mark.parametrize("text", ["one", "one\n", "one\n\n", "字\n🗡"])
def test_whole_texts_are_proven_whatever_their_ends_are(stock: Stock, text: str) -> None:
    version = stock.add(PAGE, text)

    async def body(stubs: Stubs) -> None:
        answer = await read(stubs, version_id=version)
        assert answer.span.end == len(text)
        assert answer.version.text_hash == hash_of(text.encode())

    over_socket(stock, body)


def test_a_text_that_changed_on_the_disk_is_not_served(tmp_path: Path) -> None:
    for stock in stocks("sqlite", tmp_path):
        version = stock.add(PAGE, "cold iron ends every ward")
    (path,) = (tmp_path / "games").glob("*.db")
    connection = apsw.Connection(str(path))
    connection.execute("update source_chunks set text = replace(text, 'iron', 'irom')")
    assert connection.changes() == 1
    connection.close()
    for stock in stocks("sqlite", tmp_path):

        async def body(stubs: Stubs) -> None:
            failure = await failure_of(stubs, version_id=version)
            assert (failure.code.name, failure.reason) == ("DATA_LOSS", "STORED_HASH_MISMATCH")
            assert failure.metadata["expected"] == hash_of(b"cold iron ends every ward")
            assert failure.metadata["actual"] == hash_of(b"cold irom ends every ward")

        over_socket(stock, body)
