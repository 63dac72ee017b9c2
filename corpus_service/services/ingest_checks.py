"""What a capture record must be like before it is stored; a fault names its field, never its text."""

from __future__ import annotations

import json
from typing import Final

from corpus_service.domain.records import CapturedSource, CaptureRecord, Content
from corpus_service.domain.vocabulary import Instant, SourceRole
from sourcecorpus.identity import content_hash, is_content_hash
from sourcecorpus.rpc.limits import (
    ENVELOPE_BYTES_MAX,
    ENVELOPE_ID_CHARACTERS_MAX,
    INGEST_SOURCES_MAX,
    INSTANT_NANOSECONDS_MAX,
    METADATA_JSON_BYTES_MAX,
    URI_BYTES_MAX,
)

_REQUIRED_OF_RECORD: Final = ("envelope_id", "envelope_fingerprint", "tool_name")
_REQUIRED_OF_SOURCE: Final = ("canonical_uri", "family", "kind")


class RecordFault(Exception):  # noqa: N818 - a fault of the record, not of the program
    """A record is wrong in itself.

    Attributes:
        reason: UPPER_SNAKE reason of the documented list.
        faulty_field: Field that it is about.
    """

    def __init__(self, reason: str, faulty_field: str) -> None:
        super().__init__(reason, faulty_field)
        self.reason = reason
        self.faulty_field = faulty_field


def check_record(record: CaptureRecord) -> None:
    """Compare a record with its contract.

    Raises:
        RecordFault: The first thing that is wrong.
    """
    for name in _REQUIRED_OF_RECORD:
        if not getattr(record, name):
            raise RecordFault("FIELD_REQUIRED", name)
    if len(record.envelope_id) > ENVELOPE_ID_CHARACTERS_MAX:
        raise RecordFault("FIELD_TOO_LARGE", "envelope_id")
    if not is_content_hash(record.envelope_fingerprint):
        raise RecordFault("INVALID_HASH", "envelope_fingerprint")
    for name in ("finished_time", "received_time"):
        if getattr(record, name) == 0:
            raise RecordFault("FIELD_REQUIRED", name)
        if not 0 < getattr(record, name) <= INSTANT_NANOSECONDS_MAX:
            raise RecordFault("FIELD_INVALID", name)
    _check_instant(record.started_time, "started_time")
    if len(record.sources) > INGEST_SOURCES_MAX:
        raise RecordFault("FIELD_TOO_MANY_VALUES", "sources")
    known = _check_contents(record.contents)
    if record.result_hash and record.result_hash not in known:
        raise RecordFault("RECORD_INVALID", "result_hash")
    for position, source in enumerate(record.sources):
        _check_source(source, f"sources[{position}]", known, len(record.sources))


def _check_instant(instant: Instant | None, field: str) -> None:
    """A number that no row can hold would be refused by the database at every repetition."""
    if instant is not None and abs(instant) > INSTANT_NANOSECONDS_MAX:
        raise RecordFault("FIELD_INVALID", field)


def _check_contents(contents: tuple[Content, ...]) -> frozenset[str]:
    names = frozenset(content.content_hash for content in contents)
    if len(names) != len(contents):
        raise RecordFault("RECORD_INVALID", "contents")
    for position, content in enumerate(contents):
        field = f"contents[{position}]"
        if not is_content_hash(content.content_hash):
            raise RecordFault("INVALID_HASH", f"{field}.content_hash")
        if content.size_bytes > ENVELOPE_BYTES_MAX:
            raise RecordFault("CONTENT_TOO_LARGE", f"{field}.size_bytes")
        if content.data is None:
            continue
        if len(content.data) != content.size_bytes:
            raise RecordFault("CONTENT_SIZE_MISMATCH", f"{field}.size_bytes")
        if content_hash(content.data) != content.content_hash:
            raise RecordFault("CONTENT_HASH_MISMATCH", f"{field}.content_hash")
    return names


def _check_source(
    source: CapturedSource, field: str, known: frozenset[str], source_count: int
) -> None:
    for name in _REQUIRED_OF_SOURCE:
        if not getattr(source, name):
            raise RecordFault("FIELD_REQUIRED", f"{field}.{name}")
    if len(source.canonical_uri.encode()) > URI_BYTES_MAX:
        raise RecordFault("FIELD_TOO_LARGE", f"{field}.canonical_uri")
    if source.role is SourceRole.UNSPECIFIED:
        raise RecordFault("FIELD_REQUIRED", f"{field}.role")
    if source.content_hash and source.content_hash not in known:
        raise RecordFault("RECORD_INVALID", f"{field}.content_hash")
    if any(part.content_hash not in known for part in source.representations):
        raise RecordFault("RECORD_INVALID", f"{field}.representations")
    if source.parent_position > source_count:
        raise RecordFault("RECORD_INVALID", f"{field}.parent_position")
    _check_instant(source.fetched_time, f"{field}.fetched_time")
    if source.metadata_json:
        _check_metadata(source.metadata_json, f"{field}.metadata_json")


def _check_metadata(text: str, field: str) -> None:
    if len(text.encode()) > METADATA_JSON_BYTES_MAX:
        raise RecordFault("FIELD_TOO_LARGE", field)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise RecordFault("INVALID_JSON", field) from None
    if not isinstance(value, dict):
        raise RecordFault("INVALID_JSON", field)
