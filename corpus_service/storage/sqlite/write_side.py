"""The writer's calls: what it asks before it writes, records, uploads.

These statements see stored bytes whether readers may or not; they answer the capture side alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import Future
from contextlib import AbstractContextManager
from time import time_ns
from typing import Final, TypeVar

import apsw

from corpus_service.domain.records import IngestResult
from corpus_service.storage.preparation import ContentPiece, PreparedRecord
from corpus_service.storage.sqlite.blob_rows import BlobTable
from corpus_service.storage.sqlite.game_database import GameDatabase
from corpus_service.storage.sqlite.ingest import ingest
from corpus_service.storage.sqlite.writing import Transaction
from sourcecorpus.rpc import faults

T = TypeVar("T")

STORED: Final = (
    "SELECT row, size_bytes, piece_count, content_type FROM blobs WHERE hash = ? AND complete = 1",
    "SELECT size_bytes, frame FROM blob_pieces WHERE row = ?",
)
"""The statements of `SqliteContent` for stored and uploaded bytes alike."""


def missing_contents(
    connection: apsw.Connection, content_hashes: Collection[str]
) -> frozenset[str]:
    """See `CaptureWriter.missing_contents`."""
    table = BlobTable(connection)
    return frozenset(name for name in content_hashes if not table.is_whole(name))


def extracted_artifacts(
    connection: apsw.Connection,
    artifact_ids: Collection[str],
    extractors: Collection[tuple[str, str]],
) -> frozenset[str]:
    """See `CaptureWriter.extracted_artifacts`."""
    known = set(extractors)
    found = set()
    for name in artifact_ids:
        rows = connection.execute(
            "SELECT extractor, extractor_version FROM document_versions WHERE artifact ="
            " (SELECT row FROM source_artifacts WHERE id = ?1) UNION ALL"
            " SELECT failed_extractor, failed_extractor_version FROM source_artifacts"
            " WHERE id = ?1",
            (name,),
        )
        if any((extractor, version) in known for extractor, version in rows):
            found.add(name)
    return frozenset(found)


def submit(database: GameDatabase, game_id: str, record: PreparedRecord) -> Future[IngestResult]:
    """See `CaptureWriter.submit`."""
    size_bytes = sum(
        len(piece.frame) for content in record.contents for piece in content.pieces
    ) + sum(source.text.text_length for source in record.sources if source.text is not None)
    return database.write(lambda transaction: ingest(transaction, game_id, record), size_bytes)


def mark_damaged(database: GameDatabase, content_hash: str) -> None:
    """Note that stored bytes differ from their hash, so that the next record repairs them."""
    database.write(
        lambda transaction: BlobTable(transaction.connection).mark_damaged(content_hash)
    ).result()


def drop_uploads(database: GameDatabase, older_than: int) -> int:
    """See `CaptureWriter.drop_uploads`."""
    return database.write(
        lambda transaction: BlobTable(transaction.connection).delete_pending(older_than=older_than)
    ).result()


class SqliteUpload:
    """Pieces that go through the game's writer one by one; nothing of it outlives an abort."""

    def __init__(
        self,
        lease: Callable[[], AbstractContextManager[GameDatabase]],
        content_hash: str,
        size_bytes: int,
    ) -> None:
        self._lease = lease
        self._pieces = 0
        self._open = True
        begun_time = time_ns()
        self._blob = self._write(
            lambda transaction: BlobTable(transaction.connection).begin(
                content_hash, size_bytes, begun_time
            )
        )

    def write(self, piece: ContentPiece) -> None:
        """See `ContentUpload.write`."""
        ordinal = self._pieces
        self._write(
            lambda transaction: BlobTable(transaction.connection).insert_pieces(
                self._blob, ordinal, (piece,)
            ),
            len(piece.frame),
        )
        self._pieces += 1
        faults.reach("corpus.mid_upload")

    def commit(self) -> None:
        """See `ContentUpload.commit`."""
        self._write(
            lambda transaction: BlobTable(transaction.connection).complete(self._blob, self._pieces)
        )
        self._open = False

    def abort(self) -> None:
        """See `ContentUpload.abort`."""
        if self._open:
            self._open = False
            self._write(lambda transaction: BlobTable(transaction.connection).delete(self._blob))

    def _write(self, work: Callable[[Transaction], T], size_bytes: int = 0) -> T:
        with self._lease() as database:
            return database.write(work, size_bytes).result()
