"""Reads the times that web services give."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from capture_service.domain.sources import JsonValue

_LONG_FRACTION: Final = re.compile(r"(\.\d{6})\d+")
_MILLISECONDS_FROM: Final = 10_000_000_000
"""A number of this size or more counts milliseconds: as seconds it lies after the year 2286."""


def read_time(value: JsonValue) -> datetime | None:
    """Reads an ISO 8601 time or seconds or milliseconds since 1970; None for anything else.

    A time without an offset is taken as UTC, as the services document theirs.
    """
    if isinstance(value, bool):
        return None
    try:
        if isinstance(value, int | float):
            seconds = value / 1_000 if value >= _MILLISECONDS_FROM else value
            return datetime.fromtimestamp(seconds, UTC) if seconds > 0 else None
        if not isinstance(value, str) or len(value) > 40:
            return None
        found = datetime.fromisoformat(_LONG_FRACTION.sub(r"\1", value.strip()))
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
