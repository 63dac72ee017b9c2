"""Times that web services give: what is one, and what only stands where nothing is known."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from capture_service.domain.sources import JsonValue
from capture_service.tool_families.times import read_time

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        "2026-11-29T12:00:00Z",
        "2026-11-29T14:00:00.000000000+02:00",
        " 2026-11-29T12:00:00 ",
        NOON.timestamp(),
        NOON.timestamp() * 1_000,
    ],
)
def test_spellings_of_one_time(value: JsonValue) -> None:
    assert read_time(value) == NOON


@pytest.mark.parametrize(
    "value",
    [
        "0001-01-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "1970-01-01T00:00:00Z",
        "2262-04-12T00:00:00Z",
        "9999-12-31T23:59:59Z",
        0,
        -1,
        10**30,
        float("inf"),
        float("nan"),
        True,
        None,
        "yesterday",
        "2" * 41,
    ],
)
def test_what_no_store_keeps_is_no_time(value: JsonValue) -> None:
    assert read_time(value) is None
