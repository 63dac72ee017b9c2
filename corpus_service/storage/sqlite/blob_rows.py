"""Rows of stored bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

import apsw

from corpus_service.domain.vocabulary import Instant
from corpus_service.storage.pieces import CODEC
from corpus_service.storage.preparation import ContentPiece, PreparedContent, PreparedRecord
from corpus_service.storage.sqlite.rows import all_rows

PIECES_PER_BLOB: Final = 65_536
"""The row of a piece is blob * 65536 + ordinal; 64 MiB are 256 pieces."""

_LOOK_UP: Final = (
    "SELECT row, referenced, readable, damaged = 0 AND piece_count = (SELECT count(*) FROM blob_pieces AS p"
    " WHERE p.row BETWEEN b.row * 65536 AND b.row * 65536 + 65535)"
    " FROM blobs AS b WHERE b.hash = ? AND b.complete = 1"
)

# Pieces whose blob was removed behind the store's back must not meet those of a new one.
_NEXT_ROW: Final = (
    "(SELECT max(coalesce((SELECT max(row) FROM blobs), 0),"
    " coalesce((SELECT max(row) FROM blob_pieces), 0) >> 16) + 1)"
)
_INSERT: Final = (
    "INSERT INTO blobs (row, hash, codec, size_bytes, piece_count, complete, referenced, readable,"  # noqa: S608 - constants alone
    f" begun_time, content_type) VALUES ({_NEXT_ROW}, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class BlobTable:
    """The tables ``blobs`` and ``blob_pieces`` within a write transaction."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def missing(self, hashes: Iterable[str], prepared: PreparedRecord) -> list[str]:
        """Return the hashes that are neither in the record nor stored with all of their pieces."""
        given = {content.content_hash for content in prepared.contents}
        return [
            name
            for name in hashes
            if name not in given and (name in prepared.unread_contents or not self.is_whole(name))
        ]

    def is_whole(self, content_hash: str) -> bool:
        """Whether all pieces of a content are there; their bytes are looked at when they are read."""
        found = self._connection.execute(_LOOK_UP, (content_hash,)).fetchone()
        return found is not None and bool(found[3])

    def store(
        self, types: Mapping[str, str], readable: Collection[str], prepared: PreparedRecord
    ) -> None:
        """Keep the contents of a record, once each, and mark them as referred to.

        Args:
            types: Hash to media type of everything that the record refers to.
            readable: Those that a readable observation refers to.
            prepared: The record with the bytes that came with it.
        """
        provided = {content.content_hash: content for content in prepared.contents}
        for content_hash, content_type in types.items():
            shown = content_hash in readable
            found = self._connection.execute(_LOOK_UP, (content_hash,)).fetchone()
            content = provided.get(content_hash)
            if found is None:
                if content is not None:
                    self._insert(content, content_type, shown, prepared.committed_time)
                continue
            row, referenced, was_shown, whole = found
            if not whole and content is not None:
                self._delete_pieces(row)
                self.insert_pieces(row, 0, content.pieces)
                self._connection.execute(
                    "UPDATE blobs SET size_bytes = ?, piece_count = ?, codec = ?, damaged = 0"
                    " WHERE row = ?",
                    (content.size_bytes, len(content.pieces), CODEC, row),
                )
            if not referenced or (shown and not was_shown):
                self._connection.execute(
                    "UPDATE blobs SET referenced = 1, readable = ?, content_type ="
                    " CASE content_type WHEN '' THEN ? ELSE content_type END WHERE row = ?",
                    (int(shown or was_shown), content_type, row),
                )

    def _insert(
        self, content: PreparedContent, content_type: str, shown: bool, begun_time: Instant
    ) -> None:
        self._connection.execute(
            _INSERT,
            (
                content.content_hash,
                CODEC,
                content.size_bytes,
                len(content.pieces),
                1,
                1,
                int(shown),
                begun_time,
                content_type,
            ),
        )
        self.insert_pieces(self._connection.last_insert_rowid(), 0, content.pieces)

    def insert_pieces(self, blob: int, ordinal: int, pieces: Collection[ContentPiece]) -> None:
        """Insert pieces from an ordinal on."""
        base = blob * PIECES_PER_BLOB + ordinal
        self._connection.executemany(
            "INSERT INTO blob_pieces (row, size_bytes, frame) VALUES (?, ?, ?)",
            ((base + offset, piece.size_bytes, piece.frame) for offset, piece in enumerate(pieces)),
        )

    def begin(self, content_hash: str, size_bytes: int, begun_time: Instant) -> int:
        """Insert the row of an upload and return its number."""
        self._connection.execute(
            _INSERT,
            (content_hash, CODEC, size_bytes, 0, 0, 0, 0, begun_time, ""),
        )
        return self._connection.last_insert_rowid()

    def complete(self, blob: int, piece_count: int) -> None:
        """Make an upload available, or drop it where the same bytes are there already."""
        content_hash = self._connection.execute("SELECT hash FROM blobs WHERE row = ?", (blob,)).get
        present = self._connection.execute(_LOOK_UP, (content_hash,)).fetchone()
        if present is not None and present[3]:
            self.delete(blob)
            return
        if present is not None:
            # The row stayed while its pieces went: the upload takes its place and its readers.
            referenced, readable = present[1], present[2]
            self.delete(present[0])
        else:
            referenced = readable = 0
        self._connection.execute(
            "UPDATE blobs SET complete = 1, piece_count = ?, referenced = ?, readable = ?"
            " WHERE row = ?",
            (piece_count, referenced, readable, blob),
        )

    def delete(self, blob: int) -> None:
        """Delete a blob and its pieces."""
        self._delete_pieces(blob)
        self._connection.execute("DELETE FROM blobs WHERE row = ?", (blob,))

    def delete_pending(self, *, older_than: Instant) -> int:
        """Delete uploads that no record has referred to; return their number."""
        rows = all_rows(
            self._connection,
            "SELECT row FROM blobs WHERE referenced = 0 AND begun_time < ?",
            (older_than,),
        )
        for (row,) in rows:
            self.delete(row)
        return len(rows)

    def delete_broken_uploads(self) -> int:
        """Delete uploads that a crash broke off; no upload survives its process."""
        rows = all_rows(
            self._connection, "SELECT row FROM blobs WHERE referenced = 0 AND complete = 0"
        )
        for (row,) in rows:
            self.delete(row)
        return len(rows)

    def mark_damaged(self, content_hash: str) -> None:
        """Note that the bytes differ from their hash: the next record has to bring them again."""
        self._connection.execute(
            "UPDATE blobs SET damaged = 1 WHERE hash = ? AND complete = 1", (content_hash,)
        )

    def _delete_pieces(self, blob: int) -> None:
        self._connection.execute(
            "DELETE FROM blob_pieces WHERE row BETWEEN ? AND ?",
            (blob * PIECES_PER_BLOB, (blob + 1) * PIECES_PER_BLOB - 1),
        )
