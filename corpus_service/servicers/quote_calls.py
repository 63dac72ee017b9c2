"""VerifyQuotes and CreateCitation: from their messages to their use cases and back."""

from __future__ import annotations

from corpus_service.servicers.conversions import citation_message, tombstone_message
from corpus_service.servicers.filters import require_game
from corpus_service.services.citations import CitationFailure
from corpus_service.services.create_citation import CreateCitationUseCase, QuoteSelector
from corpus_service.services.failures import invalid
from corpus_service.services.quote_places import QuoteScope
from corpus_service.services.verify_quotes import (
    Nearest,
    QuoteToVerify,
    Verification,
    VerifyQuotesUseCase,
)
from sourcecorpus.corpus.v1 import citation_pb2, quotes_pb2


def verify_quotes(
    use_case: VerifyQuotesUseCase, request: quotes_pb2.VerifyQuotesRequest
) -> quotes_pb2.VerifyQuotesResponse:
    """Checks quotations, each with its own result; see the contract."""
    game_id = require_game(request.game_id)
    results = use_case.verify(
        game_id,
        [QuoteToVerify(item.quote, item.version_id, item.ref) for item in request.quotes],
        _scope(request.scope),
        request.run_id,
    )
    return quotes_pb2.VerifyQuotesResponse(results=[_result_message(result) for result in results])


def create_citation(
    use_case: CreateCitationUseCase, request: quotes_pb2.CreateCitationRequest
) -> quotes_pb2.CreateCitationResponse:
    """Makes the citation of a place; see the contract."""
    game_id = require_game(request.game_id)
    place = request.WhichOneof("place")
    if place == "quote":
        selector = request.quote
        citation, verdict = use_case.of_quote(
            game_id,
            request.version_id,
            QuoteSelector(selector.exact, selector.prefix, selector.suffix, selector.occurrence),
        )
        return quotes_pb2.CreateCitationResponse(
            citation=citation_message(citation),
            verdict=quotes_pb2.QuoteVerdict.ValueType(verdict),
        )
    if place == "span":
        span = request.span
        citation = use_case.of_span(game_id, request.version_id, span.start, span.end)
    elif place == "lines":
        lines = request.lines
        citation = use_case.of_lines(game_id, request.version_id, lines.first, lines.last)
    else:
        raise invalid("LOCATOR_REQUIRED", "place")
    return quotes_pb2.CreateCitationResponse(citation=citation_message(citation))


def _scope(scope: quotes_pb2.QuoteScope.ValueType) -> QuoteScope:
    if scope == quotes_pb2.QuoteScope.QUOTE_SCOPE_UNSPECIFIED:
        return QuoteScope.GAME
    try:
        return QuoteScope(scope)
    except ValueError:
        raise invalid("FIELD_INVALID", "scope") from None


def _result_message(result: Verification | CitationFailure) -> quotes_pb2.QuoteResult:
    if isinstance(result, CitationFailure):
        return quotes_pb2.QuoteResult(
            failure=quotes_pb2.QuoteFailure(
                reason=result.reason,
                field=result.field,
                tombstone=tombstone_message(result.tombstone),
            )
        )
    return quotes_pb2.QuoteResult(
        verification=quotes_pb2.QuoteVerification(
            verdict=quotes_pb2.QuoteVerdict.ValueType(result.verdict),
            citation=None if result.citation is None else citation_message(result.citation),
            parts=[citation_pb2.Span(start=start, end=end) for start, end in result.parts],
            nearest=None if result.nearest is None else _nearest_message(result.nearest),
            versions_searched=result.versions_searched,
            scope_cut=result.scope_cut,
            outside_ref=result.outside_ref,
        )
    )


def _nearest_message(nearest: Nearest) -> quotes_pb2.NearestPassage:
    return quotes_pb2.NearestPassage(
        ref=nearest.ref,
        span=citation_pb2.Span(start=nearest.start, end=nearest.end),
        text=nearest.text,
        similarity=nearest.similarity,
    )
