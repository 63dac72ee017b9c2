"""Capture sessions: how far each one is durable, and the game of each Hermes session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import apsw

from capture_service.outbox import limits


@dataclass(frozen=True, slots=True)
class CaptureSession:
    """State of a capture session; times are Unix time in milliseconds."""

    durable_sequence: int
    delivered: int
    opened_milliseconds: int
    last_seen_milliseconds: int


def find(connection: apsw.Connection, session: str) -> CaptureSession | None:
    """The state of a capture session, None where it was never heard of."""
    row: Any = connection.execute(
        "SELECT durable_sequence, delivered, opened_milliseconds, last_seen_milliseconds"
        " FROM capture_sessions WHERE session = ?",
        (session,),
    ).fetchone()
    return None if row is None else CaptureSession(*row)


def touch(connection: apsw.Connection, session: str, now_milliseconds: int) -> CaptureSession:
    """Open a capture session or note that it was heard of again."""
    connection.execute(
        "INSERT INTO capture_sessions VALUES (?, 0, 0, ?, ?)"
        " ON CONFLICT DO UPDATE SET last_seen_milliseconds = excluded.last_seen_milliseconds",
        (session, now_milliseconds, now_milliseconds),
    )
    found = find(connection, session)
    assert found is not None, "the statement before has made it"
    return found


def durable_sequence(connection: apsw.Connection, session: str) -> int:
    """Highest contiguous handled sequence of a session, 0 for none."""
    found: Any = connection.execute(
        "SELECT durable_sequence FROM capture_sessions WHERE session = ?", (session,)
    ).get
    return int(found or 0)


def advance(connection: apsw.Connection, session: str, sequence: int) -> None:
    """Move the durable sequence by one where this sequence is the next; otherwise leave it."""
    connection.execute(
        "UPDATE capture_sessions SET durable_sequence = ?1"
        " WHERE session = ?2 AND durable_sequence = ?1 - 1",
        (sequence, session),
    )


def count_delivered(connection: apsw.Connection, session: str, amount: int) -> None:
    """Count envelopes of a session that the corpus has committed."""
    connection.execute(
        "UPDATE capture_sessions SET delivered = delivered + ? WHERE session = ?",
        (amount, session),
    )


def game_of(connection: apsw.Connection, session_id: str) -> str:
    """Game of a Hermes session, "" for none."""
    found: Any = connection.execute(
        "SELECT game_id FROM session_games WHERE session_id = ?", (session_id,)
    ).get
    return str(found or "")


def set_game(
    connection: apsw.Connection, session_id: str, game_id: str, now_milliseconds: int
) -> None:
    """Set or, with "", clear the game of a Hermes session."""
    if not game_id:
        connection.execute("DELETE FROM session_games WHERE session_id = ?", (session_id,))
        return
    connection.execute(
        "INSERT INTO session_games VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET"
        " game_id = excluded.game_id, set_milliseconds = excluded.set_milliseconds",
        (session_id, game_id, now_milliseconds),
    )


def prune(connection: apsw.Connection) -> None:
    """Forget the sessions that were heard of longest ago, beyond the bounds."""
    for table, key, time, kept in (
        ("capture_sessions", "session", "last_seen_milliseconds", limits.CAPTURE_SESSIONS_MAX),
        ("session_games", "session_id", "set_milliseconds", limits.SESSION_GAMES_MAX),
    ):
        connection.execute(
            f"DELETE FROM {table} WHERE {key} IN"  # noqa: S608 - names from the line above
            f" (SELECT {key} FROM {table} ORDER BY {time} DESC LIMIT -1 OFFSET ?)",
            (kept,),
        )
    connection.execute(
        "DELETE FROM counters WHERE session <> ''"
        " AND session NOT IN (SELECT session FROM capture_sessions)"
    )
