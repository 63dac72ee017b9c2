"""The last stage: the record for the corpus, without the bytes of its contents."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from capture_service.domain.envelope import Envelope
from capture_service.domain.prepared import PreparedContent, PreparedSource
from capture_service.pipeline import limits
from capture_service.pipeline.identify import ContentSet, Identified, hash_text, timestamp
from capture_service.pipeline.texts import valid_text
from sourcecorpus.capture.v1 import envelope_pb2
from sourcecorpus.corpus.v1 import capture_record_pb2 as pb
from sourcecorpus.identity import fingerprint


@dataclass(frozen=True, slots=True)
class RedactionPolicy:
    """Which rules and which key of the placeholders were in force."""

    rule_set_version: str
    key_id: str


@dataclass(frozen=True, slots=True)
class Record:
    """A record as the outbox keeps it, and what of the envelope is in it."""

    data: bytes
    sources: tuple[PreparedSource, ...]
    contents: tuple[PreparedContent, ...]


def envelope_fingerprint(envelope: Envelope, contents: ContentSet) -> str:
    """``sha256:<64 hex>`` over what one tool call returned, after redaction.

    Facts of the way (sequence, client version, trace) and the choice of the game are not in it:
    they may differ between two deliveries of one envelope.
    """
    assert envelope.redacted, "nothing unredacted is ever hashed for keeping"
    side_files = [
        part
        for side_file in envelope.side_files
        for part in (side_file.name, side_file.media_type, contents.add(side_file.data))
    ]
    return fingerprint(
        "envelope",
        envelope.tool_name,
        envelope.arguments,
        contents.add(envelope.result),
        envelope.result_media_type,
        envelope.status.name,
        envelope.error,
        envelope.run_id,
        envelope.session_id,
        envelope.parent_session_id,
        envelope.task_id,
        envelope.turn_id,
        envelope.tool_call_id,
        envelope.parent_tool_call_id,
        envelope.attempt,
        _moment(envelope.started_at),
        _moment(envelope.finished_at),
        envelope.completeness.name,
        envelope.declared_total_bytes,
        envelope.derivation.name,
        int(envelope.probe),
        int(envelope.access.authenticated),
        int(envelope.access.paywalled),
        envelope.access.robots,
        *side_files,
    )


def _moment(moment: datetime | None) -> str:
    return moment.isoformat() if moment is not None else ""


def build_record(
    envelope: Envelope,
    *,
    game_id: str,
    capture_session: str,
    envelope_hash: str,
    received_at: datetime,
    masks: dict[str, int],
    policy: RedactionPolicy,
    identified: Identified,
    contents: ContentSet,
    drops: Counter[str],
) -> Record:
    """Build the record; sources beyond ``RECORD_BYTES_MAX`` are left out and counted in drops."""
    record = _facts(envelope, game_id, capture_session, envelope_hash, received_at)
    record.redaction.CopyFrom(
        pb.RedactionFacts(
            rule_set_version=policy.rule_set_version, key_id=policy.key_id, masks=masks
        )
    )
    wanted: list[bytes] = []
    if envelope.result and not envelope.probe:
        wanted.append(contents.add(envelope.result))
        record.result_hash = hash_text(wanted[0])
    kept = 0 if envelope.probe else _fill_sources(record, identified, drops)
    sources = identified.prepared[:kept]
    for source, message in zip(sources, identified.messages, strict=False):
        if source.content_digest is not None:
            wanted.append(source.content_digest)
        wanted += [
            bytes.fromhex(representation.content_hash.removeprefix("sha256:"))
            for representation in message.representations
        ]
    chosen = contents.keep_only(frozenset(wanted))
    for content in chosen:
        record.contents.add(content_hash=hash_text(content.digest), size_bytes=len(content.data))
    return Record(record.SerializeToString(), sources, chosen)


def _fill_sources(record: pb.CaptureRecord, identified: Identified, drops: Counter[str]) -> int:
    size_bytes, kept = record.ByteSize(), 0
    for message in identified.messages:
        # Two contents of 80 bytes each and the framing come with a source.
        size_bytes += message.ByteSize() + 200 + 100 * len(message.representations)
        if size_bytes > limits.RECORD_BYTES_MAX:
            drops["sources_beyond_record_limit"] += len(identified.messages) - kept
            break
        record.sources.append(message)
        kept += 1
    for message in record.sources:
        if message.parent_position > kept:
            message.parent_position = 0
    return kept


def _facts(
    envelope: Envelope,
    game_id: str,
    capture_session: str,
    envelope_hash: str,
    received_at: datetime,
) -> pb.CaptureRecord:
    record = pb.CaptureRecord(
        game_id=game_id,
        envelope_id=valid_text(envelope.envelope_id),
        envelope_fingerprint=envelope_hash,
        capture_session_id=capture_session,
        run_id=valid_text(envelope.run_id),
        session_id=valid_text(envelope.session_id),
        parent_session_id=valid_text(envelope.parent_session_id),
        task_id=valid_text(envelope.task_id),
        turn_id=valid_text(envelope.turn_id),
        tool_call_id=valid_text(envelope.tool_call_id),
        parent_tool_call_id=valid_text(envelope.parent_tool_call_id),
        attempt=envelope.attempt,
        tool_name=valid_text(envelope.tool_name),
        arguments=b"" if envelope.probe else envelope.arguments,
        result_media_type=valid_text(envelope.result_media_type),
        status=envelope.status.value,  # type: ignore[arg-type]
        error="" if envelope.probe else valid_text(envelope.error),
        received_time=timestamp(received_at),
        finished_time=timestamp(envelope.finished_at or received_at),
        probe=envelope.probe,
        access=envelope_pb2.AccessFacts(
            authenticated=envelope.access.authenticated,
            paywalled=envelope.access.paywalled,
            robots=envelope.access.robots,
        ),
        client_name=valid_text(envelope.client_name),
        client_version=valid_text(envelope.client_version),
        traceparent=envelope.traceparent,
    )
    if envelope.started_at is not None:
        record.started_time.CopyFrom(timestamp(envelope.started_at))
    return record
