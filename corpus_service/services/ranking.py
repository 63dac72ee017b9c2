"""Ranks the passages of one page: which stage of the plan answers, and which candidates it gives.

Pages never repeat and never skip although BM25 moves with every new capture: a page's position
names the passages that were given already, and the next page is the ranking of the same snapshot
without them. So a position needs no memory of the service and survives its restart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from corpus_service.domain.queries import Candidate, SearchFilter
from corpus_service.domain.sources import Snapshot
from corpus_service.search.limits import COVERAGE_PASSAGES_MAX, RANKED_PASSAGES_MAX
from corpus_service.search.planning import Stage, collapse, plan
from corpus_service.search.preparation import normalise
from corpus_service.search.query import NO_MATCH, parse_query
from corpus_service.search.snippets import covered_units
from corpus_service.search.units import Unit
from corpus_service.services.failures import invalid
from corpus_service.storage.interface import PassageIndex
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.limits import QUERY_CODE_POINTS_MAX

# A document may use up its share of a page several times over before the page is full.
_FIRST_LOOK: Final = 4


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
    """Where a page begins: the stage of the plan, and the rows of all hits before it."""

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

    ``units`` are what the candidates may hold, for highlights.
    """

    candidates: tuple[Candidate, ...]
    explanation: Explanation
    units: tuple[Unit, ...] = ()
    following: SearchPagePosition | None = None


@dataclass(frozen=True, slots=True)
class _Ranked:
    candidates: list[Candidate]
    limited: bool


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
        if position is not None:
            if position.stage >= len(stages):
                raise invalid("PAGE_TOKEN_INVALID", "page_token")
            return self._page(request, stages[position.stage], as_of, position)
        for number, stage in enumerate(stages):
            page = self._page(request, stage, as_of, SearchPagePosition(number, frozenset()))
            if page.candidates:
                return page
        terms = tuple(unit.shown for unit in parsed.required)
        return RankedPage(
            (),
            Explanation(terms=terms, excluded=excluded, dropped=parsed.cut, empty_reason=NO_MATCH),
        )

    def _page(
        self, request: SearchRequest, stage: Stage, as_of: Snapshot, position: SearchPagePosition
    ) -> RankedPage:
        delivered = position.delivered
        wanted = request.page_size + 1
        limit = len(delivered) + _FIRST_LOOK * wanted
        while True:
            limit = min(max(limit, COVERAGE_PASSAGES_MAX * stage.some), RANKED_PASSAGES_MAX)
            ranked = self._rank(request, stage, as_of, limit)
            chosen = _choose(ranked.candidates, delivered, request.hits_per_document, wanted)
            if len(chosen) >= wanted or not ranked.limited or limit == RANKED_PASSAGES_MAX:
                break
            limit *= _FIRST_LOOK
        following = None
        if len(chosen) > request.page_size:
            rows = delivered.union(candidate.row for candidate in chosen[: request.page_size])
            following = SearchPagePosition(position.stage, rows)
        explanation = Explanation(
            terms=tuple(unit.shown for unit in stage.units),
            excluded=stage.excluded,
            dropped=stage.dropped,
            relaxed=stage.relaxed,
            candidate_limit=RANKED_PASSAGES_MAX
            if ranked.limited and limit == RANKED_PASSAGES_MAX
            else 0,
        )
        return RankedPage(tuple(chosen[: request.page_size]), explanation, stage.units, following)

    def _rank(self, request: SearchRequest, stage: Stage, as_of: Snapshot, limit: int) -> _Ranked:
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
            texts = self._texts(request.game_id, candidates)
            candidates = [
                candidate
                for candidate in candidates
                if stage.verbatim in collapse(normalise(texts.get(candidate.row, "")))
            ]
        elif stage.some:
            candidates = self._whole_documents_first(request.game_id, stage, candidates)
        return _Ranked(candidates, limited)

    def _whole_documents_first(
        self, game_id: str, stage: Stage, candidates: list[Candidate]
    ) -> list[Candidate]:
        """Puts passages first whose document holds every word, though no passage of it does.

        Looked for among the best passages only; their number does not depend on the page, so the
        order is the same for every page.
        """
        best = candidates[:COVERAGE_PASSAGES_MAX]
        numbers = Counter(candidate.version_id for candidate in best)
        several = [candidate for candidate in best if numbers[candidate.version_id] > 1]
        texts = self._texts(game_id, several) if several else {}
        held: dict[str, frozenset[int]] = {}
        # A single passage with every word would have answered an earlier stage.
        for candidate in several:
            units = covered_units(texts.get(candidate.row, ""), stage.units)
            held[candidate.version_id] = held.get(candidate.version_id, frozenset()) | units
        complete = {version for version, units in held.items() if len(units) == len(stage.units)}
        return [
            *(candidate for candidate in best if candidate.version_id in complete),
            *(candidate for candidate in best if candidate.version_id not in complete),
            *candidates[COVERAGE_PASSAGES_MAX:],
        ]

    def _texts(self, game_id: str, candidates: Sequence[Candidate]) -> Mapping[int, str]:
        passages = self._store.passages(game_id, [candidate.row for candidate in candidates])
        return {row: passage.text for row, passage in passages.items()}


def _choose(
    candidates: Sequence[Candidate], delivered: frozenset[int], per_document: int, wanted: int
) -> list[Candidate]:
    """Takes the best candidates that were not given yet, up to the share of each version."""
    shares = Counter(candidate.version_id for candidate in candidates if candidate.row in delivered)
    chosen: list[Candidate] = []
    for candidate in candidates:
        if candidate.row in delivered or shares[candidate.version_id] >= per_document:
            continue
        shares[candidate.version_id] += 1
        chosen.append(candidate)
        if len(chosen) == wanted:
            break
    return chosen
