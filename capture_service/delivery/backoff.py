"""Exponential backoff with full jitter: a random part of a growing bound.

Source: "Exponential Backoff And Jitter", AWS Architecture Blog, 2015: full jitter spreads the
returns of many clients best. Time and randomness are injected.
"""

from __future__ import annotations

from collections.abc import Callable

from capture_service.delivery import limits


class Backoff:
    """Tells how long to wait after each failure in a row."""

    def __init__(
        self,
        random_part: Callable[[], float],
        *,
        first_seconds: float = limits.BACKOFF_SECONDS_FIRST,
        seconds_max: float = limits.BACKOFF_SECONDS_MAX,
    ) -> None:
        """Wire the backoff; ``random_part`` gives a number from 0 to 1."""
        self._random_part = random_part
        self._first_seconds = first_seconds
        self._seconds_max = seconds_max
        self._failures = 0

    @property
    def failures(self) -> int:
        """Failures in a row."""
        return self._failures

    def next_seconds(self, at_least: float = 0.0) -> float:
        """Count a failure and tell how long to wait, at least as long as the other side asks."""
        # 2**30 is far above any bound; larger exponents only make larger numbers.
        bound = min(self._first_seconds * 2 ** min(self._failures, 30), self._seconds_max)
        self._failures += 1
        seconds: float = max(bound * self._random_part(), min(at_least, self._seconds_max))
        return seconds

    def reset(self) -> None:
        """Forget the failures after a success."""
        self._failures = 0
