"""Citations: the exact stored place, or the reason why there is none."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from corpus_service.domain.deletions import Tombstone
from corpus_service.domain.sources import SpanText, Version
from corpus_service.domain.vocabulary import Completeness, Trust
from corpus_service.services.failures import invalid
from corpus_service.services.limits import (
    QUOTES_BYTES_MAX,
    RESOLVED_AT_ONCE_CODE_POINTS_MAX,
    SPANS_TOGETHER_CODE_POINTS_MAX,
)
from corpus_service.services.refs import Ref, format_ref, read_ref
from corpus_service.storage.interface import SourceReader, TextReader
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import QUOTE_CODE_POINTS_MAX, RESOLVE_REFS_MAX

_NOTHING_MISSING: Final = (Completeness.UNSPECIFIED, Completeness.FULL, Completeness.UNKNOWN)
UTF8_CODE_POINT_BYTES_MAX: Final = 4
_SpanKey = tuple[str, int, int]


class TombstoneReader(Protocol):
    """Tells what is known of deleted versions."""

    def tombstones(self, game_id: str, version_ids: Collection[str]) -> Mapping[str, Tombstone]:
        """See `SourceDeleter.tombstones`."""


class CitationStore(SourceReader, TextReader, TombstoneReader, Protocol):
    """What citing needs of a store."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A place in exactly one stored version; see the contract's Citation."""

    ref: str
    version: Version
    start: int
    end: int
    first_line: int
    last_line: int
    quote: str
    quote_cut: bool
    quote_hash: str


@dataclass(frozen=True, slots=True)
class CitationFailure:
    """Why a ref does not resolve: one of the contract's reasons, with the tombstone of a deleted version."""

    reason: str
    field: str
    tombstone: Tombstone | None = None


@dataclass(frozen=True, slots=True)
class Resolved:
    """A ref as it was asked, with what it names."""

    ref: str
    result: Citation | CitationFailure


class CitationUseCase:
    """Resolves refs. Every ref has its own result; none is answered with a neighbour."""

    def __init__(self, store: CitationStore) -> None:
        self._store = store

    def resolve_at_once(self, game_id: str, ref: str) -> list[Resolved] | None:
        """Resolves one ref where that takes no longer than a look-up; None where it may."""
        parsed = read_ref(ref)
        if isinstance(parsed, str):
            return None
        versions = self._store.get_versions(game_id, (parsed.version_id,))
        version = versions.get(parsed.version_id)
        if version is None or version.text_length > RESOLVED_AT_ONCE_CODE_POINTS_MAX:
            return None
        return self._resolved(game_id, (ref,), [parsed], versions)

    def resolve(self, game_id: str, refs: Sequence[str]) -> list[Resolved]:
        """Resolves refs in order with one look-up of versions and one of texts.

        Raises:
            Failure: INVALID_ARGUMENT BATCH_EMPTY or FIELD_TOO_MANY_VALUES; NOT_FOUND UNKNOWN_GAME;
                DATA_LOSS where nothing but damage can be told.
        """
        if not refs:
            raise invalid("BATCH_EMPTY", "refs")
        if len(refs) > RESOLVE_REFS_MAX:
            raise invalid("FIELD_TOO_MANY_VALUES", "refs", limit=RESOLVE_REFS_MAX)
        parsed = [read_ref(text) for text in refs]
        wanted = {ref.version_id for ref in parsed if isinstance(ref, Ref)}
        return self._resolved(game_id, refs, parsed, self._store.get_versions(game_id, wanted))

    def _resolved(
        self,
        game_id: str,
        refs: Sequence[str],
        parsed: Sequence[Ref | str],
        versions: Mapping[str, Version],
    ) -> list[Resolved]:
        wanted = {ref.version_id for ref in parsed if isinstance(ref, Ref)}
        absent = wanted - versions.keys()
        deleted = self._store.tombstones(game_id, absent) if absent else {}
        checked = [_check(ref, versions, deleted) for ref in parsed]
        spans = {key for key in checked if not isinstance(key, CitationFailure)}
        texts, damaged = self._read(game_id, spans)
        raise_if_all_damaged([damaged[key] for key in checked if key in damaged], len(refs))
        quote_bytes = QUOTES_BYTES_MAX // len(refs)
        results: list[Resolved] = []
        for text, ref, key in zip(refs, parsed, checked, strict=True):
            if isinstance(key, CitationFailure):
                results.append(Resolved(text, key))
            elif key in damaged:
                results.append(Resolved(text, CitationFailure(damaged[key].reason, "refs")))
            elif key in texts:
                written = ref.written if isinstance(ref, Ref) else ""
                citation = _cite(versions[key[0]], key, texts[key], quote_bytes, written)
                results.append(Resolved(text, citation))
            else:
                # It was there a moment ago: deleted between the look-ups.
                gone = self._store.tombstones(game_id, (key[0],)).get(key[0])
                results.append(Resolved(text, CitationFailure("VERSION_DELETED", "refs", gone)))
        return results

    def _read(
        self, game_id: str, spans: set[_SpanKey]
    ) -> tuple[dict[_SpanKey, _Quoted], dict[_SpanKey, Failure]]:
        texts: dict[_SpanKey, _Quoted] = {}
        damaged: dict[_SpanKey, Failure] = {}
        together: list[_SpanKey] = []
        room = SPANS_TOGETHER_CODE_POINTS_MAX
        for key in sorted(spans, key=lambda span: span[2] - span[1]):
            room -= key[2] - key[1]
            if room >= 0:
                together.append(key)
                continue
            self._read_some(game_id, [key], texts, damaged)
        if together:
            self._read_some(game_id, together, texts, damaged)
        return texts, damaged

    def _read_some(
        self,
        game_id: str,
        keys: list[_SpanKey],
        texts: dict[_SpanKey, _Quoted],
        damaged: dict[_SpanKey, Failure],
    ) -> None:
        try:
            found = self._store.read_spans(game_id, keys)
        except Failure as failure:
            if failure.code is not FailureCode.DATA_LOSS:
                raise
            if len(keys) == 1:
                damaged[keys[0]] = failure
            else:
                # One damaged version must not hide the others.
                for key in keys:
                    self._read_some(game_id, [key], texts, damaged)
            return
        texts.update((key, _quoted(text)) for key, text in found.items())


class _Quoted(NamedTuple):
    """A span of which only the part that can be quoted is kept, with the hash of the whole."""

    quote: str
    first_line: int
    last_line: int
    quote_hash: str


def _quoted(text: SpanText) -> _Quoted:
    return _Quoted(
        text.text[:QUOTE_CODE_POINTS_MAX], text.first_line, text.last_line, _hash(text.text)
    )


def _hash(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def absent_version(
    version_id: str, deleted: Mapping[str, Tombstone], field: str
) -> CitationFailure:
    """Returns why a version is not there: it was deleted, or never known."""
    tombstone = deleted.get(version_id)
    reason = "VERSION_NOT_FOUND" if tombstone is None else "VERSION_DELETED"
    return CitationFailure(reason, field, tombstone)


def cautions_of(version: Version) -> tuple[str, ...]:
    """Returns what to say beside a citation: SYNTHETIC, DISCOVERY, INCOMPLETE; see the contract."""
    cautions = []
    if version.synthetic or version.trust is Trust.SYNTHETIC:
        cautions.append("SYNTHETIC")
    if version.trust is Trust.DISCOVERY:
        cautions.append("DISCOVERY")
    if version.completeness not in _NOTHING_MISSING:
        cautions.append("INCOMPLETE")
    return tuple(cautions)


def raise_if_all_damaged(failures: Sequence[Failure], asked: int) -> None:
    """Fails a call of which nothing but damage could be told.

    Raises:
        Failure: The first DATA_LOSS, with both hashes.
    """
    damaged = [failure for failure in failures if failure.code is FailureCode.DATA_LOSS]
    if damaged and len(damaged) == asked:
        raise damaged[0]


def cite(version: Version, text: str, start: int, end: int, quote_bytes: int) -> Citation:
    """Cites a span of a version whose whole text is at hand.

    Args:
        version: The version.
        text: Its whole text.
        start: First code point.
        end: Code point behind the last one.
        quote_bytes: UTF-8 bytes that the quote may have.
    """
    first_line = text.count("\n", 0, start) + 1
    last_line = first_line + text.count("\n", start, max(start, end - 1))
    quoted = _quoted(SpanText(text[start:end], first_line, last_line))
    return _cite(version, (version.version_id, start, end), quoted, quote_bytes)


def _check(
    ref: Ref | str, versions: Mapping[str, Version], deleted: Mapping[str, Tombstone]
) -> _SpanKey | CitationFailure:
    if isinstance(ref, str):
        return CitationFailure(ref, "refs")
    version = versions.get(ref.version_id)
    if version is None:
        return absent_version(ref.version_id, deleted, "refs")
    start, end = ref.span or (0, version.text_length)
    if not start <= end <= version.text_length:
        return CitationFailure("SPAN_OUT_OF_RANGE", "refs")
    return version.version_id, start, end


def _cite(
    version: Version, key: _SpanKey, text: _Quoted, quote_bytes: int, ref: str = ""
) -> Citation:
    """Makes a citation; ``ref`` is its ref where that is known."""
    _, start, end = key
    quote = text.quote
    if len(quote) * UTF8_CODE_POINT_BYTES_MAX > quote_bytes:
        encoded = quote.encode("utf-8", "replace")
        quote = encoded[:quote_bytes].decode("utf-8", "ignore")
    return Citation(
        ref=ref or format_ref(version.version_id, start, end),
        version=version,
        start=start,
        end=end,
        first_line=text.first_line,
        last_line=text.last_line,
        quote=quote,
        quote_cut=len(quote) < end - start,
        quote_hash=text.quote_hash,
    )
