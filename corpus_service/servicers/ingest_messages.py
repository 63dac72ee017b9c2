"""Messages of the ingest contract as domain values, and results as messages."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, TypeVar

from google.protobuf.timestamp_pb2 import Timestamp

from corpus_service.domain.records import (
    AccessFacts,
    CapturedSource,
    CaptureRecord,
    Claim,
    Content,
    IngestResult,
    Representation,
    Window,
)
from corpus_service.domain.vocabulary import (
    Completeness,
    Derivation,
    Instant,
    SourceRole,
    ToolStatus,
)
from corpus_service.extraction.normalise import clean_title
from sourcecorpus.capture.v1 import outcome_pb2 as outcome_pb
from sourcecorpus.corpus.v1 import capture_record_pb2 as records_pb
from sourcecorpus.corpus.v1 import ingest_service_pb2 as ingest_pb

_NANOSECONDS: Final = 10**9
_NO_INSTANT: Final = -(2**64)
"""Stands for a stamp that is none; no record may have it."""

Member = TypeVar("Member", bound=IntEnum)


def read_record(message: records_pb.CaptureRecord) -> CaptureRecord:
    """Read a record; what an enum or a time cannot be becomes a value that is refused later."""
    redaction = message.redaction
    access = message.access
    return CaptureRecord(
        game_id=message.game_id,
        envelope_id=message.envelope_id,
        envelope_fingerprint=message.envelope_fingerprint,
        capture_session_id=message.capture_session_id,
        run_id=message.run_id,
        session_id=message.session_id,
        parent_session_id=message.parent_session_id,
        task_id=message.task_id,
        turn_id=message.turn_id,
        tool_call_id=message.tool_call_id,
        parent_tool_call_id=message.parent_tool_call_id,
        attempt=message.attempt,
        tool_name=message.tool_name,
        arguments=message.arguments,
        result_hash=message.result_hash,
        result_media_type=message.result_media_type,
        status=_member(ToolStatus, message.status),
        error=message.error,
        started_time=_instant(message, "started_time"),
        finished_time=_nanoseconds(message.finished_time),
        received_time=_nanoseconds(message.received_time),
        probe=message.probe,
        redaction_rule_set_version=redaction.rule_set_version,
        redaction_key_id=redaction.key_id,
        masks=dict(redaction.masks),
        access=AccessFacts(access.authenticated, access.paywalled, access.robots),
        client_name=message.client_name,
        client_version=message.client_version,
        traceparent=message.traceparent,
        sources=tuple(_source(source) for source in message.sources),
        contents=tuple(_content(content) for content in message.contents),
    )


def write_result(result: IngestResult) -> ingest_pb.IngestResult:
    """Write a result."""
    return ingest_pb.IngestResult(
        envelope_id=result.envelope_id,
        status=ingest_pb.IngestStatus.ValueType(result.status),
        outcome=outcome_pb.CaptureOutcome.ValueType(result.outcome or 0),
        missing_content_hashes=result.missing_content_hashes,
        reason=result.reason,
        field=result.faulty_field,
        sources=[
            records_pb.IngestedSource(
                canonical_uri=source.canonical_uri,
                source_id=source.source_id,
                artifact_id=source.artifact_id,
                version_id=source.version_id,
                observation_id=source.observation_id,
                outcome=outcome_pb.CaptureOutcome.ValueType(source.outcome),
                extraction_failure=source.extraction_failure,
            )
            for source in result.sources
        ],
    )


def _content(message: records_pb.Content) -> Content:
    return Content(
        message.content_hash,
        message.size_bytes,
        message.data if message.HasField("data") else None,
    )


def _source(message: records_pb.CapturedSource) -> CapturedSource:
    window = message.window if message.HasField("window") else None
    return CapturedSource(
        canonical_uri=message.canonical_uri,
        requested_uri=message.requested_uri,
        final_uri=message.final_uri,
        canonicalised=message.canonicalised,
        locator=message.locator,
        family=message.family,
        kind=message.kind,
        role=_member(SourceRole, message.role),
        # The title is for people; the bytes of the result keep what the tool returned.
        title=clean_title(message.title),
        content_hash=message.content_hash,
        content_type=message.content_type,
        completeness=_member(Completeness, message.completeness),
        window=Window(window.unit, window.start, window.end, window.total) if window else None,
        derivation=_member(Derivation, message.derivation),
        fetched_time=_instant(message, "fetched_time"),
        fetch_time_unknown=message.fetch_time_unknown,
        http_status=message.http_status,
        headers=dict(message.headers),
        error=message.error,
        error_code=message.error_code,
        parent_position=message.parent_position,
        rank=message.rank,
        group=message.group,
        order=message.order,
        claims=tuple(Claim(claim.name, claim.value) for claim in message.claims),
        representations=tuple(
            Representation(part.name, part.media_type, part.content_hash)
            for part in message.representations
        ),
        metadata_json=message.metadata_json,
        license_hint=message.license_hint,
        language=message.language,
        synthetic=message.synthetic,
        shape_unknown=message.shape_unknown,
        snippet=message.snippet,
        never_current=message.never_current,
        also_stub=message.also_stub,
        upstream_masked=message.upstream_masked,
        job_id=message.job_id,
        repeats_earlier_content=message.repeats_earlier_content,
    )


def _instant(
    message: records_pb.CapturedSource | records_pb.CaptureRecord, name: str
) -> Instant | None:
    if not message.HasField(name):  # type: ignore[arg-type] # the stub lists literal names
        return None
    stamp: Timestamp = getattr(message, name)
    return _nanoseconds(stamp)


def _nanoseconds(stamp: Timestamp) -> Instant:
    """The time of a stamp, however far away: the library raises where the year is beyond 9999."""
    if not 0 <= stamp.nanos < _NANOSECONDS:
        return _NO_INSTANT
    return stamp.seconds * _NANOSECONDS + stamp.nanos


def _member(vocabulary: type[Member], number: int) -> Member:
    """Return the member with a number, UNSPECIFIED for one that this program does not know."""
    try:
        return vocabulary(number)
    except ValueError:
        return vocabulary(0)
