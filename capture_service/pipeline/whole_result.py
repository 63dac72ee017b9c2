"""Adaptations that keep the whole result as one artifact, without looking inside."""

from __future__ import annotations

import json
from typing import Final

from capture_service.domain.envelope import Completeness, Envelope
from capture_service.domain.sources import Adaptation, SourceDraft, SourceRole
from sourcecorpus.identity import InvalidArgumentsError, content_hash, tool_uri

_LOOKED_AT_BYTES: Final = 8_192


def whole_result(envelope: Envelope, family: str, drop: str) -> Adaptation:
    """One raw artifact under a ``tool:`` URI made of the call's arguments.

    Args:
        envelope: The redacted envelope.
        family: Family that knows the tool.
        drop: Why the result was not taken apart; counted once.
    """
    draft = SourceDraft(
        uri=_key(envelope, family),
        family=family,
        kind="raw",
        role=SourceRole.ARTIFACT,
        completeness=Completeness.UNKNOWN,
        content=envelope.result,
        content_type=envelope.result_media_type or _media_type(envelope.result),
        shape_unknown=True,
        metadata={"tool_name": envelope.tool_name},
    )
    return Adaptation(family, (draft,), {drop: 1})


def _key(envelope: Envelope, family: str) -> str:
    operation = f"raw/{envelope.tool_name}"
    try:
        arguments = json.loads(envelope.arguments or b"{}")
        if isinstance(arguments, dict):
            return tool_uri(family, operation, arguments)
    except (ValueError, RecursionError, InvalidArgumentsError):
        pass
    return tool_uri(family, operation, {"arguments": content_hash(envelope.arguments)})


def _media_type(data: bytes) -> str:
    beginning = data[:_LOOKED_AT_BYTES]
    if beginning.lstrip()[:1] in {b"{", b"["}:
        return "application/json"
    if b"\0" in beginning:
        return "application/octet-stream"
    return "text/plain; charset=utf-8"
