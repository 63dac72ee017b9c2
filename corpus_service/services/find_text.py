"""FindText: every line that holds a literal or matches an expression, in document order.

The index names documents that may match, the stored text decides. A page is bounded in work, not
only in results: it may be empty and not the last one, and only `FindPage.exhausted` proves that there is
nothing more.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from corpus_service.domain.queries import Query, SearchFilter, VersionScan
from corpus_service.domain.sources import Snapshot, Version
from corpus_service.search.exact_candidates import candidate_query
from corpus_service.search.exact_patterns import (
    LineTooLongError,
    Literal,
    Pattern,
    PatternError,
    literal_pattern,
    regex_pattern,
)
from corpus_service.search.limits import (
    FIND_BATCH_VERSIONS,
    FIND_CODE_POINTS_SCANNED_MAX,
    FIND_CONTEXT_TERMS_MAX,
    FIND_DEADLINE_SHARE,
    FIND_DOCUMENTS_SCANNED_MAX,
    FIND_MATCHING_LINES_MAX,
    FIND_PAGE_CODE_POINTS_MAX,
    FIND_QUERY_CODE_POINTS_MAX,
    FIND_SECONDS_MAX,
)
from corpus_service.services.failures import invalid, precondition
from corpus_service.services.find_passages import LineMatcher, PageRoom, fold_term
from corpus_service.services.found_lines import FoundPassage, LinePlace
from corpus_service.services.sections import lines_below
from corpus_service.storage.document_interface import DocumentFinder
from corpus_service.storage.interface import SourceReader, TextReader
from corpus_service.storage.passage_interface import PassageIndex
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.failures import Failure, FailureCode

# A token in more chunks than this is common; counting on would cost more than it saves.
_COUNTED_MAX: Final = 10_000


class FindStore(PassageIndex, SourceReader, TextReader, DocumentFinder, Protocol):
    """What finding needs of a store."""


@dataclass(frozen=True, slots=True)
class FindRequest:
    """What to find.

    Attributes:
        game_id: Canonical game id.
        query: Literal or expression; "" with a filter alone lists the documents that it admits.
        regex: ``query`` is an expression in RE2 syntax.
        narrowing: Filter.
        context_terms: Literals that must all stand within three lines of a match.
        speakers: Who says the line; any of them.
        page_size: Documents of a page, at least 1.
        sections: Headings; lines below any of them. With nothing else, the whole of one section.
    """

    game_id: str
    query: str
    regex: bool
    narrowing: SearchFilter
    context_terms: tuple[str, ...]
    speakers: tuple[str, ...]
    page_size: int
    sections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FindPosition:
    """Where a page begins: a version's row, and the first line of it that was not looked at."""

    row: int
    line: int = 1
    offset: int = 0

    @property
    def place(self) -> LinePlace:
        """The line."""
        return LinePlace(self.line, self.offset)


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document with its matching lines.

    Attributes:
        version: The document's version.
        passages: Matching lines with their surroundings, in order.
        title_matched: The title matches.
        continues: Further lines of this document are on the next page.
    """

    version: Version
    passages: tuple[FoundPassage, ...]
    title_matched: bool
    continues: bool


class PageEnd(enum.IntEnum):
    """Why a page ends where it does."""

    EXHAUSTED = 1
    """Everything was looked at."""
    FULL = 2
    """It has as many documents, lines or code points as a page may have."""
    WORK = 3
    """So many documents or code points were looked at."""
    TIME = 4
    """Its share of the time was used up."""


@dataclass(frozen=True, slots=True)
class FindPage:
    """A page; ``following`` is None where everything was looked at."""

    documents: tuple[FoundDocument, ...]
    scanned_documents: int
    following: FindPosition | None
    end: PageEnd

    @property
    def exhausted(self) -> bool:
        """Nothing is left to look at."""
        return self.following is None


@dataclass(slots=True)
class _Budget:
    """What is left of the work of one page."""

    clock: Callable[[], float]
    documents_left: int
    stop_at: float
    scanned: int = 0
    code_points: int = FIND_CODE_POINTS_SCANNED_MAX
    lines: int = FIND_MATCHING_LINES_MAX
    shown: int = FIND_PAGE_CODE_POINTS_MAX

    def is_spent(self) -> bool:
        """Whether another document must wait for the next page; one is always looked at."""
        return self.scanned > 0 and (
            self.is_full
            or self.code_points <= 0
            or self.scanned >= FIND_DOCUMENTS_SCANNED_MAX
            or self.clock() >= self.stop_at
        )

    @property
    def is_full(self) -> bool:
        """Whether the page has all it may have."""
        return self.documents_left <= 0 or self.lines <= 0 or self.shown <= 0

    def page(self, documents: Sequence[FoundDocument], following: FindPosition | None) -> FindPage:
        """Makes the page that ends here."""
        end = PageEnd.WORK
        if following is None:
            end = PageEnd.EXHAUSTED
        elif self.is_full:
            end = PageEnd.FULL
        elif self.clock() >= self.stop_at:
            end = PageEnd.TIME
        return FindPage(tuple(documents), self.scanned, following, end)


class FindTextUseCase:
    """Finds exact text. Safe from any thread."""

    def __init__(self, store: FindStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock

    def find(
        self, request: FindRequest, as_of: Snapshot, position: FindPosition | None = None
    ) -> FindPage:
        """Finds the documents of one page.

        Raises:
            Failure: RESOURCE_EXHAUSTED PATTERN_TOO_COSTLY; DEADLINE_EXCEEDED; INVALID_ARGUMENT
                QUERY_TOO_LONG, QUERY_EMPTY, PATTERN_INVALID, FIELD_REQUIRED,
                FIELD_TOO_MANY_VALUES, FIELD_VALUE_EMPTY; SNAPSHOT_CHANGED; what the store raises.
        """
        matcher = _matcher(request)
        query = self._candidates(request, matcher)
        left = deadline.remaining()
        seconds = (
            FIND_SECONDS_MAX if left is None else min(left * FIND_DEADLINE_SHARE, FIND_SECONDS_MAX)
        )
        budget = _Budget(self._clock, request.page_size, self._clock() + seconds)
        documents: list[FoundDocument] = []
        at = position or FindPosition(0)
        while True:
            scan = self._store.scan_versions(
                request.game_id,
                query,
                request.narrowing,
                first_row=at.row,
                limit=FIND_BATCH_VERSIONS,
                as_of=as_of,
                deadline_seconds=deadline.remaining(),
            )
            following = self._look_at_all(
                request, matcher, scan, at, budget=budget, documents=documents
            )
            if following is None and scan.following is not None:
                at = FindPosition(scan.following)
                # Of so many versions the filter may have admitted none.
                following = at if self._clock() >= budget.stop_at else None
            elif following is None:
                return budget.page(documents, None)
            if following is not None:
                return budget.page(documents, following)

    def _look_at_all(
        self,
        request: FindRequest,
        matcher: LineMatcher | None,
        scan: VersionScan,
        at: FindPosition,
        *,
        budget: _Budget,
        documents: list[FoundDocument],
    ) -> FindPosition | None:
        """Looks at versions one by one; returns where the page ends among them, else None."""
        facts = self._store.get_versions(request.game_id, [name for _, name in scan.versions])
        for row, version_id in scan.versions:
            begin = at if at.row == row else FindPosition(row)
            if budget.is_spent():
                return begin
            version = facts.get(version_id)
            if version is None:
                raise precondition("SNAPSHOT_CHANGED", "page_token")
            following = self._look(
                request, matcher, version, begin, budget=budget, documents=documents
            )
            if following is not None:
                return following
        return None

    def _look(
        self,
        request: FindRequest,
        matcher: LineMatcher | None,
        version: Version,
        at: FindPosition,
        *,
        budget: _Budget,
        documents: list[FoundDocument],
    ) -> FindPosition | None:
        """Looks at one document; returns where to go on in it, or None when it is done."""
        budget.scanned += 1
        if matcher is None:
            documents.append(FoundDocument(version, (), title_matched=False, continues=False))
            budget.documents_left -= 1
            return None
        text, within = self._text(request, version)
        room = PageRoom(
            lines=budget.lines,
            code_points=budget.shown,
            is_over=lambda: self._clock() >= budget.stop_at,
            check=deadline.require_time,
        )
        try:
            lines = matcher.find(text, room, begin=at.place, within=within)
        except LineTooLongError:
            raise Failure(
                FailureCode.RESOURCE_EXHAUSTED,
                "PATTERN_TOO_COSTLY",
                "query",
                metadata={"version_id": version.version_id},
            ) from None
        title_matched = at.line == 1 and within is None and matcher.matches_title(version.title)
        following = None
        if lines.following is not None:
            following = FindPosition(at.row, lines.following.number, lines.following.offset)
        if lines.passages or title_matched:
            documents.append(
                FoundDocument(version, lines.passages, title_matched, following is not None)
            )
            budget.documents_left -= 1
            budget.lines -= lines.matching_lines
            budget.shown -= lines.shown_code_points
        budget.code_points -= lines.scanned_code_points
        return following

    def _text(
        self, request: FindRequest, version: Version
    ) -> tuple[str, list[tuple[int, int]] | None]:
        """Returns a text, and the stretches of its lines that the request admits, None for all."""
        try:
            text = self._store.read_span(
                request.game_id, version.version_id, 0, version.text_length
            )
            if not request.sections:
                return text, None
            chunks = self._store.list_headings(request.game_id, version.version_id)
        except Failure as failure:
            if failure.reason == "VERSION_NOT_FOUND":
                # It was deleted after the scan began: what was found already may be void too.
                raise precondition("SNAPSHOT_CHANGED", "page_token") from None
            raise
        names = frozenset(_terms(request.sections, "sections"))
        return text, lines_below(chunks, names, version.line_count)

    def _candidates(self, request: FindRequest, matcher: LineMatcher | None) -> Query | None:
        if matcher is None or not isinstance(matcher.pattern, Literal):
            return None
        return candidate_query(
            matcher.pattern.folded,
            lambda query: self._store.count_matches(
                request.game_id, query, limit=_COUNTED_MAX, deadline_seconds=deadline.remaining()
            ),
        )


def _matcher(request: FindRequest) -> LineMatcher | None:
    if len(request.query) > FIND_QUERY_CODE_POINTS_MAX:
        raise invalid("QUERY_TOO_LONG", "query", limit=FIND_QUERY_CODE_POINTS_MAX)
    if len(request.context_terms) > FIND_CONTEXT_TERMS_MAX:
        raise invalid("FIELD_TOO_MANY_VALUES", "context_terms", limit=FIND_CONTEXT_TERMS_MAX)
    if request.context_terms and not (request.query or request.speakers):
        raise invalid("FIELD_REQUIRED", "query")
    _terms(request.sections, "sections")
    if request.regex and not request.query:
        raise invalid("QUERY_EMPTY", "query")
    if not request.query and not request.speakers:
        if len(request.sections) > 1:
            raise invalid("FIELD_TOO_MANY_VALUES", "sections", limit=1)
        if not request.sections:
            scope = request.narrowing.version_scope
            if request.narrowing == SearchFilter(version_scope=scope):
                raise invalid("FIELD_REQUIRED", "query")
            return None
    return LineMatcher(
        _pattern(request),
        _terms(request.context_terms, "context_terms"),
        frozenset(_terms(request.speakers, "speakers")),
    )


def _pattern(request: FindRequest) -> Pattern | None:
    if not request.query:
        return None
    if request.regex:
        try:
            return regex_pattern(request.query)
        except PatternError as error:
            raise invalid(
                "PATTERN_INVALID", "query", position=error.position, problem=error.problem
            ) from None
    pattern = literal_pattern(request.query)
    if pattern is None:
        raise invalid("QUERY_EMPTY", "query")
    return pattern


def _terms(values: Sequence[str], field: str) -> tuple[str, ...]:
    terms = []
    for number, value in enumerate(values):
        if len(value) > FIND_QUERY_CODE_POINTS_MAX:
            raise invalid("FIELD_TOO_LARGE", f"{field}[{number}]", limit=FIND_QUERY_CODE_POINTS_MAX)
        folded = fold_term(value)
        if not folded:
            raise invalid("FIELD_VALUE_EMPTY", f"{field}[{number}]")
        terms.append(folded)
    return tuple(dict.fromkeys(terms))
