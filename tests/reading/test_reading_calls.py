"""SourceService over a real socket: exact versions, exact lines, exact bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from corpus_service.domain.vocabulary import SourceRole
from corpus_service.services.refs import format_ref
from sourcecorpus.corpus.v1 import source_service_pb2 as pb
from sourcecorpus.identity import source_id as source_id_of
from sourcecorpus.rpc.limits import DATA_FRAME_BYTES_MAX, READ_LINES_MAX
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


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def test_versions_of_a_page_that_changed_back(stock: Stock) -> None:
    first = stock.add(PAGE, "A")
    second = stock.add(PAGE, "B")
    third = stock.add(PAGE, "A")
    assert first == third != second

    async def body(stubs: Stubs) -> None:
        listed = await stubs.source.ListVersions(pb.ListVersionsRequest(game_id=GAME, uri=PAGE))
        assert {version.version_id for version in listed.versions} == {first, second}
        assert [version.current for version in listed.versions].count(True) == 1
        got = await stubs.source.GetVersion(pb.GetVersionRequest(game_id=GAME, version_id=first))
        assert got.version.current
        assert got.version.text_hash == hash_of(b"A")
        source = await stubs.source.GetSource(
            pb.GetSourceRequest(
                game_id=GAME, uri="HTTPS://EXAMPLE.org:443/a/../page?utm_source=x#y"
            )
        )
        assert source.source.current_version_id == first
        assert len(source.observations) == 3

    over_socket(stock, body)


def test_pages_of_versions_and_sources_join(stock: Stock) -> None:
    for number in range(7):
        stock.add(PAGE, f"text {number}")
        stock.add(f"https://example.org/{number}", "text")

    async def body(stubs: Stubs) -> None:
        versions: list[str] = []
        sources: list[str] = []
        request = pb.ListVersionsRequest(game_id=GAME, uri=PAGE, page_size=3)
        while True:
            listed = await stubs.source.ListVersions(request)
            versions += [version.version_id for version in listed.versions]
            request.page_token = listed.next_page_token
            if not listed.next_page_token:
                break
            stock.add(PAGE, f"later {len(versions)}")
        assert len(versions) == len(set(versions)) == 7
        asked = pb.ListSourcesRequest(game_id=GAME, page_size=3)
        while True:
            page = await stubs.source.ListSources(asked)
            sources += [source.canonical_uri for source in page.sources]
            asked.page_token = page.next_page_token
            if not page.next_page_token:
                break
            stock.add(f"https://example.org/late-{len(sources)}", "text")
        assert len(sources) == len(set(sources)) == 8

    over_socket(stock, body)


def test_lines_by_every_locator(stock: Stock) -> None:
    old = stock.add(PAGE, "one\ntwo\nthree\n")
    new = stock.add(PAGE, "eins\nzwei\n")

    async def body(stubs: Stubs) -> None:
        async def lines(**locator: Any) -> tuple[str, list[str]]:
            answer = await stubs.source.ReadDocument(
                pb.ReadDocumentRequest(game_id=GAME, **locator)
            )
            return answer.version.version_id, [line.text for line in answer.lines]

        assert await lines(version_id=old) == (old, ["one", "two", "three"])
        assert await lines(canonical_uri=PAGE + "#part") == (new, ["eins", "zwei"])
        assert await lines(source_id=source_id_of(GAME, PAGE)) == (new, ["eins", "zwei"])
        ref = f"v-{old.removeprefix('ver-')}#4-7"
        assert await lines(citation=ref) == (old, ["two", "three"])
        assert await lines(citation=ref, first_line=1, max_lines=1) == (old, ["one"])

    over_socket(stock, body)


@pytest.mark.parametrize(("max_lines", "max_chars"), [(1, 0), (2, 0), (3, 7), (0, 1), (0, 50)])
def test_continuations_join_to_the_whole_text(stock: Stock, max_lines: int, max_chars: int) -> None:
    text = "first line\n\n" + "字" * 40 + "😀\nlast"
    version = stock.add(PAGE, text)

    async def body(stubs: Stubs) -> None:
        joined = ""
        request = pb.ReadDocumentRequest(
            game_id=GAME, canonical_uri=PAGE, max_lines=max_lines, max_chars=max_chars
        )
        for _ in range(200):
            answer = await stubs.source.ReadDocument(request)
            assert answer.span.start == len(joined)
            joined += text[answer.span.start : answer.span.end]
            for line in answer.lines:
                assert text[line.offset : line.offset + len(line.text)] == line.text
            assert answer.ref == format_ref(version, answer.span.start, len(joined))
            if not answer.HasField("continuation"):
                break
            request = answer.continuation
            assert request.version_id == version
            # The continuation stays with its version, whatever becomes current.
            stock.add(PAGE, f"changed {len(joined)}")
        assert joined == text

    over_socket(stock, body)


def test_reading_refuses_with_reason_and_field(stock: Stock) -> None:
    version = stock.add(PAGE, "one\ntwo")
    probe = stock.add("https://example.org/probe", "secret probe", probe=True)
    failed = stock.add("https://example.org/failed", "an error page", role=SourceRole.FAILED)
    ref = f"v-{version.removeprefix('ver-')}"

    async def body(stubs: Stubs) -> None:
        async def read(**fields: Any) -> tuple[str, str, str]:
            request = pb.ReadDocumentRequest(**{"game_id": GAME, **fields})
            return await refused(stubs.source.ReadDocument(request))

        invalid = "INVALID_ARGUMENT"
        assert await read() == (invalid, "LOCATOR_REQUIRED", "locator")
        assert await read(game_id="") == (invalid, "FIELD_REQUIRED", "game_id")
        assert await read(game_id="g9", version_id=version) == (
            "NOT_FOUND",
            "UNKNOWN_GAME",
            "game_id",
        )
        assert await read(version_id="ver-none") == ("NOT_FOUND", "VERSION_NOT_FOUND", "version_id")
        for hidden in (probe, failed):
            if hidden:
                assert (await read(version_id=hidden))[0] == "NOT_FOUND"
        assert await read(canonical_uri="https://example.org/probe") == (
            "NOT_FOUND", "SOURCE_NOT_FOUND", "canonical_uri",
        )  # fmt: skip
        assert await read(citation="nonsense") == (invalid, "INVALID_REF", "citation")
        assert await read(citation=f"{ref}#5-99") == (invalid, "SPAN_OUT_OF_RANGE", "citation")
        far = (1 << 64) - 1
        assert await read(version_id=version, first_line=3) == (
            invalid, "SPAN_OUT_OF_RANGE", "first_line",
        )  # fmt: skip
        assert (await read(version_id=version, first_line=far))[1] == "SPAN_OUT_OF_RANGE"
        assert (await read(version_id=version, first_line_offset=far))[1] == "SPAN_OUT_OF_RANGE"

    over_socket(stock, body)


def test_limits_of_reading(stock: Stock) -> None:
    version = stock.add(PAGE, "x\n" * (READ_LINES_MAX + 10))

    async def body(stubs: Stubs) -> None:
        answer = await stubs.source.ReadDocument(
            pb.ReadDocumentRequest(game_id=GAME, version_id=version, max_lines=(1 << 32) - 1)
        )
        assert len(answer.lines) == READ_LINES_MAX
        assert answer.continuation.first_line == READ_LINES_MAX + 1

    over_socket(stock, body)


async def raw_bytes(stubs: Stubs, **fields: Any) -> tuple[bytes, pb.ReadRawContentResponse]:
    data = b""
    last = pb.ReadRawContentResponse()
    async for message in stubs.source.ReadRawContent(
        pb.ReadRawContentRequest(game_id=GAME, **fields)
    ):
        assert len(message.data) <= DATA_FRAME_BYTES_MAX
        data += message.data
        last = message
    return data, last


@pytest.mark.parametrize(
    "data",
    [b"", b"\x00\xff\xfe", b"\xef\xbb\xbfBOM\r\n", bytes(range(256)) * 4_000],
    ids=["empty", "binary", "bom", "large"],
)
def test_raw_bytes_come_back_exactly(stock: Stock, data: bytes) -> None:
    text = "text " + hashlib.sha256(data).hexdigest()
    version = stock.ingest(PAGE, data, text)

    async def body(stubs: Stubs) -> None:
        got, last = await raw_bytes(stubs, content_hash=hash_of(data))
        assert got == data
        assert (last.content_hash, last.size_bytes, last.data) == (hash_of(data), len(data), b"")
        if version:
            assert (await raw_bytes(stubs, version_id=version))[0] == data
        assert (await raw_bytes(stubs, envelope_id="env-1"))[0] == data
        for offset, length in ((0, 1), (1, 5), (262_143, 2), (len(data), 9), ((1 << 64) - 1, 1)):
            ranged, end = await raw_bytes(
                stubs, content_hash=hash_of(data), offset=offset, length=length
            )
            assert ranged == data[offset : offset + length]
            assert end.content_hash == hash_of(data)

    over_socket(stock, body)


def test_raw_content_refuses_with_reason(stock: Stock) -> None:
    stock.add(PAGE, "text")

    async def body(stubs: Stubs) -> None:
        async def raw(**fields: Any) -> tuple[str, str, str]:
            return await refused(raw_bytes(stubs, **fields))

        assert (await raw())[1] == "LOCATOR_REQUIRED"
        assert await raw(content_hash="md5:1") == (
            "INVALID_ARGUMENT",
            "INVALID_HASH",
            "content_hash",
        )
        assert (await raw(content_hash=hash_of(b"nobody")))[:2] == (
            "NOT_FOUND",
            "CONTENT_NOT_FOUND",
        )
        assert (await raw(artifact_id="art-none"))[0] == "NOT_FOUND"
        assert (await raw(envelope_id="none"))[0] == "NOT_FOUND"
        assert (await raw(version_id="ver-none"))[1] == "VERSION_NOT_FOUND"

    over_socket(stock, body)


def test_damaged_bytes_are_never_served(tmp_path: Path) -> None:
    data = bytes(range(256)) * 2_000
    for stock in stocks("sqlite", tmp_path):
        stock.ingest(PAGE, data, "text")

        async def whole(stubs: Stubs) -> None:
            assert (await raw_bytes(stubs, content_hash=hash_of(data)))[0] == data

        over_socket(stock, whole)
    (path,) = (tmp_path / "games").glob("*.db")
    connection = apsw.Connection(str(path))
    ((rowid, frame),) = connection.execute(
        "select rowid, frame from blob_pieces order by rowid desc limit 1"
    )
    flipped = bytearray(frame)
    flipped[len(flipped) // 2] ^= 1
    connection.execute("update blob_pieces set frame = ? where rowid = ?", (bytes(flipped), rowid))
    connection.close()
    for stock in stocks("sqlite", tmp_path):

        async def damaged(stubs: Stubs) -> None:
            got: list[bytes] = []

            async def read() -> None:
                request = pb.ReadRawContentRequest(game_id=GAME, content_hash=hash_of(data))
                async for message in stubs.source.ReadRawContent(request):
                    got.append(message.data)  # noqa: PERF401 - what came before the failure counts

            assert (await refused(read()))[0] == "DATA_LOSS"
            assert got == []

        over_socket(stock, damaged)
