"""Reads stored bytes: verified as a whole before the first one is given."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from time import monotonic
from typing import Final

import apsw

from corpus_service.domain.sources import ContentFacts
from corpus_service.limits import CONTENT_BUFFERED_BYTES_MAX, CONTENT_PIECE_BYTES
from corpus_service.storage.pieces import DamagedPieceError, decompress_piece
from sourcecorpus.rpc.failures import Failure, FailureCode

Reader = Callable[[], AbstractContextManager[apsw.Connection]]

READABLE: Final = (
    "SELECT row, size_bytes, piece_count, content_type FROM readable_contents WHERE hash = ?",
    "SELECT size_bytes, frame FROM readable_pieces WHERE row = ?",
)
"""Statements for readers: the content by hash, a piece by number."""

_ROW_BITS: Final = 16


@dataclass(frozen=True, slots=True)
class _Stored:
    row: int
    size_bytes: int
    piece_count: int


class SqliteContent:
    """Verified bytes; small ones stay in memory, others are decompressed again piece by piece."""

    def __init__(
        self,
        reader: Reader,
        statements: tuple[str, str],
        content_hash: str,
        deadline_seconds: float | None,
    ) -> None:
        self._reader = reader
        self._statements = statements
        self._hash = content_hash
        with reader() as connection:
            found = connection.execute(statements[0], (content_hash,)).fetchone()
            if found is None:
                raise (
                    damaged()
                    if _is_referred_to(connection, content_hash)
                    else Failure(FailureCode.NOT_FOUND, "CONTENT_NOT_FOUND", "content_hash")
                )
        self._stored = _Stored(*found[:3])
        self.facts: Final = ContentFacts(content_hash, self._stored.size_bytes, found[3])
        self._buffer: list[bytes] | None = None
        self._verify(math.inf if deadline_seconds is None else monotonic() + deadline_seconds)

    def pieces(self, offset: int = 0, length: int | None = None) -> Iterator[bytes]:
        """See `StoredContent.pieces`."""
        end = self._stored.size_bytes
        if length is not None:
            end = min(end, offset + length)
        first = offset // CONTENT_PIECE_BYTES
        for ordinal in range(first, self._stored.piece_count):
            begin = ordinal * CONTENT_PIECE_BYTES
            if begin >= end:
                return
            data = self._buffer[ordinal] if self._buffer is not None else self._read(ordinal)
            part = data[max(0, offset - begin) : end - begin]
            if part:
                yield part

    def _verify(self, end: float) -> None:
        digest = hashlib.sha256()
        keep = self._stored.size_bytes <= CONTENT_BUFFERED_BYTES_MAX
        buffer: list[bytes] = []
        size_bytes = 0
        for ordinal in range(self._stored.piece_count):
            if monotonic() > end:
                raise Failure(FailureCode.DEADLINE_EXCEEDED, "QUERY_DEADLINE_EXCEEDED")
            data = self._read(ordinal)
            # Ranges are computed from ordinals: every piece but the last one is full.
            full = len(data) == CONTENT_PIECE_BYTES or ordinal == self._stored.piece_count - 1
            if not full:
                raise damaged()
            digest.update(data)
            size_bytes += len(data)
            if keep:
                buffer.append(data)
        actual = f"sha256:{digest.hexdigest()}"
        if size_bytes != self._stored.size_bytes or actual != self._hash:
            raise damaged(expected=self._hash, actual=actual)
        self._buffer = buffer if keep else None

    def _read(self, ordinal: int) -> bytes:
        with self._reader() as connection:
            found = connection.execute(
                self._statements[1], (self._stored.row << _ROW_BITS | ordinal,)
            ).fetchone()
        if found is None:
            raise damaged()
        try:
            return decompress_piece(found[1], found[0])
        except DamagedPieceError:
            raise damaged() from None


def artifact_content(connection: apsw.Connection, artifact_id: str) -> ContentFacts:
    """See `ContentReader.artifact_content`."""
    found = connection.execute(
        "SELECT content_hash, size_bytes, content_type FROM readable_artifacts WHERE id = ?",
        (artifact_id,),
    ).fetchone()
    if found is None:
        raise Failure(FailureCode.NOT_FOUND, "CONTENT_NOT_FOUND", "artifact_id")
    return ContentFacts(*found)


def envelope_content(connection: apsw.Connection, envelope_id: str) -> ContentFacts:
    """See `ContentReader.envelope_content`."""
    found = connection.execute(
        "SELECT e.result_hash, c.size_bytes, e.result_media_type FROM readable_envelopes AS e"
        " LEFT JOIN readable_contents AS c ON c.hash = e.result_hash WHERE e.envelope_id = ?",
        (envelope_id,),
    ).fetchone()
    if found is None or not found[0]:
        raise Failure(FailureCode.NOT_FOUND, "CONTENT_NOT_FOUND", "envelope_id")
    if found[1] is None:
        raise damaged()
    return ContentFacts(*found)


def _is_referred_to(connection: apsw.Connection, content_hash: str) -> bool:
    """Whether a readable artifact names the content: its bytes ought to be there."""
    found = connection.execute(
        "SELECT 1 FROM readable_artifacts WHERE content_hash = ? LIMIT 1", (content_hash,)
    ).get
    return found is not None


def damaged(**hashes: str) -> Failure:
    """The answer where stored bytes are gone or differ from their hash; both hashes where known."""
    return Failure(FailureCode.DATA_LOSS, "STORED_HASH_MISMATCH", "content_hash", metadata=hashes)
