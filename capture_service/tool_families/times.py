"""Reads the times that web services give."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from capture_service.domain.sources import JsonValue
from sourcecorpus.rpc.limits import INSTANT_SECONDS_MAX

_LONG_FRACTION: Final = re.compile(r"(\.\d{6})\d+")
_CHARACTERS_MAX: Final = 40
_MILLISECONDS_FROM: Final = 10_000_000_000
"""A number of this size or more counts milliseconds: as seconds it lies after the year 2286."""


def read_time(value: JsonValue) -> datetime | None:
    """Reads an ISO 8601 time or seconds or milliseconds since 1970; None for anything else.

    A time outside the years 1970 to 2262 is None as well: services write the year 1 or 9999 where
    they know none, and no store keeps it.
    A time without an offset is taken as UTC, as the services document theirs.
    """
    if isinstance(value, bool):
        return None
    try:
        if isinstance(value, int | float):
            seconds = value / 1_000 if value >= _MILLISECONDS_FROM else value
            found = datetime.fromtimestamp(seconds, UTC)
        elif isinstance(value, str) and len(value) <= _CHARACTERS_MAX:
            found = datetime.fromisoformat(_LONG_FRACTION.sub(r"\1", value.strip()))
            found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return found if 0 < found.timestamp() <= INSTANT_SECONDS_MAX else None
