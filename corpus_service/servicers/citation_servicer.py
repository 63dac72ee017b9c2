"""CitationService."""

from __future__ import annotations

from typing import Any, Final

import grpc

from corpus_service.servicers.conversions import resolved_response
from corpus_service.servicers.execution import ReadPool
from corpus_service.servicers.filters import require_game
from corpus_service.servicers.proposal_calls import propose_citations
from corpus_service.servicers.quote_calls import create_citation, verify_quotes
from corpus_service.servicers.run_calls import RunCalls
from corpus_service.services.citations import CitationUseCase
from corpus_service.services.create_citation import CreateCitationUseCase
from corpus_service.services.proposals import ProposalUseCase
from corpus_service.services.quote_places import QuoteStore
from corpus_service.services.verify_quotes import VerifyQuotesUseCase
from sourcecorpus.corpus.v1 import (
    citation_service_pb2,
    citation_service_pb2_grpc,
    proposals_pb2,
    quotes_pb2,
    run_links_pb2,
)

SERVICE: Final = "sourcecorpus.corpus.v1.CitationService"
Context = grpc.aio.ServicerContext[Any, Any]


class CitationServicer(citation_service_pb2_grpc.CitationServiceServicer):
    """Makes and opens citations, and checks quotations."""

    def __init__(self, store: QuoteStore, runs: RunCalls, pool: ReadPool) -> None:
        self._runs = runs
        self._use_case = CitationUseCase(store)
        self._quotes = VerifyQuotesUseCase(store)
        self._proposals = ProposalUseCase(store)
        self._making = CreateCitationUseCase(store)
        self._pool = pool

    async def ResolveCitations(  # noqa: N802 - name of the contract
        self, request: citation_service_pb2.ResolveCitationsRequest, context: Context
    ) -> citation_service_pb2.ResolveCitationsResponse:
        """Resolves refs, each with its own result; see the contract."""
        del context
        game_id = require_game(request.game_id)
        refs = list(request.refs)
        resolved = self._use_case.resolve_at_once(game_id, refs[0]) if len(refs) == 1 else None
        if resolved is None:
            resolved = await self._pool.run(self._use_case.resolve, game_id, refs)
        return resolved_response(resolved)

    async def VerifyQuotes(  # noqa: N802 - name of the contract
        self, request: quotes_pb2.VerifyQuotesRequest, context: Context
    ) -> quotes_pb2.VerifyQuotesResponse:
        """Checks quotations, each with its own result; see the contract."""
        del context
        return await self._pool.run(verify_quotes, self._quotes, request)

    async def ProposeCitations(  # noqa: N802 - name of the contract
        self, request: proposals_pb2.ProposeCitationsRequest, context: Context
    ) -> proposals_pb2.ProposeCitationsResponse:
        """Proposes passages for the sentences of an answer; see the contract."""
        del context
        return await self._pool.run(propose_citations, self._proposals, request)

    async def LinkRunSources(  # noqa: N802 - name of the contract
        self, request: run_links_pb2.LinkRunSourcesRequest, context: Context
    ) -> run_links_pb2.LinkRunSourcesResponse:
        """Remembers what a run did with sources; see the contract."""
        del context
        return await self._pool.run(self._runs.link, request)

    async def ListRunSources(  # noqa: N802 - name of the contract
        self, request: run_links_pb2.ListRunSourcesRequest, context: Context
    ) -> run_links_pb2.ListRunSourcesResponse:
        """Lists what a run used; see the contract."""
        del context
        return await self._pool.run(self._runs.list_sources, request)

    async def CreateCitation(  # noqa: N802 - name of the contract
        self, request: quotes_pb2.CreateCitationRequest, context: Context
    ) -> quotes_pb2.CreateCitationResponse:
        """Makes the citation of a place; see the contract."""
        del context
        return await self._pool.run(create_citation, self._making, request)
