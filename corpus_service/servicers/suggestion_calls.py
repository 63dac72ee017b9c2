"""SuggestTerms: from its messages to its use case and back."""

from __future__ import annotations

from corpus_service.servicers.filters import require_game
from corpus_service.services.failures import invalid
from corpus_service.services.suggestions import SuggestTermsUseCase
from sourcecorpus.corpus.v1 import citation_pb2, suggestions_pb2
from sourcecorpus.rpc.limits import SUGGESTIONS_DEFAULT, SUGGESTIONS_MAX


def suggest_terms(
    use_case: SuggestTermsUseCase, request: suggestions_pb2.SuggestTermsRequest
) -> suggestions_pb2.SuggestTermsResponse:
    """Suggests words for a text; see the contract."""
    game_id = require_game(request.game_id)
    if not request.text:
        raise invalid("QUERY_EMPTY", "text")
    if request.suggestions_max < 0:
        raise invalid("FIELD_INVALID", "suggestions_max")
    limit = min(request.suggestions_max or SUGGESTIONS_DEFAULT, SUGGESTIONS_MAX)
    return suggestions_pb2.SuggestTermsResponse(
        suggestions=[
            suggestions_pb2.Suggestion(
                kind=suggestions_pb2.SuggestionKind.ValueType(suggestion.kind),
                word=suggestion.word,
                text=suggestion.text,
                typed=citation_pb2.Span(start=suggestion.start, end=suggestion.end),
                documents=suggestion.documents,
                at_least=suggestion.at_least,
            )
            for suggestion in use_case.suggest(game_id, request.text, limit)
        ]
    )
