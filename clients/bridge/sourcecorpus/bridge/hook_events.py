"""Turns a recorded hook event of Hermes into an envelope.

The keyword arguments are those of ``post_tool_call`` of hermes-agent 0.19; every id is optional and opaque, unknown
arguments are ignored, so that newer recordings are read as well.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from google.protobuf.timestamp_pb2 import Timestamp

from sourcecorpus.capture.v1.envelope_pb2 import Envelope, EnvelopeHead, ToolStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

_STATUS = {
    "ok": ToolStatus.TOOL_STATUS_OK,
    "error": ToolStatus.TOOL_STATUS_ERROR,
    "blocked": ToolStatus.TOOL_STATUS_BLOCKED,
    "timeout": ToolStatus.TOOL_STATUS_TIMEOUT,
    "cancelled": ToolStatus.TOOL_STATUS_CANCELLED,
}


def envelope_of_hook_event(event: Mapping[str, Any]) -> Envelope | None:
    """Make the envelope of one recorded event.

    Args:
        event: ``hook``, ``kwargs`` (what the hook received), ``time`` in seconds since 1970, optional ``side_files``
            as a mapping from name to text.

    Returns:
        The envelope; None for every hook but ``post_tool_call``, which alone carries a result once.
    """
    if event.get("hook") != "post_tool_call":
        return None
    arguments = dict(event["kwargs"])
    result = _bytes_of_result(arguments.get("result"))
    finished = float(event.get("time", 0.0))
    duration = int(arguments.get("duration_ms") or 0) / 1000
    head = EnvelopeHead(
        envelope_id=_envelope_id(event, result),
        session_id=_text(arguments, "session_id"),
        task_id=_text(arguments, "task_id"),
        turn_id=_text(arguments, "turn_id"),
        tool_call_id=_text(arguments, "tool_call_id"),
        tool_name=_text(arguments, "tool_name"),
        arguments=_json_bytes(arguments.get("args")),
        status=_STATUS.get(_text(arguments, "status"), ToolStatus.TOOL_STATUS_UNSPECIFIED),
        error=_text(arguments, "error_message"),
        client_name="recorded-hook",
    )
    if finished > 0:
        head.started_time.CopyFrom(_timestamp(finished - duration))
        head.finished_time.CopyFrom(_timestamp(finished))
    envelope = Envelope(head=head, result=result)
    for name, text in sorted(dict(event.get("side_files") or {}).items()):
        envelope.side_files.add(name=name, media_type="text/markdown", data=text.encode())
    return envelope


def _envelope_id(event: Mapping[str, Any], result: bytes) -> str:
    """Derive the idempotency key from the whole event: ids of the provider alone are not unique."""
    digest = hashlib.sha256()
    facts = {key: event.get(key) for key in ("seq", "time", "scenario")}
    facts["call"] = {
        key: value for key, value in event["kwargs"].items() if isinstance(value, str | int)
    }
    digest.update(_json_bytes(facts))
    digest.update(result)
    return f"hook-{digest.hexdigest()[:32]}"


def _bytes_of_result(result: object) -> bytes:
    if isinstance(result, str):
        # A lone surrogate has no UTF-8 form; surrogatepass keeps the code unit instead of losing it.
        return result.encode("utf-8", "surrogatepass")
    return _json_bytes(result) if result is not None else b""


def _json_bytes(value: object) -> bytes:
    return b"" if value is None else json.dumps(value, ensure_ascii=True).encode("ascii")


def _text(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name)
    return value if isinstance(value, str) else ""


def _timestamp(seconds: float) -> Timestamp:
    stamp = Timestamp()
    stamp.FromNanoseconds(int(seconds * 1_000_000) * 1_000)
    return stamp
