"""Walk of a JSON message for configured pointers; values are found by offset, nothing is serialised again."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from capture_service.redaction.errors import RedactionRefused
from capture_service.redaction.limits import (
    MAX_STRUCTURED_BYTES,
    MAX_STRUCTURED_DEPTH,
)
from capture_service.redaction.placeholder import PLACEHOLDER
from capture_service.redaction.scan import STRUCTURED, Span

_TOKEN: Final = re.compile(
    rb"[ \t\r\n]*(?:(?P<string>\"(?:[^\"\\\x00-\x1f]|\\.)*+\")|(?P<scalar>-?[0-9]"
    rb"[0-9.eE+-]*|true|false|null)|(?P<mark>[\[\]{},:]))",
    re.DOTALL,
)
_RULE: Final = "configured-field"


class _NotJsonError(Exception):
    """The bytes are no JSON; the text rules have looked at them anyway."""


def structured_spans(data: bytes, media_type: str, pointers: Sequence[str]) -> list[Span]:
    """Return the spans of all values that a pointer names.

    Args:
        data: The whole message.
        media_type: Declared media type; without one the first byte decides whether it is JSON.
        pointers: JSON pointers; ``*`` stands for any member. JSON inside a string is not entered: configured names
            are found there, pointers are not.

    Raises:
        RedactionRefused: ``STRUCTURE_TOO_LARGE`` or ``STRUCTURE_TOO_DEEP``.
    """
    if "json" not in media_type and data.lstrip()[:1] not in (b"{", b"["):
        return []
    if len(data) > MAX_STRUCTURED_BYTES:
        raise RedactionRefused("STRUCTURE_TOO_LARGE")
    wanted = [
        tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])
        for pointer in pointers
    ]
    spans: list[Span] = []
    try:
        for path, start, end in _values(data):
            if any(_fits(pattern, path) for pattern in wanted):
                spans.append(_span(data, start, end))
    except _NotJsonError:
        return spans
    return [
        span
        for span in spans
        if span.start < span.end and not PLACEHOLDER.search(data, span.start, span.end)
    ]


def _fits(pattern: tuple[str, ...], path: tuple[str, ...]) -> bool:
    return len(pattern) == len(path) and all(
        want in ("*", have) for want, have in zip(pattern, path, strict=True)
    )


def _span(data: bytes, start: int, end: int) -> Span:
    if data[start : start + 1] == b'"':
        return Span(start + 1, end - 1, STRUCTURED, _RULE)
    return Span(start, end, STRUCTURED, _RULE, quote=b'"')


def _values(data: bytes) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Yield the path and the extent of every value, containers included."""
    stack: list[tuple[int, bytes]] = []
    path: list[str] = []
    position = 0
    expect_key = False
    while position < len(data):
        match = _TOKEN.match(data, position)
        if match is None:
            if data[position:].strip():
                raise _NotJsonError
            return
        position = match.end()
        start = match.start(match.lastgroup or "mark")
        mark = match.group("mark")
        if mark in (b"{", b"["):
            if len(stack) >= MAX_STRUCTURED_DEPTH:
                raise RedactionRefused("STRUCTURE_TOO_DEEP")
            stack.append((start, mark))
            path.append("0" if mark == b"[" else "")
            expect_key = mark == b"{"
        elif mark in (b"}", b"]"):
            if not stack:
                raise _NotJsonError
            begin, _ = stack.pop()
            path.pop()
            yield tuple(path), begin, position
            expect_key = False
        elif mark == b",":
            if stack and stack[-1][1] == b"[":
                path[-1] = str(int(path[-1]) + 1)
            expect_key = bool(stack) and stack[-1][1] == b"{"
        elif mark == b":":
            expect_key = False
        elif match.group("string") is not None and expect_key:
            path[-1] = _text(match.group("string"))
        else:
            yield tuple(path), start, position


def _text(token: bytes) -> str:
    text = token[1:-1].decode("utf-8", "replace")
    return (
        re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match.group(1), 16)), text)
        .replace('\\"', '"')
        .replace("\\/", "/")
        .replace("\\\\", "\\")
    )
