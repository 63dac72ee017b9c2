"""Streams the spool to the capture service, in order, within its window, and resumes where it stood.

Sequences are positions: entry k of the queue has the sequence ``handled + k`` of the capture session. What the
service says to have handled decides, so an acknowledgement that got lost costs nothing and a resent envelope is
answered as a duplicate.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable
from typing import Final

import grpc

from capture_service.spool import SpoolClosedError, SpoolFullError
from sourcecorpus.capture.v1.capture_service_pb2 import StreamCapturesResponse
from sourcecorpus.capture.v1.capture_service_pb2_grpc import CaptureServiceStub
from sourcecorpus.capture.v1.outcome_pb2 import CaptureOutcome
from sourcecorpus.hermes.sidecar import limits
from sourcecorpus.hermes.sidecar.outgoing import OutgoingStream
from sourcecorpus.hermes.sidecar.store import CounterKey, SidecarStore
from sourcecorpus.rpc import faults
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.logs import log_event
from sourcecorpus.rpc.status import failure_from_rpc_error

_LOGGER: Final = logging.getLogger(__name__)
_MISUSE: Final = frozenset({FailureCode.INVALID_ARGUMENT, FailureCode.FAILED_PRECONDITION})


class OutOfStepError(Exception):
    """The service and the spool do not mean the same capture session any more."""


class Delivery:
    """Delivers on a thread of its own."""

    def __init__(
        self,
        store: SidecarStore,
        captures: CaptureServiceStub,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Wire the delivery; nothing happens before ``start``."""
        self._store = store
        self._captures = captures
        self._clock = clock
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._stream: OutgoingStream | None = None
        self._call: grpc.Call | None = None
        self._thread = threading.Thread(target=self._run, name="delivery", daemon=True)
        self._failures = 0
        self._poison: tuple[int, int] = (0, 0)
        self.last_error = ""
        self.last_handled: float | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def notify(self) -> None:
        """Tell that an envelope was spooled."""
        self._wake.set()
        stream = self._stream
        if stream is not None:
            stream.notify()

    def stop(self, seconds: float) -> None:
        """End within a bounded time; what is not acknowledged stays in the spool."""
        self._stopping.set()
        self._wake.set()
        stream, call = self._stream, self._call
        if stream is not None:
            stream.finish()
        self._thread.join(seconds)
        if self._thread.is_alive() and call is not None:
            call.cancel()
            self._thread.join(seconds)

    @property
    def streaming(self) -> bool:
        """Whether a stream to the capture service is open."""
        return self._stream is not None and self._stream.opened

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake.clear()
            try:
                if not self._store.waiting():
                    self._wake.wait()
                    continue
                self._deliver()
                self._failures = 0
            except SpoolClosedError:
                return
            except OutOfStepError:
                self._begin_anew()
            except Failure as failure:
                self._after_failure(failure)
            except SpoolFullError as full:
                self.last_error = full.reason
                self._pause(limits.RETRY_SECONDS_MAX)
            except Exception as error:  # noqa: BLE001 - the delivery goes on, whatever it was
                log_event(_LOGGER, logging.ERROR, "delivery_failed", error=error)
                self.last_error = "INTERNAL"
                self._pause(limits.RETRY_SECONDS_MAX)

    def _deliver(self) -> None:
        """Run one stream until it is finished.

        Raises:
            Failure: The service ended it.
            OutOfStepError: A new capture session is needed.
        """
        state = self._store.delivery()
        stream = OutgoingStream(self._store, state)
        responses = self._captures.StreamCaptures(stream.frames())
        self._stream, self._call = stream, responses
        try:
            for response in responses:
                self._receive(stream, response)
        except grpc.RpcError as error:
            # A damaged content ends the frames within its envelope, and the service calls that misuse.
            if not stream.damaged_entry_id:
                raise failure_from_rpc_error(error) from None
        finally:
            self._stream, self._call = None, None
            stream.end()
            responses.cancel()
        if stream.damaged_entry_id:
            self._store.bury(stream.damaged_entry_id, "CONTENT_DAMAGED")

    def _receive(self, stream: OutgoingStream, response: StreamCapturesResponse) -> None:
        kind = response.WhichOneof("frame")
        if kind == "opened":
            self._resume(stream, response.opened.resume_after_sequence)
            stream.open_window(response.opened.window_messages, response.opened.window_bytes)
            self.last_error = ""
        elif kind == "slow_down":
            self.last_error = response.slow_down.reason
            stream.pause(response.slow_down.retry_delay.ToTimedelta().total_seconds())
        elif kind == "ack":
            counts: dict[CounterKey, int] = {}
            for outcome in response.ack.outcomes:
                name = CaptureOutcome.Name(outcome.outcome).removeprefix("CAPTURE_OUTCOME_")
                key = ("outcome", f"{name} {outcome.reason}".strip())
                counts[key] = counts.get(key, 0) + 1
            faults.reach("sidecar.before_settle")
            self._store.settle(response.ack.durable_sequence, counts)
            faults.reach("sidecar.after_settle")
            stream.acknowledge(response.ack.durable_sequence)
            self._failures = 0
            self._poison = (0, 0)
            self.last_error = ""
            self.last_handled = self._clock()

    def _resume(self, stream: OutgoingStream, durable_sequence: int) -> None:
        state = stream.state
        missing = durable_sequence - state.handled
        if missing < 0 or missing > self._store.waiting():
            raise OutOfStepError
        if missing:
            self._store.settle(durable_sequence, {("outcome", "HANDLED_UNSEEN"): missing})
        stream.begin_behind(durable_sequence)

    def _after_failure(self, failure: Failure) -> None:
        self.last_error = f"{failure.code.name} {failure.reason}"
        self._failures += 1
        if failure.reason == "SEQUENCE_GAP":
            self._begin_anew()
            return
        if failure.code in _MISUSE and self._is_poison():
            return
        if failure.transient or failure.reason in {"STREAM_REPLACED", "STREAM_IDLE"}:
            seconds = limits.RETRY_SECONDS_MIN * 2.0 ** min(self._failures, 10)
            seconds = min(seconds, limits.RETRY_SECONDS_MAX)
            self._pause(seconds * random.uniform(0.5, 1.0))  # noqa: S311 - spreads retries, no secret
        else:
            self._pause(limits.REFUSED_RETRY_SECONDS)

    def _begin_anew(self) -> None:
        try:
            self._store.begin_capture_session()
        except SpoolFullError as full:
            self.last_error = full.reason
            self._pause(limits.RETRY_SECONDS_MAX)

    def _is_poison(self) -> bool:
        """Set the first envelope aside after the service has ended several streams over it."""
        first = self._store.read(lambda connection: self._store.entries_behind(connection, 0))
        if not first:
            return False
        entry_id, times = self._poison
        times = times + 1 if entry_id == first[0].entry_id else 1
        self._poison = (first[0].entry_id, times)
        if times < limits.POISON_ATTEMPTS_MAX:
            return False
        self._store.bury(first[0].entry_id, "REFUSED_BY_PROTOCOL")
        self._poison = (0, 0)
        return True

    def _pause(self, seconds: float) -> None:
        self._stopping.wait(seconds)
