"""Ranks the passages of one page: which stage of the plan answers, and which candidates it gives.

Pages never repeat and never skip although BM25 moves with every new capture: a page's position
names the passages that were given already, and the next page is the ranking of the same snapshot
without them. So a position needs no memory of the service and survives its restart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from corpus_service.domain.queries import Candidate, Not, SearchFilter
from corpus_service.domain.sources import Passage, Snapshot
from corpus_service.search.limits import (
    CLOSENESS_PASSAGES_MAX,
    COVERAGE_PASSAGES_MAX,
    FORMS_BELOW_HITS,
    RANKED_PAGE_KEPT_HITS_MAX,
    RANKED_PAGES_KEPT_MAX,
    RANKED_PASSAGES_MAX,
)
from corpus_service.search.ordering import closest_first, never_rising, whole_documents_first
from corpus_service.search.planning import Stage, collapse, plan
from corpus_service.search.preparation import normalise
from corpus_service.search.query import NO_MATCH, parse_query
from corpus_service.search.units import Unit, all_of
from corpus_service.search.word_forms import with_forms
from corpus_service.services.failures import invalid
from corpus_service.services.ranked_pages import RankedPages
from corpus_service.storage.interface import PassageIndex, SourceReader
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.limits import QUERY_CODE_POINTS_MAX

# A document may use up its share of a page several times over before the page is full.
_FIRST_LOOK: Final = 2
_FURTHER_LOOK: Final = 4


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What to find.

    Attributes:
        game_id: Canonical game id.
        query: What a person typed.
        narrowing: Filter.
        page_size: Hits of a page, at least 1.
        hits_per_document: Hits of one version over all pages, at least 1.
    """

    game_id: str
    query: str
    narrowing: SearchFilter
    page_size: int
    hits_per_document: int


@dataclass(frozen=True, slots=True)
class SearchPagePosition:
    """Where a page begins: the stage of the plan, and the rows of all hits before it.

    Several stages may share a page; the position names the last one, whose ranking is gone through
    again without the rows.
    """

    stage: int
    delivered: frozenset[int]


@dataclass(frozen=True, slots=True)
class Explanation:
    """How the query was read; see the contract's QueryExplanation."""

    terms: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    relaxed: bool = False
    empty_reason: str = ""
    candidate_limit: int = 0


@dataclass(frozen=True, slots=True)
class RankedPage:
    """The candidates of a page, best first; ``following`` is None at the end.

    ``units`` are what the candidates may hold, for highlights; ``passages`` are those by row that
    ranking had to look into.
    """

    candidates: tuple[Candidate, ...]
    explanation: Explanation
    units: tuple[Unit, ...] = ()
    following: SearchPagePosition | None = None
    passages: Mapping[int, Passage] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Ranked:
    candidates: list[Candidate]
    limited: bool


@dataclass(frozen=True, slots=True)
class _Looked:
    """Passages that were looked into for one page, each asked of the store once."""

    store: PassageIndex
    game_id: str
    known: dict[int, Passage] = field(default_factory=dict)

    def passages(self, rows: Collection[int]) -> Mapping[int, Passage]:
        """Returns passages by their rows, others among them."""
        missing = [row for row in rows if row not in self.known]
        if missing:
            self.known.update(self.store.passages(self.game_id, missing))
        return self.known


@dataclass(frozen=True, slots=True)
class _Choice:
    """What may still be given: rows not given before, up to the share of each version."""

    delivered: frozenset[int]
    shares: Counter[str]
    per_document: int
    wanted: int
    looked: _Looked

    def of(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Takes the best candidates that may be given."""
        shares = self.shares.copy()
        chosen: list[Candidate] = []
        for candidate in candidates:
            if candidate.row in self.delivered:
                continue
            if shares[candidate.version_id] >= self.per_document:
                continue
            shares[candidate.version_id] += 1
            chosen.append(candidate)
            if len(chosen) == self.wanted:
                break
        return chosen


@dataclass(frozen=True, slots=True)
class _GameVocabulary:
    """The words of one game, within the deadline of the call."""

    store: PassageIndex
    game_id: str

    def tokens(self, beginning: str, limit: int) -> Sequence[str]:
        """See `Vocabulary.tokens`."""
        return self.store.tokens(
            self.game_id, beginning, limit=limit, deadline_seconds=deadline.remaining()
        )

    def known_tokens(self, words: Sequence[str]) -> Sequence[str]:
        """See `Vocabulary.known_tokens`."""
        return self.store.known_tokens(self.game_id, words, deadline_seconds=deadline.remaining())


class RankingStore(PassageIndex, SourceReader, Protocol):
    """What ranking needs of a store."""


class PassageRanking:
    """Ranks passages. Safe from any thread; the deadline of the call bounds the store's work."""

    def __init__(self, store: RankingStore) -> None:
        self._store = store
        self._pages: RankedPages[RankedPage] = RankedPages(RANKED_PAGES_KEPT_MAX)

    def page(
        self, request: SearchRequest, as_of: Snapshot, position: SearchPagePosition | None = None
    ) -> RankedPage:
        """Ranks one page, or gives it again while the game is as it was.

        Args, errors: see `rank`.
        """
        if self._store.snapshot(request.game_id) != as_of:
            return self.rank(request, as_of, position)
        key = (request, as_of, position)
        page = self._pages.get(key)
        if page is None:
            page = self.rank(request, as_of, position)
            if len(page.candidates) <= RANKED_PAGE_KEPT_HITS_MAX:
                rows = {candidate.row for candidate in page.candidates}
                kept = {row: passage for row, passage in page.passages.items() if row in rows}
                self._pages.keep(key, replace(page, passages=kept))
        return page

    def rank(
        self, request: SearchRequest, as_of: Snapshot, position: SearchPagePosition | None = None
    ) -> RankedPage:
        """Ranks one page.

        Args:
            request: What to find.
            as_of: Snapshot of the first page.
            position: Where the page begins; None for the first.

        Raises:
            Failure: INVALID_ARGUMENT QUERY_TOO_LONG, SNAPSHOT_CHANGED, what the store raises.
        """
        if len(request.query) > QUERY_CODE_POINTS_MAX:
            raise invalid("QUERY_TOO_LONG", "query", limit=QUERY_CODE_POINTS_MAX)
        parsed = parse_query(request.query)
        excluded = tuple(unit.shown for unit in parsed.excluded)
        if parsed.empty_reason:
            reason = Explanation(excluded=excluded, empty_reason=parsed.empty_reason)
            return RankedPage((), reason)
        stages = plan(request.query, parsed)
        begin = position or SearchPagePosition(0, frozenset())
        if begin.stage >= len(stages):
            raise invalid("PAGE_TOKEN_INVALID", "page_token")
        page = self._page(request, stages, as_of, begin)
        if page.candidates or begin.delivered:
            return page
        terms = tuple(unit.shown for unit in parsed.required)
        return RankedPage(
            (),
            Explanation(terms=terms, excluded=excluded, dropped=parsed.cut, empty_reason=NO_MATCH),
        )

    def _page(
        self,
        request: SearchRequest,
        stages: Sequence[Stage],
        as_of: Snapshot,
        begin: SearchPagePosition,
    ) -> RankedPage:
        """Goes through the stages from where the page begins until it is full."""
        wanted = request.page_size + 1
        delivered = begin.delivered
        looked = _Looked(self._store, request.game_id)
        passages_before = looked.passages(delivered)
        shares = Counter(passage.version_id for passage in passages_before.values())
        chosen: list[Candidate] = []
        last, limited, stopped = stages[begin.stage], False, begin.stage
        for number in range(begin.stage, len(stages)):
            stage = stages[number]
            if stage.forms:
                if number > begin.stage and len(delivered) >= FORMS_BELOW_HITS:
                    continue
                stage = self._with_forms(request, stage)
                if not any(unit.forms for unit in stage.units):
                    continue
            if not stage.fills and (chosen or (number > begin.stage and delivered)):
                continue
            choice = _Choice(
                delivered, shares, request.hits_per_document, wanted - len(chosen), looked
            )
            found, more = self._choose(request, stage, as_of, choice)
            limited = limited or more
            if found:
                last, stopped = stage, number
            chosen += found
            delivered = delivered.union(candidate.row for candidate in found)
            shares.update(candidate.version_id for candidate in found)
            if len(chosen) >= wanted or (stage.alone and delivered):
                break
        given = never_rising(chosen[: request.page_size])
        following = None
        if len(chosen) > request.page_size:
            rows = begin.delivered.union(candidate.row for candidate in given)
            following = SearchPagePosition(stopped, rows)
        explanation = Explanation(
            terms=tuple(term for unit in last.units for term in (unit.shown, *unit.forms)),
            excluded=last.excluded,
            dropped=last.dropped,
            relaxed=last.relaxed,
            candidate_limit=RANKED_PASSAGES_MAX if limited else 0,
        )
        return RankedPage(given, explanation, last.units, following, looked.known)

    def _with_forms(self, request: SearchRequest, stage: Stage) -> Stage:
        """Lets a stage find the other forms of its words that the game has."""
        vocabulary = _GameVocabulary(self._store, request.game_id)
        units = with_forms(stage.units, request.narrowing.languages, vocabulary)
        query = all_of([unit.query for unit in units])
        if isinstance(stage.query, Not):
            query = replace(stage.query, wanted=query)
        return replace(stage, units=units, query=query)

    def _choose(
        self, request: SearchRequest, stage: Stage, as_of: Snapshot, choice: _Choice
    ) -> tuple[list[Candidate], bool]:
        """Takes what a stage adds to a page, and says whether more matched than can be reached."""
        limit = len(choice.delivered) + _FIRST_LOOK * choice.wanted
        while True:
            limit = min(max(limit, _compared(stage)), RANKED_PASSAGES_MAX)
            ranked = self._rank(request, stage, as_of, limit, choice.looked)
            chosen = choice.of(ranked.candidates)
            at_the_end = not ranked.limited or limit == RANKED_PASSAGES_MAX
            if len(chosen) >= choice.wanted or at_the_end:
                return chosen, ranked.limited and limit == RANKED_PASSAGES_MAX
            limit *= _FURTHER_LOOK

    def _rank(
        self, request: SearchRequest, stage: Stage, as_of: Snapshot, limit: int, looked: _Looked
    ) -> _Ranked:
        found = self._store.search(
            request.game_id,
            stage.query,
            request.narrowing,
            limit=limit + 1,
            as_of=as_of,
            deadline_seconds=deadline.remaining(),
        )
        candidates = list(found[:limit])
        limited = len(found) > limit
        if stage.verbatim:
            passages = looked.passages([candidate.row for candidate in candidates])
            candidates = [
                candidate
                for candidate in candidates
                if candidate.row in passages
                and stage.verbatim in collapse(normalise(passages[candidate.row].text))
            ]
        elif stage.some:
            candidates = whole_documents_first(candidates, stage.units, looked.passages)
        elif stage.has_distances:
            candidates = closest_first(candidates, stage.units, looked.passages)
        return _Ranked(candidates, limited)


def _compared(stage: Stage) -> int:
    """Number of the best passages that are put in order by more than their score."""
    if stage.some:
        return COVERAGE_PASSAGES_MAX
    return CLOSENESS_PASSAGES_MAX if stage.has_distances else 0
