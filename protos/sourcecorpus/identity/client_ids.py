"""Ids that a client makes before it knows any content: UUID version 7 (RFC 9562 section 5.7)."""

import secrets
import threading
import time
import uuid
from collections.abc import Callable
from typing import Final

_RANDOM_BITS: Final = 62
_COUNTER_BITS: Final = 12
_TIME_BITS: Final = 48


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


class ClientIdGenerator:
    """Makes ids that sort by the time they were made, also when the clock stands or goes back.

    The 12 bits behind the time are a counter (RFC 9562 section 6.2, method 1); when it is used up
    within a millisecond the time runs ahead of the clock. Safe to share between threads.
    """

    __slots__ = ("_counter", "_last", "_lock", "_milliseconds", "_random_bits")

    def __init__(
        self,
        milliseconds: Callable[[], int] = _milliseconds,
        random_bits: Callable[[int], int] = secrets.randbits,
    ) -> None:
        """Takes its clock (Unix time in milliseconds) and its randomness (n → n random bits)."""
        self._milliseconds = milliseconds
        self._random_bits = random_bits
        self._lock = threading.Lock()
        self._last = -1
        self._counter = 0

    def new_id(self) -> str:
        """Returns the next id, 36 characters in the form of RFC 9562 section 4."""
        with self._lock:
            now = self._milliseconds()
            if now > self._last:
                self._last = now
                # The upper half stays free, so that the counter seldom overflows.
                self._counter = self._random_bits(_COUNTER_BITS - 1)
            else:
                self._counter += 1
                if self._counter >> _COUNTER_BITS:
                    self._last += 1
                    self._counter = 0
            moment, counter = self._last, self._counter
        number = (moment & ((1 << _TIME_BITS) - 1)) << 80
        number |= 0x7 << 76 | counter << 64
        number |= 0b10 << _RANDOM_BITS | self._random_bits(_RANDOM_BITS)
        return str(uuid.UUID(int=number))
