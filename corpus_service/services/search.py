"""Search: ranked passages with what a reader needs of each, page by page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from corpus_service.domain.queries import DocumentCounts
from corpus_service.domain.sources import Passage, Snapshot, Version
from corpus_service.search.limits import FACET_PASSAGES_MAX, KNOWN_PAGE_HITS_MAX, KNOWN_PAGES_MAX
from corpus_service.search.query import NO_MATCH, parse_query
from corpus_service.search.snippets import Snippet, covered_units, make_snippet
from corpus_service.search.units import Unit
from corpus_service.services.collected_hits import Step
from corpus_service.services.known_pages import KnownPages
from corpus_service.services.ranking import (
    Explanation,
    PassageRanking,
    RankedPage,
    SearchPagePosition,
    SearchRequest,
)
from corpus_service.services.suggestions import SuggestTermsUseCase
from corpus_service.storage.interface import SourceReader
from corpus_service.storage.passage_interface import PassageIndex
from sourcecorpus.rpc import deadline

__all__ = [
    "Explanation",
    "Hit",
    "SearchPage",
    "SearchPagePosition",
    "SearchRequest",
    "SearchStore",
    "SearchUseCase",
    "is_found",
]


class SearchStore(PassageIndex, SourceReader, Protocol):
    """What searching needs of a store."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found, with the version it belongs to.

    ``missing`` are the words and phrases of the query that it does not hold, as they were typed.
    """

    passage: Passage
    version: Version
    score: float
    snippet: Snippet
    step: Step
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A page of hits; ``following`` is None at the end.

    ``counts`` come with the first page, where they were asked for.
    """

    hits: tuple[Hit, ...]
    explanation: Explanation
    following: SearchPagePosition | None = None
    counts: DocumentCounts | None = None


class SearchUseCase:
    """Finds passages. Safe from any thread; the deadline of the call bounds the store's work."""

    def __init__(self, store: SearchStore) -> None:
        self._store = store
        self._ranking = PassageRanking(store)
        self._suggestions = SuggestTermsUseCase(store)
        self._known: KnownPages[SearchPage] = KnownPages(KNOWN_PAGES_MAX)

    def search(
        self,
        request: SearchRequest,
        as_of: Snapshot,
        position: SearchPagePosition | None = None,
        present: Snapshot | None = None,
    ) -> SearchPage:
        """Finds the hits of one page, or gives them again while the game is as it was.

        Args:
            request: What to find.
            as_of: Snapshot of the first page.
            position: Where the page begins; None for the first.
            present: The present state, where it has just been read.

        Raises:
            Failure: INVALID_ARGUMENT QUERY_TOO_LONG, SNAPSHOT_CHANGED, what the store raises.
        """
        present = present or self._store.snapshot(request.game_id)
        key = (request, position)
        known = self._known.get(request.game_id, present, key)
        if known is not None and present == as_of:
            return known
        ranked = self._ranking.page(request, as_of, position)
        hits = self._hits(request, ranked)
        counts = None
        if request.facets and position is None:
            counts = self._counts(request, as_of)
        explanation = ranked.explanation
        if position is None:
            explanation = self._explained(request, explanation, hits)
        page = SearchPage(hits, explanation, ranked.following, counts)
        if present == as_of and len(hits) <= KNOWN_PAGE_HITS_MAX:
            self._known.keep(request.game_id, present, key, page)
        return page

    def _explained(
        self, request: SearchRequest, explanation: Explanation, hits: Sequence[Hit]
    ) -> Explanation:
        """Adds what may have been meant, where there is a word that no hit holds."""
        if is_found(hits) or (not hits and explanation.empty_reason != NO_MATCH):
            return explanation
        corrected = self._suggestions.corrected(request.game_id, request.query)
        return replace(explanation, suggested_query=corrected)

    def _counts(self, request: SearchRequest, as_of: Snapshot) -> DocumentCounts:
        """Counts the documents of the first step that finds any: what holds every word, if it can be."""
        counts = DocumentCounts(by_field={field: {} for field in request.facets})
        for matching in self._ranking.steps(request, as_of):
            counts = self._store.count_documents(
                request.game_id,
                matching,
                request.narrowing,
                request.facets,
                passages_max=FACET_PASSAGES_MAX,
                as_of=as_of,
                within=request.within,
                deadline_seconds=deadline.remaining(),
            )
            if counts.documents:
                break
        return counts

    def _hits(self, request: SearchRequest, page: RankedPage) -> tuple[Hit, ...]:
        game_id, chosen = request.game_id, page.candidates
        if not chosen:
            return ()
        passages = dict(page.passages)
        missing = [candidate.row for candidate in chosen if candidate.row not in passages]
        if missing:
            passages.update(self._store.passages(game_id, missing))
        versions = self._store.get_versions(
            game_id, list(dict.fromkeys(candidate.version_id for candidate in chosen))
        )
        subject: list[tuple[str, tuple[Unit, ...]]] = []
        if any(step.relaxed for step in page.steps):
            subject = _subject(request.query, page.units)
        return tuple(
            Hit(
                passage=passages[candidate.row],
                version=versions[candidate.version_id],
                score=candidate.score,
                snippet=make_snippet(
                    passages[candidate.row].text, page.units, page.views.get(candidate.row)
                ),
                step=step,
                missing=_missing(
                    passages[candidate.row], versions[candidate.version_id].title, subject
                )
                if step.relaxed
                else (),
            )
            for candidate, step in zip(chosen, page.steps, strict=True)
            # A deletion between the look-ups takes its passages along.
            if candidate.row in passages and candidate.version_id in versions
        )


def is_found(hits: Sequence[Hit]) -> bool:
    """Whether each word of a query is held by one of its hits at least."""
    return bool(hits) and not set(hits[0].missing).intersection(*(hit.missing for hit in hits))


def _subject(query: str, units: Sequence[Unit]) -> list[tuple[str, tuple[Unit, ...]]]:
    """Returns each word and phrase of a query as typed, with the units that stand for it.

    Stop words only where there is nothing else.
    """
    formed = {unit.shown: unit for unit in units if unit.forms}
    required = parse_query(query).required
    subject = [unit for unit in required if not unit.stop_word] or required
    return [
        (unit.shown, (unit, formed[unit.shown]) if unit.shown in formed else (unit,))
        for unit in subject
    ]


def _missing(
    passage: Passage, title: str, subject: Sequence[tuple[str, tuple[Unit, ...]]]
) -> tuple[str, ...]:
    """Returns what of a query neither a passage nor its title and headings hold."""
    text = "\n".join((title, *passage.heading_path, passage.text))
    alternatives = [unit for _, units in subject for unit in units]
    covered = covered_units(text, alternatives)
    held = {alternatives[number].shown for number in covered}
    return tuple(shown for shown, _ in subject if shown not in held)
