"""Contents as pieces: lz4 frames that carry their own length and checksum.

Frame format: LZ4 Frame Format Description 1.6.4, with content size and content checksum. A piece
is bounded, so that ranged reads and damaged bytes concern one piece and memory never holds more.
"""

from __future__ import annotations

import lz4.frame

from corpus_service.limits import CONTENT_PIECE_BYTES
from corpus_service.storage.preparation import ContentPiece

CODEC = "lz4-frame"


class DamagedPieceError(Exception):
    """A stored piece does not give the bytes it was made of."""


def compress_piece(data: bytes | memoryview) -> ContentPiece:
    """Return the piece of at most 256 KiB of bytes."""
    frame = lz4.frame.compress(
        data, content_checksum=True, store_size=True, block_size=lz4.frame.BLOCKSIZE_MAX256KB
    )
    return ContentPiece(len(data), frame)


def compress_content(data: bytes) -> tuple[ContentPiece, ...]:
    """Cut bytes into pieces; no bytes are no piece."""
    if len(data) <= CONTENT_PIECE_BYTES:
        return (compress_piece(data),) if data else ()
    view = memoryview(data)
    return tuple(
        compress_piece(view[start : start + CONTENT_PIECE_BYTES])
        for start in range(0, len(data), CONTENT_PIECE_BYTES)
    )


def decompress_piece(frame: bytes, size_bytes: int) -> bytes:
    """Return the bytes of a piece.

    Raises:
        DamagedPieceError: The frame is damaged or holds another number of bytes; the length is
            compared before anything is allocated.
    """
    try:
        if lz4.frame.get_frame_info(frame)["content_size"] != size_bytes:
            raise DamagedPieceError
        data: bytes = lz4.frame.decompress(frame)
    except RuntimeError:
        # The library raises RuntimeError for every fault of a frame.
        raise DamagedPieceError from None
    if len(data) != size_bytes:
        raise DamagedPieceError
    return data
