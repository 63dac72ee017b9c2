"""The query language: a forgiving reading of what a person types. Total over all strings.

    query     := { white-space | exclusion | item }
    exclusion := "-" item            directly before the item, behind white space or at the beginning
    item      := phrase | word
    phrase    := '"' any text up to the next '"' or to the end
    word      := text without white space and '"', of which a trailing "*" means the beginning of it

All else is data. A second "-" is data too: options of programs such as ``--help`` are words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from corpus_service.search.limits import QUERY_PREFIXES_MAX
from corpus_service.search.preparation import analyse_normalised, normalise
from corpus_service.search.units import Unit, units_of_phrase, units_of_word
from sourcecorpus.rpc.limits import QUERY_TERMS_MAX

NOTHING_TO_SEARCH_FOR: Final = "NOTHING_TO_SEARCH_FOR"
"""The query has no letter and no digit."""

ONLY_EXCLUSIONS: Final = "ONLY_EXCLUSIONS"
"""The query only says what not to find."""

NO_MATCH: Final = "NO_MATCH"
"""No stored text that the filter admits fits."""

_ITEM: Final = re.compile(
    r'(?P<minus>(?:(?<=\s)|\A)-(?=[^\s-]))?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))'
)


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """What a query asks for.

    Attributes:
        required: Words and phrases to find, each once, in the order of the query.
        excluded: Words and phrases that no hit holds.
        cut: Words beyond `QUERY_TERMS_MAX`, beginnings beyond `QUERY_PREFIXES_MAX`: not searched.
        empty_reason: Why nothing can be found, "" where something can.
    """

    required: tuple[Unit, ...]
    excluded: tuple[Unit, ...]
    cut: tuple[str, ...]
    empty_reason: str


def parse_query(text: str) -> ParsedQuery:
    """Reads a query. Every string has a reading; nothing is raised."""
    required: dict[object, Unit] = {}
    excluded: dict[object, Unit] = {}
    cut: dict[str, None] = {}
    prefixes = 0
    for unit, is_excluded in _units(text):
        kept = excluded if is_excluded else required
        if unit.query in kept:
            continue
        prefixes += unit.prefix
        beyond = unit.prefix and prefixes > QUERY_PREFIXES_MAX
        if beyond or len(required) + len(excluded) >= QUERY_TERMS_MAX:
            cut[unit.shown] = None
        else:
            kept[unit.query] = unit
    reason = ""
    if not required:
        reason = ONLY_EXCLUSIONS if excluded else NOTHING_TO_SEARCH_FOR
    return ParsedQuery(
        required=tuple(required.values()),
        excluded=tuple(excluded.values()),
        cut=tuple(cut),
        empty_reason=reason,
    )


def _units(text: str) -> Iterator[tuple[Unit, bool]]:
    for match in _ITEM.finditer(text):
        is_excluded = match["minus"] is not None
        phrase, word = match["phrase"], match["word"]
        shown = phrase if word is None else word
        normalised = normalise(shown)
        pieces = analyse_normalised(normalised)
        if not pieces:
            continue
        if word is None:
            units = units_of_phrase(shown.strip(), normalised, pieces)
        else:
            prefix = shown.endswith("*")
            units = units_of_word(shown, normalised, pieces, prefix=prefix)
        if is_excluded and len(units) > 1:
            # What stands together is excluded together, or half of it would be excluded alone.
            units = units_of_phrase(shown, normalised, pieces)
        for unit in units:
            yield unit, is_excluded
