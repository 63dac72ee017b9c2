"""Filters of requests, checked and brought into the spelling of the store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal

from google.protobuf.timestamp_pb2 import Timestamp

from corpus_service.chunking.structure import TITLE_CHARACTERS_MAX
from corpus_service.domain.queries import (
    PassageFilter,
    SearchFilter,
    SourceFilter,
    SourceOrder,
    SourceOrdering,
)
from corpus_service.domain.vocabulary import Instant, Trust, VersionScope
from corpus_service.search.exact_view import fold_title
from corpus_service.services.failures import invalid
from sourcecorpus.corpus.v1 import search_service_pb2, source_service_pb2
from sourcecorpus.identity import canonicalise
from sourcecorpus.rpc.limits import (
    FILTER_VALUE_CODE_POINTS_MAX,
    FILTER_VALUES_MAX,
    IDENTIFIER_BYTES_MAX,
    URI_BYTES_MAX,
)

# The range of google.protobuf.Timestamp: years 1 to 9999.
_SECONDS_MIN: Final = -62_135_596_800
_SECONDS_MAX: Final = 253_402_300_799
_NANOS: Final = 1_000_000_000
# What a 64-bit integer of nanoseconds holds: until the year 2262.
_INSTANT_MAX: Final = (1 << 63) - 1

_ORDERS: Final = frozenset(order.value for order in SourceOrder)
_TRUSTS: Final = frozenset(trust.value for trust in Trust)


def search_filter(message: search_service_pb2.SearchFilter) -> SearchFilter:
    """Reads the filter of a search.

    Raises:
        Failure: INVALID_ARGUMENT with the field.
    """
    if not message.ByteSize():
        return SearchFilter()
    scope = message.version_scope
    if scope not in {0, VersionScope.LATEST.value, VersionScope.ALL.value}:
        raise invalid("FIELD_INVALID", "filter.version_scope")
    return SearchFilter(
        families=_values(message.families, "filter.families"),
        kinds=_values(message.kinds, "filter.kinds"),
        hosts=_values(message.hosts, "filter.hosts", _host),
        uri_prefixes=_values(message.uri_prefixes, "filter.uri_prefixes"),
        languages=_values(message.languages, "filter.languages", _language),
        content_types=_values(message.content_types, "filter.content_types", _media_type),
        trust=_trust(message.trust, "filter.trust"),
        run_ids=_values(message.run_ids, "filter.run_ids"),
        fetched_after=_instant(message, "fetched_after", "filter."),
        fetched_before=_instant(message, "fetched_before", "filter."),
        version_scope=VersionScope(scope or VersionScope.LATEST.value),
        titles=_values(message.titles, "filter.titles", _title),
        collections=_values(message.collections, "filter.collections", _title),
    )


def passage_filter(request: search_service_pb2.SearchRequest) -> PassageFilter:
    """Reads the filter of passages of a search.

    Raises:
        Failure: INVALID_ARGUMENT with the field.
    """
    return PassageFilter(
        sections=_values(request.sections, "sections", _heading),
        speakers=_values(request.speakers, "speakers", _title),
    )


def source_filter(request: source_service_pb2.ListSourcesRequest) -> SourceFilter:
    """Reads the filter of a listing of sources.

    Raises:
        Failure: INVALID_ARGUMENT with the field.
    """
    if len(request.run_id.encode()) > IDENTIFIER_BYTES_MAX:
        raise invalid("FIELD_TOO_LARGE", "run_id", limit_bytes=IDENTIFIER_BYTES_MAX)
    if len(request.uri_prefix.encode()) > URI_BYTES_MAX:
        raise invalid("FIELD_TOO_LARGE", "uri_prefix", limit_bytes=URI_BYTES_MAX)
    if len(request.text) > FILTER_VALUE_CODE_POINTS_MAX:
        raise invalid("FIELD_TOO_LARGE", "text", limit=FILTER_VALUE_CODE_POINTS_MAX)
    return SourceFilter(
        families=_values(request.families, "families"),
        kinds=_values(request.kinds, "kinds"),
        run_id=request.run_id,
        uri_prefix=request.uri_prefix,
        hosts=_values(request.hosts, "hosts", _host),
        languages=_values(request.languages, "languages", _language),
        content_types=_values(request.content_types, "content_types", _media_type),
        trust=_trust(request.trust, "trust"),
        fetched_after=_instant(request, "fetched_after"),
        fetched_before=_instant(request, "fetched_before"),
        text=fold_title(request.text),
    )


def source_ordering(request: source_service_pb2.ListSourcesRequest) -> SourceOrdering:
    """Reads the order of a listing of sources.

    Raises:
        Failure: INVALID_ARGUMENT FIELD_INVALID.
    """
    if request.order not in _ORDERS:
        raise invalid("FIELD_INVALID", "order")
    return SourceOrdering(SourceOrder(request.order), request.descending)


def require_game(game_id: str, field: str = "game_id") -> str:
    """Checks that a request names a game; whether it exists is the store's to say."""
    if not game_id:
        raise invalid("FIELD_REQUIRED", field)
    if len(game_id.encode()) > IDENTIFIER_BYTES_MAX:
        raise invalid("FIELD_TOO_LARGE", field, limit_bytes=IDENTIFIER_BYTES_MAX)
    return game_id


def _values(
    values: Sequence[str], field: str, read: Callable[[str, str], str] | None = None
) -> tuple[str, ...]:
    if len(values) > FILTER_VALUES_MAX:
        raise invalid("FIELD_TOO_MANY_VALUES", field, limit=FILTER_VALUES_MAX)
    found: dict[str, None] = {}
    for number, value in enumerate(values):
        place = f"{field}[{number}]"
        if not value.strip():
            raise invalid("FIELD_VALUE_EMPTY", place)
        if len(value) > FILTER_VALUE_CODE_POINTS_MAX:
            raise invalid("FIELD_TOO_LARGE", place, limit=FILTER_VALUE_CODE_POINTS_MAX)
        found[read(value, place) if read else value] = None
    return tuple(found)


def _title(value: str, field: str) -> str:
    del field
    return fold_title(value)


def _heading(value: str, field: str) -> str:
    # Longer headings are stored cut.
    return _title(value[:TITLE_CHARACTERS_MAX], field)


def _host(value: str, field: str) -> str:
    """Brings a host into the form that canonical URIs have."""
    prefix = "https://"
    uri = canonicalise(f"{prefix}{value.strip()}/")
    host, _, rest = uri.value.removeprefix(prefix).partition("/")
    if not uri.canonicalised or rest or not host:
        raise invalid("FIELD_INVALID", field)
    return host


def _language(value: str, field: str) -> str:
    del field
    return value.strip().lower().replace("_", "-").partition("-")[0]


def _media_type(value: str, field: str) -> str:
    del field
    return value.partition(";")[0].strip().lower()


def _trust(values: Sequence[int], field: str) -> tuple[Trust, ...]:
    if len(values) > FILTER_VALUES_MAX:
        raise invalid("FIELD_TOO_MANY_VALUES", field, limit=FILTER_VALUES_MAX)
    for number, value in enumerate(values):
        if value == Trust.UNSPECIFIED.value:
            raise invalid("FIELD_VALUE_EMPTY", f"{field}[{number}]")
        if value not in _TRUSTS:
            raise invalid("FIELD_INVALID", f"{field}[{number}]")
    return tuple(dict.fromkeys(Trust(value) for value in values))


def _instant(
    message: search_service_pb2.SearchFilter | source_service_pb2.ListSourcesRequest,
    name: Literal["fetched_after", "fetched_before"],
    prefix: str = "",
) -> Instant | None:
    if not message.HasField(name):
        return None
    time: Timestamp = getattr(message, name)
    if not (_SECONDS_MIN <= time.seconds <= _SECONDS_MAX and 0 <= time.nanos < _NANOS):
        raise invalid("FIELD_INVALID", f"{prefix}{name}")
    instant = time.seconds * _NANOS + time.nanos
    return max(-_INSTANT_MAX, min(instant, _INSTANT_MAX))
