"""Hands waiting refresh requests to a client that watches.

Nothing is kept here: the corpus leases each request to one caller at a time, so a death of this
service or of its client costs the rest of a lease and no request.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from capture_service.refresh import limits
from sourcecorpus.capture.v1 import refresh_pb2 as messages
from sourcecorpus.rpc.failures import Failure


class RefreshQueue(Protocol):
    """Where requests wait."""

    async def take(self, game_id: str) -> messages.RefreshRequest | None:
        """Lease one waiting request of a game; None where none waits."""

    async def report(self, report: messages.ReportRefreshRequest) -> messages.RefreshRequest:
        """Tell what came of a request."""


@dataclass(frozen=True, slots=True)
class WatchTimes:
    """How long watchers wait, in seconds."""

    poll: float = limits.POLL_SECONDS
    failure_pause: float = limits.FAILURE_PAUSE_SECONDS
    watch_max: float = limits.WATCH_SECONDS_MAX


class RefreshWatching:
    """Serves all watchers of one service. Belongs to one event loop."""

    def __init__(self, queue: RefreshQueue, times: WatchTimes | None = None) -> None:
        self._queue = queue
        self._times = times or WatchTimes()
        self._drained = asyncio.Event()

    def drain(self) -> None:
        """End all streams."""
        self._drained.set()

    async def requests(
        self, game: Callable[[], Awaitable[str]]
    ) -> AsyncGenerator[messages.RefreshRequest, None]:
        """Yield leased requests of a game until the time is over.

        Args:
            game: Tells the game of the moment, "" for none.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + self._times.watch_max
        while not self._drained.is_set() and loop.time() < end:
            pause = self._times.poll
            try:
                game_id = await game()
                request = await self._queue.take(game_id) if game_id else None
            except Failure:
                # The corpus is away or the game is gone: both may change while somebody watches.
                request, pause = None, self._times.failure_pause
            if request is not None:
                yield request
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(pause, max(0.0, end - loop.time()))):
                    await self._drained.wait()

    async def report(self, report: messages.ReportRefreshRequest) -> messages.RefreshRequest:
        """Tell what came of a request; see `RefreshQueue.report`."""
        return await self._queue.report(report)
