"""ListChunks over a real socket: the passages of one version, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corpus_service.services.refs import format_ref
from sourcecorpus.corpus.v1 import chunks_pb2 as pb
from sourcecorpus.corpus.v1.source_service_pb2 import ReadDocumentRequest
from tests.reading.stocked import BACKENDS, GAME, Stock, Stubs, over_socket, refused, stocks

PAGE = "https://example.org/page"
TEXT = "".join(f"# Ward {number}\n\n{'Cold iron ends wards. ' * 60}\n\n" for number in range(9))


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


@pytest.mark.parametrize("size", [0, 1, 2, 1_000])
def test_pages_of_chunks_join_to_the_text(stock: Stock, size: int) -> None:
    version = stock.add(PAGE, TEXT)

    async def body(stubs: Stubs) -> None:
        request = pb.ListChunksRequest(game_id=GAME, version_id=version, page_size=size)
        chunks: list[pb.Chunk] = []
        while True:
            page = await stubs.source.ListChunks(request)
            chunks += page.chunks
            assert not size or len(page.chunks) <= size
            request.page_token = page.next_page_token
            if not page.next_page_token:
                break
            # What comes meanwhile belongs to other versions.
            stock.add(PAGE, f"later {len(chunks)}")
        assert "".join(chunk.text for chunk in chunks) == TEXT
        assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
        assert len(chunks) >= 9
        for chunk in chunks:
            assert TEXT[chunk.span.start : chunk.span.end] == chunk.text
            assert chunk.first_line == TEXT.count("\n", 0, chunk.span.start) + 1
            assert chunk.ref == format_ref(version, chunk.span.start, chunk.span.end)
        assert list(chunks[-1].heading_path) == ["Ward 8"]
        read = await stubs.source.ReadDocument(
            ReadDocumentRequest(game_id=GAME, citation=chunks[-1].ref, max_lines=1)
        )
        assert read.lines[0].number == chunks[-1].first_line

    over_socket(stock, body)


def test_listing_chunks_refuses_with_reason_and_field(stock: Stock) -> None:
    version = stock.add(PAGE, TEXT)
    other = stock.add(PAGE, TEXT + "more")

    async def body(stubs: Stubs) -> None:
        async def listed(**fields: Any) -> tuple[str, str, str]:
            request = pb.ListChunksRequest(**{"game_id": GAME, **fields})
            return await refused(stubs.source.ListChunks(request))

        invalid = "INVALID_ARGUMENT"
        assert await listed() == (invalid, "FIELD_REQUIRED", "version_id")
        assert await listed(game_id="", version_id=version) == (
            invalid, "FIELD_REQUIRED", "game_id",
        )  # fmt: skip
        assert await listed(version_id="ver-none") == (
            "NOT_FOUND", "VERSION_NOT_FOUND", "version_id",
        )  # fmt: skip
        assert (await listed(version_id=version, page_size=-1))[0] == invalid
        first = await stubs.source.ListChunks(
            pb.ListChunksRequest(game_id=GAME, version_id=version, page_size=1)
        )
        token = first.next_page_token
        # A token belongs to its version.
        assert (await listed(version_id=other, page_size=1, page_token=token))[:2] == (
            invalid, "PAGE_TOKEN_INVALID",
        )  # fmt: skip

    over_socket(stock, body)
