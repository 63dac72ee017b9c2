"""Search in several games at once: one order out of the orders of the games.

Scores of different games say nothing about one another: each counts how rare a word is among its own
passages. So hits are merged by what they hold and by their rank: hits of an earlier step of the search,
such as those with every word, stand before those of a later one in any game, and within a step the games
take turns. The order of a game is never changed, so that pages stay stable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from corpus_service.domain.queries import add_counts
from corpus_service.domain.sources import Snapshot
from corpus_service.services.search import (
    Explanation,
    Hit,
    SearchPage,
    SearchPagePosition,
    SearchRequest,
    SearchUseCase,
    is_found,
)


@dataclass(frozen=True, slots=True)
class GamePosition:
    """Where the page of one game begins; ``within`` is None at its beginning and at its end."""

    within: SearchPagePosition | None = None
    ended: bool = False

    @property
    def delivered(self) -> int:
        """Hits of this game on the pages before."""
        return len(self.within.delivered) if self.within is not None else 0


@dataclass(frozen=True, slots=True)
class GamesPage:
    """A page of hits of several games; ``following`` has a position for each game, None at the end."""

    page: SearchPage
    following: tuple[GamePosition, ...] | None


class SearchGamesUseCase:
    """Finds passages in several games. Safe from any thread; the deadline of the call bounds the work."""

    def __init__(self, search: SearchUseCase) -> None:
        self._search = search

    def search(
        self,
        request: SearchRequest,
        games: Sequence[tuple[str, Snapshot]],
        positions: Sequence[GamePosition],
    ) -> GamesPage:
        """Finds the hits of one page.

        Args:
            request: What to find; its game does not matter.
            games: Canonical ids, each once, with the snapshots of the first page.
            positions: Where the page begins in each game.

        Raises:
            Failure: As `SearchUseCase.search`.
        """
        pages = [
            SearchPage((), Explanation())
            if position.ended
            else self._search.search(replace(request, game_id=game_id), as_of, position.within)
            for (game_id, as_of), position in zip(games, positions, strict=True)
        ]
        in_turn = sorted(
            (hit.step.stage, position.delivered + rank, number, rank)
            for number, (page, position) in enumerate(zip(pages, positions, strict=True))
            for rank, hit in enumerate(page.hits)
        )
        given = [(number, rank) for _, _, number, rank in in_turn[: request.page_size]]
        taken = Counter(number for number, _ in given)
        following = tuple(
            _following(page, position, taken[number])
            for number, (page, position) in enumerate(zip(pages, positions, strict=True))
        )
        counted = [page.counts for page in pages if page.counts is not None]
        hits = tuple(pages[number].hits[rank] for number, rank in given)
        return GamesPage(
            SearchPage(
                hits=hits,
                explanation=_shown_with(_explanation(pages, sorted(taken)), hits),
                counts=add_counts(counted) if counted else None,
            ),
            None if all(position.ended for position in following) else following,
        )


def _following(page: SearchPage, before: GamePosition, taken: int) -> GamePosition:
    """Returns where a game goes on behind the hits that were taken of its page."""
    if before.ended:
        return before
    if taken == len(page.hits):
        return GamePosition(page.following, ended=page.following is None)
    if not taken:
        return before
    hits = page.hits[:taken]
    delivered = before.within.delivered if before.within is not None else frozenset()
    rows = delivered.union(hit.passage.row for hit in hits)
    return GamePosition(SearchPagePosition(hits[-1].step.stage, rows))


def _explanation(pages: Sequence[SearchPage], with_hits: Sequence[int]) -> Explanation:
    """Tells how the games with hits on the page read the query; where none has any, how all did."""
    shown = [pages[number].explanation for number in with_hits]
    told = shown or [page.explanation for page in pages]
    return Explanation(
        terms=_each_once(word for one in told for word in one.terms),
        excluded=_each_once(word for one in told for word in one.excluded),
        dropped=_each_once(word for one in told for word in one.dropped),
        empty_reason="" if shown else next((one.empty_reason for one in told), ""),
        candidate_limit=max((one.candidate_limit for one in told), default=0),
        suggested_query=next((one.suggested_query for one in told if one.suggested_query), ""),
    )


def _shown_with(explanation: Explanation, hits: Sequence[Hit]) -> Explanation:
    """Makes an explanation true of the hits that were taken."""
    suggested = "" if is_found(hits) else explanation.suggested_query
    relaxed = any(hit.step.relaxed for hit in hits)
    return replace(explanation, relaxed=relaxed, suggested_query=suggested)


def _each_once(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))
