"""The words that the full-text index holds (https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module)."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Final

import apsw

_HIGHEST: Final = "\U0010ffff"
# Tokens are letters, digits and private characters: no token lies between a token and this.
_NEXT: Final = "\x01"


def register_tokens(connection: apsw.Connection) -> None:
    """Make the index's words readable on a connection for reading."""
    connection.execute("PRAGMA query_only = OFF").fetchall()
    for table, kind in (("index_tokens", "instance"), ("token_counts", "row")):
        connection.execute(
            f"CREATE VIRTUAL TABLE temp.{table} USING fts5vocab (main, passage_index, {kind})"
        )
    connection.execute("PRAGMA query_only = ON").fetchall()


def index_tokens(connection: apsw.Connection, beginning: str, *, limit: int) -> list[str]:
    """See `PassageIndex.tokens`.

    One look-up for each token: going through the rows would visit every occurrence.
    """
    found: list[str] = []
    at = beginning
    while len(found) < limit:
        token = connection.execute(
            "SELECT term FROM temp.index_tokens WHERE term >= ? AND term < ? LIMIT 1",
            (at, beginning + _HIGHEST),
        ).get
        if token is None:
            break
        found.append(token)
        at = token + _NEXT
    return found


def known_tokens(connection: apsw.Connection, tokens: Collection[str]) -> list[str]:
    """See `PassageIndex.known_tokens`."""
    found = connection.execute(
        "SELECT w.value FROM json_each(?) AS w WHERE EXISTS"
        " (SELECT 1 FROM temp.index_tokens AS t WHERE t.term = w.value LIMIT 1)",
        (json.dumps(list(tokens)),),
    )
    return [str(token) for (token,) in found]
