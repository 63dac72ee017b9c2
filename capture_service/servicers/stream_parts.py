"""The pieces that the activities of one stream hand to each other."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from capture_service.domain.incoming import IncomingEnvelope, RejectedEnvelope
from capture_service.intake.limits import LARGE_PART_IDLE_SECONDS_MAX
from capture_service.intake.memory_budget import Reservation
from capture_service.pipeline.limits import PREPARE_BYTES_MAX, PREPARE_ENVELOPES_MAX
from capture_service.servicers import limits
from sourcecorpus.capture.v1 import capture_service_pb2 as pb
from sourcecorpus.rpc.failures import Failure
from sourcecorpus.rpc.limits import STREAM_IDLE_SECONDS_MAX

Item = IncomingEnvelope | RejectedEnvelope


@dataclass(frozen=True, slots=True)
class StreamTimes:
    """How long a stream waits for what, in seconds."""

    idle: float = STREAM_IDLE_SECONDS_MAX
    large_part_idle: float = LARGE_PART_IDLE_SECONDS_MAX
    flush: float = limits.FLUSH_SECONDS_MAX
    finish_grace: float = limits.FINISH_GRACE_SECONDS


@dataclass(slots=True)
class EndedEnvelope:
    """An envelope that has ended and is not acknowledged."""

    item: Item
    size_bytes: int
    reservation: Reservation


@dataclass(slots=True)
class Acknowledgement:
    """A message, and what leaves the window once it is sent."""

    message: pb.Ack
    envelopes: int
    size_bytes: int


@dataclass(slots=True)
class Close:
    """The end of a stream, with an error or without."""

    failure: Failure | None


@dataclass(slots=True)
class EndedQueue:
    """Ended envelopes on their way to the worker."""

    envelopes: list[EndedEnvelope] = field(default_factory=list)
    closed: bool = False
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, ended: EndedEnvelope) -> None:
        """Add an envelope."""
        self.envelopes.append(ended)
        self.changed.set()

    def close(self) -> None:
        """Say that no more comes."""
        self.closed = True
        self.changed.set()

    async def next_batch(self) -> list[EndedEnvelope]:
        """What waits, up to the bounds of one preparation; empty at the end."""
        while not self.envelopes and not self.closed:
            self.changed.clear()
            await self.changed.wait()
        count, size_bytes = 0, 0
        for ended in self.envelopes[:PREPARE_ENVELOPES_MAX]:
            size_bytes += ended.size_bytes
            if count and size_bytes > PREPARE_BYTES_MAX:
                break
            count += 1
        batch, self.envelopes = self.envelopes[:count], self.envelopes[count:]
        return batch
