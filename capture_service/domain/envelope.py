"""What one tool call returned: the input of the capture pipeline.

The same type stands before and after redaction; only the redaction stage may see the former.
Everything behind it (tool families, dedupe, outbox) takes envelopes that ``redacted`` says are
clean.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime


class Completeness(enum.Enum):
    """How much of what was asked for a content holds. Names equal those of the contract."""

    UNSPECIFIED = 0
    FULL = 1
    WINDOWED = 2
    TRUNCATED = 3
    SUMMARISED = 4
    STUB = 5
    SHELL = 6
    UNKNOWN = 7


class Derivation(enum.Enum):
    """How a content was derived from what the tool returned. Names equal those of the contract."""

    UNSPECIFIED = 0
    AS_RETURNED = 1
    NUMBERED_LINES = 2
    STDOUT = 3
    PAGE_WINDOW = 4
    CACHE_FILE = 5


class ToolStatus(enum.Enum):
    """What the hook reported about the call; it says nothing about the success of a fetch."""

    UNSPECIFIED = 0
    OK = 1
    ERROR = 2
    BLOCKED = 3
    TIMEOUT = 4
    CANCELLED = 5


@dataclass(frozen=True, slots=True)
class SideFile:
    """Bytes of a file that the tool result names, such as the full text of a windowed page."""

    name: str
    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class AccessFacts:
    """What the tool told about access to the source. ``robots`` is "allowed", "blocked" or ""."""

    authenticated: bool = False
    paywalled: bool = False
    robots: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """One tool call and its result. All ids are opaque; "" means that Hermes gave none.

    ``arguments`` and ``result`` are bytes as they came (redacted once ``redacted`` is true), so
    that no byte string is lost; ``arguments`` is JSON where the client keeps its word. Times are
    timezone-aware.
    """

    envelope_id: str
    tool_name: str
    result: bytes = b""
    sequence: int = 0
    game_id: str = ""
    run_id: str = ""
    session_id: str = ""
    parent_session_id: str = ""
    task_id: str = ""
    turn_id: str = ""
    tool_call_id: str = ""
    parent_tool_call_id: str = ""
    attempt: int = 1
    arguments: bytes = b""
    result_media_type: str = ""
    status: ToolStatus = ToolStatus.UNSPECIFIED
    error: str = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None
    completeness: Completeness = Completeness.UNSPECIFIED
    declared_total_bytes: int = 0
    upstream_masked: bool = False
    derivation: Derivation = Derivation.UNSPECIFIED
    side_files: tuple[SideFile, ...] = ()
    client_name: str = ""
    client_version: str = ""
    probe: bool = False
    access: AccessFacts = AccessFacts()
    traceparent: str = ""
    redacted: bool = False
