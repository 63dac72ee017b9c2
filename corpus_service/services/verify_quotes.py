"""VerifyQuotes: what stored versions say about the quotations of an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corpus_service.domain.deletions import Tombstone
from corpus_service.domain.sources import Version
from corpus_service.quotes import Quote, QuotedText, QuoteMatch, find_nearest
from corpus_service.services.citations import (
    Citation,
    CitationFailure,
    absent_version,
    cite,
    raise_if_all_damaged,
)
from corpus_service.services.failures import invalid
from corpus_service.services.limits import NEAREST_CODE_POINTS_MAX, QUOTES_BYTES_MAX
from corpus_service.services.quote_places import (
    ElsewhereSearch,
    QuoteScope,
    QuoteStore,
    Verdict,
    verdict_of,
)
from corpus_service.services.quoted_texts import QuotedTexts
from corpus_service.services.refs import Ref, format_ref, read_ref
from sourcecorpus.identity import is_identifier
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.failures import Failure
from sourcecorpus.rpc.limits import QUOTE_CODE_POINTS_MAX, VERIFY_QUOTES_MAX


@dataclass(frozen=True, slots=True)
class QuoteToVerify:
    """A quotation and where it is said to stand: exactly one of ``version_id`` and ``ref``."""

    quote: str
    version_id: str = ""
    ref: str = ""


@dataclass(frozen=True, slots=True)
class Nearest:
    """A passage that is like the quotation; see the contract's NearestPassage."""

    ref: str
    start: int
    end: int
    text: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Verification:
    """Verdict on one quotation; see the contract's QuoteVerification."""

    verdict: Verdict
    citation: Citation | None = None
    parts: tuple[tuple[int, int], ...] = ()
    nearest: Nearest | None = None
    versions_searched: int = 0
    scope_cut: bool = False
    outside_ref: bool = False


class VerifyQuotesUseCase:
    """Checks quotations against stored texts. Safe from any thread."""

    def __init__(self, store: QuoteStore) -> None:
        self._store = store

    def verify(
        self,
        game_id: str,
        quotes: Sequence[QuoteToVerify],
        scope: QuoteScope = QuoteScope.GAME,
        run_id: str = "",
    ) -> list[Verification | CitationFailure]:
        """Checks quotations, each with its own result, in order.

        Raises:
            Failure: INVALID_ARGUMENT BATCH_EMPTY, FIELD_TOO_MANY_VALUES, QUOTE_EMPTY,
                FIELD_TOO_LARGE, LOCATOR_REQUIRED, FIELD_REQUIRED; NOT_FOUND UNKNOWN_GAME;
                DATA_LOSS STORED_HASH_MISMATCH where every version that was asked is damaged.
        """
        wanted = _checked(quotes)
        if scope is QuoteScope.RUN and not run_id:
            raise invalid("FIELD_REQUIRED", "run_id")
        places = [_place(quote, number) for number, quote in enumerate(quotes)]
        names = {place.version_id for place in places if isinstance(place, Ref)}
        versions = self._store.get_versions(game_id, names)
        absent = names - versions.keys()
        deleted = self._store.tombstones(game_id, absent) if absent else {}
        texts = QuotedTexts(self._store, game_id)
        elsewhere = ElsewhereSearch(self._store, game_id, texts, scope, run_id)
        results: list[Verification | CitationFailure] = []
        damaged: list[Failure] = []
        for number, (quote, place) in enumerate(zip(wanted, places, strict=True)):
            asked = _asked(place, versions, deleted, _place_field(quotes[number], number))
            if isinstance(asked, CitationFailure):
                results.append(asked)
                continue
            try:
                text = texts.get(asked)
            except Failure as failure:
                gone = self._store.tombstones(game_id, (asked.version_id,)).get(asked.version_id)
                field = _place_field(quotes[number], number)
                results.append(_unreadable(failure, field, gone))
                damaged.append(failure)
                continue
            one = _OneQuote(quote, asked, text, QUOTES_BYTES_MAX // len(quotes))
            span = place.span if isinstance(place, Ref) else None
            results.append(one.here(span) or one.not_here(elsewhere, texts))
        raise_if_all_damaged(damaged, len(quotes))
        return results


@dataclass(frozen=True, slots=True)
class _OneQuote:
    quote: Quote
    asked: Version
    text: QuotedText
    quote_bytes: int

    def here(self, span: tuple[int, int] | None) -> Verification | None:
        """Returns the verdict of the version that was asked, None where it does not hold it."""
        match = self.text.find(self.quote)
        if match is None:
            return None
        outside = span is not None and not _within(match, span)
        if outside and span is not None:
            inside = [place for place in self.text.find_all(self.quote) if _within(place, span)]
            match, outside = (inside[0], False) if inside else (match, True)
        return Verification(
            verdict=verdict_of(match),
            citation=cite(self.asked, self.text.text, match.start, match.end, self.quote_bytes),
            parts=match.parts,
            outside_ref=outside,
        )

    def not_here(self, elsewhere: ElsewhereSearch, texts: QuotedTexts) -> Verification:
        """Returns the verdict of the rest of the scope."""
        found = elsewhere.find(self.quote, self.asked)
        deadline.require_time()
        nearest = self._nearest()
        if found.version is None or found.match is None:
            return Verification(
                Verdict.ABSENT,
                nearest=nearest,
                versions_searched=found.searched,
                scope_cut=found.cut,
            )
        match, text = found.match, texts.get(found.version).text
        return Verification(
            verdict=Verdict.ELSEWHERE,
            citation=cite(found.version, text, match.start, match.end, self.quote_bytes),
            parts=match.parts,
            nearest=nearest,
            versions_searched=found.searched,
        )

    def _nearest(self) -> Nearest | None:
        near = find_nearest(self.text, self.quote)
        if near is None:
            return None
        text = self.text.text[near.start : min(near.end, near.start + NEAREST_CODE_POINTS_MAX)]
        ref = format_ref(self.asked.version_id, near.start, near.end)
        return Nearest(ref, near.start, near.end, text, near.similarity)


def _within(match: QuoteMatch, span: tuple[int, int]) -> bool:
    return span[0] <= match.start and match.end <= span[1]


def _checked(quotes: Sequence[QuoteToVerify]) -> list[Quote]:
    if not quotes:
        raise invalid("BATCH_EMPTY", "quotes")
    if len(quotes) > VERIFY_QUOTES_MAX:
        raise invalid("FIELD_TOO_MANY_VALUES", "quotes", limit=VERIFY_QUOTES_MAX)
    checked = []
    for number, item in enumerate(quotes):
        field = f"quotes[{number}]"
        if len(item.quote) > QUOTE_CODE_POINTS_MAX:
            raise invalid("FIELD_TOO_LARGE", f"{field}.quote", limit=QUOTE_CODE_POINTS_MAX)
        quote = Quote(item.quote)
        if not quote.view:
            raise invalid("QUOTE_EMPTY", f"{field}.quote")
        if bool(item.version_id) == bool(item.ref):
            raise invalid("LOCATOR_REQUIRED", field)
        checked.append(quote)
    return checked


def _place_field(item: QuoteToVerify, number: int) -> str:
    return f"quotes[{number}].{'ref' if item.ref else 'version_id'}"


def _place(item: QuoteToVerify, number: int) -> Ref | CitationFailure:
    if item.version_id:
        if not is_identifier(item.version_id, "version"):
            return CitationFailure("VERSION_NOT_FOUND", _place_field(item, number))
        return Ref(item.version_id, None)
    ref = read_ref(item.ref)
    return ref if isinstance(ref, Ref) else CitationFailure(ref, _place_field(item, number))


def _asked(
    place: Ref | CitationFailure,
    versions: Mapping[str, Version],
    deleted: Mapping[str, Tombstone],
    field: str,
) -> Version | CitationFailure:
    if isinstance(place, CitationFailure):
        return place
    version = versions.get(place.version_id)
    if version is None:
        return absent_version(place.version_id, deleted, field)
    if place.span is not None and not place.span[0] <= place.span[1] <= version.text_length:
        return CitationFailure("SPAN_OUT_OF_RANGE", field)
    return version


def _unreadable(failure: Failure, field: str, tombstone: Tombstone | None) -> CitationFailure:
    if failure.reason == "VERSION_NOT_FOUND":
        # It was there a moment ago: deleted between the look-ups.
        return CitationFailure("VERSION_DELETED", field, tombstone)
    if failure.reason not in ("STORED_HASH_MISMATCH", "STORE_DAMAGED"):
        raise failure
    return CitationFailure(failure.reason, field)
