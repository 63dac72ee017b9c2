"""Counters that survive a restart: silence is not health."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import apsw

from sourcecorpus.rpc.limits import IGNORED_TOOL_NAMES_MAX

EVERYBODY: Final = ""
"""Session name of the counters of the whole service."""

OUTCOME: Final = "outcome"
IGNORED_TOOL: Final = "ignored_tool"
MASK: Final = "mask"
DROP: Final = "drop"
DELIVERY: Final = "delivery"

OTHER_NAMES: Final = "(others)"
"""Where a kind has its bound of names already, further ones are counted together."""


class Tally:
    """Counts within one unit of work, so that each counter is written once."""

    def __init__(self) -> None:
        self._amounts: Counter[tuple[str, str, str]] = Counter()

    def add(self, session: str, kind: str, amounts: Mapping[str, int]) -> None:
        """Count for a session and for the whole service."""
        for owner in {session, EVERYBODY}:
            for name, amount in amounts.items():
                self._amounts[owner, kind, name] += amount

    def write(self, connection: apsw.Connection) -> None:
        """Raise the counters."""
        for (owner, kind, name), amount in self._amounts.items():
            counted = name if kind != IGNORED_TOOL else _bounded_name(connection, owner, name)
            connection.execute(
                "INSERT INTO counters (session, kind, name, amount) VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET amount = amount + excluded.amount",
                (owner, kind, counted, amount),
            )


def _bounded_name(connection: apsw.Connection, session: str, name: str) -> str:
    row: Any = connection.execute(
        "SELECT coalesce(sum(name = ?), 0), count(*) FROM counters WHERE session = ? AND kind = ?",
        (name, session, IGNORED_TOOL),
    ).fetchone()
    known, names = row
    return name if known or int(names) < IGNORED_TOOL_NAMES_MAX - 1 else OTHER_NAMES


def read(connection: apsw.Connection, session: str, kind: str) -> dict[str, int]:
    """Read the counters of one kind by name."""
    rows: list[Any] = connection.execute(
        "SELECT name, amount FROM counters WHERE session = ? AND kind = ? ORDER BY name",
        (session, kind),
    ).fetchall()
    return {str(name): int(amount) for name, amount in rows}
