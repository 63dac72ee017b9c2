"""The deadline of the current call, for whoever works on its behalf.

The server sets it for each call; storage and outgoing calls ask how much time is left. It is a
context variable: ``asyncio.to_thread`` and tasks carry it along, an executor's thread does not, so
pass ``remaining()`` on explicitly there. Imports: standard library only.
"""

from __future__ import annotations

import time
from contextvars import ContextVar
from typing import Final

from sourcecorpus.rpc.failures import Failure, FailureCode

_DEADLINE: Final[ContextVar[float | None]] = ContextVar("sourcecorpus_deadline", default=None)


def begin(seconds: float | None) -> None:
    """Set the deadline of the current call, in seconds from here; None takes it away."""
    _DEADLINE.set(None if seconds is None else time.monotonic() + seconds)


def remaining(margin_seconds: float = 0.0) -> float | None:
    """Seconds that are left, minus a margin, at least 0; None without a deadline."""
    deadline = _DEADLINE.get()
    if deadline is None:
        return None
    return max(deadline - time.monotonic() - margin_seconds, 0.0)


def require_time() -> None:
    """Check that time is left, before work that cannot be interrupted.

    Raises:
        Failure: DEADLINE_EXCEEDED.
    """
    if remaining() == 0.0:
        raise Failure(FailureCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED")
