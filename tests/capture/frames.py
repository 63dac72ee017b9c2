"""Frames of a capture stream, for tests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from sourcecorpus.capture.v1 import capture_service_pb2 as pb
from sourcecorpus.capture.v1 import envelope_pb2

GAME = "emberfall"
FRAME_BYTES = 256 * 1024


def opening(session: str = "session-1", **fields: Any) -> pb.StreamCapturesRequest:
    return pb.StreamCapturesRequest(open=pb.Open(capture_session_id=session, **fields))


def head(sequence: int, envelope_id: str = "", **fields: Any) -> pb.StreamCapturesRequest:
    values: dict[str, Any] = {"game_id": GAME, "tool_name": "web_extract", **fields}
    return pb.StreamCapturesRequest(
        envelope=envelope_pb2.EnvelopeHead(
            envelope_id=envelope_id or f"envelope-{sequence}", sequence=sequence, **values
        )
    )


def data(content: bytes) -> pb.StreamCapturesRequest:
    return pb.StreamCapturesRequest(data=content)


def side_file(name: str, media_type: str = "") -> pb.StreamCapturesRequest:
    return pb.StreamCapturesRequest(side_file=pb.SideFileHead(name=name, media_type=media_type))


def end_of(content: bytes) -> pb.StreamCapturesRequest:
    return pb.StreamCapturesRequest(
        end=pb.End(length_bytes=len(content), content_hash=hash_of(content))
    )


def finish() -> pb.StreamCapturesRequest:
    return pb.StreamCapturesRequest(finish=pb.Finish())


def hash_of(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def whole(
    sequence: int, content: bytes, envelope_id: str = "", **fields: Any
) -> Iterator[pb.StreamCapturesRequest]:
    """All frames of one envelope."""
    yield head(sequence, envelope_id, **fields)
    for start in range(0, len(content), FRAME_BYTES):
        yield data(content[start : start + FRAME_BYTES])
    yield end_of(content)


def envelope(envelope_id: str, content: bytes, **fields: Any) -> envelope_pb2.Envelope:
    """An envelope of a unary call."""
    values: dict[str, Any] = {"game_id": GAME, "tool_name": "web_extract", **fields}
    return envelope_pb2.Envelope(
        head=envelope_pb2.EnvelopeHead(envelope_id=envelope_id, **values), result=content
    )
