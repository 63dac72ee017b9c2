"""Where else a quotation stands: other versions of its source, documents of a run or of the game.

The index names versions that may hold it, the stored text decides. Work is bounded, and the answer says
when the bound cut it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from corpus_service.domain.queries import Query, SearchFilter
from corpus_service.domain.sources import Version
from corpus_service.domain.vocabulary import VersionScope
from corpus_service.quotes import Likeness, Quote, QuoteMatch
from corpus_service.search.exact_candidates import candidate_query
from corpus_service.search.units import all_of, units_of_literal
from corpus_service.services.citations import CitationStore
from corpus_service.services.limits import (
    ELSEWHERE_CODE_POINTS_MAX,
    ELSEWHERE_LITERAL_CODE_POINTS_MAX,
    ELSEWHERE_PHRASES_MAX,
    ELSEWHERE_SOURCE_VERSIONS_MAX,
    ELSEWHERE_VERSIONS_MAX,
)
from corpus_service.services.quoted_texts import QuotedTexts
from corpus_service.storage.passage_interface import PassageIndex
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.failures import Failure

# A token in more chunks than this is common; counting on would cost more than it saves.
_COUNTED_MAX: Final = 10_000


class QuoteStore(PassageIndex, CitationStore, Protocol):
    """What checking quotations needs of a store."""


class Verdict(enum.IntEnum):
    """See the contract's QuoteVerdict."""

    EXACT = 1
    NORMALISED = 2
    ELSEWHERE = 3
    ABSENT = 4


def verdict_of(match: QuoteMatch) -> Verdict:
    """Returns the verdict on a quotation that the version holds."""
    return Verdict.EXACT if match.likeness is Likeness.EXACT else Verdict.NORMALISED


class QuoteScope(enum.IntEnum):
    """Where a quotation is looked for when its version does not hold it; see the contract."""

    VERSION = 1
    SOURCE = 2
    RUN = 3
    GAME = 4


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What the rest of a scope says.

    Attributes:
        version: The first version that holds the quotation, None where none was found.
        match: Where in it.
        searched: Versions that were looked at.
        cut: There are more versions than were looked at.
    """

    version: Version | None = None
    match: QuoteMatch | None = None
    searched: int = 0
    cut: bool = False


class ElsewhereSearch:
    """Looks for the quotations of one call; the bound on code points is for all of them."""

    def __init__(
        self, store: QuoteStore, game_id: str, texts: QuotedTexts, scope: QuoteScope, run_id: str
    ) -> None:
        self._store = store
        self._game_id = game_id
        self._texts = texts
        self._scope = scope
        self._run_id = run_id
        self._code_points_left = ELSEWHERE_CODE_POINTS_MAX
        self._read: set[str] = set()

    def find(self, quote: Quote, asked: Version) -> Elsewhere:
        """Looks in the versions of the scope but the one that was asked."""
        if self._scope is QuoteScope.VERSION:
            return Elsewhere()
        candidates = self._candidates(quote, asked)
        seen = {asked.version_id}
        searched = 0
        for version, within in candidates:
            if version.version_id in seen:
                continue
            seen.add(version.version_id)
            if not within or not self._affords(version):
                return Elsewhere(searched=searched, cut=True)
            searched += 1
            try:
                match = self._texts.get(version).find(quote)
            except Failure as failure:
                # Deleted or damaged: it proves nothing, and what it held is not known.
                if failure.reason not in ("VERSION_NOT_FOUND", "STORED_HASH_MISMATCH"):
                    raise
                continue
            if match is not None:
                return Elsewhere(version, match, searched)
        return Elsewhere(searched=searched)

    def _affords(self, version: Version) -> bool:
        if version.version_id not in self._read:
            self._code_points_left -= version.text_length
            self._read.add(version.version_id)
        return self._code_points_left >= 0

    def _candidates(self, quote: Quote, asked: Version) -> Iterator[tuple[Version, bool]]:
        """Yields versions; the one behind the bound of a list comes with False and is the last."""
        listed = self._store.list_versions(
            self._game_id, asked.source_id, limit=ELSEWHERE_SOURCE_VERSIONS_MAX + 1
        )
        for number, (version, _) in enumerate(listed):
            if number == ELSEWHERE_SOURCE_VERSIONS_MAX and self._scope is QuoteScope.SOURCE:
                yield version, False
                return
            yield version, True
        if self._scope is QuoteScope.SOURCE:
            return
        literal = _literal(quote.pieces or (quote.view,))
        phrases = [unit.query for unit in units_of_literal(literal)[:ELSEWHERE_PHRASES_MAX]]
        if phrases:
            # Versions with the words side by side are few; words may be cut there all the same.
            for version, within in self._matching(all_of(phrases)):
                if within:
                    yield version, True
        yield from self._matching(self._safe_query(literal))

    def _matching(self, query: Query | None) -> Iterator[tuple[Version, bool]]:
        rows = self._store.scan_versions(
            self._game_id,
            query,
            SearchFilter(
                run_ids=(self._run_id,) if self._scope is QuoteScope.RUN else (),
                version_scope=VersionScope.ALL,
            ),
            first_row=0,
            limit=ELSEWHERE_VERSIONS_MAX + 1,
            deadline_seconds=deadline.remaining(),
        ).versions
        facts = self._store.get_versions(self._game_id, [version_id for _, version_id in rows])
        for number, (_, version_id) in enumerate(rows):
            found = facts.get(version_id)
            if found is not None:
                yield found, number < ELSEWHERE_VERSIONS_MAX

    def _safe_query(self, literal: str) -> Query | None:
        """Returns a query that every version with the literal matches; None where all may."""

        def count(query: Query) -> int:
            return self._store.count_matches(
                self._game_id, query, limit=_COUNTED_MAX, deadline_seconds=deadline.remaining()
            )

        return candidate_query(literal, count)


def _literal(views: Sequence[str]) -> str:
    """Returns the part of a quotation that the index is asked about."""
    return max(views, key=len)[:ELSEWHERE_LITERAL_CODE_POINTS_MAX]
