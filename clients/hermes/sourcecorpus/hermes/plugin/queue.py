"""The bounded queue in memory between Hermes' threads and the sender.

An event leaves it when the sidecar says that it is durable, not when it is sent: a sidecar that dies takes nothing
with it. Numbers count from 1 within one process, without gaps, so that the sidecar can tell what it has.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from typing import TYPE_CHECKING

from .events import CapturedEvent, CitedRefs, LossReport
from .limits import MEMORY_BYTES_MAX, MEMORY_EVENTS_MAX

if TYPE_CHECKING:
    from collections.abc import Callable

Item = CapturedEvent | CitedRefs | LossReport


class EventQueue:
    """Holds events until they are durable elsewhere. Safe for several threads."""

    def __init__(
        self, bytes_max: int = MEMORY_BYTES_MAX, events_max: int = MEMORY_EVENTS_MAX
    ) -> None:
        self._bytes_max = bytes_max
        self._events_max = events_max
        self._condition = threading.Condition()
        self._items: deque[Item] = deque()
        self._sent = 0
        self._bytes = 0
        self._next_sequence = 1
        self._losses: Counter[str] = Counter()
        self._losses_total: Counter[str] = Counter()
        self._woken = False

    def put(self, event: CapturedEvent | CitedRefs) -> bool:
        """Append an event; False where there is no room, which is counted."""
        with self._condition:
            full = len(self._items) >= self._events_max
            if full or (self._items and self._bytes + event.size_bytes > self._bytes_max):
                self._lose("MEMORY_FULL", 1)
                return False
            self._append(event)
            return True

    def lose(self, reason: str, events: int = 1) -> None:
        """Count events that were given up."""
        with self._condition:
            self._lose(reason, events)

    def next_item(self, seconds: float) -> Item | None:
        """The next item that was not sent on this connection; None after a while or when woken."""
        with self._condition:
            if self._losses and len(self._items) < self._events_max + 1:
                self._append(LossReport(counts=dict(self._losses)))
                self._losses.clear()
            if self._sent == len(self._items) and not self._woken:
                self._condition.wait(seconds)
            self._woken = False
            if self._sent == len(self._items):
                return None
            self._sent += 1
            return self._items[self._sent - 1]

    def acknowledge(self, sequence: int) -> None:
        """Drop everything up to a number: it is durable, or was refused and counted by the sidecar."""
        with self._condition:
            while self._items and self._items[0].sequence <= sequence:
                self._bytes -= self._items.popleft().size_bytes
                self._sent = max(0, self._sent - 1)
            self._condition.notify_all()

    def give_up(self, sequence: int, reason: str) -> None:
        """Put a count in the place of an event that cannot be sent, so that the numbers have no gap."""
        with self._condition:
            for index, item in enumerate(self._items):
                if item.sequence == sequence:
                    self._bytes -= item.size_bytes
                    self._items[index] = LossReport(counts={reason: 1}, sequence=sequence)
                    self._losses_total[reason] += 1
                    self._sent = min(self._sent, index)

    def begin_again(self) -> None:
        """Send everything that is not durable once more: the connection is new."""
        with self._condition:
            self._sent = 0

    def wait_until_empty(self, seconds: float, hopeless: Callable[[], bool]) -> bool:
        """Wait until everything is durable, for a bounded time.

        Args:
            seconds: How long.
            hopeless: Ends the wait early.

        Returns:
            Whether the queue is empty.
        """
        with self._condition:
            self._condition.wait_for(lambda: not self._items or hopeless(), timeout=seconds)
            return not self._items

    def wake(self) -> None:
        """Let the sender and whoever waits look again."""
        with self._condition:
            self._woken = True
            self._condition.notify_all()

    def waiting(self) -> int:
        """Number of events that are not durable yet."""
        with self._condition:
            return sum(not isinstance(item, LossReport) for item in self._items)

    def losses(self) -> dict[str, int]:
        """All events that were given up in this process, by reason."""
        with self._condition:
            return dict(self._losses_total)

    def _append(self, item: Item) -> None:
        item.sequence = self._next_sequence
        self._next_sequence += 1
        self._items.append(item)
        self._bytes += item.size_bytes
        self._condition.notify_all()

    def _lose(self, reason: str, events: int) -> None:
        self._losses[reason] += events
        self._losses_total[reason] += events
        self._condition.notify_all()
