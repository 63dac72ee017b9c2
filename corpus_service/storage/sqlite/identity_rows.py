"""What a file says about itself: whose game it is, and its epoch."""

from __future__ import annotations

import secrets
from typing import Final

import apsw

from corpus_service.storage.sqlite.failures import StoreOpenError

_BITS_OF_IDENTITY: Final = 64


EPOCH: Final = (
    "(SELECT value FROM meta WHERE name = 'store_id') || '.' ||"
    " (SELECT value FROM meta WHERE name = 'deletions')"
)
"""Expression of SQL: the file's identity with the number of its deletions and rebuilds."""


def take_identity(connection: apsw.Connection, game_id: str) -> None:
    """Give a new file its game and a random identity; compare those of an old one.

    Raises:
        StoreOpenError: The file belongs to another game.
    """
    owner = read_meta(connection, "game_id")
    if owner is None:
        write_meta(connection, "game_id", game_id)
        write_meta(connection, "store_id", secrets.token_hex(_BITS_OF_IDENTITY // 8))
        write_meta(connection, "deletions", "0")
    elif owner != game_id:
        raise StoreOpenError(f"the database of game {game_id} belongs to another game")


def epoch_of(connection: apsw.Connection) -> str:
    """Return the epoch: see `EPOCH`."""
    epoch: str = connection.execute(f"SELECT {EPOCH}").get
    return epoch


def raise_epoch(connection: apsw.Connection) -> None:
    """Make every page token that was given out void."""
    connection.execute(
        "UPDATE meta SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE name = 'deletions'"
    )


def read_meta(connection: apsw.Connection, name: str) -> str | None:
    """Return a fact of the file, or None."""
    found: str | None = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).get
    return found


def write_meta(connection: apsw.Connection, name: str, value: str) -> None:
    """Set a fact of the file."""
    connection.execute(
        "INSERT INTO meta (name, value) VALUES (?, ?)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )
