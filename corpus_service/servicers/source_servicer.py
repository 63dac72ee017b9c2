"""SourceService."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, Final, Protocol

import grpc

from corpus_service.domain.queries import SourcePosition
from corpus_service.servicers.chunk_calls import ChunkCalls
from corpus_service.servicers.conversions import (
    observation_message,
    source_message,
    version_message,
)
from corpus_service.servicers.deletion_calls import DeletionCalls
from corpus_service.servicers.difference_calls import DifferenceCalls
from corpus_service.servicers.execution import ReadPool
from corpus_service.servicers.filters import require_game, source_filter, source_ordering
from corpus_service.servicers.paging import Pager
from corpus_service.servicers.reading_messages import (
    document_message,
    document_request,
)
from corpus_service.servicers.refresh_calls import RefreshCalls
from corpus_service.servicers.run_calls import RunCalls
from corpus_service.services.deletion import DeletionStore
from corpus_service.services.failures import invalid
from corpus_service.services.locating import SourceLocator
from corpus_service.services.raw_content import (
    ContentLocator,
    RawContent,
    RawContentStore,
    RawContentUseCase,
)
from corpus_service.services.reading import ReadingUseCase
from sourcecorpus.corpus.v1 import (
    chunks_pb2,
    deletion_pb2,
    differences_pb2,
    refresh_pb2,
    run_links_pb2,
    source_service_pb2,
    source_service_pb2_grpc,
)
from sourcecorpus.rpc.limits import (
    LIST_PAGE_SIZE_DEFAULT,
    LIST_PAGE_SIZE_MAX,
)
from sourcecorpus.rpc.page_tokens import PageTokenSigner, page_size

SERVICE: Final = "sourcecorpus.corpus.v1.SourceService"
Context = grpc.aio.ServicerContext[Any, Any]


class SourceStore(RawContentStore, DeletionStore, Protocol):
    """What the service needs of a store."""


class SourceServicer(source_service_pb2_grpc.SourceServiceServicer):
    """Lists and reads sources."""

    def __init__(
        self,
        store: SourceStore,
        runs: RunCalls,
        refreshes: RefreshCalls,
        signer: PageTokenSigner,
        pool: ReadPool,
    ) -> None:
        self._refreshes = refreshes
        self._runs = runs
        self._store = store
        self._reading = ReadingUseCase(store)
        self._raw = RawContentUseCase(store)
        self._sources_pager = Pager(signer, f"/{SERVICE}/ListSources")
        self._versions_pager = Pager(signer, f"/{SERVICE}/ListVersions")
        self._chunks = ChunkCalls(store, signer)
        self._differences = DifferenceCalls(store, signer)
        self._deletion = DeletionCalls(store, pool)
        self._pool = pool

    async def ListSources(  # noqa: N802 - name of the contract
        self, request: source_service_pb2.ListSourcesRequest, context: Context
    ) -> source_service_pb2.ListSourcesResponse:
        """Lists sources in an order; see the contract."""
        del context
        require_game(request.game_id)
        return await self._pool.run(self._list_sources, request)

    async def GetSource(  # noqa: N802 - name of the contract
        self, request: source_service_pb2.GetSourceRequest, context: Context
    ) -> source_service_pb2.GetSourceResponse:
        """Reads one source; see the contract."""
        del context
        game_id = require_game(request.game_id)
        locator = SourceLocator(source_id=request.source_id, uri=request.uri)
        source, observations = await self._pool.run(self._reading.get_source, game_id, locator)
        return source_service_pb2.GetSourceResponse(
            source=source_message(source),
            observations=[observation_message(observation) for observation in observations],
        )

    async def ListVersions(  # noqa: N802 - name of the contract
        self, request: source_service_pb2.ListVersionsRequest, context: Context
    ) -> source_service_pb2.ListVersionsResponse:
        """Lists versions of a source, newest first; see the contract."""
        del context
        require_game(request.game_id)
        return await self._pool.run(self._list_versions, request)

    async def GetVersion(  # noqa: N802 - name of the contract
        self, request: source_service_pb2.GetVersionRequest, context: Context
    ) -> source_service_pb2.GetVersionResponse:
        """Reads the facts of exactly one version; see the contract."""
        del context
        game_id = require_game(request.game_id)
        # A look-up by key: shorter than the way to a thread.
        version = self._reading.get_version(game_id, request.version_id)
        return source_service_pb2.GetVersionResponse(
            version=version_message(version, with_extraction=True)
        )

    async def ReadDocument(  # noqa: N802 - name of the contract
        self, request: source_service_pb2.ReadDocumentRequest, context: Context
    ) -> source_service_pb2.ReadDocumentResponse:
        """Reads exact lines of one version; see the contract."""
        del context
        game_id = require_game(request.game_id)
        part = await self._pool.run(self._reading.read_document, game_id, document_request(request))
        return document_message(request, part)

    async def ListChunks(  # noqa: N802 - name of the contract
        self, request: chunks_pb2.ListChunksRequest, context: Context
    ) -> chunks_pb2.ListChunksResponse:
        """Lists the chunks of a version; see the contract."""
        del context
        return await self._pool.run(self._chunks.list, request)

    async def DiffVersions(  # noqa: N802 - name of the contract
        self, request: differences_pb2.DiffVersionsRequest, context: Context
    ) -> differences_pb2.DiffVersionsResponse:
        """Compares two versions; see the contract."""
        del context
        return await self._pool.run(self._differences.compare, request)

    async def ListCitingRuns(  # noqa: N802 - name of the contract
        self, request: run_links_pb2.ListCitingRunsRequest, context: Context
    ) -> run_links_pb2.ListCitingRunsResponse:
        """Lists the runs that used a source; see the contract."""
        del context
        return await self._pool.run(self._runs.list_runs, request)

    async def ReadRawContent(  # noqa: N802 - name of the contract
        self, request: source_service_pb2.ReadRawContentRequest, context: Context
    ) -> AsyncIterator[source_service_pb2.ReadRawContentResponse]:
        """Sends stored bytes exactly, then their hash; see the contract."""
        del context
        game_id = require_game(request.game_id)
        locator = ContentLocator(
            version_id=request.version_id,
            artifact_id=request.artifact_id,
            content_hash=request.content_hash,
            envelope_id=request.envelope_id,
        )
        content: RawContent = await self._pool.run(
            self._raw.open, game_id, locator, offset=request.offset, length=request.length
        )
        async with aclosing(self._pool.ahead(content.pieces)) as pieces:
            async for data in pieces:
                yield source_service_pb2.ReadRawContentResponse(data=data)
        yield source_service_pb2.ReadRawContentResponse(
            content_hash=content.facts.content_hash,
            size_bytes=content.facts.size_bytes,
            content_type=content.facts.content_type,
        )

    async def DeleteSource(  # noqa: N802 - name of the contract
        self, request: deletion_pb2.DeleteSourceRequest, context: Context
    ) -> deletion_pb2.DeleteSourceResponse:
        """Deletes a source or a version; see the contract."""
        del context
        return await self._deletion.delete_source(request)

    async def RequestRefresh(  # noqa: N802 - name of the contract
        self, request: refresh_pb2.RequestRefreshRequest, context: Context
    ) -> refresh_pb2.RequestRefreshResponse:
        """Asks for sources to be captured again; see the contract."""
        del context
        return await self._pool.run(self._refreshes.ask, request)

    async def ListRefreshRequests(  # noqa: N802 - name of the contract
        self, request: refresh_pb2.ListRefreshRequestsRequest, context: Context
    ) -> refresh_pb2.ListRefreshRequestsResponse:
        """Lists refresh requests, newest first; see the contract."""
        del context
        return await self._pool.run(self._refreshes.list, request)

    def _list_sources(
        self, request: source_service_pb2.ListSourcesRequest
    ) -> source_service_pb2.ListSourcesResponse:
        size = page_size(request.page_size, LIST_PAGE_SIZE_DEFAULT, LIST_PAGE_SIZE_MAX)
        narrowing, ordering = source_filter(request), source_ordering(request)
        snapshot = self._store.snapshot(request.game_id)
        page = self._sources_pager.begin(request, request.page_token, request.game_id, snapshot)
        match page.position:
            case None:
                after = None
            case (int() | str() as value, int(row)):
                after = SourcePosition(value, row)
            case _:
                raise invalid("PAGE_TOKEN_INVALID", "page_token")
        found = self._reading.list_sources(
            request.game_id, narrowing, ordering, limit=size + 1, after=after, as_of=page.as_of
        )
        response = source_service_pb2.ListSourcesResponse(
            sources=[source_message(source) for source, _ in found[:size]]
        )
        if len(found) > size:
            last = found[size - 1][1]
            response.next_page_token = self._sources_pager.token(
                request, request.game_id, page, (last.value, last.row)
            )
        return response

    def _list_versions(
        self, request: source_service_pb2.ListVersionsRequest
    ) -> source_service_pb2.ListVersionsResponse:
        size = page_size(request.page_size, LIST_PAGE_SIZE_DEFAULT, LIST_PAGE_SIZE_MAX)
        snapshot = self._store.snapshot(request.game_id)
        page = self._versions_pager.begin(request, request.page_token, request.game_id, snapshot)
        match page.position:
            case None:
                after = 0
            case (int(after),):
                pass
            case _:
                raise invalid("PAGE_TOKEN_INVALID", "page_token")
        found = self._reading.list_versions(
            request.game_id,
            SourceLocator(source_id=request.source_id, uri=request.uri),
            limit=size + 1,
            after=after,
            as_of=page.as_of,
        )
        response = source_service_pb2.ListVersionsResponse(
            versions=[version_message(version, with_extraction=True) for version, _ in found[:size]]
        )
        if len(found) > size:
            response.next_page_token = self._versions_pager.token(
                request, request.game_id, page, (found[size - 1][1],)
            )
        return response
