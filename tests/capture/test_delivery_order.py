"""What the sender does while the answer to a batch is written down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence, Set

from capture_service.delivery.sender import Sender
from capture_service.outbox.delivery import LaneContent, Outbound, Settlement
from capture_service.spool import QueuedEntry
from sourcecorpus.corpus.v1 import capture_record_pb2, ingest_service_pb2

WAIT_SECONDS = 60.0


def outbound(entry_id: int) -> Outbound:
    record = capture_record_pb2.CaptureRecord(game_id="castle", envelope_id=f"e{entry_id}")
    payload = record.SerializeToString()
    return Outbound(QueuedEntry(entry_id, "castle", f"e{entry_id}", "", 0, payload, ()), {}, ())


class Outbox:
    """Three entries, one in a batch; settling waits until it is let."""

    def __init__(self) -> None:
        self.settled: list[str] = []
        self.may_settle = asyncio.Event()

    async def load_batch(
        self, after_entry_id: int, excluded_lanes: Set[str], under_way: Set[LaneContent]
    ) -> Sequence[Outbound]:
        del excluded_lanes, under_way
        if after_entry_id >= 3 or len(self.settled) == 3:
            return []
        return [outbound(after_entry_id + 1)]

    async def read_piece(self, digest: bytes, number: int) -> bytes | None:
        del digest, number
        return None

    async def settle(self, settlements: Sequence[Settlement]) -> None:
        await self.may_settle.wait()
        self.settled += [settlement.entry.entry_key for settlement in settlements]


class Corpus:
    """Takes everything."""

    def __init__(self) -> None:
        self.taken: list[str] = []
        self.came = asyncio.Condition()

    async def ingest(
        self, records: Sequence[capture_record_pb2.CaptureRecord]
    ) -> Sequence[ingest_service_pb2.IngestResult]:
        async with self.came:
            self.taken += [record.envelope_id for record in records]
            self.came.notify_all()
        return [
            ingest_service_pb2.IngestResult(
                envelope_id=record.envelope_id,
                status=ingest_service_pb2.INGEST_STATUS_COMMITTED,
            )
            for record in records
        ]

    async def upload(
        self, game_id: str, content_hash: str, size_bytes: int, pieces: AsyncIterator[bytes]
    ) -> None:
        raise AssertionError("nothing is uploaded")

    async def has_taken(self, count: int) -> None:
        async with self.came:
            await self.came.wait_for(lambda: len(self.taken) >= count)


def test_one_batch_goes_ahead_while_an_answer_is_written_down() -> None:
    async def test() -> None:
        outbox, corpus = Outbox(), Corpus()
        sender = Sender(outbox, corpus, monotonic_seconds=lambda: 0.0, random_part=lambda: 0.0)
        done = asyncio.Event()
        sender.on_settled(lambda: done.set() if len(outbox.settled) == 3 else None)
        running = asyncio.create_task(sender.run())
        async with asyncio.timeout(WAIT_SECONDS):
            await corpus.has_taken(2)
            for _ in range(20):
                await asyncio.sleep(0)
            # One answer that is not durable is as far ahead as the sender goes.
            assert corpus.taken == ["e1", "e2"]
            assert outbox.settled == []
            outbox.may_settle.set()
            await done.wait()
        assert corpus.taken == outbox.settled == ["e1", "e2", "e3"]
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(test())


def test_an_end_does_not_wait_for_an_answer_that_cannot_be_written_down() -> None:
    async def test() -> None:
        outbox, corpus = Outbox(), Corpus()
        sender = Sender(outbox, corpus, monotonic_seconds=lambda: 0.0, random_part=lambda: 0.0)
        running = asyncio.create_task(sender.run())
        async with asyncio.timeout(WAIT_SECONDS):
            await corpus.has_taken(2)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        assert outbox.settled == []

    asyncio.run(test())
