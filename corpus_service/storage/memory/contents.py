"""Bytes in memory: verified in the same way, before the first one is given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from corpus_service.domain.sources import ContentFacts
from corpus_service.domain.vocabulary import Instant
from corpus_service.limits import CONTENT_PIECE_BYTES
from corpus_service.storage.memory.tables import MemoryContent, MemoryGame
from corpus_service.storage.pieces import DamagedPieceError, decompress_piece
from corpus_service.storage.preparation import ContentPiece
from sourcecorpus.identity import ContentHasher
from sourcecorpus.rpc.failures import Failure, FailureCode


class VerifiedContent:
    """`StoredContent` over pieces in memory."""

    def __init__(self, content_hash: str, content: MemoryContent) -> None:
        hasher = ContentHasher()
        try:
            self._pieces: Final = [
                decompress_piece(piece.frame, piece.size_bytes) for piece in content.pieces
            ]
        except DamagedPieceError:
            content.damaged = True
            raise damaged() from None
        for data in self._pieces:
            hasher.update(data)
        if hasher.content_hash() != content_hash or hasher.length != content.size_bytes:
            content.damaged = True
            raise damaged(expected=content_hash, actual=hasher.content_hash())
        self.facts: Final = ContentFacts(content_hash, content.size_bytes, content.content_type)

    def pieces(self, offset: int = 0, length: int | None = None) -> Iterator[bytes]:
        """See `StoredContent.pieces`."""
        end = self.facts.size_bytes if length is None else offset + length
        for ordinal, data in enumerate(self._pieces):
            begin = ordinal * CONTENT_PIECE_BYTES
            part = data[max(0, offset - begin) : max(0, end - begin)]
            if part:
                yield part


class MemoryUpload:
    """`ContentUpload` that appears in the tables with its commit."""

    def __init__(
        self, game: MemoryGame, content_hash: str, size_bytes: int, begun_time: Instant
    ) -> None:
        self._game = game
        self._hash = content_hash
        self._content = MemoryContent(size_bytes, [], begun_time=begun_time)

    def write(self, piece: ContentPiece) -> None:
        """See `ContentUpload.write`."""
        self._content.pieces.append(piece)

    def commit(self) -> None:
        """See `ContentUpload.commit`."""
        before = self._game.contents.get(self._hash)
        if before is not None:
            if not before.damaged:
                return
            self._content.referenced, self._content.readable = before.referenced, before.readable
            self._content.content_type = before.content_type
        self._game.contents[self._hash] = self._content

    def abort(self) -> None:
        """See `ContentUpload.abort`; what was not committed is in no table."""


def damaged(**hashes: str) -> Failure:
    """The answer where stored bytes are gone or differ from their hash; both hashes where known."""
    return Failure(FailureCode.DATA_LOSS, "STORED_HASH_MISMATCH", "content_hash", metadata=hashes)
