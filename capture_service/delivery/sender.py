"""The sender: one task that takes batches from the outbox to the corpus and settles them.

The next batch is read while the one before is under way, and sent while the answer to that one is
written down. It is never sent before that answer: records of one game go in order. A game that has
to wait does not hold up the others. Nothing is dropped: what the corpus refuses for good
becomes a dead letter that keeps its bytes and is counted.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence, Set
from typing import Final, Protocol

from capture_service.delivery import limits
from capture_service.delivery.answers import WAITING_REASONS, read_answer
from capture_service.delivery.backoff import Backoff
from capture_service.measurements import DELIVERIES, OUTBOX
from capture_service.outbox.delivery import LaneContent, Outbound, Settlement
from capture_service.spool import (
    SpoolBusyError,
    SpoolClosedError,
    SpoolFullError,
    StoredContentDamagedError,
)
from sourcecorpus.corpus.v1 import capture_record_pb2, ingest_service_pb2
from sourcecorpus.rpc import faults
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.logs import log_event

_LOGGER: Final = logging.getLogger(__name__)
# What gets such an answer will not be taken however often it is sent.
_REFUSALS: Final = frozenset(
    {
        FailureCode.INVALID_ARGUMENT,
        FailureCode.OUT_OF_RANGE,
        FailureCode.NOT_FOUND,
        FailureCode.FAILED_PRECONDITION,
    }
)
# The corpus failed over something; perhaps over one record, which then waits with its game alone.
_FAULTS: Final = frozenset({FailureCode.INTERNAL, FailureCode.UNKNOWN, FailureCode.DATA_LOSS})


class DeliveryStore(Protocol):
    """The outbox as the sender sees it."""

    async def load_batch(
        self, after_entry_id: int, excluded_lanes: Set[str], under_way: Set[LaneContent]
    ) -> Sequence[Outbound]:
        """Read the next batch in order."""

    async def read_piece(self, digest: bytes, number: int) -> bytes | None:
        """Read one piece of a content."""

    async def settle(self, settlements: Sequence[Settlement]) -> None:
        """Write what the corpus has answered, durably."""


class Corpus(Protocol):
    """The corpus as the sender sees it; failures come as ``Failure``."""

    async def ingest(
        self, records: Sequence[capture_record_pb2.CaptureRecord]
    ) -> Sequence[ingest_service_pb2.IngestResult]:
        """Send a batch."""

    async def upload(
        self, game_id: str, content_hash: str, size_bytes: int, pieces: AsyncIterator[bytes]
    ) -> None:
        """Upload a content."""


class Sender:
    """Delivers what waits. Belongs to one event loop; run ``run`` in one task."""

    def __init__(
        self,
        store: DeliveryStore,
        corpus: Corpus,
        *,
        monotonic_seconds: Callable[[], float],
        random_part: Callable[[], float],
    ) -> None:
        """Wire the sender.

        Args:
            store: The outbox.
            corpus: The corpus.
            monotonic_seconds: Clock of waits.
            random_part: Gives a number from 0 to 1, for jitter.
        """
        self._store = store
        self._corpus = corpus
        self._monotonic_seconds = monotonic_seconds
        self._settled: Callable[[], None] = lambda: None
        self._random_part = random_part
        self._backoff = Backoff(random_part)
        self._lane_backoffs: dict[str, Backoff] = {}
        self._held_until: dict[str, float] = {}
        self._work_came = asyncio.Event()
        self._cursor = 0
        self._settling: asyncio.Task[None] | None = None
        # Contents that the corpus has and the outbox does not know it yet.
        self._unsettled: Set[LaneContent] = frozenset()

    def on_settled(self, callback: Callable[[], None]) -> None:
        """Register who is told after entries have left the outbox."""
        self._settled = callback

    def notify(self, records: int = 1) -> None:
        """Say that records wait, or wait again."""
        del records
        self._work_came.set()

    async def run(self) -> None:
        """Deliver until cancelled."""
        try:
            await self._run()
        finally:
            await self._abandon_settling()

    async def _run(self) -> None:
        batch: Sequence[Outbound] = ()
        while True:
            try:
                if not batch:
                    # What is not settled yet would be read again.
                    await self._settled_before()
                    batch = await self._next_batch()
                batch = await self._deliver(batch)
                self._backoff.reset()
            except Failure as failure:
                batch = ()
                await self._wait_after(failure)
            except (SpoolFullError, SpoolBusyError, SpoolClosedError):
                # The answer could not be written down: the records are sent again, and the corpus
                # knows them by their envelope ids.
                batch = ()
                self._cursor = 0
                await asyncio.sleep(self._backoff.next_seconds())

    async def _settled_before(self) -> None:
        """Wait until the answer to the batch before is written down; its errors come up here."""
        settling, self._settling = self._settling, None
        if settling is not None:
            await settling

    async def _abandon_settling(self) -> None:
        settling, self._settling = self._settling, None
        if settling is not None:
            settling.cancel()
            await asyncio.gather(settling, return_exceptions=True)

    async def _wait_after(self, failure: Failure) -> None:
        self._cursor = 0
        seconds = self._backoff.next_seconds(failure.retry_after_seconds or 0.0)
        level = logging.INFO if self._backoff.failures == 1 else logging.DEBUG
        log_event(_LOGGER, level, "delivery_waits", code=failure.code.name, reason=failure.reason)
        await asyncio.sleep(seconds)

    async def _next_batch(self) -> Sequence[Outbound]:
        while True:
            self._work_came.clear()
            batch = await self._load(frozenset())
            if not batch and self._cursor:
                # Entries that were left behind, or revived, stand before the cursor.
                self._cursor = 0
                batch = await self._load(frozenset())
            if batch:
                return batch
            await self._wait_for_work()

    async def _load(self, under_way: Set[LaneContent]) -> Sequence[Outbound]:
        now = self._monotonic_seconds()
        self._held_until = {lane: until for lane, until in self._held_until.items() if until > now}
        return await self._store.load_batch(self._cursor, frozenset(self._held_until), under_way)

    async def _wait_for_work(self) -> None:
        until = min(self._held_until.values(), default=None)
        seconds = None if until is None else max(until - self._monotonic_seconds(), 0.0)
        try:
            async with asyncio.timeout(seconds):
                await self._work_came.wait()
        except TimeoutError:
            return

    async def _deliver(self, batch: Sequence[Outbound]) -> Sequence[Outbound]:
        """Send a batch; returns the next one, which was read meanwhile. It is settled behind it."""
        self._cursor = batch[-1].entry.entry_id
        sendable = [outbound for outbound in batch if not outbound.damaged]
        under_way = {
            (outbound.entry.lane, content.digest)
            for outbound in sendable
            for content in outbound.entry.contents
        }
        reading = asyncio.create_task(self._load(under_way | self._unsettled))
        try:
            settlements = [
                Settlement(outbound.entry, "DAMAGED", refusal="STORED_HASH_MISMATCH")
                for outbound in batch
                if outbound.damaged
            ]
            settlements += await self._send(sendable)
            faults.reach("capture.after_corpus_answer_before_settle")
            await self._settled_before()
        except BaseException:
            reading.cancel()
            raise
        self._unsettled = under_way
        self._settling = asyncio.create_task(self._settle(settlements))
        following = await reading
        if self._hold_lanes(settlements):
            self._cursor = 0
            return ()
        return following

    async def _settle(self, settlements: Sequence[Settlement]) -> None:
        await self._store.settle(settlements)
        self._unsettled = frozenset()
        self._tell(settlements)
        self._settled()

    def _tell(self, settlements: Sequence[Settlement]) -> None:
        for settlement in settlements:
            DELIVERIES.add(status=settlement.status)
            if settlement.delivered or settlement.refusal:
                OUTBOX.add(-1)
            if settlement.refusal:
                log_event(
                    _LOGGER,
                    logging.WARNING,
                    "record_refused",
                    reason=settlement.refusal,
                    field=settlement.refused_field,
                    game=settlement.entry.lane,
                )

    def _hold_lanes(self, settlements: Sequence[Settlement]) -> bool:
        """Let games wait whose records were left behind; True where there are any."""
        left_behind = False
        for settlement in settlements:
            lane = settlement.entry.lane
            if settlement.delivered:
                self._lane_backoffs.pop(lane, None)
            elif not settlement.refusal:
                left_behind = True
                backoff = self._lane_backoffs.setdefault(lane, Backoff(self._random_part))
                if settlement.missing and backoff.failures == 0:
                    # The first question for bytes is answered at once.
                    backoff.next_seconds()
                elif lane not in self._held_until:
                    self._hold(lane, backoff.next_seconds())
        return left_behind

    def _hold(self, lane: str, seconds: float) -> None:
        if len(self._held_until) >= limits.HELD_LANES_MAX:
            # One more would not fit into a query: let all wait as long as this one.
            self._held_until = dict.fromkeys(self._held_until, self._monotonic_seconds() + seconds)
            return
        self._held_until[lane] = self._monotonic_seconds() + seconds

    async def _send(self, batch: Sequence[Outbound]) -> list[Settlement]:
        if not batch:
            return []
        settlements: list[Settlement] = []
        ready: list[Outbound] = []
        for outbound in batch:
            refused = await self._upload_contents(outbound)
            if refused is None:
                ready.append(outbound)
            else:
                settlements.append(refused)
        if ready:
            settlements += await self._ingest(ready)
        return settlements

    async def _upload_contents(self, outbound: Outbound) -> Settlement | None:
        for content in outbound.uploads:
            try:
                await self._corpus.upload(
                    outbound.entry.lane,
                    f"sha256:{content.digest.hex()}",
                    content.size_bytes,
                    self._pieces(content.digest),
                )
            except StoredContentDamagedError:
                return Settlement(outbound.entry, "DAMAGED", refusal="STORED_HASH_MISMATCH")
            except Failure as failure:
                return _judged(outbound, failure)
        return None

    async def _pieces(self, digest: bytes) -> AsyncIterator[bytes]:
        number = 0
        while (piece := await self._store.read_piece(digest, number)) is not None:
            yield piece
            number += 1

    async def _ingest(self, batch: Sequence[Outbound]) -> list[Settlement]:
        records = [_record(outbound) for outbound in batch]
        faults.reach("capture.mid_batch_before_send")
        try:
            results = await self._corpus.ingest(records)
        except Failure as failure:
            if len(batch) == 1 or failure.code not in _REFUSALS | _FAULTS:
                return [_judged(outbound, failure) for outbound in batch]
            return await self._ingest_apart(batch)
        if len(results) != len(batch):
            raise Failure(FailureCode.INTERNAL, "INTERNAL")
        return [
            read_answer(outbound, result) for outbound, result in zip(batch, results, strict=True)
        ]

    async def _ingest_apart(self, batch: Sequence[Outbound]) -> list[Settlement]:
        """One bad record must not keep its neighbours back: send each alone."""
        settlements: list[Settlement] = []
        for outbound in batch:
            settlements += await self._ingest([outbound])
        return settlements


def _record(outbound: Outbound) -> capture_record_pb2.CaptureRecord:
    record = capture_record_pb2.CaptureRecord.FromString(outbound.entry.payload)
    for content in record.contents:
        data = outbound.inline.get(bytes.fromhex(content.content_hash.removeprefix("sha256:")))
        if data is not None:
            content.data = data
    return record


def _judged(outbound: Outbound, failure: Failure) -> Settlement:
    """What becomes of a record over which a call failed.

    Raises:
        Failure: The call says nothing about the record: all of them wait.
    """
    if failure.reason in WAITING_REASONS:
        return Settlement(outbound.entry, failure.reason)
    if failure.code in _FAULTS:
        return Settlement(outbound.entry, "CORPUS_FAILED")
    if failure.code not in _REFUSALS or failure.reason == "UNEXPECTED_STATUS":
        # Something between us and the corpus may have answered in its place.
        raise failure
    return Settlement(
        outbound.entry, "REJECTED", refusal=failure.reason, refused_field=failure.field
    )
