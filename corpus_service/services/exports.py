"""Exports a game as an archive; see docs/export.md for what is in it."""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Protocol

from corpus_service.archives.manifest import Manifest
from corpus_service.archives.writing import ArchiveWriter
from corpus_service.domain.exports import ExportScope, tables_of
from corpus_service.limits import DISK_FULL_RETRY_SECONDS
from corpus_service.services.failures import not_found
from corpus_service.services.limits import EXPORT_RETRY_SECONDS, EXPORTS_MAX
from corpus_service.storage.interface import ContentReader, GameCatalog, SourceReader
from corpus_service.storage.transfer_interface import GameTransfer
from sourcecorpus.identity import ContentHasher
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import DATA_FRAME_BYTES_MAX


class ExportStore(GameCatalog, GameTransfer, ContentReader, SourceReader, Protocol):
    """What an export needs of a store."""


class ExportUseCase:
    """Opens exports, a bounded number at a time. Safe from several threads."""

    def __init__(self, store: ExportStore, folder: Path | None = None) -> None:
        """Take a store and the folder for tables that wait; None is the system's own."""
        self._store = store
        self._folder = folder
        self._room = threading.BoundedSemaphore(EXPORTS_MAX)

    def open(self, game_id: str, scope: ExportScope) -> OpenExport:
        """Takes the state of a game down and gives access to its archive; close it at the end.

        Raises:
            Failure: NOT_FOUND ``UNKNOWN_GAME``; RESOURCE_EXHAUSTED ``TOO_MANY_CALLS``, ``DISK_FULL``;
                DATA_LOSS ``STORED_HASH_MISMATCH``; DEADLINE_EXCEEDED.
        """
        game = self._store.get_game(game_id)
        if game is None or game.game_id != game_id:
            raise not_found("UNKNOWN_GAME", "game_id")
        if not self._room.acquire(blocking=False):
            raise Failure(
                FailureCode.RESOURCE_EXHAUSTED,
                "TOO_MANY_CALLS",
                retry_after_seconds=EXPORT_RETRY_SECONDS,
                metadata={"limit": str(EXPORTS_MAX)},
            )
        try:
            return OpenExport(self._store, game_id, scope, self._folder, self._room)
        except BaseException:
            self._room.release()
            raise


class OpenExport:
    """One export under way, for one thread at a time.

    Attributes:
        manifest: What the archive says about itself.
        size_bytes: Length of the archive.
    """

    def __init__(
        self,
        store: ExportStore,
        game_id: str,
        scope: ExportScope,
        folder: Path | None,
        room: threading.BoundedSemaphore,
    ) -> None:
        self._store = store
        self._game_id = game_id
        self._room: threading.BoundedSemaphore | None = None
        self._hasher = ContentHasher()
        self._epoch: Final = store.snapshot(game_id).epoch
        self._writer: Final = ArchiveWriter(scope, folder)
        try:
            names = [table.name for table in tables_of(scope)]
            state = store.export_rows(
                game_id, names, self._writer.take, deadline_seconds=deadline.remaining()
            )
            self.manifest: Final[Manifest] = self._writer.manifest(state)
            self.size_bytes: Final = self._writer.size_bytes(self.manifest)
        except OSError as error:
            self._writer.close()
            raise _full_disk(error) from error
        except BaseException:
            self._writer.close()
            raise
        self._room = room

    def frames(self) -> Iterator[bytes]:
        """Yields the archive in frames of 256 KiB, but for the last one.

        Raises:
            Failure: ABORTED ``EXPORT_OUTDATED`` where something was deleted meanwhile; DATA_LOSS
                ``STORED_HASH_MISMATCH``.
        """
        waiting = bytearray()
        for piece in self._writer.archive(self.manifest, self._content):
            waiting += piece
            while len(waiting) >= DATA_FRAME_BYTES_MAX:
                yield self._frame(bytes(waiting[:DATA_FRAME_BYTES_MAX]))
                del waiting[:DATA_FRAME_BYTES_MAX]
        if self._store.snapshot(self._game_id).epoch != self._epoch:
            raise _outdated()
        if waiting:
            yield self._frame(bytes(waiting))

    def content_hash(self) -> str:
        """Returns the hash of the frames that were yielded."""
        return self._hasher.content_hash()

    def close(self) -> None:
        """Gives the files back; harmless when it is done again."""
        self._writer.close()
        if self._room is not None:
            self._room.release()
            self._room = None

    def _frame(self, data: bytes) -> bytes:
        self._hasher.update(data)
        return data

    def _content(self, content_hash: str) -> Iterable[bytes]:
        try:
            content = self._store.open_content(
                self._game_id, content_hash, deadline_seconds=deadline.remaining()
            )
            return content.pieces()
        except Failure as failure:
            if failure.code is FailureCode.NOT_FOUND:
                raise _outdated() from failure
            raise


def _outdated() -> Failure:
    return Failure(FailureCode.ABORTED, "EXPORT_OUTDATED", "game_id")


def _full_disk(error: OSError) -> Failure:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Failure(
            FailureCode.RESOURCE_EXHAUSTED, "DISK_FULL", retry_after_seconds=DISK_FULL_RETRY_SECONDS
        )
    return Failure(
        FailureCode.UNAVAILABLE, "STORE_UNAVAILABLE", retry_after_seconds=DISK_FULL_RETRY_SECONDS
    )
