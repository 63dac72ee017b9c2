"""Tells failures from results: hook status, `success`, error members, MCP's error mark.

The hook's status alone proves nothing: a failed page comes with status ok, and a tool that
answered late has sent a timeout before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from capture_service.domain.envelope import ToolStatus
from capture_service.domain.sources import JsonValue
from capture_service.tool_families.call import ToolCall
from capture_service.tool_families.limits import MAXIMUM_ERROR_CODE_POINTS
from capture_service.tool_families.values import (
    field,
    integer_field,
    json_text,
    object_field,
    text_field,
)

_UNKNOWN_TOOL: Final = re.compile(r"(?:Error: )?(?:MCP )?Unknown tool\b|Tool '?[\w.-]+'? not found")
_STATUS_IN_TEXT: Final = re.compile(
    r"\b[Ss]tatus(?: code)?:? (\d{3})\b|\bHTTP(?:/[\d.]+)? (\d{3})\b"
)
_ERROR_TEXT: Final = re.compile(
    r"\s*(?:\[TOOL_ERROR\]|Error(?: executing tool\b|:)|(?:Tool )?[Ee]xecution failed|Traceback )"
)
_NO_RESULT: Final = frozenset(
    (ToolStatus.ERROR, ToolStatus.TIMEOUT, ToolStatus.BLOCKED, ToolStatus.CANCELLED)
)
_CONTENT_MEMBERS: Final = (
    "data",
    "results",
    "markdown",
    "html",
    "rawHtml",
    "content",
    "output",
    "links",
    "partial",
    "answer",
)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no content: text (bounded), code as the tool gave it, HTTP status or 0."""

    error: str
    code: str = ""
    http_status: int = 0


def names_unknown_tool(call: ToolCall) -> bool:
    """Tells whether the call named a tool that does not exist: nothing was asked of anybody."""
    value = call.body.value
    error = value if isinstance(value, str) else text_field(value, "error")
    return len(error) < MAXIMUM_ERROR_CODE_POINTS and _UNKNOWN_TOOL.match(error) is not None


def failure_of(call: ToolCall) -> Failure | None:
    """Returns the failure of the whole call, None where the result is to be read.

    A failed member of a list is not a failure of the call.
    """
    value = call.body.value
    if isinstance(value, dict):
        return _failure_of_object(value, failed=call.body.failed)
    if isinstance(value, str):
        silent = not value.strip()
        reported = call.envelope.status in _NO_RESULT or call.body.failed
        if reported or silent or _is_error_text(value):
            return failure(value.strip() or call.envelope.error or "the result is empty")
    return None


def failure(error: str, code: str = "", http_status: int = 0) -> Failure:
    """Returns a failure with its text bounded and the status that the text names."""
    bounded = error[:MAXIMUM_ERROR_CODE_POINTS]
    if not http_status:
        found = _STATUS_IN_TEXT.search(bounded)
        http_status = int(found[1] or found[2]) if found is not None else 0
    return Failure(bounded, code, http_status)


def error_text(value: JsonValue) -> str:
    """Returns the text of an error member, which may be an object with a message."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        message = text_field(value, "message", "error", "detail", "msg")
        return message or json_text(value)
    if isinstance(value, list):
        return json_text(value)
    return ""


def _failure_of_object(value: dict[str, JsonValue], *, failed: bool) -> Failure | None:
    error = field(value, "error", "detail")
    text = error_text(error)
    if isinstance(error, dict) and not isinstance(field(error, "message"), str):
        text = error_text(field(error, "error")) or text
    refused = failed or value.get("success") is False or value.get("isError") is True
    if not refused and (not text or _has_content(value)):
        return None
    if not text:
        text = text_field(value, "message", "text") or "the tool reports a failure without words"
    code = text_field(value, "code", "tag") or text_field(error, "code", "type")
    details = field(value, "details")
    if details is not None:
        text = f"{text} {json_text(details)}"
    status = integer_field(value, "statusCode") or integer_field(
        object_field(value, "metadata"), "statusCode"
    )
    return failure(text, code, status or 0)


def _has_content(value: dict[str, JsonValue]) -> bool:
    return any(value.get(name) not in (None, "", [], {}) for name in _CONTENT_MEMBERS)


def _is_error_text(value: str) -> bool:
    return len(value) < MAXIMUM_ERROR_CODE_POINTS and _ERROR_TEXT.match(value) is not None
