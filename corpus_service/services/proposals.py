"""ProposeCitations: stored passages that may support the sentences of an answer.

The text of the answer lives as long as the call. It is not stored, not logged and not part of an
error.
"""

from __future__ import annotations

import enum
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from corpus_service.domain.queries import SearchFilter
from corpus_service.domain.sources import Passage, Snapshot, Version
from corpus_service.domain.vocabulary import Trust, VersionScope
from corpus_service.proposals.comparing import (
    ComparedPassage,
    ComparedSentence,
    Comparison,
    search_words,
)
from corpus_service.proposals.limits import (
    PASSAGES_COMPARED_MAX,
    PASSAGES_KEPT_MAX,
    PASSAGES_PER_VERSION_MAX,
    PROPOSALS_PER_SENTENCE_MAX,
    SENTENCE_CODE_POINTS_MAX,
    SENTENCES_MAX,
)
from corpus_service.proposals.sentences import Span, split_sentences
from corpus_service.services.citations import Citation, CitationUseCase
from corpus_service.services.failures import invalid
from corpus_service.services.quote_places import QuoteStore
from corpus_service.services.ranking import PassageRanking, SearchRequest
from corpus_service.services.refs import format_ref
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.limits import (
    ANSWER_CODE_POINTS_MAX,
    IDENTIFIER_BYTES_MAX,
    QUERY_CODE_POINTS_MAX,
    RESOLVE_REFS_MAX,
)

# Share of the call's time that sentences may use; the rest is for the citations.
_EXAMINING_SHARE: Final = 0.6
_WITNESSES: Final = (Trust.FETCHED, Trust.LOCAL, Trust.DISCOVERY)


class NoProposal(enum.IntEnum):
    """Why a sentence has no proposals; see the contract's NoProposalReason."""

    HAS_SOME = 0
    NONE_FOUND = 1
    TOO_SHORT = 2
    NOT_EXAMINED = 3


@dataclass(frozen=True, slots=True)
class Proposal:
    """A passage that may support a sentence.

    Attributes:
        citation: What is cited.
        comparison: Evidence; spans count from the beginnings of sentence and passage.
        passage_start: First code point of the passage in its version.
    """

    citation: Citation
    comparison: Comparison
    passage_start: int


@dataclass(frozen=True, slots=True)
class ProposedSentence:
    """A sentence by its span in the answer, with its proposals, best first."""

    span: Span
    proposals: tuple[Proposal, ...]
    none_reason: NoProposal


@dataclass(frozen=True, slots=True)
class Proposals:
    """The sentences of an answer; ``cut`` where it has more of them."""

    sentences: tuple[ProposedSentence, ...]
    cut: bool


@dataclass(frozen=True, slots=True)
class _Found:
    version_id: str
    passage_start: int
    comparison: Comparison

    @property
    def ref(self) -> str:
        start, end = self.comparison.span
        return format_ref(self.version_id, self.passage_start + start, self.passage_start + end)


class ProposalUseCase:
    """Proposes citations. Safe from any thread; the deadline of the call bounds the work."""

    def __init__(self, store: QuoteStore) -> None:
        self._store = store
        self._ranking = PassageRanking(store)
        self._citations = CitationUseCase(store)

    def propose(
        self, game_id: str, run_id: str, answer_text: str, *, whole_game: bool = False
    ) -> Proposals:
        """Proposes passages for each sentence.

        Args:
            game_id: Canonical game id.
            run_id: Run whose contents are compared; not looked at with ``whole_game``.
            answer_text: The answer, at most `ANSWER_CODE_POINTS_MAX` code points.
            whole_game: Compare everything that the game has.

        Raises:
            Failure: INVALID_ARGUMENT FIELD_REQUIRED, FIELD_TOO_LARGE; NOT_FOUND UNKNOWN_GAME.
        """
        if not answer_text.strip():
            raise invalid("FIELD_REQUIRED", "answer_text")
        if len(answer_text) > ANSWER_CODE_POINTS_MAX:
            raise invalid("FIELD_TOO_LARGE", "answer_text", limit=ANSWER_CODE_POINTS_MAX)
        if not run_id and not whole_game:
            raise invalid("FIELD_REQUIRED", "run_id")
        if len(run_id.encode("utf-8", "replace")) > IDENTIFIER_BYTES_MAX:
            raise invalid("FIELD_TOO_LARGE", "run_id", limit_bytes=IDENTIFIER_BYTES_MAX)
        narrowing = SearchFilter(
            trust=_WITNESSES,
            run_ids=() if whole_game else (run_id,),
            version_scope=VersionScope.ALL,
        )
        spans = split_sentences(answer_text, limit=SENTENCES_MAX + 1)
        examination = _Examination(self._store, self._ranking, game_id, narrowing)
        results = [
            examination.examine(answer_text[start : min(end, start + SENTENCE_CODE_POINTS_MAX)])
            for start, end in spans[:SENTENCES_MAX]
        ]
        cited = self._cite(game_id, [found for founds, _ in results for found in founds])
        sentences = [
            _sentence(span, founds, reason, cited)
            for span, (founds, reason) in zip(spans, results, strict=False)
        ]
        return Proposals(tuple(sentences), cut=len(spans) > SENTENCES_MAX)

    def _cite(self, game_id: str, founds: Sequence[_Found]) -> dict[str, Citation]:
        refs = list(dict.fromkeys(found.ref for found in founds))
        cited: dict[str, Citation] = {}
        for start in range(0, len(refs), RESOLVE_REFS_MAX):
            for resolved in self._citations.resolve(
                game_id, refs[start : start + RESOLVE_REFS_MAX]
            ):
                # What was deleted meanwhile is proposed no more.
                if isinstance(resolved.result, Citation):
                    cited[resolved.ref] = resolved.result
        return cited


def _sentence(
    span: Span, founds: Sequence[_Found], reason: NoProposal, cited: dict[str, Citation]
) -> ProposedSentence:
    proposals = tuple(
        Proposal(cited[found.ref], found.comparison, found.passage_start)
        for found in founds
        if found.ref in cited
    )
    if founds and not proposals:
        reason = NoProposal.NONE_FOUND
    return ProposedSentence(span, proposals, reason)


class _Examination:
    """The sentences of one call; passages are prepared once."""

    def __init__(
        self, store: QuoteStore, ranking: PassageRanking, game_id: str, narrowing: SearchFilter
    ) -> None:
        self._store = store
        self._ranking = ranking
        self._game_id = game_id
        self._narrowing = narrowing
        self._snapshot: Snapshot = store.snapshot(game_id)
        self._versions: dict[str, Version] = {}
        self._passages: OrderedDict[int, ComparedPassage] = OrderedDict()
        left = deadline.remaining()
        self._end = None if left is None else time.monotonic() + left * _EXAMINING_SHARE

    def examine(self, text: str) -> tuple[list[_Found], NoProposal]:
        """Returns the best passages for a sentence, or why there are none."""
        if self._end is not None and time.monotonic() > self._end:
            return [], NoProposal.NOT_EXAMINED
        sentence = ComparedSentence(text)
        if not sentence.comparable:
            return [], NoProposal.TOO_SHORT
        founds: list[_Found] = []
        for passage in self._candidates(sentence):
            comparison = self._prepared(passage).compare(sentence)
            if comparison is not None:
                founds.append(_Found(passage.version_id, passage.start, comparison))
        founds.sort(key=lambda found: (found.comparison.grade, -found.comparison.share))
        # The best place of each version is enough.
        best: dict[str, _Found] = {}
        for found in founds:
            best.setdefault(found.version_id, found)
        chosen = list(best.values())[:PROPOSALS_PER_SENTENCE_MAX]
        return chosen, NoProposal.HAS_SOME if chosen else NoProposal.NONE_FOUND

    def _candidates(self, sentence: ComparedSentence) -> list[Passage]:
        request = SearchRequest(
            game_id=self._game_id,
            query=search_words(sentence)[:QUERY_CODE_POINTS_MAX],
            narrowing=self._narrowing,
            page_size=PASSAGES_COMPARED_MAX,
            hits_per_document=PASSAGES_PER_VERSION_MAX,
        )
        page = self._ranking.page(request, self._snapshot)
        names = {candidate.version_id for candidate in page.candidates} - self._versions.keys()
        if names:
            self._versions.update(self._store.get_versions(self._game_id, names))
        passages = dict(page.passages)
        missing = [item.row for item in page.candidates if item.row not in passages]
        if missing:
            passages.update(self._store.passages(self._game_id, missing))
        return [
            passages[candidate.row]
            for candidate in page.candidates
            if candidate.row in passages and self._is_witness(candidate.version_id)
        ]

    def _is_witness(self, version_id: str) -> bool:
        """Text of a model supports nothing that a model says."""
        version = self._versions.get(version_id)
        return version is not None and not version.synthetic

    def _prepared(self, passage: Passage) -> ComparedPassage:
        kept = self._passages.get(passage.row)
        if kept is None:
            kept = self._passages[passage.row] = ComparedPassage(passage.text)
            if len(self._passages) > PASSAGES_KEPT_MAX:
                self._passages.popitem(last=False)
        return kept
