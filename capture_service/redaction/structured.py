"""Walk of a JSON message for configured pointers; values are found by offset, nothing is serialised again."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from capture_service.redaction.errors import RedactionRefused
from capture_service.redaction.json_text import StringView
from capture_service.redaction.limits import (
    MAX_NESTED_STRINGS,
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
        pointers: JSON pointers; ``*`` stands for any member. They go on inside strings that hold JSON, up to
            ``MAX_NESTED_STRINGS`` deep: the pointer of the string is followed by the pointer in its text.

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
    return [
        span
        for span in _walk(data, wanted, 0)
        if span.start < span.end and not PLACEHOLDER.search(data, span.start, span.end)
    ]


def _walk(data: bytes, wanted: Sequence[tuple[str, ...]], depth: int) -> list[Span]:
    """Return the spans that patterns name in one JSON text, `depth` strings deep."""
    spans: list[Span] = []
    quote = b"\\" * ((1 << depth) - 1) + b'"'
    try:
        for path, start, end in _values(data):
            for pattern in wanted:
                if _fits(pattern, path):
                    spans.append(_span(data, start, end, quote))
                    break
            if depth < MAX_NESTED_STRINGS and data[start : start + 1] == b'"':
                inner = [
                    pattern[len(path) :]
                    for pattern in wanted
                    if len(pattern) > len(path) and _fits(pattern[: len(path)], path)
                ]
                if inner:
                    spans += _walk_string(data, start + 1, end - 1, inner, depth + 1)
    except _NotJsonError:
        pass
    return spans


def _walk_string(
    data: bytes, start: int, end: int, wanted: Sequence[tuple[str, ...]], depth: int
) -> list[Span]:
    view = StringView(data, start, end)
    if view.data.lstrip()[:1] not in (b"{", b"["):
        return []
    found = []
    for span in _walk(view.data, wanted, depth):
        first, last = view.original(span.start, span.end)
        found.append(span._replace(start=first, end=last))
    return found


def _fits(pattern: tuple[str, ...], path: tuple[str, ...]) -> bool:
    return len(pattern) == len(path) and all(
        want in ("*", have) for want, have in zip(pattern, path, strict=True)
    )


def _span(data: bytes, start: int, end: int, quote: bytes) -> Span:
    if data[start : start + 1] == b'"':
        return Span(start + 1, end - 1, STRUCTURED, _RULE)
    return Span(start, end, STRUCTURED, _RULE, quote=quote)


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
