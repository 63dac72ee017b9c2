"""Opens what a tool returned: JSON, JSON in text in JSON, MCP blocks, or plain text.

A value is parsed once. What stands behind a whole JSON value is a remark of the tool, never part
of a page (Hermes appends hints in this way).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from capture_service.domain.sources import JsonValue
from capture_service.tool_families.limits import MAXIMUM_UNWRAPPED_LEVELS
from capture_service.tool_families.values import objects, text_field

_DECODER: Final = json.JSONDecoder()
_LONGEST_INTEGER_DIGITS: Final = 4_300
"""Digits beyond which Python refuses to read an integer (sys.int_info.default_max_str_digits)."""
_JSON_BEGINS: Final = re.compile(r'\{\s*(?:"|\}|$)|\[\s*(?:[\[{"]|\]|$)')
_MCP_RESULT_MEMBERS: Final = frozenset(("result", "structuredContent", "_meta", "meta"))
_BLOCK_TYPES: Final = frozenset(("text", "image", "audio", "resource", "resource_link"))


@dataclass(frozen=True, slots=True)
class ResultBody:
    """A tool result, opened.

    Attributes:
        value: The innermost JSON object or list, or the text where there is none.
        remark: Words that stood behind the JSON value.
        wrapped: Whether the value came inside an MCP result.
        failed: Whether the protocol marked the result as an error.
        broken: Whether the text begins like JSON and cannot be read as such.
        text: The text inside an MCP result as it stood there; the value may have been read out
            of it. "" where there was none.
    """

    value: JsonValue
    remark: str = ""
    wrapped: bool = False
    failed: bool = False
    broken: bool = False
    text: str = ""


def open_result(data: bytes) -> ResultBody:
    """Opens the bytes of a tool result; nothing raises except for want of memory."""
    body = _leading_value(data.decode("utf-8", "replace").removeprefix("\ufeff"))
    for _ in range(MAXIMUM_UNWRAPPED_LEVELS):
        inner = _unwrapped(body)
        if inner is None:
            return body
        body = inner
    return body


def read_json(content: str) -> JsonValue:
    """Reads one whole JSON value.

    Raises:
        ValueError: the text is no JSON, or nested deeper than the reader goes.
    """
    value, end = _decode(content, 0)
    if content[end:].strip():
        raise ValueError("text behind the JSON value")
    return value


def _leading_value(content: str) -> ResultBody:
    start = len(content) - len(content.lstrip())
    first = content[start : start + 1]
    if first == '"':
        return _quoted(content)
    if first not in ("{", "["):
        return ResultBody(content)
    try:
        value, end = _decode(content, start)
    except ValueError:
        return ResultBody(content, broken=_JSON_BEGINS.match(content, start) is not None)
    remark = content[end:].strip()
    if remark and first == "[" and not objects(value):
        # "[1] A footnote" is prose: only a list of objects may have words behind it.
        return ResultBody(content)
    return ResultBody(value, remark)


def _quoted(content: str) -> ResultBody:
    try:
        value = read_json(content)
    except ValueError:
        return ResultBody(content)
    return _leading_value(value) if isinstance(value, str) else ResultBody(content)


def _decode(content: str, start: int) -> tuple[JsonValue, int]:
    try:
        return _raw_decode(_DECODER.raw_decode, content, start)
    except json.JSONDecodeError:
        raise
    except ValueError:
        # An integer too long for Python: kept as its digits.
        tolerant = json.JSONDecoder(parse_int=_integer)
        return _raw_decode(tolerant.raw_decode, content, start)


def _raw_decode(
    decode: Callable[[str, int], tuple[JsonValue, int]], content: str, start: int
) -> tuple[JsonValue, int]:
    try:
        return decode(content, start)
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", "", 0) from None


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _LONGEST_INTEGER_DIGITS else digits


def _unwrapped(body: ResultBody) -> ResultBody | None:
    """Returns the body one level further in, or None where there is no further level."""
    value = body.value
    if isinstance(value, list):
        return _from_blocks(body, value, twin=None) if _are_blocks(value) else None
    if not isinstance(value, dict):
        return None
    blocks = value.get("content")
    if isinstance(blocks, list) and (_are_blocks(blocks) or "isError" in value):
        failed = value.get("isError") is True
        return _from_blocks(
            replace(body, failed=body.failed or failed), blocks, value.get("structuredContent")
        )
    if "result" in value and value.keys() <= _MCP_RESULT_MEMBERS:
        return _inner(body, value["result"], value.get("structuredContent"))
    return None


def _are_blocks(value: list[JsonValue]) -> bool:
    return bool(value) and all(
        isinstance(item, dict) and text_field(item, "type") in _BLOCK_TYPES for item in value
    )


def _from_blocks(body: ResultBody, blocks: list[JsonValue], twin: JsonValue) -> ResultBody:
    parts = [
        text_field(block, "text") or text_field(block.get("resource"), "text")
        for block in objects(blocks)
    ]
    return _inner(body, "\n".join(part for part in parts if part), twin)


def _inner(body: ResultBody, value: JsonValue, twin: JsonValue) -> ResultBody:
    """Opens the text of an MCP result; its structured twin counts only where there is no text."""
    if value in ("", None) and twin is not None:
        value = twin
    opened = _leading_value(value) if isinstance(value, str) else ResultBody(value)
    return ResultBody(
        opened.value,
        "\n".join(part for part in (opened.remark, body.remark) if part),
        wrapped=True,
        failed=body.failed,
        broken=opened.broken,
        text=value if isinstance(value, str) else "",
    )
