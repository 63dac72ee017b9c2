"""From the facts of a hook call to the head of an envelope.

The keyword arguments are those of ``post_tool_call`` of hermes-agent 0.19; every id is optional and opaque, unknown
arguments are ignored, so that other versions are read as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from google.protobuf.timestamp_pb2 import Timestamp

from sourcecorpus.capture.v1.envelope_pb2 import EnvelopeHead, ToolStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

STATUS: Final = {
    "ok": ToolStatus.TOOL_STATUS_OK,
    "error": ToolStatus.TOOL_STATUS_ERROR,
    "blocked": ToolStatus.TOOL_STATUS_BLOCKED,
    "timeout": ToolStatus.TOOL_STATUS_TIMEOUT,
    "cancelled": ToolStatus.TOOL_STATUS_CANCELLED,
}
TEXT_FIELDS: Final = (
    "tool_name",
    "session_id",
    "parent_session_id",
    "task_id",
    "turn_id",
    "tool_call_id",
    "parent_tool_call_id",
    "run_id",
    "client_name",
    "client_version",
)
_LATEST_SECONDS: Final = 253_402_300_799.0


def head_of(facts: Mapping[str, Any], arguments: bytes) -> EnvelopeHead:
    """Make the head of an envelope.

    Args:
        facts: ``TEXT_FIELDS``, ``status``, ``error``, ``attempt``, ``finished_seconds`` (Unix time) and
            ``duration_milliseconds``; what is absent or of another type stays empty.
        arguments: Arguments of the call as JSON bytes.
    """
    head = EnvelopeHead(
        arguments=arguments,
        status=STATUS.get(text_of(facts, "status"), ToolStatus.TOOL_STATUS_UNSPECIFIED),
        error=text_of(facts, "error"),
        attempt=max(0, min(int(number_of(facts, "attempt")), 2**31)),
    )
    for name in TEXT_FIELDS:
        setattr(head, name, text_of(facts, name))
    finished = number_of(facts, "finished_seconds")
    duration = max(0.0, number_of(facts, "duration_milliseconds") / 1_000)
    if 0 < finished < _LATEST_SECONDS:
        head.started_time.CopyFrom(_timestamp(max(0.0, finished - duration)))
        head.finished_time.CopyFrom(_timestamp(finished))
    return head


def text_of(facts: Mapping[str, Any], name: str) -> str:
    """A text, "" for what is none."""
    value = facts.get(name)
    return value if isinstance(value, str) else ""


def number_of(facts: Mapping[str, Any], name: str) -> float:
    """A finite number, 0 for what is none."""
    value = facts.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if abs(value) < _LATEST_SECONDS * 1_000 else 0.0


def _timestamp(seconds: float) -> Timestamp:
    stamp = Timestamp()
    stamp.FromNanoseconds(int(seconds * 1_000_000) * 1_000)
    return stamp
