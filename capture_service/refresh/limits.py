"""Bounds of watching refresh requests."""

from __future__ import annotations

from typing import Final

POLL_SECONDS: Final = 2.0
"""How often a watcher's game is asked for waiting requests; the corpus does not push."""

FAILURE_PAUSE_SECONDS: Final = 15.0
"""How long a watcher rests where the corpus does not answer."""

WATCH_SECONDS_MAX: Final = 300.0
"""When a stream ends by itself, so that dead clients hold nothing; a client opens it again."""

CALL_SECONDS_MAX: Final = 10.0
"""How long one call to the corpus may take."""
