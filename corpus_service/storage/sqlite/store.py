"""The embedded backend: every capability of the interface over one folder."""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

import apsw

from corpus_service.domain.games import Game, GameChange
from corpus_service.domain.queries import (
    NEWEST_FIRST,
    SourceFilter,
    SourceOrdering,
    SourcePosition,
)
from corpus_service.domain.records import IngestResult
from corpus_service.domain.sources import (
    ContentFacts,
    LineSlice,
    Observation,
    Passage,
    Snapshot,
    Source,
    SpanText,
    Version,
)
from corpus_service.limits import STORE_RETRY_SECONDS
from corpus_service.storage.interface import ContentUpload, StoredContent
from corpus_service.storage.preparation import PreparedRecord
from corpus_service.storage.sqlite import (
    read_contents,
    read_listings,
    read_sources,
    read_texts,
    write_side,
)
from corpus_service.storage.sqlite.catalog import SqliteCatalog
from corpus_service.storage.sqlite.deletion import SqliteDeletion
from corpus_service.storage.sqlite.documents import SqliteDocuments
from corpus_service.storage.sqlite.failures import StoreOpenError
from corpus_service.storage.sqlite.game_database import GameDatabase, check_epoch, snapshot_of
from corpus_service.storage.sqlite.index_upkeep import IndexPreparation
from corpus_service.storage.sqlite.interrupting import DeadlineWatch
from corpus_service.storage.sqlite.open_games import OpenGames
from corpus_service.storage.sqlite.passage_index import SqlitePassageIndex
from corpus_service.storage.sqlite.presented import SqlitePresentedSources
from corpus_service.storage.sqlite.refreshes import SqliteRefreshes
from corpus_service.storage.sqlite.runs import SqliteRunLinks
from corpus_service.storage.sqlite.transfer import SqliteTransfer
from sourcecorpus.rpc.failures import Failure, FailureCode

_LOG: Final = logging.getLogger(__name__)
CATALOG_FILE: Final = "catalog.db"
GAMES_FOLDER: Final = "games"


class SqliteStore(
    SqlitePassageIndex,
    SqliteDeletion,
    SqliteDocuments,
    SqliteRunLinks,
    SqliteRefreshes,
    SqlitePresentedSources,
    SqliteTransfer,
):
    """`CorpusStore` over SQLite files: ``catalog.db`` and ``games/<game_id>.db`` in a folder."""

    def __init__(self, folder: Path, preparation: IndexPreparation) -> None:
        """Open the folder, making what is missing.

        Raises:
            StoreOpenError: A file is foreign, newer than this program or cannot be opened, or the
                catalog has lost its games.
        """
        self._games_folder = folder / GAMES_FOLDER
        try:
            self._games_folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreOpenError(f"{folder} cannot be used: {error.strerror}") from error
        self._preparation = preparation
        self._catalog = SqliteCatalog(folder / CATALOG_FILE)
        self._watch = DeadlineWatch()
        self._games = OpenGames(self._open_game)
        self._importing = threading.Lock()
        self._finish_imports()
        self._check_catalog(folder)

    def close(self) -> None:
        """See `CorpusStore.close`."""
        self._games.close()
        self._watch.close()
        self._catalog.close()

    def _check_catalog(self, folder: Path) -> None:
        """Refuse a catalog that was removed or emptied beside the files of games.

        With it every game would be unknown, and what captures wait for one would be refused.
        """
        if self._catalog.list_games(after="", limit=1):
            return
        if any(self._games_folder.glob("*.db")):
            self.close()
            raise StoreOpenError(
                f"{folder / CATALOG_FILE} lists no game, but {self._games_folder} holds some:"
                " put the catalog back from a backup"
            )

    # Catalog

    def create_game(self, game: Game) -> Game:
        """See `GameCatalog.create_game`."""
        return self._catalog.create_game(game)

    def get_game(self, name: str) -> Game | None:
        """See `GameCatalog.get_game`."""
        return self._catalog.get_game(name)

    def list_games(self, *, after: str, limit: int) -> Sequence[Game]:
        """See `GameCatalog.list_games`."""
        return self._catalog.list_games(after=after, limit=limit)

    def update_game(self, game_id: str, change: GameChange) -> Game:
        """See `GameCatalog.update_game`."""
        return self._catalog.update_game(game_id, change)

    # Writer

    def missing_contents(self, game_id: str, content_hashes: Collection[str]) -> frozenset[str]:
        """See `CaptureWriter.missing_contents`."""
        with self._reader(game_id) as connection:
            return write_side.missing_contents(connection, content_hashes)

    def extracted_artifacts(
        self, game_id: str, artifact_ids: Collection[str], extractors: Collection[tuple[str, str]]
    ) -> frozenset[str]:
        """See `CaptureWriter.extracted_artifacts`."""
        with self._reader(game_id) as connection:
            return write_side.extracted_artifacts(connection, artifact_ids, extractors)

    def open_for_extraction(self, game_id: str, content_hash: str) -> StoredContent:
        """See `CaptureWriter.open_for_extraction`."""
        return self._content(game_id, write_side.STORED, content_hash)

    def submit(self, game_id: str, record: PreparedRecord) -> Future[IngestResult]:
        """See `CaptureWriter.submit`."""
        with self._lease(game_id) as database:
            return write_side.submit(database, game_id, record)

    def begin_upload(self, game_id: str, content_hash: str, size_bytes: int) -> ContentUpload:
        """See `CaptureWriter.begin_upload`."""
        return write_side.SqliteUpload(lambda: self._lease(game_id), content_hash, size_bytes)

    def drop_uploads(self, game_id: str, *, older_than: int) -> int:
        """See `CaptureWriter.drop_uploads`."""
        with self._lease(game_id) as database:
            return write_side.drop_uploads(database, older_than)

    # Contents

    def open_content(
        self, game_id: str, content_hash: str, *, deadline_seconds: float | None = None
    ) -> StoredContent:
        """See `ContentReader.open_content`."""
        return self._content(game_id, read_contents.READABLE, content_hash, deadline_seconds)

    def artifact_content(self, game_id: str, artifact_id: str) -> ContentFacts:
        """See `ContentReader.artifact_content`."""
        with self._reader(game_id) as connection:
            return read_contents.artifact_content(connection, artifact_id)

    def envelope_content(self, game_id: str, envelope_id: str) -> ContentFacts:
        """See `ContentReader.envelope_content`."""
        with self._reader(game_id) as connection:
            return read_contents.envelope_content(connection, envelope_id)

    # Sources

    def snapshot(self, game_id: str) -> Snapshot:
        """See `SourceReader.snapshot`."""
        with self._reader(game_id) as connection:
            return snapshot_of(connection)

    def get_source(self, game_id: str, source_id: str) -> Source | None:
        """See `SourceReader.get_source`."""
        with self._reader(game_id) as connection:
            return read_sources.get_source(connection, game_id, source_id)

    def find_source(self, game_id: str, canonical_uri: str) -> str:
        """See `SourceReader.find_source`."""
        with self._reader(game_id) as connection:
            return read_sources.find_source(connection, canonical_uri)

    def list_sources(
        self,
        game_id: str,
        narrowing: SourceFilter,
        ordering: SourceOrdering = NEWEST_FIRST,
        *,
        limit: int,
        after: SourcePosition | None = None,
        as_of: Snapshot | None = None,
        deadline_seconds: float | None = None,
    ) -> Sequence[tuple[Source, SourcePosition]]:
        """See `SourceReader.list_sources`."""
        with self._reading(game_id, deadline_seconds) as connection:
            return read_listings.list_sources(
                connection,
                game_id,
                narrowing,
                ordering,
                limit=limit,
                after=after,
                as_of=check_epoch(connection, as_of),
            )

    def list_versions(
        self,
        game_id: str,
        source_id: str,
        *,
        limit: int,
        after: int = 0,
        as_of: Snapshot | None = None,
    ) -> Sequence[tuple[Version, int]]:
        """See `SourceReader.list_versions`."""
        with self._reading(game_id) as connection:
            return read_sources.list_versions(
                connection,
                game_id,
                source_id,
                limit=limit,
                after=after,
                as_of=check_epoch(connection, as_of),
            )

    def list_observations(
        self, game_id: str, source_id: str, *, limit: int
    ) -> Sequence[Observation]:
        """See `SourceReader.list_observations`."""
        with self._reading(game_id) as connection:
            return read_sources.list_observations(connection, source_id, limit=limit)

    def get_versions(self, game_id: str, version_ids: Collection[str]) -> Mapping[str, Version]:
        """See `SourceReader.get_versions`."""
        with self._reader(game_id) as connection:
            return read_sources.get_versions(connection, game_id, version_ids)

    def deleted_versions(self, game_id: str, version_ids: Collection[str]) -> frozenset[str]:
        """See `SourceReader.deleted_versions`."""
        with self._reader(game_id) as connection:
            return read_sources.deleted_versions(connection, version_ids)

    # Texts

    def read_span(self, game_id: str, version_id: str, start: int, end: int) -> str:
        """See `TextReader.read_span`."""
        with self._reading(game_id) as connection:
            return read_texts.read_span(connection, version_id, start, end)

    def read_lines(
        self,
        game_id: str,
        version_id: str,
        *,
        first_line: int,
        first_line_offset: int = 0,
        max_lines: int,
        max_characters: int,
        deadline_seconds: float | None = None,
    ) -> LineSlice:
        """See `TextReader.read_lines`."""
        with self._reading(game_id, deadline_seconds) as connection:
            return read_texts.read_lines(
                connection,
                version_id,
                first_line=first_line,
                first_line_offset=first_line_offset,
                max_lines=max_lines,
                max_characters=max_characters,
            )

    def line_numbers(self, game_id: str, version_id: str, start: int, end: int) -> tuple[int, int]:
        """See `TextReader.line_numbers`."""
        with self._reading(game_id) as connection:
            return read_texts.line_numbers(connection, version_id, start, end)

    def read_spans(
        self, game_id: str, spans: Collection[tuple[str, int, int]]
    ) -> Mapping[tuple[str, int, int], SpanText]:
        """See `TextReader.read_spans`."""
        with self._reading(game_id) as connection:
            return read_texts.read_spans(connection, spans)

    def list_chunks(
        self, game_id: str, version_id: str, *, after_ordinal: int = -1, limit: int
    ) -> Sequence[Passage]:
        """See `TextReader.list_chunks`."""
        with self._reading(game_id) as connection:
            return read_texts.list_chunks(
                connection, version_id, after_ordinal=after_ordinal, limit=limit
            )

    def _open_game(self, game_id: str) -> GameDatabase:
        try:
            path = self._games_folder / f"{game_id}.db"
            return GameDatabase(path, game_id, self._preparation, self._watch)
        except StoreOpenError as error:
            # The reason is for the operator; a caller learns whether waiting may help.
            _LOG.error("a game cannot be opened: %s", error)
            if error.damaged:
                raise Failure(FailureCode.DATA_LOSS, "STORE_DAMAGED") from error
            raise Failure(
                FailureCode.UNAVAILABLE,
                "STORE_UNAVAILABLE",
                retry_after_seconds=STORE_RETRY_SECONDS,
            ) from error

    def _content(
        self,
        game_id: str,
        statements: tuple[str, str],
        content_hash: str,
        deadline_seconds: float | None = None,
    ) -> read_contents.SqliteContent:
        try:
            return read_contents.SqliteContent(
                lambda: self._reader(game_id), statements, content_hash, deadline_seconds
            )
        except Failure as failure:
            if failure.code is FailureCode.DATA_LOSS:
                with self._lease(game_id) as database:
                    write_side.mark_damaged(database, content_hash)
            raise

    def _lease(self, game_id: str) -> AbstractContextManager[GameDatabase]:
        game = self._catalog.get_game(game_id)
        if game is None or game.game_id != game_id:
            raise Failure(FailureCode.NOT_FOUND, "UNKNOWN_GAME", "game_id")
        return self._games.lease(game_id)

    @contextmanager
    def _reader(
        self, game_id: str, deadline_seconds: float | None = None
    ) -> Iterator[apsw.Connection]:
        with self._lease(game_id) as database, database.reader(deadline_seconds) as connection:
            yield connection

    @contextmanager
    def _reading(
        self, game_id: str, deadline_seconds: float | None = None
    ) -> Iterator[apsw.Connection]:
        """A reader whose statements all see one state."""
        with self._reader(game_id, deadline_seconds) as connection:
            connection.execute("BEGIN")
            yield connection
            connection.execute("COMMIT")
