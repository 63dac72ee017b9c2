"""One budget of memory for all envelopes that are under way.

Nothing unredacted may touch a disk, so bytes wait in memory and must be bounded. Nobody knows
beforehand how large an envelope gets. Small ones share a part. An envelope that finds the shared
part used up takes the large part, which is as large as any envelope may be and belongs to one at a
time: whoever has it can always finish, so that two half-received envelopes never wait for each
other.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from capture_service.intake import limits
from capture_service.measurements import OPEN_BYTES


@dataclass(slots=True)
class Reservation:
    """Bytes that one envelope holds."""

    size_bytes: int = 0
    large: bool = False


class MemoryBudget:
    """Bounds the bytes of open envelopes. Belongs to one event loop."""

    def __init__(self, shared_bytes_max: int = limits.OPEN_ENVELOPES_SHARED_BYTES_MAX) -> None:
        self._shared_bytes_max = shared_bytes_max
        self._shared_bytes = 0
        self._large: Reservation | None = None
        self._changed = asyncio.Condition()

    @property
    def held_bytes(self) -> int:
        """Bytes that are held now."""
        return self._shared_bytes + (self._large.size_bytes if self._large else 0)

    async def grow(self, reservation: Reservation, size_bytes: int) -> None:
        """Add bytes to a reservation; waits until there is room."""
        await self._take(reservation, size_bytes)
        OPEN_BYTES.add(size_bytes)

    async def _take(self, reservation: Reservation, size_bytes: int) -> None:
        if reservation.large:
            reservation.size_bytes += size_bytes
            return
        if self._shared_bytes + size_bytes > self._shared_bytes_max:
            async with self._changed:
                await self._changed.wait_for(
                    lambda: (
                        self._large is None
                        or self._shared_bytes + size_bytes <= self._shared_bytes_max
                    )
                )
                if self._shared_bytes + size_bytes > self._shared_bytes_max:
                    self._large = reservation
                    reservation.large = True
                    self._shared_bytes -= reservation.size_bytes
                    reservation.size_bytes += size_bytes
                    self._changed.notify_all()
                    return
        self._shared_bytes += size_bytes
        reservation.size_bytes += size_bytes

    async def release(self, reservation: Reservation) -> None:
        """Give everything back. Idempotent."""
        OPEN_BYTES.add(-reservation.size_bytes)
        async with self._changed:
            if reservation.large:
                self._large = None
            else:
                self._shared_bytes -= reservation.size_bytes
            reservation.size_bytes = 0
            reservation.large = False
            self._changed.notify_all()
