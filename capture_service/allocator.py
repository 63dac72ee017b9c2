"""Tells the allocator of the C library to give freed memory back to the system.

A large result passes through hundreds of buffers of the size of a frame. By default glibc raises
its threshold for separate mappings when such a buffer is freed (mallopt(3), "M_MMAP_THRESHOLD"),
keeps the next ones in its arenas, and the process stays as large as its largest moment.
"""

from __future__ import annotations

import ctypes
from typing import Final

_M_MMAP_THRESHOLD: Final = -3
_M_ARENA_MAX: Final = -8
MAPPED_BYTES_MIN: Final = 128 * 1_024
"""Buffers from this size on are mapped on their own; glibc's initial value, now fixed."""
ARENAS_MAX: Final = 2
"""Arenas of small buffers; the default of eight for each core keeps memory apart that is free."""


def give_freed_memory_back() -> bool:
    """Fix threshold and number of arenas for this process.

    Returns:
        False where the C library has no ``mallopt``; then nothing was changed.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    return bool(mallopt(_M_MMAP_THRESHOLD, MAPPED_BYTES_MIN)) and bool(
        mallopt(_M_ARENA_MAX, ARENAS_MAX)
    )
