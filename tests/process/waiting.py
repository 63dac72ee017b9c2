"""Waits for a state that another process reaches in its own time."""

import time
from collections.abc import Callable

SECONDS_MAX = 120.0
POLL_SECONDS = 0.02


def until(condition: Callable[[], bool], seconds: float = SECONDS_MAX) -> None:
    """Return when the condition holds; fail after a generous time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the awaited state did not come"
        time.sleep(POLL_SECONDS)
