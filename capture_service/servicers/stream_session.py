"""One capture stream at run time: reads frames, prepares and commits envelopes, acknowledges.

Three activities share a stream. The reader feeds the protocol; it stops reading while the window is
used up, so that a client that runs ahead is held back by the transport and nothing is lost. The
worker prepares the envelopes that have ended while the ones before them are committed. The
generator of ``responses`` sends; an envelope leaves the window once its acknowledgement is sent.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Sequence
from typing import Any, Final, Protocol

from capture_service.domain.outcomes import EnvelopeOutcome
from capture_service.domain.prepared import PreparedCapture
from capture_service.games.limits import STREAM_AGE_SECONDS_MAX
from capture_service.intake.limits import OUTBOX_RETRY_SECONDS
from capture_service.intake.memory_budget import MemoryBudget, Reservation
from capture_service.servicers import limits
from capture_service.servicers.outcome_writing import ack_messages
from capture_service.servicers.stream_parts import (
    Acknowledgement,
    Close,
    EndedEnvelope,
    EndedQueue,
    Item,
    StreamTimes,
)
from capture_service.servicers.stream_protocol import (
    EnvelopeEnded,
    FinishRequested,
    Phase,
    SessionOpened,
    StreamProtocol,
    Window,
)
from capture_service.spool import SpoolBusyError, SpoolClosedError, SpoolFullError
from sourcecorpus.capture.v1 import capture_service_pb2 as pb
from sourcecorpus.rpc import faults
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import (
    ENVELOPE_BYTES_MAX,
    STREAM_WINDOW_BYTES_MAX,
    STREAM_WINDOW_MESSAGES_MAX,
)
from sourcecorpus.rpc.logs import log_event

_LOGGER: Final = logging.getLogger(__name__)


class Intake(Protocol):
    """What a stream needs of the use cases."""

    async def prepare(
        self, items: Sequence[Item], session_key: str, age_seconds_max: float
    ) -> list[PreparedCapture]:
        """Prepare envelopes in order."""

    async def commit(
        self, session_key: str, captures: Sequence[PreparedCapture]
    ) -> tuple[Sequence[EnvelopeOutcome], int]:
        """Commit prepared captures in order."""

    async def wait_for_room(self, seconds_max: float) -> None:
        """Wait until the outbox may have room again."""


class StreamSession:
    """Runs one stream. Belongs to one event loop."""

    def __init__(
        self,
        intake: Intake,
        budget: MemoryBudget,
        open_session: Callable[[StreamSession, str], Coroutine[Any, Any, tuple[str, int]]],
        times: StreamTimes,
    ) -> None:
        """Wire the stream.

        Args:
            intake: The use cases.
            budget: Memory of all open envelopes.
            open_session: Opens a capture session for this stream, ending an older stream of it;
                returns its key and its durable sequence.
            times: How long to wait.
        """
        self._intake = intake
        self._budget = budget
        self._open_session = open_session
        self._times = times
        self._protocol = StreamProtocol()
        self._session_key = ""
        self._window = Window(STREAM_WINDOW_MESSAGES_MAX, STREAM_WINDOW_BYTES_MAX)
        self._open = Reservation()
        self._queue = EndedQueue()
        self._outgoing: asyncio.Queue[Acknowledgement | pb.StreamCapturesResponse | Close] = (
            asyncio.Queue()
        )
        self._unacknowledged = 0
        self._unacknowledged_bytes = 0
        self._window_changed = asyncio.Event()
        self._durable_sequence = 0
        self._reservations: dict[int, Reservation] = {}
        self._reader: asyncio.Task[None] | None = None
        self._worker: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()
        # Infinite while no frame is waited for: then the stream is not the one that is silent.
        self._waiting_since = math.inf

    async def responses(
        self, requests: AsyncIterator[pb.StreamCapturesRequest]
    ) -> AsyncGenerator[pb.StreamCapturesResponse, None]:
        """Run the stream and yield what the client gets.

        Raises:
            Failure: The stream ends with an error.
        """
        self._worker = asyncio.create_task(self._work())
        self._reader = asyncio.create_task(self._read(requests))
        self._watcher = asyncio.create_task(self._watch())
        try:
            while True:
                outgoing = await self._outgoing.get()
                if isinstance(outgoing, Close):
                    if outgoing.failure is not None:
                        raise outgoing.failure
                    return
                if isinstance(outgoing, Acknowledgement):
                    faults.reach("capture.before_ack")
                    yield pb.StreamCapturesResponse(ack=outgoing.message)
                    faults.reach("capture.after_ack")
                    self._acknowledged(outgoing)
                else:
                    yield outgoing
        finally:
            await self._release_everything()

    def close(self, failure: Failure | None) -> None:
        """End the stream at once; the first call decides with what."""
        self._outgoing.put_nowait(Close(failure))

    def drain(self) -> None:
        """Ask the client to come back later, acknowledge what has ended, then end the stream."""
        self._slow_down("DRAINING", limits.DRAIN_RETRY_SECONDS)
        if self._reader is not None:
            self._reader.cancel()
        failure = Failure(
            FailureCode.UNAVAILABLE, "DRAINING", retry_after_seconds=limits.DRAIN_RETRY_SECONDS
        )
        self._closing = asyncio.create_task(self._flush_and_close(failure, self._times.idle))

    async def _release_everything(self) -> None:
        parts = (self._reader, self._worker, self._closing, self._watcher)
        tasks = [task for task in parts if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for reservation in (self._open, *self._reservations.values()):
            await self._budget.release(reservation)
        self._reservations.clear()

    # Reading.

    async def _read(self, requests: AsyncIterator[pb.StreamCapturesRequest]) -> None:
        try:
            while True:
                await self._wait_for_window()
                message = await self._next_message(requests)
                if message is None:
                    break
                await self._receive(message)
            await self._end_of_requests()
        except Failure as failure:
            await self._flush_and_close(failure, self._times.flush)
        except Exception as error:  # noqa: BLE001 - the stream ends, whatever it was
            self._fail(error)

    async def _next_message(
        self, requests: AsyncIterator[pb.StreamCapturesRequest]
    ) -> pb.StreamCapturesRequest | None:
        self._waiting_since = self._loop.time()
        try:
            return await anext(requests)
        except StopAsyncIteration:
            return None
        finally:
            self._waiting_since = math.inf

    async def _watch(self) -> None:
        """End a stream whose client is silent for too long, at most a quarter of the time late.

        A timer of its own for each frame would cost more than the frame.
        """
        interval = min(self._times.idle, self._times.large_part_idle) / 4
        while True:
            await asyncio.sleep(interval)
            limit = self._times.large_part_idle if self._open.large else self._times.idle
            if self._loop.time() - self._waiting_since >= limit:
                break
        if self._reader is not None:
            self._reader.cancel()
        failure = Failure(FailureCode.ABORTED, "STREAM_IDLE")
        await self._flush_and_close(failure, self._times.flush)

    async def _receive(self, message: pb.StreamCapturesRequest) -> None:
        if self._protocol.phase is Phase.ENVELOPE:
            await self._budget.grow(self._open, len(message.data))
        action = self._protocol.receive(message)
        if self._protocol.phase is Phase.SKIPPING and self._open.size_bytes:
            await self._budget.release(self._open)
        if isinstance(action, SessionOpened):
            await self._opened(action)
        elif isinstance(action, EnvelopeEnded):
            self._ended(action.item)
        elif isinstance(action, FinishRequested):
            self._queue.close()
            self._closing = asyncio.create_task(self._close_after_grace())

    async def _opened(self, action: SessionOpened) -> None:
        self._window = action.window
        self._session_key, durable_sequence = await self._open_session(self, action.session_id)
        self._durable_sequence = durable_sequence
        self._protocol.resume(durable_sequence)
        self._outgoing.put_nowait(
            pb.StreamCapturesResponse(
                opened=pb.Opened(
                    resume_after_sequence=durable_sequence,
                    window_messages=action.window.messages,
                    window_bytes=action.window.size_bytes,
                    envelope_bytes_max=ENVELOPE_BYTES_MAX,
                )
            )
        )

    def _ended(self, item: Item) -> None:
        ended = EndedEnvelope(item, self._open.size_bytes, self._open)
        self._reservations[id(self._open)] = self._open
        self._open = Reservation()
        self._unacknowledged += 1
        self._unacknowledged_bytes += ended.size_bytes
        self._queue.put(ended)

    async def _end_of_requests(self) -> None:
        """The client sends no more; whether it finished, broke off or was cut cannot be told."""
        failure: Failure | None = None
        if self._protocol.phase is Phase.NEW:
            failure = Failure(FailureCode.INVALID_ARGUMENT, "OPEN_REQUIRED")
        elif self._protocol.in_envelope:
            failure = Failure(FailureCode.INVALID_ARGUMENT, "ENVELOPE_INCOMPLETE")
        await self._flush_and_close(failure, self._times.idle)

    async def _wait_for_window(self) -> None:
        while not self._protocol.in_envelope and (
            self._unacknowledged >= self._window.messages
            or self._unacknowledged_bytes >= self._window.size_bytes
        ):
            self._window_changed.clear()
            await self._window_changed.wait()

    def _acknowledged(self, acknowledgement: Acknowledgement) -> None:
        self._unacknowledged -= acknowledgement.envelopes
        self._unacknowledged_bytes -= acknowledgement.size_bytes
        self._window_changed.set()

    # Working.

    async def _flush_and_close(self, failure: Failure | None, seconds_max: float) -> None:
        """Let the envelopes that have ended be acknowledged, then end the stream."""
        self._queue.close()
        if self._worker is not None:
            await asyncio.wait({self._worker}, timeout=seconds_max)
        self.close(failure)

    async def _work(self) -> None:
        committing: asyncio.Task[bool] | None = None
        try:
            while batch := await self._queue.next_batch():
                items = [ended.item for ended in batch]
                captures = await self._intake.prepare(
                    items, self._session_key, STREAM_AGE_SECONDS_MAX
                )
                if committing is not None and not await committing:
                    return
                committing = asyncio.create_task(self._commit(batch, captures))
                # While the worker waits it holds on to nothing: a batch may be large.
                del batch, captures, items
            if committing is not None and not await committing:
                return
        except Failure as failure:
            if committing is not None:
                await asyncio.wait({committing})
            self.close(failure)
            return
        except asyncio.CancelledError:
            if committing is not None:
                committing.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - the stream ends, whatever it was
            self._fail(error)
            return
        if self._protocol.phase is Phase.FINISHED:
            finished = pb.Finished(durable_sequence=self._durable_sequence)
            self._outgoing.put_nowait(pb.StreamCapturesResponse(finished=finished))

    def _fail(self, error: Exception) -> None:
        if isinstance(error, SpoolClosedError):
            self.close(
                Failure(
                    FailureCode.UNAVAILABLE,
                    "STORE_UNAVAILABLE",
                    retry_after_seconds=OUTBOX_RETRY_SECONDS,
                )
            )
            return
        log_event(_LOGGER, logging.ERROR, "stream_failed", error=error)
        self.close(Failure(FailureCode.INTERNAL, "INTERNAL"))

    async def _close_after_grace(self) -> None:
        """End a finished stream whose client does not end it; meanwhile misuse is noticed."""
        assert self._worker is not None, "the stream runs"
        await asyncio.wait({self._worker})
        await asyncio.sleep(self._times.finish_grace)
        self.close(None)

    async def _commit(
        self, batch: Sequence[EndedEnvelope], captures: Sequence[PreparedCapture]
    ) -> bool:
        """Commit a batch and acknowledge it; waits as long as the outbox has no room.

        Returns:
            False where the stream ends because of it.
        """
        told, handled = False, 0
        while handled < len(captures):
            try:
                outcomes, durable_sequence = await self._intake.commit(
                    self._session_key, captures[handled:]
                )
            except SpoolFullError as full:
                if not told:
                    self._slow_down(full.reason, OUTBOX_RETRY_SECONDS)
                    told = True
                await self._intake.wait_for_room(OUTBOX_RETRY_SECONDS)
                continue
            except SpoolBusyError:
                await asyncio.sleep(limits.BUSY_RETRY_SECONDS)
                continue
            except Exception as error:  # noqa: BLE001 - the stream ends, whatever it was
                self._fail(error)
                return False
            self._durable_sequence = durable_sequence
            await self._acknowledge(batch[handled : handled + len(outcomes)], outcomes)
            handled += len(outcomes)
        return True

    async def _acknowledge(
        self, batch: Sequence[EndedEnvelope], outcomes: Sequence[EnvelopeOutcome]
    ) -> None:
        for ended in batch:
            await self._budget.release(ended.reservation)
            self._reservations.pop(id(ended.reservation), None)
        sizes = iter([ended.size_bytes for ended in batch])
        for message in ack_messages(outcomes, self._durable_sequence):
            size_bytes = sum(next(sizes) for _ in message.outcomes)
            self._outgoing.put_nowait(Acknowledgement(message, len(message.outcomes), size_bytes))

    def _slow_down(self, reason: str, seconds: float) -> None:
        message = pb.SlowDown(reason=reason)
        message.retry_delay.FromMilliseconds(int(seconds * 1_000))
        self._outgoing.put_nowait(pb.StreamCapturesResponse(slow_down=message))
