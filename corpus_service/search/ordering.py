"""The order of the best passages by more than their scores; pure.

Each function puts the first passages of a ranking in order and leaves the others behind them. How
many are looked at does not depend on the page, so the order is the same for every page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from corpus_service.domain.queries import Candidate
from corpus_service.domain.sources import Passage
from corpus_service.search.closeness import closeness
from corpus_service.search.limits import CLOSENESS_PASSAGES_MAX, COVERAGE_PASSAGES_MAX
from corpus_service.search.snippets import covered_units
from corpus_service.search.units import Unit
from corpus_service.search.view import View

CLOSENESS_WEIGHT: Final = 0.3
"""Share of its score that a passage gains which has the words of the query side by side."""

LINE_WEIGHT: Final = 2.0
"""Share that it gains where they are a line of their own, as titles and names are."""

LEAD_WEIGHT: Final = 0.5
"""Share that the first passage of a document gains: it says what the document is about."""

LISTING_FAMILIES: Final = frozenset({"gtc_discovery"})
"""Families whose artifacts list other pages: a search that was captured holds the words of the search
and of every page that it found."""

LISTING_SHARE: Final = 0.3
"""Share of its score that a listing keeps where some of the words will do."""

PassagesOf = Callable[[Collection[int]], Mapping[int, Passage]]
"""Gives passages by their rows."""

ViewOf = Callable[[Passage], View]
"""Gives the normalised view of a passage's text."""


def newest_of_equals(candidate: Candidate) -> tuple[float, int]:
    """Key of the order: score descending, of equal scores what was stored last."""
    return -candidate.score, -candidate.row


def without_listings(candidates: Sequence[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    """Parts candidates into those that are pages of their own and those that list pages."""
    pages = [candidate for candidate in candidates if candidate.family not in LISTING_FAMILIES]
    if len(pages) == len(candidates):
        return pages, []
    listings = [candidate for candidate in candidates if candidate.family in LISTING_FAMILIES]
    return pages, listings


def listings_lowered(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Lowers the scores of listings and puts the candidates in order again."""
    pages, listings = without_listings(candidates)
    if not listings:
        return pages
    lowered = [_scored(one, one.score * LISTING_SHARE) for one in listings]
    return sorted([*pages, *lowered], key=newest_of_equals)


def closest_first(
    candidates: Sequence[Candidate],
    units: Sequence[Unit],
    passages_of: PassagesOf,
    view_of_passage: ViewOf,
) -> list[Candidate]:
    """Raises passages that have the words side by side, as a line of their own, or as a lead."""
    best = candidates[:CLOSENESS_PASSAGES_MAX]
    passages = passages_of([candidate.row for candidate in best])
    raised = []
    for candidate in best:
        passage = passages.get(candidate.row)
        if passage is None:
            # A deletion since the ranking took it along.
            continue
        share, ends = closeness(view_of_passage(passage).text, units)
        factor = 1.0 + CLOSENESS_WEIGHT * share * share + LINE_WEIGHT * share * ends
        factor += LEAD_WEIGHT * share * (passage.ordinal == 0)
        raised.append(_scored(candidate, candidate.score * factor))
    raised.sort(key=newest_of_equals)
    return [*raised, *candidates[CLOSENESS_PASSAGES_MAX:]]


def whole_documents_first(
    candidates: Sequence[Candidate], units: Sequence[Unit], passages_of: PassagesOf
) -> list[Candidate]:
    """Puts passages first whose document holds every word, though no passage of it may do."""
    best = candidates[:COVERAGE_PASSAGES_MAX]
    numbers = Counter(candidate.version_id for candidate in best)
    # A listing holds the words of every page that it names.
    pages, _ = without_listings(best)
    several = [candidate for candidate in pages if numbers[candidate.version_id] > 1]
    passages = passages_of([candidate.row for candidate in several]) if several else {}
    held: dict[str, frozenset[int]] = {}
    for candidate in several:
        known = held.get(candidate.version_id, frozenset())
        passage = passages.get(candidate.row)
        if passage is not None and len(known) < len(units):
            held[candidate.version_id] = known | covered_units(passage.text, units)
    complete = {version for version, found in held.items() if len(found) == len(units)}
    return [
        *(candidate for candidate in best if candidate.version_id in complete),
        *(candidate for candidate in best if candidate.version_id not in complete),
        *candidates[COVERAGE_PASSAGES_MAX:],
    ]


def never_rising(chosen: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Gives no hit a score above the one before it: a later step has words of its own to count."""
    given: list[Candidate] = []
    for candidate in chosen:
        rises = given and candidate.score > given[-1].score
        given.append(_scored(candidate, given[-1].score) if rises else candidate)
    return tuple(given)


def _scored(candidate: Candidate, score: float) -> Candidate:
    # dataclasses.replace takes five times as long.
    return Candidate(candidate.row, candidate.version_id, score, candidate.family)
