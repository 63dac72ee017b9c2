"""Turns a recorded hook event of Hermes into an envelope."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from sourcecorpus.capture.v1.envelope_pb2 import Envelope
from sourcecorpus.hermes.envelopes import head_of

if TYPE_CHECKING:
    from collections.abc import Mapping


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
    facts = {
        **arguments,
        "error": arguments.get("error_message"),
        "duration_milliseconds": arguments.get("duration_ms"),
        "finished_seconds": event.get("time"),
        "client_name": "recorded-hook",
    }
    head = head_of(facts, _json_bytes(arguments.get("args")))
    head.envelope_id = _envelope_id(event, result)
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
