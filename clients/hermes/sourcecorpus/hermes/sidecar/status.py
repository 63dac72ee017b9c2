"""What ``source-corpus status`` shows: asked of the running sidecar, or read from its files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from capture_service.spool import queue
from sourcecorpus.hermes.sidecar import limits

if TYPE_CHECKING:
    from sourcecorpus.hermes.sidecar.delivery import Delivery
    from sourcecorpus.hermes.sidecar.games import GameBook
    from sourcecorpus.hermes.sidecar.store import SidecarStore


def queue_facts(connection: apsw.Connection, now_milliseconds: int) -> dict[str, Any]:
    """Depth, size and age of the oldest of what waits.

    A clock that went back makes ages small, never negative.
    """
    totals = queue.totals(connection)
    oldest: Any = connection.execute("SELECT min(queued_milliseconds) FROM queue_entries").get
    age = 0.0 if oldest is None else max(0, now_milliseconds - int(oldest)) / 1_000
    return {
        "envelopes": totals.entries,
        "stored_bytes": totals.stored_bytes,
        "oldest_seconds": round(age, 3),
        "set_aside": totals.dead_letters,
    }


def plugin_reports(folder: Path) -> list[dict[str, Any]]:
    """What plugins that reached no sidecar have left: losses by reason, and events that waited in memory."""
    found = []
    for path in sorted(folder.glob("*.json"))[: limits.REPORT_FILES_MAX]:
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(document, dict):
            found.append(document)
    return found


def remove_old_reports(folder: Path) -> None:
    """Keep the newest ``REPORT_FILES_MAX`` reports."""

    def age(path: Path) -> float:
        try:
            return path.stat().st_mtime
        except OSError:
            return 0.0

    for path in sorted(folder.glob("*.json"), key=age, reverse=True)[limits.REPORT_FILES_MAX :]:
        path.unlink(missing_ok=True)


class StatusAnswers:
    """``status`` of the running sidecar."""

    def __init__(
        self,
        store: SidecarStore,
        delivery: Delivery,
        games: GameBook,
        *,
        facts: dict[str, Any],
        plugins: Callable[[], list[dict[str, Any]]],
        clock: Callable[[], float],
        wall_milliseconds: Callable[[], int],
    ) -> None:
        """Wire it; ``facts`` stay the same while the process lives."""
        self._store = store
        self._delivery = delivery
        self._games = games
        self._facts = facts
        self._plugins = plugins
        self._clock = clock
        self._wall_milliseconds = wall_milliseconds
        self._started = clock()

    def status(self, _arguments: dict[str, Any]) -> dict[str, Any]:
        """Everything at one moment."""
        now = self._wall_milliseconds()
        handled = self._delivery.last_handled
        ago = None if handled is None else round(self._clock() - handled, 3)
        return {
            "running": True,
            **self._facts,
            "uptime_seconds": round(self._clock() - self._started, 3),
            "hermes": self._plugins(),
            "queue": self._store.read(lambda connection: queue_facts(connection, now)),
            "links_waiting": self._store.links_waiting(),
            "counters": self._store.counters(),
            "capture": {
                "streaming": self._delivery.streaming,
                "last_error": self._delivery.last_error,
                "last_acknowledged_seconds_ago": ago,
            },
            "games": [
                {"session": session, "game": game.game_id, "confirmed": game.confirmed}
                for session, game in self._games.recent()
            ],
        }
