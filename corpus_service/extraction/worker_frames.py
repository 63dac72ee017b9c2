"""What travels between the corpus and an extraction worker: length-prefixed MessagePack frames.

Typed decoding instead of pickle: a worker reads hostile documents, so what it answers is checked and
can only ever be data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import msgspec

from corpus_service.extraction.types import ExtractedText, ExtractionRequest, FailureReason

LENGTH_BYTES: Final = 8
"""Size of the big-endian length before each frame."""


@dataclass(frozen=True, slots=True)
class Task:
    """One extraction: the extractor's name and what it reads."""

    extractor: str
    request: ExtractionRequest


@dataclass(frozen=True, slots=True)
class Answer:
    """The text, or why there is none."""

    extracted: ExtractedText | None = None
    failure: FailureReason | None = None
    resident_bytes_max: int = 0
    """Peak resident memory of the worker so far."""


_ENCODER: Final = msgspec.msgpack.Encoder()
_TASKS: Final = msgspec.msgpack.Decoder(Task)
_ANSWERS: Final = msgspec.msgpack.Decoder(Answer)


def encode(message: Task | Answer) -> bytes:
    """Return a whole frame."""
    body = _ENCODER.encode(message)
    return len(body).to_bytes(LENGTH_BYTES, "big") + body


def decode_task(body: bytes) -> Task:
    """Return the task of a frame's body.

    Raises:
        msgspec.DecodeError: the body is none.
    """
    return _TASKS.decode(body)


def decode_answer(body: bytes) -> Answer:
    """Return the answer of a frame's body.

    Raises:
        msgspec.DecodeError: the body is none.
    """
    return _ANSWERS.decode(body)
