"""`DocumentFinder` over SQLite files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager

import apsw

from corpus_service.domain.documents import Document, Found, HeadedChunk, Place
from corpus_service.storage.sqlite import read_documents


class SqliteDocuments(ABC):
    """Documents by title, collection and heading."""

    @abstractmethod
    def _reading(
        self, game_id: str, deadline_seconds: float | None = None
    ) -> AbstractContextManager[apsw.Connection]:
        """Lend a reader whose statements all see one state."""

    def find_titled(
        self, game_id: str, folded_title: str, *, limit: int, deadline_seconds: float | None = None
    ) -> Found:
        """See `DocumentFinder.find_titled`."""
        with self._reading(game_id, deadline_seconds) as connection:
            return read_documents.find_titled(connection, folded_title, limit=limit)

    def find_collections(
        self, game_id: str, folded_title: str, *, limit: int, deadline_seconds: float | None = None
    ) -> Found:
        """See `DocumentFinder.find_collections`."""
        with self._reading(game_id, deadline_seconds) as connection:
            return read_documents.find_collections(connection, folded_title, limit=limit)

    def first_document(self, game_id: str, collection_id: str) -> Document | None:
        """See `DocumentFinder.first_document`."""
        with self._reading(game_id) as connection:
            return read_documents.first_document(connection, collection_id)

    def places(self, game_id: str, source_id: str, *, limit: int) -> Sequence[Place]:
        """See `DocumentFinder.places`."""
        with self._reading(game_id) as connection:
            return read_documents.places(connection, source_id, limit=limit)

    def place(self, game_id: str, source_id: str, collection_id: str) -> Place | None:
        """See `DocumentFinder.place`."""
        with self._reading(game_id) as connection:
            return read_documents.place(connection, source_id, collection_id)

    def list_headings(self, game_id: str, version_id: str) -> Sequence[HeadedChunk]:
        """See `DocumentFinder.list_headings`."""
        with self._reading(game_id) as connection:
            return read_documents.list_headings(connection, version_id)
