"""Ends the work of connections whose time is over, whatever SQLite is doing.

A progress handler is called between instructions of SQLite's virtual machine, and setting up a
beginning of words, or counting the matches of a phrase for bm25(), is one instruction: on 485,000
chunks it took up to 1.3 s. An interruption is noticed at the next page that is read, whoever reads it
(https://www.sqlite.org/c3ref/interrupt.html): there within 0.05 s.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from corpus_service.limits import INTERRUPT_AGAIN_SECONDS

_NEVER: Final = float("inf")


class Interruptible(Protocol):
    """What can be interrupted from another thread, such as a connection."""

    def interrupt(self) -> None:
        """Ends what is under way; does nothing where nothing is."""


class DeadlineWatch:
    """One thread that interrupts what works past its deadline. Safe from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._ends: dict[Interruptible, float] = {}
        self._wakes_at = _NEVER
        self._thread: threading.Thread | None = None
        self._closed = False

    @contextmanager
    def watching(self, work: Interruptible, seconds: float) -> Iterator[None]:
        """Interrupts ``work`` when the block takes longer than so many seconds, until it ends."""
        end = self._clock() + seconds
        with self._changed:
            self._ends[work] = end
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="deadline-watch", daemon=True
                )
                self._thread.start()
            # A later end than the one that is waited for is found when that one has come.
            if end < self._wakes_at:
                self._changed.notify()
        try:
            yield
        finally:
            # Once this lock was held, nothing interrupts whoever uses the connection next.
            with self._changed:
                del self._ends[work]

    def close(self) -> None:
        """Ends the thread; nothing is watched any more."""
        with self._changed:
            self._closed = True
            self._changed.notify()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        with self._changed:
            while not self._closed:
                now = self._clock()
                self._wakes_at = min(self._ends.values(), default=_NEVER)
                if self._wakes_at <= now:
                    for work, end in self._ends.items():
                        if end <= now:
                            work.interrupt()
                    # An interruption between two statements is forgotten with the next one.
                    self._wakes_at = now + INTERRUPT_AGAIN_SECONDS
                wait = None if self._wakes_at == _NEVER else self._wakes_at - now
                self._changed.wait(wait)
