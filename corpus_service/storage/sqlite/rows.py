"""Rows of SQLite as Python sees them: the schema is STRICT, so types are those of the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import apsw

Row: TypeAlias = tuple[Any, ...]


def all_rows(
    connection: apsw.Connection, sql: str, bindings: Sequence[Any] | Mapping[str, Any] | None = None
) -> list[Row]:
    """Return every row of a statement; the caller has bounded their number."""
    found: list[Row] = connection.execute(sql, bindings).fetchall()
    return found
