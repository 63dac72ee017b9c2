"""Reads wget's log, which stands in the output unless `-q` silences it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from capture_service.tool_families.http.responses import Response

_STATUS: Final = re.compile(r"awaiting response\.\.\. (\d{3})")
_LOCATION: Final = re.compile(r"^Location: (\S+) \[following\]$", re.MULTILINE)
_LENGTH: Final = re.compile(r"^Length: [^\[\n]*\[([^\]\n]+)\]", re.MULTILINE)
_LOG_LINE: Final = re.compile(
    r"(?:--\d{4}-\d\d-\d\d [\d:]{8}--  [^\n]*|Resolving [^\n]*|Connecting to [^\n]*"
    r"|Reusing existing [^\n]*|HTTP request sent, [^\n]*|Location: [^\n]* \[following\]"
    r"|Length: [^\n]*|Saving to: [^\n]*|[ \t]*\d+K [^\n]*|[ \t]*(?:STDOUT|-)[ \t]+\d*%?\[?[^\n]*"
    r"|\d{4}-\d\d-\d\d [\d:]{8} \([^\n]*|[ \t]*)(?:\n|\Z)"
)


@dataclass(frozen=True, slots=True)
class LoggedFetch:
    """Status, media type and redirects that the log names."""

    status: int
    content_type: str
    locations: tuple[str, ...]


def read_log(output: str, address: str) -> LoggedFetch:
    """Returns what the log says of one address.

    Args:
        output: The output.
        address: Address as wget was given it; of several the log has one part each.
    """
    start = output.find(f"--  {address}")
    part = output[start:] if start >= 0 else output
    statuses = _STATUS.findall(part)
    kind = _LENGTH.search(part)
    return LoggedFetch(
        int(statuses[-1]) if statuses else 0,
        kind[1].lower() if kind is not None else "",
        tuple(_LOCATION.findall(part)),
    )


def printed_response(output: str) -> Response:
    """Returns a body that was printed among the log; which lines are whose is not certain."""
    position = 0
    while position < len(output):
        line = _LOG_LINE.match(output, position)
        if line is None or line.end() == position:
            break
        position = line.end()
    logged = read_log(output[:position], "")
    headers = {"content-type": logged.content_type} if logged.content_type else {}
    return Response(
        logged.status, headers, output[position:], logged.locations, body_is_certain=False
    )
