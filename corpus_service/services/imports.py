"""Imports a game from an archive: all of it, or nothing and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from corpus_service.archives.manifest import MANIFEST_NAME, Manifest, unreadable
from corpus_service.archives.reading import ArchiveReader
from corpus_service.domain.exports import ExportScope, Row
from corpus_service.domain.games import Game
from corpus_service.services.failures import invalid
from corpus_service.services.games import check_game
from corpus_service.services.import_checks import RowChecks
from corpus_service.storage.pieces import compress_piece
from corpus_service.storage.transfer_interface import GameImport, GameTransfer
from sourcecorpus.identity import ContentHasher
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import DATA_FRAME_BYTES_MAX


@dataclass(frozen=True, slots=True)
class ImportedGame:
    """What an import brought; counts are those of readable things."""

    game: Game
    source_count: int
    version_count: int
    content_count: int


class OpenImport:
    """One import under way, for one thread at a time. End it with ``finish`` or ``abort``."""

    def __init__(self, store: GameTransfer, game_id: str) -> None:
        """Take the store and the id that the archive's game must have, "" for any."""
        self._hasher = ContentHasher()
        self._target: Final = _Target(store, game_id)
        self._reader = ArchiveReader(self._target)

    def write(self, data: bytes) -> None:
        """Take the next frame of the archive.

        Raises:
            Failure: INVALID_ARGUMENT ``FRAME_TOO_LARGE``; what `ArchiveReader.feed`,
                `GameTransfer.begin_import` and `GameImport` raise; FAILED_PRECONDITION
                ``ARCHIVE_WITHOUT_CONTENTS``.
        """
        if len(data) > DATA_FRAME_BYTES_MAX:
            raise invalid("FRAME_TOO_LARGE", "data", limit=DATA_FRAME_BYTES_MAX)
        self._hasher.update(data)
        self._reader.feed(data)

    def finish(self, size_bytes: int, content_hash: str) -> ImportedGame:
        """Compare the whole with its length and hash, then show the game; durable on return.

        Raises:
            Failure: INVALID_ARGUMENT ``CONTENT_SIZE_MISMATCH``, ``CONTENT_HASH_MISMATCH``,
                ``ARCHIVE_TRUNCATED``; what `GameImport.commit` raises.
        """
        if self._hasher.length != size_bytes:
            raise invalid("CONTENT_SIZE_MISMATCH", "end.size_bytes")
        if self._hasher.content_hash() != content_hash:
            raise invalid("CONTENT_HASH_MISMATCH", "end.content_hash")
        self._reader.finish()
        return self._target.commit()

    def abort(self) -> None:
        """Drop what was taken; harmless after ``finish``."""
        self._target.abort()


class _Target:
    """Checks what an archive holds and hands it to the store."""

    def __init__(self, store: GameTransfer, game_id: str) -> None:
        self._store = store
        self._game_id = game_id
        self._manifest: Manifest | None = None
        self._import: GameImport | None = None
        self._checks = RowChecks("", 0)

    def begin(self, manifest: Manifest) -> None:
        """See `ArchiveTarget.begin`."""
        if manifest.scope is not ExportScope.EVERYTHING:
            raise Failure(FailureCode.FAILED_PRECONDITION, "ARCHIVE_WITHOUT_CONTENTS")
        state = manifest.state
        try:
            check_game(state.game)
        except Failure:
            raise unreadable(MANIFEST_NAME) from None
        if self._game_id and self._game_id != state.game.game_id:
            raise invalid("FIELD_INVALID", "head.game_id")
        size_bytes = manifest.content_bytes + sum(entry.size_bytes for entry in manifest.tables)
        self._manifest = manifest
        self._checks = RowChecks(state.game.game_id, state.sequence)
        self._import = self._store.begin_import(state, size_bytes)

    def row(self, table: str, row: Row) -> None:
        """See `ArchiveTarget.row`."""
        self._checks.check(table, row)
        if self._import is not None:
            self._import.add(table, row)

    def content_piece(self, content_hash: str, ordinal: int, data: bytes) -> None:
        """See `ArchiveTarget.content_piece`."""
        if self._import is not None:
            self._import.add_piece(content_hash, ordinal, compress_piece(data))

    def commit(self) -> ImportedGame:
        """Show the game."""
        if self._import is None or self._manifest is None:
            raise unreadable(MANIFEST_NAME)
        self._import.commit()
        rows = {entry.name: entry.rows for entry in self._manifest.tables}
        return ImportedGame(
            self._manifest.state.game, rows["sources"], rows["versions"], rows["contents"]
        )

    def abort(self) -> None:
        """Drop everything."""
        if self._import is not None:
            self._import.abort()
