"""The protocol of a capture stream as a pure state machine: one frame in, at most one action out.

It knows nothing of gRPC calls, time or storage. Misuse of the protocol raises a ``Failure`` that
ends the stream; what is wrong with a single envelope becomes a rejection of that envelope, and the
stream goes on (rules 1 and 2 of the capture stream in docs/protocol.md).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

from capture_service.domain.incoming import IncomingEnvelope, IncomingPart, RejectedEnvelope
from capture_service.servicers.envelope_reading import (
    EnvelopeFault,
    is_printable_id,
    read_head,
    read_side_file,
    shown_id,
)
from sourcecorpus.capture.v1 import capture_service_pb2 as pb
from sourcecorpus.capture.v1 import envelope_pb2
from sourcecorpus.identity import ContentHasher, is_content_hash
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import (
    CAPTURE_SESSION_ID_CHARACTERS_MAX,
    CLIENT_TEXT_BYTES_MAX,
    DATA_FRAME_BYTES_MAX,
    ENVELOPE_BYTES_MAX,
    STREAM_WINDOW_BYTES_MAX,
    STREAM_WINDOW_MESSAGES_MAX,
)

_INVALID: Final = FailureCode.INVALID_ARGUMENT


class Phase(enum.Enum):
    """Where a stream stands."""

    NEW = "new"
    READY = "ready"
    ENVELOPE = "envelope"
    SKIPPING = "skipping"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Window:
    """How much a client may have under way without an acknowledgement."""

    messages: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """The client opened its session; the driver answers and calls ``resume``."""

    session_id: str
    window: Window


@dataclass(frozen=True, slots=True)
class EnvelopeEnded:
    """An envelope came to its end, whole or rejected."""

    item: IncomingEnvelope | RejectedEnvelope


@dataclass(frozen=True, slots=True)
class FinishRequested:
    """The client finished; the driver answers after the last acknowledgement."""


Action = SessionOpened | EnvelopeEnded | FinishRequested


class StreamProtocol:
    """State of one stream."""

    def __init__(self) -> None:
        self.phase = Phase.NEW
        self._received_sequence = 0
        self._envelope: IncomingEnvelope | None = None
        self._part = IncomingPart()
        self._hasher = ContentHasher()
        self._rejected: RejectedEnvelope | None = None

    @property
    def open_bytes(self) -> int:
        """Bytes of the open envelope that are held."""
        return self._envelope.size_bytes if self._envelope is not None else 0

    @property
    def in_envelope(self) -> bool:
        """Whether an envelope has begun and not ended."""
        return self.phase in {Phase.ENVELOPE, Phase.SKIPPING}

    def resume(self, durable_sequence: int) -> None:
        """Say how far the session is durable; the next sequence follows it."""
        self._received_sequence = durable_sequence

    def receive(self, message: pb.StreamCapturesRequest) -> Action | None:
        """Take one message of the client.

        Raises:
            Failure: Misuse of the protocol; the stream must end with it.
        """
        kind = message.WhichOneof("frame")
        if self.phase is Phase.FINISHED:
            raise Failure(_INVALID, "FRAME_AFTER_FINISH")
        if kind is None:
            raise Failure(_INVALID, "FRAME_EMPTY")
        if self.phase is Phase.NEW:
            if kind != "open":
                raise Failure(_INVALID, "OPEN_REQUIRED", kind)
            return self._open(message.open)
        if kind == "open":
            raise Failure(_INVALID, "OPEN_REPEATED", "open")
        if kind == "end":
            return self._end(message.end)
        if kind == "finish":
            return self._finish()
        if kind == "data":
            self._data(message.data)
        elif kind == "envelope":
            self._begin(message.envelope)
        else:
            self._side_file(message.side_file)
        return None

    def _open(self, message: pb.Open) -> SessionOpened:
        if not message.capture_session_id:
            raise Failure(_INVALID, "FIELD_REQUIRED", "open.capture_session_id")
        if not is_printable_id(message.capture_session_id, CAPTURE_SESSION_ID_CHARACTERS_MAX):
            raise Failure(_INVALID, "FIELD_INVALID", "open.capture_session_id")
        for name in ("client_name", "client_version"):
            if len(getattr(message, name).encode("utf-8")) > CLIENT_TEXT_BYTES_MAX:
                raise Failure(_INVALID, "FIELD_TOO_LARGE", f"open.{name}")
        self.phase = Phase.READY
        window = Window(
            messages=_lowered(message.window_messages, STREAM_WINDOW_MESSAGES_MAX),
            size_bytes=_lowered(message.window_bytes, STREAM_WINDOW_BYTES_MAX),
        )
        return SessionOpened(message.capture_session_id, window)

    def _begin(self, head: envelope_pb2.EnvelopeHead) -> None:
        if self.phase is not Phase.READY:
            raise Failure(_INVALID, "FRAME_OUT_OF_ORDER", "envelope")
        if head.sequence == 0:
            raise Failure(_INVALID, "FIELD_REQUIRED", "envelope.sequence")
        if head.sequence > self._received_sequence + 1:
            raise Failure(
                FailureCode.FAILED_PRECONDITION,
                "SEQUENCE_GAP",
                "envelope.sequence",
                metadata={
                    "expected": str(self._received_sequence + 1),
                    "received": str(head.sequence),
                },
            )
        self._received_sequence = max(self._received_sequence, head.sequence)
        self._hasher = ContentHasher()
        try:
            self._envelope = IncomingEnvelope(read_head(head))
        except EnvelopeFault as fault:
            self._reject(shown_id(head), head.sequence, fault.reason, fault.faulty_field)
        else:
            self._part = self._envelope.result
            self.phase = Phase.ENVELOPE

    def _reject(self, envelope_id: str, sequence: int, reason: str, faulty_field: str) -> None:
        """Skip the rest of the envelope, keeping none of its bytes."""
        self._rejected = RejectedEnvelope(envelope_id, sequence, reason, faulty_field)
        self._envelope = None
        self._part = IncomingPart()
        self.phase = Phase.SKIPPING

    def _reject_open(self, reason: str, faulty_field: str) -> None:
        assert self._envelope is not None, "an envelope is open in this phase"
        facts = self._envelope.facts
        self._reject(facts.envelope_id, facts.sequence, reason, faulty_field)

    def _data(self, data: bytes) -> None:
        if not data:
            return
        if len(data) > DATA_FRAME_BYTES_MAX:
            raise Failure(
                _INVALID, "FRAME_TOO_LARGE", "data", metadata={"limit": str(DATA_FRAME_BYTES_MAX)}
            )
        if not self.in_envelope:
            raise Failure(_INVALID, "FRAME_OUT_OF_ORDER", "data")
        if self._envelope is None:
            return
        if self._envelope.size_bytes + len(data) > ENVELOPE_BYTES_MAX:
            self._reject_open("ENVELOPE_TOO_LARGE", "data")
            return
        self._hasher.update(data)
        self._part.frames.append(data)
        self._envelope.size_bytes += len(data)

    def _side_file(self, message: pb.SideFileHead) -> None:
        if not self.in_envelope:
            raise Failure(_INVALID, "FRAME_OUT_OF_ORDER", "side_file")
        if self._envelope is None:
            return
        try:
            self._part = read_side_file(
                message.name, message.media_type, len(self._envelope.side_files)
            )
        except EnvelopeFault as fault:
            self._reject_open(fault.reason, fault.faulty_field)
        else:
            self._envelope.side_files.append(self._part)

    def _end(self, message: pb.End) -> EnvelopeEnded:
        if not self.in_envelope:
            raise Failure(_INVALID, "FRAME_OUT_OF_ORDER", "end")
        if self._envelope is not None:
            if not is_content_hash(message.content_hash):
                self._reject_open("INVALID_HASH", "end.content_hash")
            elif message.length_bytes != self._hasher.length:
                self._reject_open("ENVELOPE_LENGTH_MISMATCH", "end.length_bytes")
            elif message.content_hash != self._hasher.content_hash():
                self._reject_open("ENVELOPE_HASH_MISMATCH", "end.content_hash")
        item = self._envelope if self._envelope is not None else self._rejected
        assert item is not None, "an envelope is open or was rejected in this phase"
        self._envelope, self._rejected, self._part = None, None, IncomingPart()
        self.phase = Phase.READY
        return EnvelopeEnded(item)

    def _finish(self) -> FinishRequested:
        if self.in_envelope:
            raise Failure(_INVALID, "ENVELOPE_INCOMPLETE", "finish")
        self.phase = Phase.FINISHED
        return FinishRequested()


def _lowered(wanted: int, most: int) -> int:
    return min(wanted, most) if wanted else most
