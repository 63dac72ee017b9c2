"""What can be asked about capture sessions, and the game of a Hermes session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import apsw

from capture_service.outbox import counters, sessions
from capture_service.outbox.sessions import CaptureSession
from capture_service.outbox.store import OutboxStore
from capture_service.spool import queue


@dataclass(frozen=True, slots=True)
class SessionState:
    """State and counters of a capture session."""

    session: CaptureSession
    outcomes: Mapping[str, int]
    ignored_tools: Mapping[str, int]
    waiting: int


class SessionQueries:
    """Asks the capture database; sessions are named by their keys."""

    def __init__(self, store: OutboxStore) -> None:
        self._store = store

    async def open(self, session_key: str, now_milliseconds: int) -> int:
        """Open a capture session; returns its durable sequence."""
        return await self._store.open_session(session_key, now_milliseconds)

    async def state(self, session_key: str) -> SessionState | None:
        """State of a capture session; None where it was never heard of."""

        def read(connection: apsw.Connection) -> SessionState | None:
            session = sessions.find(connection, session_key)
            if session is None:
                return None
            return SessionState(
                session,
                counters.read(connection, session_key, counters.OUTCOME),
                counters.read(connection, session_key, counters.IGNORED_TOOL),
                queue.waiting_of_session(connection, session_key),
            )

        return await self._store.read(read)

    async def game(self, session_key: str) -> str:
        """Game of a Hermes session, "" for none."""
        return await self._store.game_of_session(session_key)

    async def set_game(self, session_key: str, game_id: str, now_milliseconds: int) -> None:
        """Set or, with "", clear the game of a Hermes session."""
        await self._store.set_session_game(session_key, game_id, now_milliseconds)
