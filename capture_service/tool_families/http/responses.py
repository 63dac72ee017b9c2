"""Reads responses out of what a fetching program printed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from capture_service.tool_families.limits import MAXIMUM_HEADER_CODE_POINTS, MAXIMUM_HEADERS

SAFE_HEADERS: Final = frozenset(
    (
        *("accept-ranges", "age", "allow", "cache-control", "content-disposition"),
        *("content-encoding", "content-language", "content-length", "content-location"),
        *("content-range", "content-type", "date", "etag", "expires", "last-modified", "link"),
        *("location", "retry-after", "server", "vary", "via", "warning", "x-robots-tag"),
    )
)
"""Response headers that are kept; all others may carry cookies, tokens or traces of a person."""

_BLOCK: Final = re.compile(
    r"HTTP/\d(?:\.\d)? (?P<status>\d{3})[^\n]*(?:\n|\Z)"
    r"(?P<fields>(?:[!-9;-~]+:[^\n]*(?:\n|\Z))*)"
    r"(?:\r?\n|\Z)"
)
_TRACE_STATUS: Final = re.compile(r"^< (HTTP/\d(?:\.\d)? \d{3}[^\n]*)$", re.MULTILINE)
_TRACE_END: Final = re.compile(
    r"\n?(?:\* (?:Connection #\d+ to host [^\n]* left intact|Closing connection[^\n]*"
    r"|[Ss]hutting down connection[^\n]*)\n?|[{}] \[\d+ bytes data\]\n?)+\Z"
)
_METER: Final = re.compile(
    r"[ \t]{0,8}% Total[^\n]*\n[^\n]{0,80}Dload[^\n]*\n?"
    r"|\r?[ ]{0,2}\d{1,3}(?:[ ]{1,8}[\d.]{1,8}[kMGTP]?){5,7}(?:[ ]{1,4}[-:\dd]{7,8}){3}"
    r"[ ]{1,8}[\d.]{1,8}[kMGTP]?\r?\n?"
)
_MARKER: Final = re.compile(
    r"\.\.\. \[OUTPUT TRUNCATED - ([\d,]{1,15}) chars omitted out of ([\d,]{1,15}) total\] \.\.\."
)
_GAP: Final = "\n\n"


@dataclass(frozen=True, slots=True)
class Response:
    """One response.

    Attributes:
        status: HTTP status, 0 for unknown.
        headers: Safe headers, lower-case names.
        body: The text of the body.
        locations: `Location` of each redirect before it, in order.
        body_is_certain: Whether nothing else can be among the body.
    """

    status: int
    headers: Mapping[str, str]
    body: str
    locations: tuple[str, ...] = ()
    body_is_certain: bool = True


@dataclass(frozen=True, slots=True)
class CutOutput:
    """Output without the marker that Hermes puts where it cut.

    Attributes:
        text: Head and tail, an empty line between them.
        head: Characters of the head.
        tail: Characters of the tail.
        total: Characters of the whole as the marker declares them.
    """

    text: str
    head: int
    tail: int
    total: int


def read_cut(output: str) -> CutOutput | None:
    """Returns head and tail of output that was cut, None for output that was not."""
    marker = _MARKER.search(output)
    if marker is None:
        return None
    head = output[: marker.start()].removesuffix(_GAP)
    tail = output[marker.end() :].removeprefix(_GAP)
    total = int(marker[2].replace(",", ""))
    return CutOutput(head + _GAP + tail, len(head), len(tail), total)


def plain_response(output: str, *, quiet: bool) -> Response:
    """Returns a body that was printed alone; curl's progress meter is taken out."""
    if quiet:
        return Response(0, {}, output)
    body, removed = _METER.subn("", output)
    # The meter is written to another stream and may have cut the body anywhere.
    return Response(0, {}, body, body_is_certain=not removed)


def responses_with_headers(output: str, count: int) -> list[Response] | None:
    """Splits output into responses with their headers.

    Args:
        output: What was printed.
        count: How many responses there must be.

    Returns:
        The responses, None where another number was found.
    """
    found: list[Response] = []
    locations: list[str] = []
    blocks = list(_BLOCK.finditer(output))
    if not blocks or output[: blocks[0].start()].strip():
        return None
    for position, block in enumerate(blocks):
        following = blocks[position + 1].start() if position + 1 < len(blocks) else len(output)
        body = output[block.end() : following]
        headers = safe_headers(_fields(block["fields"]))
        status = int(block["status"])
        last = position + 1 == len(blocks)
        if not body and not last and (status < 200 or 300 <= status < 400 or count == 1):
            if headers.get("location"):
                locations.append(headers["location"])
            continue
        found.append(Response(status, headers, body, tuple(locations), count == 1))
        locations = []
    if count == 1 and len(found) > 1:
        # A page that quotes a response: the first block is the header, the rest its body.
        first = found[0]
        start = _end_of_header(output)
        return [Response(first.status, first.headers, output[start:], first.locations, False)]
    return found if len(found) == count else None


def verbose_response(output: str) -> Response | None:
    """Takes curl's trace (`-v`) out of output; None where no response line is in it."""
    statuses = list(_TRACE_STATUS.finditer(output))
    if not statuses:
        return None
    locations: list[str] = []
    headers: Mapping[str, str] = {}
    for match in statuses:
        headers, end = _trace_headers(output, match.end())
        if match is not statuses[-1] and headers.get("location"):
            locations.append(headers["location"])
    start = end
    while output.startswith(("{ [", "} [", "* "), start):
        line_end = output.find("\n", start)
        start = len(output) if line_end < 0 else line_end + 1
    body = _METER.sub("", output[start:])
    body, closed = _TRACE_END.subn("", body)
    status = int(statuses[-1][1].split(" ")[1])
    return Response(status, headers, body, tuple(locations), bool(closed))


def safe_headers(fields: Mapping[str, str]) -> dict[str, str]:
    """Returns the headers that are kept, within their bounds."""
    kept = {
        name.lower(): value.strip()
        for name, value in fields.items()
        if name.lower() in SAFE_HEADERS and len(value) <= MAXIMUM_HEADER_CODE_POINTS
    }
    return dict(list(kept.items())[:MAXIMUM_HEADERS])


def _fields(text: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in text.splitlines() if ":" in line)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _trace_headers(output: str, start: int) -> tuple[dict[str, str], int]:
    lines: list[str] = []
    position = min(start + 1, len(output))
    while output.startswith("< ", position) or output.startswith("<\r", position):
        end = output.find("\n", position)
        end = len(output) if end < 0 else end + 1
        line = output[position + 2 : end].strip()
        position = end
        if not line:
            break
        lines.append(line)
    else:
        if output.startswith("<\n", position):
            position += 2
    return safe_headers(_fields("\n".join(lines))), position


def _end_of_header(output: str) -> int:
    end = 0
    block = _BLOCK.match(output, len(output) - len(output.lstrip()))
    while block is not None:
        end = block.end()
        block = _BLOCK.match(output, end)
    return end
