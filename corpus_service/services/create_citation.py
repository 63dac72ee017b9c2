"""CreateCitation: the citation of a span, of lines or of a quotation of exactly one version."""

from __future__ import annotations

from dataclasses import dataclass

from corpus_service.domain.sources import Version
from corpus_service.quotes import Quote, QuotedText, QuoteMatch
from corpus_service.quotes.view import QuoteView
from corpus_service.services.citations import Citation, CitationStore, cite
from corpus_service.services.failures import invalid, not_found, precondition
from corpus_service.services.limits import (
    QUOTE_CANDIDATES_MAX,
    QUOTE_CONTEXT_CODE_POINTS_MAX,
    QUOTES_BYTES_MAX,
)
from corpus_service.services.quote_places import Verdict, verdict_of
from corpus_service.services.quoted_texts import read_whole_text
from corpus_service.services.refs import format_ref
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import QUOTE_CODE_POINTS_MAX


@dataclass(frozen=True, slots=True)
class QuoteSelector:
    """Names a quotation of a version; see the contract's QuoteSelector."""

    exact: str
    prefix: str = ""
    suffix: str = ""
    occurrence: int = 0


class CreateCitationUseCase:
    """Makes citations; stores nothing. Safe from any thread.

    Every call raises INVALID_ARGUMENT FIELD_REQUIRED; NOT_FOUND UNKNOWN_GAME, VERSION_NOT_FOUND;
    FAILED_PRECONDITION VERSION_DELETED; DATA_LOSS STORED_HASH_MISMATCH.
    """

    def __init__(self, store: CitationStore) -> None:
        self._store = store

    def of_span(self, game_id: str, version_id: str, start: int, end: int) -> Citation:
        """Cites a span.

        Raises:
            Failure: INVALID_ARGUMENT SPAN_OUT_OF_RANGE, also for an empty span.
        """
        version, text = self._read(game_id, version_id)
        if not 0 <= start < end <= len(text):
            raise invalid("SPAN_OUT_OF_RANGE", "span", text_length=len(text))
        return cite(version, text, start, end, QUOTES_BYTES_MAX)

    def of_lines(self, game_id: str, version_id: str, first: int, last: int) -> Citation:
        """Cites whole lines, without the line end of the last one.

        Raises:
            Failure: INVALID_ARGUMENT SPAN_OUT_OF_RANGE.
        """
        version, text = self._read(game_id, version_id)
        if not 1 <= first <= last <= max(1, version.line_count):
            raise invalid("SPAN_OUT_OF_RANGE", "lines", line_count=version.line_count)
        start = 0
        for _ in range(first - 1):
            start = text.index("\n", start) + 1
        end = start
        for number in range(first, last + 1):
            line_end = text.find("\n", end)
            end = len(text) if line_end < 0 else line_end + (number < last)
        return cite(version, text, start, end, QUOTES_BYTES_MAX)

    def of_quote(
        self, game_id: str, version_id: str, selector: QuoteSelector
    ) -> tuple[Citation, Verdict]:
        """Cites the place of a quotation, EXACT or NORMALISED.

        Raises:
            Failure: INVALID_ARGUMENT QUOTE_EMPTY, FIELD_TOO_LARGE; NOT_FOUND QUOTE_NOT_FOUND;
                FAILED_PRECONDITION AMBIGUOUS_QUOTE with the number of places and refs of some.
        """
        quote = _checked(selector)
        version, text = self._read(game_id, version_id)
        places = QuotedText(text).find_all(quote)
        before = QuoteView(selector.prefix).text.strip(" ")
        behind = QuoteView(selector.suffix).text.strip(" ")
        if before or behind:
            places = [place for place in places if _stands_between(text, place, before, behind)]
        match = _chosen(version, places, selector.occurrence)
        return cite(version, text, match.start, match.end, QUOTES_BYTES_MAX), verdict_of(match)

    def _read(self, game_id: str, version_id: str) -> tuple[Version, str]:
        if not version_id:
            raise invalid("FIELD_REQUIRED", "version_id")
        version = self._store.get_versions(game_id, (version_id,)).get(version_id)
        if version is not None:
            return version, read_whole_text(self._store, game_id, version)
        if self._store.deleted_versions(game_id, (version_id,)):
            raise precondition("VERSION_DELETED", "version_id")
        raise not_found("VERSION_NOT_FOUND", "version_id")


def _checked(selector: QuoteSelector) -> Quote:
    if len(selector.exact) > QUOTE_CODE_POINTS_MAX:
        raise invalid("FIELD_TOO_LARGE", "quote.exact", limit=QUOTE_CODE_POINTS_MAX)
    for field, value in (("quote.prefix", selector.prefix), ("quote.suffix", selector.suffix)):
        if len(value) > QUOTE_CONTEXT_CODE_POINTS_MAX:
            raise invalid("FIELD_TOO_LARGE", field, limit=QUOTE_CONTEXT_CODE_POINTS_MAX)
    quote = Quote(selector.exact)
    if not quote.view:
        raise invalid("QUOTE_EMPTY", "quote.exact")
    return quote


def _stands_between(text: str, place: QuoteMatch, before: str, behind: str) -> bool:
    """Whether the views of what stands around a place are those that are asked for."""
    # White space and hyphens that the view leaves out take room beside what is compared.
    room = 2 * QUOTE_CONTEXT_CODE_POINTS_MAX
    if before:
        view = QuoteView(text[max(0, place.start - room) : place.start]).text.strip(" ")
        if not view.endswith(before):
            return False
    if not behind:
        return True
    return QuoteView(text[place.end : place.end + room]).text.strip(" ").startswith(behind)


def _chosen(version: Version, places: list[QuoteMatch], occurrence: int) -> QuoteMatch:
    if not places or occurrence > len(places):
        raise not_found("QUOTE_NOT_FOUND", "quote.occurrence" if places else "quote.exact")
    if occurrence:
        return places[occurrence - 1]
    if len(places) == 1:
        return places[0]
    refs = [
        format_ref(version.version_id, place.start, place.end)
        for place in places[:QUOTE_CANDIDATES_MAX]
    ]
    raise Failure(
        FailureCode.FAILED_PRECONDITION,
        "AMBIGUOUS_QUOTE",
        "quote.exact",
        metadata={"count": str(len(places)), "candidates": " ".join(refs)},
    )
