"""Documents by title, collection and heading; part of the interface, see `interface`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from corpus_service.domain.documents import Document, Found, HeadedChunk, Place


class DocumentFinder(Protocol):
    """Finds documents by more than their address. Each call sees one state of the game."""

    def find_titled(
        self, game_id: str, folded_title: str, *, limit: int, deadline_seconds: float | None = None
    ) -> Found:
        """Returns up to ``limit`` documents whose whole title, folded by `fold_title`, is this one.

        In the order in which they were first seen; ``total`` counts all of them.
        """

    def find_collections(
        self, game_id: str, folded_title: str, *, limit: int, deadline_seconds: float | None = None
    ) -> Found:
        """Returns up to ``limit`` collections with this folded title, as `find_titled` does."""

    def first_document(self, game_id: str, collection_id: str) -> Document | None:
        """Returns the first document of a collection, or None where it has none."""

    def places(self, game_id: str, source_id: str, *, limit: int) -> Sequence[Place]:
        """Returns where a document stands: up to ``limit`` collections, first seen first."""

    def place(self, game_id: str, source_id: str, collection_id: str) -> Place | None:
        """Returns where a document stands in a collection, or None where it does not."""

    def list_headings(self, game_id: str, version_id: str) -> Sequence[HeadedChunk]:
        """Returns the headings above each chunk of a version, in text order.

        Raises:
            Failure: NOT_FOUND ``VERSION_NOT_FOUND``.
        """
