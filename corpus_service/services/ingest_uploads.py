"""Takes bytes that are too large for a batch, before the record that refers to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import time_ns
from typing import Final

from corpus_service.domain.vocabulary import Instant
from corpus_service.limits import CONTENT_PIECE_BYTES
from corpus_service.services.failures import invalid, not_found
from corpus_service.services.ingest import IngestStore
from corpus_service.storage.pieces import compress_piece
from sourcecorpus.identity import ContentHasher, is_content_hash
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import (
    DATA_FRAME_BYTES_MAX,
    ENVELOPE_BYTES_MAX,
    UPLOADED_CONTENT_SECONDS_MAX,
)

NANOSECONDS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class UploadHead:
    """What an upload says about itself before its first byte."""

    game_id: str
    content_hash: str
    size_bytes: int


class ContentUploadUseCase:
    """Opens uploads. Safe from several threads."""

    def __init__(self, store: IngestStore, clock: Callable[[], Instant] = time_ns) -> None:
        self._store = store
        self._clock = clock

    def begin(self, head: UploadHead) -> OpenUpload:
        """Begin an upload, and drop those of the game that no record has asked for in a day.

        Raises:
            Failure: NOT_FOUND ``UNKNOWN_GAME``; FAILED_PRECONDITION ``GAME_PAUSED``;
                INVALID_ARGUMENT ``INVALID_HASH``; RESOURCE_EXHAUSTED ``CONTENT_TOO_LARGE``.
        """
        game = self._store.get_game(head.game_id)
        if game is None or game.game_id != head.game_id:
            raise not_found("UNKNOWN_GAME", "head.game_id")
        if game.paused:
            raise Failure(FailureCode.FAILED_PRECONDITION, "GAME_PAUSED", "head.game_id")
        if not is_content_hash(head.content_hash):
            raise invalid("INVALID_HASH", "head.content_hash")
        if head.size_bytes > ENVELOPE_BYTES_MAX:
            raise Failure(
                FailureCode.RESOURCE_EXHAUSTED,
                "CONTENT_TOO_LARGE",
                "head.size_bytes",
                metadata={"limit": str(ENVELOPE_BYTES_MAX)},
            )
        oldest = self._clock() - int(UPLOADED_CONTENT_SECONDS_MAX * NANOSECONDS)
        self._store.drop_uploads(head.game_id, older_than=oldest)
        return OpenUpload(self._store, head)


class OpenUpload:
    """One upload in progress, for one thread at a time. End it with ``finish`` or ``abort``.

    Bytes gather to pieces of 256 KiB, whatever the frames were; memory holds less than two.
    Nothing is written where the store has the bytes already.
    """

    def __init__(self, store: IngestStore, head: UploadHead) -> None:
        self._head = head
        self._hasher = ContentHasher()
        self._waiting = bytearray()
        missing = store.missing_contents(head.game_id, (head.content_hash,))
        self.already_stored = not missing
        self._target = (
            store.begin_upload(head.game_id, head.content_hash, head.size_bytes)
            if missing
            else None
        )

    def write(self, data: bytes) -> None:
        """Take the next frame.

        Raises:
            Failure: INVALID_ARGUMENT ``FRAME_TOO_LARGE``, ``CONTENT_SIZE_MISMATCH``.
        """
        if len(data) > DATA_FRAME_BYTES_MAX:
            raise invalid("FRAME_TOO_LARGE", "data", limit=DATA_FRAME_BYTES_MAX)
        self._hasher.update(data)
        if self._hasher.length > self._head.size_bytes:
            raise invalid("CONTENT_SIZE_MISMATCH", "head.size_bytes")
        if self._target is None:
            return
        self._waiting += data
        while len(self._waiting) >= CONTENT_PIECE_BYTES:
            self._target.write(compress_piece(bytes(self._waiting[:CONTENT_PIECE_BYTES])))
            del self._waiting[:CONTENT_PIECE_BYTES]

    def finish(self) -> None:
        """Verify length and hash, then keep the bytes; durable on return.

        Raises:
            Failure: INVALID_ARGUMENT ``CONTENT_SIZE_MISMATCH``, ``CONTENT_HASH_MISMATCH``.
        """
        if self._hasher.length != self._head.size_bytes:
            raise invalid("CONTENT_SIZE_MISMATCH", "head.size_bytes")
        if self._hasher.content_hash() != self._head.content_hash:
            raise invalid("CONTENT_HASH_MISMATCH", "head.content_hash")
        if self._target is None:
            return
        if self._waiting:
            self._target.write(compress_piece(bytes(self._waiting)))
        self._target.commit()

    def abort(self) -> None:
        """Drop what was written; harmless after ``finish``."""
        if self._target is not None:
            self._target.abort()
