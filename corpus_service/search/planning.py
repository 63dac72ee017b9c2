"""What a search tries, in which order: everything that was asked for first, then most of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpus_service.domain.queries import Not, Query
from corpus_service.search.characters import is_unspaced
from corpus_service.search.limits import FILLING_UNITS_MIN
from corpus_service.search.preparation import normalise
from corpus_service.search.query import ParsedQuery
from corpus_service.search.units import Unit, all_of, any_of, units_of_literal
from corpus_service.search.word_forms import may_have_forms


@dataclass(frozen=True, slots=True)
class Stage:
    """One try.

    Attributes:
        query: What to match.
        units: What hits may hold, for highlights and the explanation.
        excluded: Words read as exclusions.
        dropped: Words left out.
        relaxed: Not every hit holds every word.
        verbatim: Hits must hold this in their collapsed, normalised text; "" asks for nothing.
        some: Any of ``units`` will do.
        fills: The stage may add hits to a page that earlier stages began.
        alone: Where this stage finds something, no other one is asked.
        forms: Other forms of the words count as well; `word_forms` finds them.
    """

    query: Query
    units: tuple[Unit, ...]
    excluded: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    relaxed: bool = False
    verbatim: str = ""
    some: bool = False
    fills: bool = True
    alone: bool = False
    forms: bool = False

    @property
    def has_distances(self) -> bool:
        """Whether hits differ in how the words stand: several words, or one of a run's script."""
        return len(self.units) > 1 or is_unspaced(self.units[0].pattern[-1])


def plan(text: str, parsed: ParsedQuery) -> tuple[Stage, ...]:
    """Plans the stages of a query that has something to search for.

    Hits come in the order of the stages until the page is full: what holds everything stands before
    what holds most of it. In order:

    1. Where words were read as exclusions: the text as it stands, since a pasted message or command
       line holds words that begin with "-". A text with the very same "-" is what was meant.
    2. Every word and phrase.
    3. The same without stop words.
    4. The same, with other forms of one or two words, where hits are few.
    5. Some of the words and phrases, best matches first, without stop words; a long run of a script
       without spaces counts as its pairs. Behind other hits only where at least
       `FILLING_UNITS_MIN` are left: half of two words is not most of them.
    """
    stages: list[Stage] = []
    excluded = tuple(unit.shown for unit in parsed.excluded)
    if excluded:
        literal = units_of_literal(text)
        stages.append(
            Stage(
                query=all_of([unit.query for unit in literal]),
                units=tuple(literal),
                verbatim=collapse(normalise(text)),
                alone=True,
            )
        )

    def stage(
        units: Sequence[Unit], *, some: bool, dropped: tuple[str, ...], forms: bool = False
    ) -> Stage:
        query = query_of(units, parsed.excluded, some=some)
        return Stage(
            query=query,
            units=tuple(units),
            excluded=excluded,
            dropped=dropped,
            relaxed=some or forms or bool(dropped),
            some=some,
            fills=not some or len(units) >= FILLING_UNITS_MIN,
            forms=forms,
        )

    stages.append(stage(parsed.required, some=False, dropped=parsed.cut))
    subject = [unit for unit in parsed.required if not unit.stop_word] or list(parsed.required)
    stop_words = [unit.shown for unit in parsed.required if unit not in subject]
    dropped = (*stop_words, *parsed.cut)
    if stop_words:
        stages.append(stage(subject, some=False, dropped=dropped))
    if len(subject) < FILLING_UNITS_MIN and any(map(may_have_forms, subject)):
        stages.append(stage(subject, some=False, dropped=dropped, forms=True))
    smaller = _taken_apart(subject)
    if len(smaller) > 1:
        stages.append(stage(smaller, some=True, dropped=dropped))
    return tuple(stages)


def fills_with_some(stages: Sequence[Stage]) -> bool:
    """Whether the plan ends with a stage that adds hits with some of the words to any page."""
    return stages[-1].some and stages[-1].fills


def query_of(units: Sequence[Unit], excluded: Sequence[Unit], *, some: bool) -> Query:
    """Joins units to the query of a stage."""
    queries = [unit.query for unit in units]
    query = any_of(queries) if some else all_of(queries)
    return Not(query, any_of([unit.query for unit in excluded])) if excluded else query


def collapse(normalised: str) -> str:
    """Makes every run of white space one space, none at the edges."""
    return " ".join(normalised.split())


def _taken_apart(units: Sequence[Unit]) -> list[Unit]:
    parts: dict[Query, Unit] = {}
    for unit in units:
        for part in unit.parts or (unit,):
            parts.setdefault(part.query, part)
    return list(parts.values())
