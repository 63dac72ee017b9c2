"""Contents of the queue: each distinct one once, counted by the entries that refer to it.

Stored as lz4 frames with size and checksum. A large content is written and read in pieces of
``CONTENT_PIECE_BYTES``, so that neither side holds it twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import apsw
import lz4.frame

from capture_service.spool import limits
from capture_service.spool.errors import StoredContentDamagedError

DIGEST_BYTES = 32


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes that an entry refers to.

    Attributes:
        digest: The 32 bytes of their SHA-256.
        data: The bytes.
    """

    digest: bytes
    data: bytes | memoryview

    @property
    def size_bytes(self) -> int:
        """Length of the bytes."""
        return len(self.data)


@dataclass(frozen=True, slots=True)
class StoredContent:
    """A content as the queue knows it, without its bytes."""

    content_id: int
    digest: bytes
    size_bytes: int


def _compress(data: bytes | memoryview) -> bytes:
    frame: bytes = lz4.frame.compress(data, content_checksum=True, store_size=True)
    return frame


def _decompress(frame: bytes) -> bytes:
    try:
        data: bytes = lz4.frame.decompress(frame)
    except RuntimeError as error:
        raise StoredContentDamagedError from error
    return data


def add_reference(connection: apsw.Connection, entry_id: int, content: Content) -> int:
    """Let an entry refer to a content, which is stored where it is new.

    Returns:
        Bytes that the file holds more than before.
    """
    known = connection.execute(
        "UPDATE queue_contents SET reference_count = reference_count + 1"
        " WHERE content_hash = ? RETURNING content_id",
        (content.digest,),
    ).get
    stored_bytes = 0
    if known is None:
        known, stored_bytes = _insert(connection, content)
    connection.execute(
        "INSERT INTO queue_entry_contents (entry_id, content_id) VALUES (?, ?)", (entry_id, known)
    )
    return stored_bytes


def _insert(connection: apsw.Connection, content: Content) -> tuple[int, int]:
    insert = (
        "INSERT INTO queue_contents"
        " (content_hash, size_bytes, stored_bytes, reference_count, data)"
        " VALUES (?, ?, ?, 1, ?) RETURNING content_id"
    )
    if content.size_bytes <= limits.CONTENT_PIECE_BYTES:
        frame = _compress(content.data)
        bindings = (content.digest, content.size_bytes, len(frame), frame)
        return int(connection.execute(insert, bindings).get), len(frame)
    content_id = int(connection.execute(insert, (content.digest, content.size_bytes, 0, None)).get)
    stored_bytes = 0
    view = memoryview(content.data)
    for number, start in enumerate(range(0, len(view), limits.CONTENT_PIECE_BYTES)):
        frame = _compress(view[start : start + limits.CONTENT_PIECE_BYTES])
        stored_bytes += len(frame)
        connection.execute(
            "INSERT INTO queue_content_pieces (content_id, piece_number, data) VALUES (?, ?, ?)",
            (content_id, number, frame),
        )
    connection.execute(
        "UPDATE queue_contents SET stored_bytes = ? WHERE content_id = ?",
        (stored_bytes, content_id),
    )
    return content_id, stored_bytes


def drop_references(connection: apsw.Connection, entry_id: int) -> int:
    """Take the references of an entry away, and every content that nobody refers to any more.

    Returns:
        Bytes that the file holds less than before.
    """
    freed = 0
    released: list[Any] = connection.execute(
        "UPDATE queue_contents SET reference_count = reference_count - 1 WHERE content_id IN"
        " (SELECT content_id FROM queue_entry_contents WHERE entry_id = ?)"
        " RETURNING content_id, reference_count, stored_bytes",
        (entry_id,),
    ).fetchall()
    connection.execute("DELETE FROM queue_entry_contents WHERE entry_id = ?", (entry_id,))
    for content_id, references, stored_bytes in released:
        if references == 0:
            connection.execute(
                "DELETE FROM queue_content_pieces WHERE content_id = ?", (content_id,)
            )
            connection.execute("DELETE FROM queue_contents WHERE content_id = ?", (content_id,))
            freed += int(stored_bytes)
    return freed


def contents_of(connection: apsw.Connection, entry_id: int) -> Sequence[StoredContent]:
    """The contents that an entry refers to, without their bytes."""
    rows = connection.execute(
        "SELECT c.content_id, c.content_hash, c.size_bytes FROM queue_entry_contents AS r"
        " JOIN queue_contents AS c USING (content_id) WHERE r.entry_id = ?",
        (entry_id,),
    )
    return tuple(StoredContent(int(row[0]), bytes(row[1]), int(row[2])) for row in rows)


def read_piece(connection: apsw.Connection, digest: bytes, number: int) -> bytes | None:
    """Read one piece of a content, counted from 0; None behind the last one.

    Each piece's own checksum is verified; whoever puts the pieces together verifies the hash.

    Raises:
        StoredContentDamagedError: The content is missing, or the piece is not what was stored.
    """
    found: Any = connection.execute(
        "SELECT content_id, data FROM queue_contents WHERE content_hash = ?", (digest,)
    ).fetchone()
    if found is None:
        raise StoredContentDamagedError
    content_id, data = found
    if data is not None:
        return _decompress(data) if number == 0 else None
    frame: Any = connection.execute(
        "SELECT data FROM queue_content_pieces WHERE content_id = ? AND piece_number = ?",
        (content_id, number),
    ).get
    return None if frame is None else _decompress(frame)


def read_all(connection: apsw.Connection, digest: bytes) -> bytes:
    """Read a whole content, with its hash verified.

    Raises:
        StoredContentDamagedError: The bytes are missing or do not have their hash.
    """
    pieces: list[bytes] = []
    while (piece := read_piece(connection, digest, len(pieces))) is not None:
        pieces.append(piece)
    data = b"".join(pieces) if len(pieces) != 1 else pieces[0]
    if hashlib.sha256(data).digest() != digest:
        raise StoredContentDamagedError
    return data
