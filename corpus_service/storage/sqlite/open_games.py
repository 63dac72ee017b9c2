"""The games that are open at the same time: a bounded table, least recently used first out."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from corpus_service.limits import CLOSE_WAIT_SECONDS, OPEN_GAMES_MAX, WRITER_RETRY_SECONDS
from corpus_service.storage.sqlite.game_database import GameDatabase
from sourcecorpus.rpc.failures import Failure, FailureCode


@dataclass(slots=True)
class _Entry:
    database: GameDatabase
    users: int = 0


class OpenGames:
    """Lends open games. A game that somebody uses or that still writes is never closed."""

    def __init__(self, open_game: Callable[[str], GameDatabase]) -> None:
        self._open_game = open_game
        self._lock = threading.Condition()
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._closed = False

    @contextmanager
    def lease(self, game_id: str) -> Iterator[GameDatabase]:
        """Lend a game for the length of a block, opening it where needed."""
        entry = self._enter(game_id)
        try:
            yield entry.database
        finally:
            with self._lock:
                entry.users -= 1
                self._lock.notify_all()

    @contextmanager
    def exclusive(self, game_id: str) -> Iterator[None]:
        """Keep a game closed for the length of a block: its file may be exchanged.

        Raises:
            Failure: RESOURCE_EXHAUSTED ``READER_BUSY`` where somebody keeps it in use.
        """
        with self._lock:
            if not self._lock.wait_for(
                lambda: not self._in_use(game_id), timeout=CLOSE_WAIT_SECONDS
            ):
                raise Failure(
                    FailureCode.RESOURCE_EXHAUSTED,
                    "READER_BUSY",
                    retry_after_seconds=WRITER_RETRY_SECONDS,
                )
            if self._closed:
                raise Failure(FailureCode.UNAVAILABLE, "DRAINING")
            entry = self._entries.pop(game_id, None)
            if entry is not None:
                entry.database.close()
            yield

    def close(self) -> None:
        """Close every game; whoever comes later is told that the service drains."""
        with self._lock:
            self._closed = True
            entries = list(self._entries.values())
            self._entries.clear()
            # A connection must not be closed under somebody who reads.
            self._lock.wait_for(
                lambda: not any(entry.users for entry in entries), timeout=CLOSE_WAIT_SECONDS
            )
        for entry in entries:
            entry.database.close()

    def __len__(self) -> int:
        return len(self._entries)

    def _in_use(self, game_id: str) -> bool:
        entry = self._entries.get(game_id)
        return entry is not None and entry.users > 0

    def _enter(self, game_id: str) -> _Entry:
        with self._lock:
            if self._closed:
                raise Failure(FailureCode.UNAVAILABLE, "DRAINING")
            entry = self._entries.get(game_id)
            if entry is None:
                self._make_room()
                # Opening inside the lock: two threads must never open the same file twice.
                entry = _Entry(self._open_game(game_id))
                self._entries[game_id] = entry
            else:
                self._entries.move_to_end(game_id)
            entry.users += 1
            return entry

    def _make_room(self) -> None:
        if len(self._entries) < OPEN_GAMES_MAX:
            return
        for game_id, entry in self._entries.items():
            if not entry.users and entry.database.writer.idle:
                del self._entries[game_id]
                entry.database.close()
                return
        raise Failure(
            FailureCode.RESOURCE_EXHAUSTED,
            "READER_BUSY",
            retry_after_seconds=WRITER_RETRY_SECONDS,
        )
