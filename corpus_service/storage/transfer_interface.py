"""The capability to take a game out of a store as rows and bytes, and to put it into one."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from corpus_service.domain.exports import GameState, Row, TakeRow
from corpus_service.storage.preparation import ContentPiece


class GameImport(Protocol):
    """A game on its way in, seen by nobody before ``commit``; used by one thread at a time.

    Rows come table by table in the order of `corpus_service.domain.exports.TABLES`, and within a
    table in the order of the export. Every fault of a row is INVALID_ARGUMENT with ``table`` in its
    metadata; the import can only be aborted then.
    """

    def add(self, table: str, row: Row) -> None:
        """Takes one row whose values have the kinds of its columns.

        Chunks of a version come together, in order; with the last one the text is compared with
        the hash, the length and the numbers of lines and chunks of its version.

        Raises:
            Failure: ``ARCHIVE_ROW_REPEATED`` where its key is there already; ``ARCHIVE_ROW_INVALID``
                where it refers to a row that is not there, or a text is not what its version says.
        """

    def add_piece(self, content_hash: str, ordinal: int, piece: ContentPiece) -> None:
        """Takes the next bytes of a content, 256 KiB but for the last piece.

        The caller verifies the hash of the whole.

        Raises:
            Failure: ``ARCHIVE_ROW_INVALID`` where the content is not in the table of contents.
        """

    def commit(self) -> None:
        """Shows the game with everything that was taken; durable on return, all or nothing.

        Facts that follow from rows are made: counts and first and last times of sources, artifacts
        and observations, the full-text index, which version is current from now on. Page tokens
        that were given out for the game before are void.

        Raises:
            Failure: FAILED_PRECONDITION ``GAME_NOT_EMPTY`` where the game got a source meanwhile;
                ALREADY_EXISTS ``ALIAS_TAKEN``; ``ARCHIVE_ROW_INVALID`` where a text or a content is
                not whole, or a content belongs to nothing.
        """

    def abort(self) -> None:
        """Drops everything that was taken; harmless after ``commit``."""


class GameTransfer(Protocol):
    """Whole games out of a store and into one."""

    def export_rows(
        self,
        game_id: str,
        tables: Collection[str],
        take: TakeRow,
        *,
        deadline_seconds: float | None = None,
    ) -> GameState:
        """Gives every row of some tables that readers may see, all of one state of the game.

        Tables come in the order of `TABLES`, rows in the order in which they were stored, contents
        by hash, links by commit, run and artifact, places and tombstones by their keys. A row never
        refers to one that readers may not see. Whatever is written meanwhile is not seen; ``take``
        must be quick, because the state is held until the last row.

        Returns:
            The game and the number of its newest commit in that state.

        Raises:
            Failure: DATA_LOSS ``STORED_HASH_MISMATCH`` with ``version_id`` where the chunks of a version
                are not the text with its hash.
        """

    def begin_import(self, state: GameState, size_bytes: int) -> GameImport:
        """Begins to take a game whose id no game has, or a game without sources.

        Args:
            state: The game as it shall be in the catalog, and the number of its newest commit.
            size_bytes: Bytes to expect.

        Raises:
            Failure: FAILED_PRECONDITION ``GAME_NOT_EMPTY``; ALREADY_EXISTS ``ALIAS_TAKEN``;
                RESOURCE_EXHAUSTED ``DISK_FULL`` where they cannot fit; RESOURCE_EXHAUSTED
                ``TOO_MANY_CALLS`` while the store takes another game.
        """
