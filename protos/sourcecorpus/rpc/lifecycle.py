"""Start and stop order: sinks start first, sources stop first.

Each part registers its stop right after it started; stopping goes backwards, so that nothing is
asked to take work after its sink is gone. Imports: standard library and ``logs``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from sourcecorpus.rpc.limits import CALLBACK_SECONDS_MAX
from sourcecorpus.rpc.logs import log_event

_LOGGER: Final = logging.getLogger(__name__)

StopCallback = Callable[[], Awaitable[None]]


class Lifecycle:
    """Parts of a process in the order of their start."""

    def __init__(self, seconds_max: float = CALLBACK_SECONDS_MAX) -> None:
        self._seconds_max = seconds_max
        self._parts: list[tuple[str, StopCallback]] = []

    def started(self, name: str, stop: StopCallback) -> None:
        """Register a part that has just started."""
        self._parts.append((name, stop))

    async def stop_all(self) -> int:
        """Stop all parts, last started first, each within its time.

        A part that fails does not keep the others from stopping.

        Returns:
            Number of parts that failed or took too long.
        """
        failed = 0
        while self._parts:
            name, stop = self._parts.pop()
            try:
                async with asyncio.timeout(self._seconds_max):
                    await stop()
            except Exception as error:  # noqa: BLE001 - every part gets its turn
                failed += 1
                log_event(_LOGGER, logging.ERROR, "stop_failed", error=error, part=name)
        return failed
