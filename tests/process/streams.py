"""Capture streams frame by frame, for tests that break the protocol or break off."""

import hashlib
import queue
from collections.abc import Iterator
from typing import Self

import grpc

from sourcecorpus.bridge.client import SourceCorpusClient
from sourcecorpus.capture.v1.capture_service_pb2 import (
    End,
    Finish,
    Open,
    StreamCapturesRequest,
    StreamCapturesResponse,
)
from sourcecorpus.capture.v1.envelope_pb2 import Envelope

Request = StreamCapturesRequest


def open_frame(session: str) -> Request:
    return Request(open=Open(capture_session_id=session))


def head_frame(envelope: Envelope, sequence: int) -> Request:
    frame = Request(envelope=envelope.head)
    frame.envelope.sequence = sequence
    return frame


def end_frame(data: bytes) -> Request:
    content_hash = f"sha256:{hashlib.sha256(data).hexdigest()}"
    return Request(end=End(length_bytes=len(data), content_hash=content_hash))


def whole(envelope: Envelope, sequence: int) -> list[Request]:
    """The frames of a small envelope."""
    return [
        head_frame(envelope, sequence),
        Request(data=envelope.result),
        end_frame(envelope.result),
    ]


FINISH = Request(finish=Finish())


class RawStream:
    """One call; frames are sent when the test says so."""

    def __init__(self, client: SourceCorpusClient) -> None:
        self._frames: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self.call = client.captures.StreamCaptures(self._pull())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._frames.put(None)
        self.call.cancel()

    def _pull(self) -> Iterator[Request]:
        while (frame := self._frames.get()) is not None:
            yield frame

    def send(self, *frames: Request) -> None:
        for frame in frames:
            self._frames.put(frame)

    def end_requests(self) -> None:
        self._frames.put(None)

    def receive(self) -> StreamCapturesResponse:
        return next(self.call)

    def error(self) -> grpc.RpcError:
        """Read to the end, which has to be an error."""
        try:
            for _ in self.call:
                pass
        except grpc.RpcError as error:
            return error
        raise AssertionError("the stream ended without an error")
