"""Where store calls run: point look-ups on the event loop, everything else in a bounded pool.

A point look-up by key takes 10 to 50 µs in a warm store; the way to a thread and back costs about
as much again and needs the interpreter lock twice (figures in docs/performance.md where they are
measured). A scan, a text or a verified content may take milliseconds and must not hold up others.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, ParamSpec, TypeVar

READ_THREADS: Final = 8
"""Threads of the pool; as many as a game has readers. Waiting calls are bounded by the server."""

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class ReadPool:
    """Runs blocking reads; the deadline of the call goes along."""

    def __init__(self, threads: int = READ_THREADS) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="corpus-read")

    async def run(
        self,
        function: Callable[_Arguments, _Result],
        *arguments: _Arguments.args,
        **named: _Arguments.kwargs,
    ) -> _Result:
        """Runs a function in a thread of the pool and returns what it returns."""
        context = contextvars.copy_context()

        def call() -> _Result:
            return context.run(function, *arguments, **named)

        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    def close(self) -> None:
        """Waits for calls under way, then ends the threads."""
        self._pool.shutdown(wait=True, cancel_futures=True)
