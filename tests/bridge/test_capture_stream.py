"""The stream of captures when the caller's own iterator fails half-way."""

from collections.abc import Iterable, Iterator
from typing import Any, cast

import pytest

from sourcecorpus.bridge.capture_stream import stream_envelopes
from sourcecorpus.bridge.envelope_files import EnvelopeFileError
from sourcecorpus.capture.v1.capture_service_pb2 import (
    Ack,
    Opened,
    StreamCapturesRequest,
    StreamCapturesResponse,
)
from sourcecorpus.capture.v1.capture_service_pb2_grpc import CaptureServiceStub
from sourcecorpus.capture.v1.envelope_pb2 import Envelope, EnvelopeHead
from sourcecorpus.capture.v1.outcome_pb2 import EnvelopeOutcome


class AcknowledgingService:
    """Acknowledges each envelope at its end, in the caller's thread, and notes the kinds of frames."""

    def __init__(self) -> None:
        self.kinds: list[str | None] = []

    def StreamCaptures(self, frames: Iterable[StreamCapturesRequest]) -> Any:  # noqa: N802 - gRPC's name
        return _Call(self._answers(iter(frames)))

    def _answers(self, frames: Iterator[StreamCapturesRequest]) -> Iterator[StreamCapturesResponse]:
        head = EnvelopeHead()
        for frame in frames:
            kind = frame.WhichOneof("frame")
            self.kinds.append(kind)
            if kind == "open":
                yield StreamCapturesResponse(opened=Opened(window_messages=8, window_bytes=1 << 20))
            elif kind == "envelope":
                head = frame.envelope
            elif kind == "end":
                outcome = EnvelopeOutcome(envelope_id=head.envelope_id, sequence=head.sequence)
                yield StreamCapturesResponse(ack=Ack(outcomes=[outcome]))


class _Call:
    def __init__(self, answers: Iterator[StreamCapturesResponse]) -> None:
        self._answers = answers

    def __iter__(self) -> Iterator[StreamCapturesResponse]:
        return self._answers

    def cancel(self) -> None:
        pass


def envelopes_then_a_fault(count: int) -> Iterator[Envelope]:
    for number in range(count):
        yield Envelope(head=EnvelopeHead(envelope_id=f"e{number}"), result=b"x")
    raise EnvelopeFileError("captures.jsonl: line 3 is not JSON at column 1")


@pytest.mark.parametrize("count", [0, 2])
def test_a_fault_of_the_source_is_raised_after_the_outcomes_before_it(count: int) -> None:
    service = AcknowledgingService()
    stub = cast("CaptureServiceStub", service)
    outcomes = stream_envelopes(stub, envelopes_then_a_fault(count), capture_session_id="s")
    told = [next(outcomes).envelope_id for _ in range(count)]
    assert told == [f"e{number}" for number in range(count)]
    with pytest.raises(EnvelopeFileError, match="line 3"):
        next(outcomes)
    assert service.kinds[-1] == "finish"
