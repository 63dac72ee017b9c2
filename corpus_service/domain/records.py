"""What the capture service hands over, as plain values.

A record is one redacted envelope with the sources that its tool result yields. Bytes are bytes,
times are `Instant`, "" means that a text was not given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from corpus_service.domain.vocabulary import (
    Completeness,
    Derivation,
    IngestStatus,
    Instant,
    Outcome,
    SourceRole,
    ToolStatus,
)


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes that a record refers to; ``data`` is None where the corpus should have them."""

    content_hash: str
    size_bytes: int
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that a source or a tool says about the source; never a key."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Representation:
    """Another representation of the same source, such as rawHtml, by hash of its bytes."""

    name: str
    media_type: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class Window:
    """Part of the whole that a content holds; both ends count from 1 and are included.

    ``unit`` is "lines", "characters", "bytes", "pages" or "items"; ``total`` 0 means not declared.
    """

    unit: str
    start: int
    end: int
    total: int = 0


@dataclass(frozen=True, slots=True)
class AccessFacts:
    """What the tool told about access to its sources; ``robots`` is "allowed", "blocked" or ""."""

    authenticated: bool = False
    paywalled: bool = False
    robots: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedSource:
    """One observation of one source; the fields are those of the contract's CapturedSource.

    ``parent_position`` counts from 1 among the sources of the record, 0 means none.
    """

    canonical_uri: str
    family: str
    kind: str
    role: SourceRole
    completeness: Completeness = Completeness.UNKNOWN
    requested_uri: str = ""
    final_uri: str = ""
    canonicalised: bool = True
    locator: str = ""
    title: str = ""
    content_hash: str = ""
    content_type: str = ""
    window: Window | None = None
    derivation: Derivation = Derivation.AS_RETURNED
    fetched_time: Instant | None = None
    fetch_time_unknown: bool = False
    http_status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    error: str = ""
    error_code: str = ""
    parent_position: int = 0
    rank: int = 0
    group: str = ""
    order: int = 0
    claims: tuple[Claim, ...] = ()
    representations: tuple[Representation, ...] = ()
    metadata_json: str = ""
    license_hint: str = ""
    language: str = ""
    synthetic: bool = False
    shape_unknown: bool = False
    snippet: str = ""
    never_current: bool = False
    also_stub: bool = False
    upstream_masked: bool = False
    job_id: str = ""
    repeats_earlier_content: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureRecord:
    """One handled envelope on its way into the corpus; see the contract's CaptureRecord."""

    game_id: str
    envelope_id: str
    envelope_fingerprint: str
    tool_name: str
    finished_time: Instant
    received_time: Instant
    capture_session_id: str = ""
    run_id: str = ""
    session_id: str = ""
    parent_session_id: str = ""
    task_id: str = ""
    turn_id: str = ""
    tool_call_id: str = ""
    parent_tool_call_id: str = ""
    attempt: int = 1
    arguments: bytes = b""
    result_hash: str = ""
    result_media_type: str = ""
    status: ToolStatus = ToolStatus.UNSPECIFIED
    error: str = ""
    started_time: Instant | None = None
    probe: bool = False
    redaction_rule_set_version: str = ""
    redaction_key_id: str = ""
    masks: Mapping[str, int] = field(default_factory=dict)
    access: AccessFacts = AccessFacts()
    client_name: str = ""
    client_version: str = ""
    traceparent: str = ""
    sources: tuple[CapturedSource, ...] = ()
    contents: tuple[Content, ...] = ()


@dataclass(frozen=True, slots=True)
class IngestedSource:
    """What became of one source of a record; ids are "" where there is nothing to name."""

    canonical_uri: str
    source_id: str
    artifact_id: str
    version_id: str
    observation_id: str
    outcome: Outcome
    extraction_failure: str = ""


@dataclass(frozen=True, slots=True)
class IngestResult:
    """What became of a record. ``reason`` and ``faulty_field`` never hold payload text."""

    envelope_id: str
    status: IngestStatus
    outcome: Outcome | None = None
    missing_content_hashes: tuple[str, ...] = ()
    reason: str = ""
    faulty_field: str = ""
    sources: tuple[IngestedSource, ...] = ()
