"""ProposeCitations: from its messages to its use case and back."""

from __future__ import annotations

from corpus_service.proposals.sentences import Span
from corpus_service.servicers.conversions import citation_message
from corpus_service.servicers.filters import require_game
from corpus_service.services.proposals import Proposal, ProposalUseCase
from sourcecorpus.corpus.v1 import citation_pb2, proposals_pb2


def propose_citations(
    use_case: ProposalUseCase, request: proposals_pb2.ProposeCitationsRequest
) -> proposals_pb2.ProposeCitationsResponse:
    """Proposes passages for the sentences of an answer; see the contract."""
    game_id = require_game(request.game_id)
    found = use_case.propose(
        game_id, request.run_id, request.answer_text, whole_game=request.whole_game
    )
    return proposals_pb2.ProposeCitationsResponse(
        sentences=[
            proposals_pb2.ProposedSentence(
                span=_span(sentence.span),
                proposals=[
                    _proposal(proposal, sentence.span[0]) for proposal in sentence.proposals
                ],
                none_reason=proposals_pb2.NoProposalReason.ValueType(sentence.none_reason),
            )
            for sentence in found.sentences
        ],
        sentences_cut=found.cut,
    )


def _proposal(proposal: Proposal, sentence_start: int) -> proposals_pb2.CitationProposal:
    comparison = proposal.comparison
    return proposals_pb2.CitationProposal(
        grade=proposals_pb2.ProposalGrade.ValueType(comparison.grade),
        citation=citation_message(proposal.citation),
        share=comparison.share,
        evidence=[
            proposals_pb2.SharedStretch(
                answer=_span(shared.sentence, sentence_start),
                version=_span(shared.passage, proposal.passage_start),
            )
            for shared in comparison.evidence
        ],
        numbers_differ=comparison.numbers_differ,
    )


def _span(span: Span, offset: int = 0) -> citation_pb2.Span:
    return citation_pb2.Span(start=offset + span[0], end=offset + span[1])
