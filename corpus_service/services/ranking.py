"""Ranks the passages of one page: which stage of the plan answers, and which candidates it gives.

Pages never repeat and never skip although BM25 moves with every new capture: a page's position
names the passages that were given already, and the next page is the ranking of the same snapshot
without them. So a position needs no memory of the service and survives its restart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from corpus_service.domain.queries import Candidate, Not, SearchFilter
from corpus_service.domain.sources import Snapshot
from corpus_service.search.closeness import closeness
from corpus_service.search.limits import (
    CLOSENESS_PASSAGES_MAX,
    COVERAGE_PASSAGES_MAX,
    FORMS_BELOW_HITS,
    RANKED_PASSAGES_MAX,
)
from corpus_service.search.planning import Stage, collapse, plan
from corpus_service.search.preparation import normalise
from corpus_service.search.query import NO_MATCH, parse_query
from corpus_service.search.snippets import covered_units
from corpus_service.search.units import Unit, all_of
from corpus_service.search.word_forms import with_forms
from corpus_service.services.failures import invalid
from corpus_service.storage.interface import PassageIndex
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.limits import QUERY_CODE_POINTS_MAX

# A document may use up its share of a page several times over before the page is full.
_FIRST_LOOK: Final = 4

CLOSENESS_WEIGHT: Final = 0.3
"""Share of its score that a passage gains which has the words of the query side by side."""

LINE_WEIGHT: Final = 2.0
"""Share that it gains where they are a line of their own, as titles and names are."""

LEAD_WEIGHT: Final = 0.5
"""Share that the first passage of a document gains: it says what the document is about."""


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


@dataclass(frozen=True, slots=True)
class _Choice:
    """What may still be given: rows not given before, up to the share of each version."""

    delivered: frozenset[int]
    shares: Counter[str]
    per_document: int
    wanted: int

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
        shares = self._shares(request.game_id, begin)
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
            choice = _Choice(delivered, shares, request.hits_per_document, wanted - len(chosen))
            found, more = self._choose(request, stage, as_of, choice)
            limited = limited or more
            if found:
                last, stopped = stage, number
            chosen += found
            delivered = delivered.union(candidate.row for candidate in found)
            shares.update(candidate.version_id for candidate in found)
            if len(chosen) >= wanted or (stage.alone and delivered):
                break
        given = _never_rising(chosen[: request.page_size])
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
        return RankedPage(given, explanation, last.units, following)

    def _with_forms(self, request: SearchRequest, stage: Stage) -> Stage:
        """Lets a stage find the other forms of its words that the game has."""
        vocabulary = _GameVocabulary(self._store, request.game_id)
        units = with_forms(stage.units, request.narrowing.languages, vocabulary)
        query = all_of([unit.query for unit in units])
        if isinstance(stage.query, Not):
            query = replace(stage.query, wanted=query)
        return replace(stage, units=units, query=query)

    def _shares(self, game_id: str, begin: SearchPagePosition) -> Counter[str]:
        """Counts the hits that each version gave to the pages before."""
        if not begin.delivered:
            return Counter()
        passages = self._store.passages(game_id, begin.delivered)
        return Counter(passage.version_id for passage in passages.values())

    def _choose(
        self, request: SearchRequest, stage: Stage, as_of: Snapshot, choice: _Choice
    ) -> tuple[list[Candidate], bool]:
        """Takes what a stage adds to a page, and says whether more matched than can be reached."""
        limit = len(choice.delivered) + _FIRST_LOOK * choice.wanted
        while True:
            limit = min(max(limit, COVERAGE_PASSAGES_MAX * stage.some), RANKED_PASSAGES_MAX)
            ranked = self._rank(request, stage, as_of, limit)
            chosen = choice.of(ranked.candidates)
            at_the_end = not ranked.limited or limit == RANKED_PASSAGES_MAX
            if len(chosen) >= choice.wanted or at_the_end:
                return chosen, ranked.limited and limit == RANKED_PASSAGES_MAX
            limit *= _FIRST_LOOK

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
        elif stage.has_distances:
            candidates = self._closest_first(request.game_id, stage, candidates)
        return _Ranked(candidates, limited)

    def _closest_first(
        self, game_id: str, stage: Stage, candidates: list[Candidate]
    ) -> list[Candidate]:
        """Raises passages that have the words side by side, as a line of their own, or as a lead.

        Among the best passages only; their number does not depend on the page, so the order is the
        same for every page.
        """
        best = candidates[:CLOSENESS_PASSAGES_MAX]
        passages = self._store.passages(game_id, [candidate.row for candidate in best])
        raised = []
        for candidate in best:
            passage = passages.get(candidate.row)
            if passage is None:
                continue
            share, ends = closeness(normalise(passage.text), stage.units)
            factor = 1.0 + CLOSENESS_WEIGHT * share * share + LINE_WEIGHT * share * ends
            factor += LEAD_WEIGHT * share * (passage.ordinal == 0)
            raised.append(replace(candidate, score=candidate.score * factor))
        raised.sort(key=lambda candidate: (-candidate.score, candidate.row))
        return [*raised, *candidates[CLOSENESS_PASSAGES_MAX:]]

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


def _never_rising(chosen: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Gives no hit a score above the one before it: a later stage has words of its own to count."""
    given: list[Candidate] = []
    for candidate in chosen:
        bound = given[-1].score if given else candidate.score
        given.append(replace(candidate, score=min(candidate.score, bound)))
    return tuple(given)
