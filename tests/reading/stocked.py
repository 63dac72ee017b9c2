"""A store filled with texts, and a real server over it, for the tests of reading and searching."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest

from corpus_service.bootstrap import PREPARATION, add_services
from corpus_service.chunking import ChunkFormat, chunk_text
from corpus_service.domain.games import Game
from corpus_service.domain.records import CapturedSource, CaptureRecord, Content
from corpus_service.domain.vocabulary import Completeness, IngestStatus, SourceRole
from corpus_service.search.preparation import prepare_for_index
from corpus_service.settings import CorpusSettings
from corpus_service.storage.interface import CorpusStore
from corpus_service.storage.memory import MemoryStore
from corpus_service.storage.pieces import compress_content
from corpus_service.storage.preparation import (
    PreparedChunk,
    PreparedContent,
    PreparedRecord,
    PreparedSource,
    PreparedText,
    prepared_heading,
)
from corpus_service.storage.sqlite import SqliteStore
from sourcecorpus.corpus.v1 import (
    citation_service_pb2_grpc,
    discovery_service_pb2_grpc,
    game_service_pb2_grpc,
    search_service_pb2_grpc,
    source_service_pb2_grpc,
)
from sourcecorpus.identity import canonicalise
from sourcecorpus.rpc.addresses import Address
from sourcecorpus.rpc.page_tokens import KEY_BYTES, PageTokenSigner
from sourcecorpus.rpc.runtime_settings import RuntimeSettings
from sourcecorpus.rpc.server import ServiceServer
from sourcecorpus.rpc.status import failure_from_rpc_error

GAME = "g1"
BACKENDS = ("sqlite", "memory")
SECOND = 1_000_000_000


def hash_of(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


@dataclass
class Stock:
    """A store and a clock of whole seconds that moves with every capture."""

    store: CorpusStore
    captures: int = 0
    games: set[str] = field(default_factory=set)

    def add(self, uri: str, text: str, *, title: str = "", game: str = GAME, **facts: Any) -> str:
        """Captures a text and returns its version id ("" where it has none)."""
        return self.ingest(uri, text.encode(), text, title=title, game=game, **facts)

    def ingest(
        self,
        uri: str,
        data: bytes,
        text: str,
        *,
        title: str = "",
        game: str = GAME,
        probe: bool = False,
        run_id: str = "",
        **facts: Any,
    ) -> str:
        if game not in self.games:
            self.store.create_game(Game(game))
            self.games.add(game)
        self.captures += 1
        source = self._source(uri, title, data, **facts)
        versions = self._submit([source], [data], [text], game, probe=probe, run_id=run_id)
        return versions[0] if versions else ""

    def job(
        self, uri: str, title: str, pages: Sequence[tuple[str, str, str]], *, game: str = GAME
    ) -> list[str]:
        """Captures a job with its pages (address, title, text); returns the versions of the pages."""
        if game not in self.games:
            self.store.create_game(Game(game))
            self.games.add(game)
        self.captures += 1
        manifest = " ".join(address for address, _, _ in pages)
        job = self._source(
            uri,
            title,
            manifest.encode(),
            family="crawl_job",
            kind="crawl",
            role=SourceRole.ARTIFACT,
        )
        sources = [job] + [
            self._source(address, name, text.encode(), parent_position=1)
            for address, name, text in pages
        ]
        texts = [manifest, *(text for _, _, text in pages)]
        return self._submit(sources, [text.encode() for text in texts], texts, game)[1:]

    def _source(self, uri: str, title: str, data: bytes, **facts: Any) -> CapturedSource:
        return CapturedSource(
            canonical_uri=canonicalise(uri).value,
            title=title,
            content_hash=hash_of(data),
            **{
                "family": "page",
                "kind": "page",
                "role": SourceRole.DOCUMENT,
                "completeness": Completeness.FULL,
                "content_type": "text/plain",
                "fetched_time": self.captures * SECOND,
                **facts,
            },
        )

    def _submit(
        self,
        sources: Sequence[CapturedSource],
        contents: Sequence[bytes],
        texts: Sequence[str],
        game: str,
        **facts: Any,
    ) -> list[str]:
        now = self.captures * SECOND
        by_hash = {hash_of(data): data for data in contents}
        record = CaptureRecord(
            game_id=game,
            envelope_id=f"env-{self.captures}",
            envelope_fingerprint=hash_of(str(self.captures).encode()),
            tool_name="web_extract",
            finished_time=now,
            received_time=now,
            result_hash=sources[0].content_hash,
            result_media_type="text/plain",
            sources=tuple(sources),
            contents=tuple(Content(name, len(data), data) for name, data in by_hash.items()),
            **facts,
        )
        prepared = PreparedRecord(
            record=record,
            contents=tuple(
                PreparedContent(name, len(data), compress_content(data))
                for name, data in by_hash.items()
            ),
            sources=tuple(
                PreparedSource(text=_prepared(text, source.title))
                for source, text in zip(sources, texts, strict=True)
            ),
            committed_time=now,
        )
        result = self.store.submit(game, prepared).result(timeout=20)
        assert result.status is IngestStatus.COMMITTED
        return [source.version_id for source in result.sources]


def _prepared(text: str, title: str) -> PreparedText:
    chunks = []
    for chunk in chunk_text(text, format=ChunkFormat.MARKDOWN):
        part = text[chunk.start : chunk.end]
        chunks.append(
            PreparedChunk(
                start=chunk.start,
                end=chunk.end,
                first_line=text.count("\n", 0, chunk.start) + 1,
                heading_path=json.dumps(list(chunk.heading_path)),
                text=part,
                token_count=chunk.token_count,
                prepared_heading=prepared_heading(
                    prepare_for_index, title, list(chunk.heading_path)
                ),
                prepared_text=prepare_for_index(part),
            )
        )
    return PreparedText(
        extractor="plain",
        extractor_version="1",
        text_hash=hash_of(text.encode()),
        text_length=len(text),
        line_count=text.count("\n") + (not text.endswith("\n")) if text else 0,
        chunks=chunks,
        title=title,
        language="en",
    )


def stocks(kind: str, folder: Path) -> Iterator[Stock]:
    """Opens a stock over a backend for the length of a test."""
    store: CorpusStore = MemoryStore() if kind == "memory" else SqliteStore(folder, PREPARATION)
    try:
        yield Stock(store)
    finally:
        store.close()


@dataclass(frozen=True)
class Stubs:
    """Stubs of every service over one channel."""

    search: search_service_pb2_grpc.SearchServiceAsyncStub
    source: source_service_pb2_grpc.SourceServiceAsyncStub
    citation: citation_service_pb2_grpc.CitationServiceAsyncStub
    game: game_service_pb2_grpc.GameServiceAsyncStub
    discovery: discovery_service_pb2_grpc.DiscoveryServiceAsyncStub


@asynccontextmanager
async def serving(store: CorpusStore) -> AsyncIterator[Stubs]:
    """A real server on a loopback socket, with stubs that reach it."""
    server = ServiceServer(RuntimeSettings(drain_seconds=0.1))
    address = server.bind(Address("127.0.0.1", 0))
    add_services(server, store, PageTokenSigner(b"k" * KEY_BYTES), CorpusSettings(read_threads=2))
    await server.start()
    try:
        async with grpc.aio.insecure_channel(str(address)) as channel:
            stub: Any = channel
            yield Stubs(
                search_service_pb2_grpc.SearchServiceStub(stub),
                source_service_pb2_grpc.SourceServiceStub(stub),
                citation_service_pb2_grpc.CitationServiceStub(stub),
                game_service_pb2_grpc.GameServiceStub(stub),
                discovery_service_pb2_grpc.DiscoveryServiceStub(stub),
            )
    finally:
        await server.drain()


def over_socket(stock: Stock, body: Callable[[Stubs], Awaitable[None]]) -> None:
    async def run() -> None:
        async with serving(stock.store) as stubs:
            await body(stubs)

    asyncio.run(run())


async def refused(call: Awaitable[Any]) -> tuple[str, str, str]:
    """Code, reason and field of a call that is refused."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    failure = failure_from_rpc_error(caught.value)
    return caught.value.code().name, failure.reason, failure.field
