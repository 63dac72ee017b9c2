"""A capture as the pipeline hands it to the outbox: redacted, adapted, identified."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from capture_service.domain.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class PreparedSource:
    """A source with its identity; ``content_digest`` None means that there is no content."""

    canonical_uri: str
    source_id: str
    artifact_id: str
    content_digest: bytes | None


@dataclass(frozen=True, slots=True)
class PreparedContent:
    """Redacted bytes under the 32 bytes of their SHA-256."""

    digest: bytes
    data: bytes | memoryview


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedCapture:
    """One envelope, ready for the durable commit.

    Attributes:
        envelope_id: The id as the client knows it, for the answer alone.
        envelope_key: The id after redaction: what is stored.
        sequence: Number on the stream, 0 for none.
        game_id: Canonical game id, "" where none was found.
        game_named: Whether the envelope itself names the game; otherwise its session's was taken.
        fingerprint: SHA-256 over the redacted envelope; None where there is nothing to compare.
        masked_from_memory: Whether something was masked because the conversation showed it before.
            Then two deliveries of one envelope may differ in their masks.
        refusal: Outcome that is settled before the commit, such as PAUSED; None means that the
            commit judges from what is known: STORED, NEW_VERSION or OBSERVED_AGAIN.
        tool_name: Redacted tool name, for the counters.
        record: Serialised ``CaptureRecord`` without the bytes of its contents.
        size_bytes: Bytes of the envelope as it arrived, for budgets.
        traceparent: W3C trace context of the call, "" for none.
    """

    envelope_id: str
    envelope_key: str
    sequence: int = 0
    game_id: str = ""
    game_named: bool = True
    fingerprint: bytes | None = None
    masked_from_memory: bool = False
    refusal: Outcome | None = None
    reason: str = ""
    faulty_field: str = ""
    tool_name: str = ""
    probe: bool = False
    received_milliseconds: int = 0
    record: bytes = b""
    sources: tuple[PreparedSource, ...] = ()
    contents: tuple[PreparedContent, ...] = ()
    masks: Mapping[str, int] = field(default_factory=dict)
    drops: Mapping[str, int] = field(default_factory=dict)
    size_bytes: int = 0
    traceparent: str = ""
