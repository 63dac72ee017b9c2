"""Ranks the passages of one page: which stage of the plan answers, and which candidates it gives.

Pages never repeat and never skip although BM25 moves with every new capture: a page's position
names the passages that were given already, and the next page is the ranking of the same snapshot
without them. So a position needs no memory of the service and survives its restart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from corpus_service.domain.queries import (
    EVERY_PASSAGE,
    Candidate,
    FacetField,
    Not,
    PassageFilter,
    Query,
    SearchFilter,
)
from corpus_service.domain.sources import Passage, Snapshot
from corpus_service.search.limits import (
    CLOSENESS_PASSAGES_MAX,
    COVERAGE_PASSAGES_MAX,
    FORMS_BELOW_HITS,
    RANKED_PASSAGES_MAX,
)
from corpus_service.search.ordering import (
    closest_first,
    listings_lowered,
    never_rising,
    whole_documents_first,
    without_listings,
)
from corpus_service.search.planning import Stage, collapse, fills_with_some, plan
from corpus_service.search.preparation import normalise
from corpus_service.search.query import NO_MATCH, parse_query
from corpus_service.search.units import Unit, all_of
from corpus_service.search.view import View
from corpus_service.search.word_forms import with_forms
from corpus_service.services.collected_hits import CollectedHits, GameVocabulary, LookedInto, Step
from corpus_service.services.failures import invalid
from corpus_service.storage.passage_interface import PassageIndex
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
        facets: Facts by which the matching documents are counted, each once.
        within: Filter of passages.
    """

    game_id: str
    query: str
    narrowing: SearchFilter
    page_size: int
    hits_per_document: int
    facets: tuple[FacetField, ...] = ()
    within: PassageFilter = EVERY_PASSAGE


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
    suggested_query: str = ""


@dataclass(frozen=True, slots=True)
class RankedPage:
    """The candidates of a page, best first; ``following`` is None at the end.

    ``units`` are what the candidates may hold, for highlights; ``passages`` are those by row that
    ranking had to look into, ``views`` the views of their texts that it made; ``steps`` say how the
    candidates were found.
    """

    candidates: tuple[Candidate, ...]
    explanation: Explanation
    units: tuple[Unit, ...] = ()
    following: SearchPagePosition | None = None
    passages: Mapping[int, Passage] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    views: Mapping[int, View] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Ranked:
    candidates: list[Candidate]
    limited: bool
    listings: list[Candidate]


class PassageRanking:
    """Ranks passages. Safe from any thread; the deadline of the call bounds the store's work."""

    def __init__(self, store: PassageIndex) -> None:
        self._store = store

    def page(
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
        # Behind the last stage stand the listings that were left out.
        if begin.stage > len(stages):
            raise invalid("PAGE_TOKEN_INVALID", "page_token")
        page = self._page(request, stages, as_of, begin)
        if page.candidates or begin.delivered:
            return page
        terms = tuple(unit.shown for unit in parsed.required)
        return RankedPage(
            (),
            Explanation(terms=terms, excluded=excluded, dropped=parsed.cut, empty_reason=NO_MATCH),
        )

    def steps(self, request: SearchRequest, as_of: Snapshot) -> Iterator[Query | tuple[int, ...]]:
        """Yields what each step of a search matches, in the order of the steps.

        A query, or the rows of the best passages where they have to hold the text exactly as it stands.
        """
        parsed = parse_query(request.query)
        if parsed.empty_reason:
            return
        looked = LookedInto(self._store, request.game_id)
        for stage in plan(request.query, parsed):
            if stage.verbatim:
                ranked = self._rank(request, stage, as_of, RANKED_PASSAGES_MAX, looked)
                yield tuple(candidate.row for candidate in ranked.candidates)
            elif not stage.forms:
                yield stage.query
            else:
                formed = self._with_forms(request, stage)
                if formed.query != stage.query:
                    yield formed.query

    def _page(
        self,
        request: SearchRequest,
        stages: Sequence[Stage],
        as_of: Snapshot,
        begin: SearchPagePosition,
    ) -> RankedPage:
        """Goes through the stages from where the page begins until it is full.

        Listings stand behind the pages that hold as many of the words: behind all stages, or, where
        the last stage takes passages with some of the words, among these.
        """
        looked = LookedInto(self._store, request.game_id)
        before = looked.passages(begin.delivered)
        shares = Counter(passage.version_id for passage in before.values())
        page = CollectedHits(
            begin.delivered, shares, request.hits_per_document, request.page_size + 1, looked
        )
        last, limited, stopped = stages[min(begin.stage, len(stages) - 1)], False, begin.stage
        listings: dict[int, list[Candidate]] = {}
        for number in range(begin.stage, len(stages)):
            stage = self._stage(request, stages[number], page, begun=number == begin.stage)
            if stage is None:
                continue
            found, more, listings[number] = self._choose(request, stage, as_of, page)
            limited = limited or more
            if found:
                last, stopped = stage, number
            page.take(found, Step(number, stage.relaxed))
            if not page.missing or (stage.alone and page.delivered):
                break
        if page.missing and not fills_with_some(stages):
            for number, stage in enumerate(stages):
                if stage.some or stage.forms or not page.missing:
                    continue
                if number not in listings:
                    listings[number] = self._choose(request, stage, as_of, page)[2]
                found = page.fitting(listings[number])
                if found:
                    last, stopped = stage, len(stages)
                page.take(found, Step(len(stages), stage.relaxed))
        given = never_rising(page.chosen[: request.page_size])
        following = None
        if not page.missing:
            rows = begin.delivered.union(candidate.row for candidate in given)
            following = SearchPagePosition(stopped, rows)
        return RankedPage(
            given,
            _explanation(last, limited=limited),
            last.units,
            following,
            looked.known,
            tuple(page.steps[: len(given)]),
            looked.views,
        )

    def _stage(
        self, request: SearchRequest, stage: Stage, page: CollectedHits, *, begun: bool
    ) -> Stage | None:
        """Returns a stage as it is to be asked; None where it adds nothing to this page.

        Args:
            request: What to find.
            stage: The stage.
            page: What the stages before it found.
            begun: The page goes on within this stage.
        """
        if stage.forms:
            if not begun and len(page.delivered) >= FORMS_BELOW_HITS:
                return None
            stage = self._with_forms(request, stage)
            return stage if any(unit.forms for unit in stage.units) else None
        if not stage.fills and (page.chosen or (not begun and page.delivered)):
            return None
        return stage

    def _with_forms(self, request: SearchRequest, stage: Stage) -> Stage:
        """Lets a stage find the other forms of its words that the game has."""
        vocabulary = GameVocabulary(self._store, request.game_id)
        units = with_forms(stage.units, request.narrowing.languages, vocabulary)
        query = all_of([unit.query for unit in units])
        if isinstance(stage.query, Not):
            query = replace(stage.query, wanted=query)
        return replace(stage, units=units, query=query)

    def _choose(
        self, request: SearchRequest, stage: Stage, as_of: Snapshot, page: CollectedHits
    ) -> tuple[list[Candidate], bool, list[Candidate]]:
        """Takes what a stage adds to a page.

        Returns:
            What it adds; whether more matched than can be reached; listings that it leaves out.
        """
        limit = len(page.delivered) + _FIRST_LOOK * page.missing
        while True:
            limit = min(max(limit, _compared(stage)), RANKED_PASSAGES_MAX)
            ranked = self._rank(request, stage, as_of, limit, page.looked)
            chosen = page.fitting(ranked.candidates)
            at_the_end = not ranked.limited or limit == RANKED_PASSAGES_MAX
            if len(chosen) >= page.missing or at_the_end:
                beyond = ranked.limited and limit == RANKED_PASSAGES_MAX
                return chosen, beyond, ranked.listings
            limit *= _FURTHER_LOOK

    def _rank(
        self, request: SearchRequest, stage: Stage, as_of: Snapshot, limit: int, looked: LookedInto
    ) -> _Ranked:
        # Short statements end before SQLite looks at the clock.
        deadline.require_time()
        found = self._store.search(
            request.game_id,
            stage.query,
            request.narrowing,
            limit=limit + 1,
            as_of=as_of,
            within=request.within,
            deadline_seconds=deadline.remaining(),
        )
        candidates = list(found[:limit])
        limited = len(found) > limit
        listings: list[Candidate] = []
        if stage.some:
            candidates = listings_lowered(candidates)
        elif stage.forms or stage.alone:
            candidates = [one for part in without_listings(candidates) for one in part]
        else:
            candidates, listings = without_listings(candidates)
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
            candidates = closest_first(candidates, stage.units, looked.passages, looked.view)
        return _Ranked(candidates, limited, listings)


def _compared(stage: Stage) -> int:
    """Number of the best passages that are put in order by more than their score."""
    if stage.some:
        return COVERAGE_PASSAGES_MAX
    return CLOSENESS_PASSAGES_MAX if stage.has_distances else 0


def _explanation(stage: Stage, *, limited: bool) -> Explanation:
    """Tells how the last stage that found something read the query."""
    return Explanation(
        terms=tuple(term for unit in stage.units for term in (unit.shown, *unit.forms)),
        excluded=stage.excluded,
        dropped=stage.dropped,
        relaxed=stage.relaxed,
        candidate_limit=RANKED_PASSAGES_MAX if limited else 0,
    )
