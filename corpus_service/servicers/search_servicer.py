"""SearchService."""

from __future__ import annotations

from typing import Any, Final, Protocol

import grpc

from corpus_service.servicers.execution import PoolShare, ReadPool
from corpus_service.servicers.find_messages import document_message, find_request, result_kind
from corpus_service.servicers.paging import Pager
from corpus_service.servicers.search_calls import SearchCalls, read_search
from corpus_service.servicers.suggestion_calls import suggest_terms
from corpus_service.services.failures import invalid, precondition
from corpus_service.services.find_text import FindPosition, FindRequest, FindStore, FindTextUseCase
from corpus_service.services.limits import FIND_POOL_PARTS
from corpus_service.services.search import SearchStore
from corpus_service.services.suggestions import SuggestTermsUseCase
from sourcecorpus.corpus.v1 import (
    search_service_pb2,
    search_service_pb2_grpc,
    suggestions_pb2,
)
from sourcecorpus.rpc.page_tokens import PageTokenSigner

SERVICE: Final = "sourcecorpus.corpus.v1.SearchService"
Context = grpc.aio.ServicerContext[Any, Any]


class RetrievalStore(SearchStore, FindStore, Protocol):
    """What the service needs of a store."""


class SearchServicer(search_service_pb2_grpc.SearchServiceServicer):
    """Finds passages."""

    def __init__(self, store: RetrievalStore, signer: PageTokenSigner, pool: ReadPool) -> None:
        self._store = store
        self._search = SearchCalls(store, Pager(signer, f"/{SERVICE}/Search"))
        self._find = FindTextUseCase(store)
        self._suggestions = SuggestTermsUseCase(store)
        self._find_pager = Pager(signer, f"/{SERVICE}/FindText")
        self._pool = pool
        self._finding = PoolShare(pool, max(1, pool.threads // FIND_POOL_PARTS))

    async def Search(  # noqa: N802 - name of the contract
        self, request: search_service_pb2.SearchRequest, context: Context
    ) -> search_service_pb2.SearchResponse:
        """Searches ranked; see the contract."""
        del context
        wanted = read_search(request)
        return await self._pool.run(self._search.answer, request, wanted)

    async def FindText(  # noqa: N802 - name of the contract
        self, request: search_service_pb2.FindTextRequest, context: Context
    ) -> search_service_pb2.FindTextResponse:
        """Finds exact text, exhaustively; see the contract."""
        del context
        wanted = find_request(request)
        return await self._finding.run(self._find_page, request, wanted)

    async def SuggestTerms(  # noqa: N802 - name of the contract
        self, request: suggestions_pb2.SuggestTermsRequest, context: Context
    ) -> suggestions_pb2.SuggestTermsResponse:
        """Suggests words of the corpus; see the contract."""
        del context
        return await self._pool.run(suggest_terms, self._suggestions, request)

    def _find_page(
        self, request: search_service_pb2.FindTextRequest, wanted: FindRequest
    ) -> search_service_pb2.FindTextResponse:
        snapshot = self._store.snapshot(wanted.game_id)
        page = self._find_pager.begin(request, request.page_token, wanted.game_id, snapshot)
        if request.require_latest and page.as_of != snapshot:
            raise precondition("SNAPSHOT_CHANGED", "page_token")
        match page.position:
            case None:
                position = None
            case (int(row), int(line), int(offset)):
                position = FindPosition(row, line, offset)
            case _:
                raise invalid("PAGE_TOKEN_INVALID", "page_token")
        found = self._find.find(wanted, page.as_of, position)
        response = search_service_pb2.FindTextResponse(
            documents=[document_message(document) for document in found.documents],
            exhausted=found.exhausted,
            scanned_documents=found.scanned_documents,
            result_kind=result_kind(wanted),
            page_end=search_service_pb2.FindPageEnd.ValueType(found.end),
        )
        if found.following is not None:
            at = found.following
            key = (at.row, at.line, at.offset)
            response.next_page_token = self._find_pager.token(request, wanted.game_id, page, key)
        return response
