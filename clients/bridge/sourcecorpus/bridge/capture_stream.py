"""Streams envelopes to the capture service within its window and yields their outcomes.

Synchronous: a thread of gRPC pulls the frames, the caller reads the outcomes. What was not acknowledged when a
stream breaks is sent again on the next one; the service answers what it has already with DUPLICATE_ENVELOPE.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Final

import grpc

from sourcecorpus.capture.v1.capture_service_pb2 import (
    End,
    Finish,
    Open,
    SideFileHead,
    StreamCapturesRequest,
)
from sourcecorpus.rpc.limits import DATA_FRAME_BYTES_MAX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sourcecorpus.capture.v1.capture_service_pb2_grpc import CaptureServiceStub
    from sourcecorpus.capture.v1.envelope_pb2 import Envelope
    from sourcecorpus.capture.v1.outcome_pb2 import EnvelopeOutcome

RECONNECTS_MAX: Final = 5
RECONNECT_SECONDS: Final = 1.0
CLIENT_NAME: Final = "source-corpus"


class _Pending:
    """Envelopes that are not acknowledged, bounded by the server's window.

    The sending thread waits in ``next_envelope`` until there is room; the reading thread makes room.
    """

    def __init__(self, envelopes: Iterable[Envelope]) -> None:
        self._condition = threading.Condition()
        self._source = iter(envelopes)
        self._unacknowledged: deque[Envelope] = deque()
        self._sent = 0
        self._messages_max = 0
        self._bytes_max = 0
        self._sequence = 0
        self._not_before = 0.0
        self._ended = False
        self.fault: Exception | None = None

    def begin_stream(self) -> None:
        """Start over with the oldest envelope that is not acknowledged."""
        with self._condition:
            self._sent, self._messages_max, self._ended = 0, 0, False

    def open_window(self, messages_max: int, bytes_max: int) -> None:
        with self._condition:
            self._messages_max, self._bytes_max = max(1, messages_max), max(1, bytes_max)
            self._condition.notify_all()

    def pause(self, seconds: float) -> None:
        with self._condition:
            self._not_before = time.monotonic() + seconds

    def acknowledge(self, sequence: int) -> None:
        with self._condition:
            while self._unacknowledged and self._unacknowledged[0].head.sequence <= sequence:
                self._unacknowledged.popleft()
                self._sent -= 1
            self._condition.notify_all()

    def end_stream(self) -> None:
        with self._condition:
            self._ended = True
            self._condition.notify_all()

    def next_envelope(self) -> Envelope | None:
        """The next envelope to send; None when all are sent or the stream has ended."""
        with self._condition:
            if self._sent == len(self._unacknowledged) and not self._take_one():
                return None
            envelope = self._unacknowledged[self._sent]
            self._condition.wait_for(lambda: self._ended or self._has_room(envelope))
            self._condition.wait_for(
                lambda: self._ended, timeout=max(0.0, self._not_before - time.monotonic())
            )
            if self._ended:
                return None
            self._sent += 1
            return envelope

    def _take_one(self) -> bool:
        try:
            envelope = next(self._source, None)
        except Exception as fault:  # noqa: BLE001 - told to the caller, whose iterator raised it
            # Raised in gRPC's thread it would end the stream without a reason.
            self.fault = fault
            return False
        if envelope is None:
            return False
        self._sequence += 1
        envelope.head.sequence = self._sequence
        self._unacknowledged.append(envelope)
        return True

    def _has_room(self, envelope: Envelope) -> bool:
        if self._messages_max == 0:
            return False
        if self._sent == 0:
            # An envelope larger than the window goes alone.
            return True
        under_way = sum(_size(self._unacknowledged[index]) for index in range(self._sent))
        return self._sent < self._messages_max and under_way + _size(envelope) <= self._bytes_max


def stream_envelopes(
    stub: CaptureServiceStub,
    envelopes: Iterable[Envelope],
    *,
    capture_session_id: str,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[EnvelopeOutcome]:
    """Send envelopes in order and yield one outcome for each, after it is durable.

    Args:
        stub: Capture service.
        envelopes: Envelopes; their sequence is set here, from 1 on.
        capture_session_id: Session; a fresh one for each call.
        sleep: Waits before a reconnect.

    Raises:
        grpc.RpcError: The service refused the stream, or it stayed unreachable over 5 reconnects without progress.
        Exception: What `envelopes` raised, after the outcomes of those before it.
    """
    pending = _Pending(envelopes)
    failures = 0
    while True:
        try:
            for outcome in _one_stream(stub, pending, capture_session_id):
                failures = 0
                yield outcome
        except grpc.RpcError as error:
            failures += 1
            if error.code() is not grpc.StatusCode.UNAVAILABLE or failures > RECONNECTS_MAX:
                raise
            sleep(RECONNECT_SECONDS * failures)
        else:
            if pending.fault is not None:
                raise pending.fault
            return


def _one_stream(
    stub: CaptureServiceStub, pending: _Pending, capture_session_id: str
) -> Iterator[EnvelopeOutcome]:
    pending.begin_stream()
    sender_done = threading.Event()
    responses = stub.StreamCaptures(_frames(pending, capture_session_id, sender_done))
    try:
        for response in responses:
            kind = response.WhichOneof("frame")
            if kind == "opened":
                pending.open_window(response.opened.window_messages, response.opened.window_bytes)
            elif kind == "slow_down":
                pending.pause(response.slow_down.retry_delay.ToTimedelta().total_seconds())
            elif kind == "ack":
                # What was durable before a break is sent again for its outcome, so the durable
                # sequence may be ahead of what this stream has sent; the outcomes are not.
                if response.ack.outcomes:
                    pending.acknowledge(response.ack.outcomes[-1].sequence)
                yield from response.ack.outcomes
    finally:
        pending.end_stream()
        responses.cancel()
        # The next stream pulls from the same source, so this one's sender has to be gone.
        sender_done.wait()


def _frames(
    pending: _Pending, capture_session_id: str, done: threading.Event
) -> Iterator[StreamCapturesRequest]:
    try:
        yield StreamCapturesRequest(
            open=Open(capture_session_id=capture_session_id, client_name=CLIENT_NAME)
        )
        while (envelope := pending.next_envelope()) is not None:
            yield from _frames_of(envelope)
        yield StreamCapturesRequest(finish=Finish())
    finally:
        done.set()


def _frames_of(envelope: Envelope) -> Iterator[StreamCapturesRequest]:
    yield StreamCapturesRequest(envelope=envelope.head)
    digest = hashlib.sha256()
    length = 0
    for data in _data_frames(envelope.result):
        digest.update(data)
        length += len(data)
        yield StreamCapturesRequest(data=data)
    for file in envelope.side_files:
        head = SideFileHead(name=file.name, media_type=file.media_type)
        yield StreamCapturesRequest(side_file=head)
        for data in _data_frames(file.data):
            digest.update(data)
            length += len(data)
            yield StreamCapturesRequest(data=data)
    end = End(length_bytes=length, content_hash=f"sha256:{digest.hexdigest()}")
    yield StreamCapturesRequest(end=end)


def _data_frames(data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), DATA_FRAME_BYTES_MAX):
        yield data[start : start + DATA_FRAME_BYTES_MAX]


def _size(envelope: Envelope) -> int:
    return len(envelope.result) + sum(len(file.data) for file in envelope.side_files)
