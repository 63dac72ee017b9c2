"""SearchService."""

from __future__ import annotations

from typing import Any, Final, Protocol

import grpc

from corpus_service.servicers.conversions import explanation_message, hit_message
from corpus_service.servicers.execution import ReadPool
from corpus_service.servicers.facet_messages import counts_message, facet_fields
from corpus_service.servicers.filters import require_game, search_filter
from corpus_service.servicers.find_messages import document_message, find_request
from corpus_service.servicers.paging import Page, Pager
from corpus_service.servicers.suggestion_calls import suggest_terms
from corpus_service.services.delivered_rows import read_rows, write_rows
from corpus_service.services.failures import invalid, precondition
from corpus_service.services.find_text import FindPosition, FindRequest, FindStore, FindTextUseCase
from corpus_service.services.search import (
    SearchPage,
    SearchPagePosition,
    SearchRequest,
    SearchStore,
    SearchUseCase,
)
from corpus_service.services.suggestions import SuggestTermsUseCase
from sourcecorpus.corpus.v1 import (
    search_service_pb2,
    search_service_pb2_grpc,
    suggestions_pb2,
)
from sourcecorpus.rpc.limits import (
    SEARCH_HITS_PER_DOCUMENT_DEFAULT,
    SEARCH_PAGE_SIZE_DEFAULT,
    SEARCH_PAGE_SIZE_MAX,
)
from sourcecorpus.rpc.page_tokens import PageTokenSigner, page_size

SERVICE: Final = "sourcecorpus.corpus.v1.SearchService"
Context = grpc.aio.ServicerContext[Any, Any]


class RetrievalStore(SearchStore, FindStore, Protocol):
    """What the service needs of a store."""


class SearchServicer(search_service_pb2_grpc.SearchServiceServicer):
    """Finds passages."""

    def __init__(self, store: RetrievalStore, signer: PageTokenSigner, pool: ReadPool) -> None:
        self._store = store
        self._use_case = SearchUseCase(store)
        self._find = FindTextUseCase(store)
        self._suggestions = SuggestTermsUseCase(store)
        self._pager = Pager(signer, f"/{SERVICE}/Search")
        self._find_pager = Pager(signer, f"/{SERVICE}/FindText")
        self._pool = pool

    async def Search(  # noqa: N802 - name of the contract
        self, request: search_service_pb2.SearchRequest, context: Context
    ) -> search_service_pb2.SearchResponse:
        """Searches ranked; see the contract."""
        del context
        wanted = _request(request)
        return await self._pool.run(self._answer, request, wanted)

    async def FindText(  # noqa: N802 - name of the contract
        self, request: search_service_pb2.FindTextRequest, context: Context
    ) -> search_service_pb2.FindTextResponse:
        """Finds exact text, exhaustively; see the contract."""
        del context
        wanted = find_request(request)
        return await self._pool.run(self._find_page, request, wanted)

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
            case (int(row), int(line)):
                position = FindPosition(row, line)
            case _:
                raise invalid("PAGE_TOKEN_INVALID", "page_token")
        found = self._find.find(wanted, page.as_of, position)
        response = search_service_pb2.FindTextResponse(
            documents=[document_message(document) for document in found.documents],
            exhausted=found.exhausted,
            scanned_documents=found.scanned_documents,
        )
        if found.following is not None:
            key = (found.following.row, found.following.line)
            response.next_page_token = self._find_pager.token(request, wanted.game_id, page, key)
        return response

    def _answer(
        self, request: search_service_pb2.SearchRequest, wanted: SearchRequest
    ) -> search_service_pb2.SearchResponse:
        snapshot = self._store.snapshot(wanted.game_id)
        page = self._pager.begin(request, request.page_token, wanted.game_id, snapshot)
        found = self._use_case.search(wanted, page.as_of, _position(page))
        response = search_service_pb2.SearchResponse(
            hits=[hit_message(hit) for hit in found.hits],
            explanation=explanation_message(found.explanation),
            facet_counts=counts_message(found.counts),
        )
        self._add_token(request, page, found, response)
        return response

    def _add_token(
        self,
        request: search_service_pb2.SearchRequest,
        page: Page,
        found: SearchPage,
        response: search_service_pb2.SearchResponse,
    ) -> None:
        following = found.following
        if following is None:
            return
        position = (following.stage, write_rows(following.delivered))
        response.next_page_token = self._pager.token(request, request.game_id, page, position)
        if not response.next_page_token:
            # The token cannot hold more rows: say that further matches are out of reach.
            response.explanation.candidate_limit = len(following.delivered)


def _request(request: search_service_pb2.SearchRequest) -> SearchRequest:
    game_id = require_game(request.game_id)
    if not request.query:
        raise invalid("QUERY_EMPTY", "query")
    if request.hits_per_document_max < 0:
        raise invalid("FIELD_INVALID", "hits_per_document_max")
    return SearchRequest(
        game_id=game_id,
        query=request.query,
        narrowing=search_filter(request.filter),
        page_size=page_size(request.page_size, SEARCH_PAGE_SIZE_DEFAULT, SEARCH_PAGE_SIZE_MAX),
        hits_per_document=request.hits_per_document_max or SEARCH_HITS_PER_DOCUMENT_DEFAULT,
        facets=facet_fields(request.facets),
    )


def _position(page: Page) -> SearchPagePosition | None:
    if page.position is None:
        return None
    match page.position:
        case (int(stage), str(rows)) if stage >= 0:
            return SearchPagePosition(stage, read_rows(rows))
        case _:
            raise invalid("PAGE_TOKEN_INVALID", "page_token")
