"""`DocumentFinder` over tables in memory."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager

from corpus_service.domain.documents import Collection, Document, Found, HeadedChunk, Place
from corpus_service.domain.vocabulary import JOB_FAMILY
from corpus_service.search.exact_view import fold_title
from corpus_service.storage.memory.tables import MemoryGame, MemorySource
from sourcecorpus.rpc.failures import Failure, FailureCode


class MemoryDocuments(ABC):
    """Documents by title, collection and heading."""

    @abstractmethod
    def _game(self, game_id: str) -> AbstractContextManager[MemoryGame]:
        """Give the tables of a game to one caller at a time."""

    def find_titled(
        self, game_id: str, folded_title: str, *, limit: int, deadline_seconds: float | None = None
    ) -> Found:
        """See `DocumentFinder.find_titled`."""
        with self._game(game_id) as game:
            found = [
                _document(source)
                for source in sorted(game.sources.values(), key=lambda source: source.row)
                if source.current is not None and fold_title(source.current.title) == folded_title
            ]
            return Found(len(found), documents=found[:limit])

    def find_collections(
        self, game_id: str, folded_title: str, *, limit: int, deadline_seconds: float | None = None
    ) -> Found:
        """See `DocumentFinder.find_collections`."""
        with self._game(game_id) as game:
            named = [
                (source, len(_members(game, source)))
                for source in sorted(game.sources.values(), key=lambda source: source.row)
                if fold_title(source.title) == folded_title
            ]
            found = [Collection(source.id, source.title, count) for source, count in named if count]
            return Found(len(found), collections=found[:limit])

    def first_document(self, game_id: str, collection_id: str) -> Document | None:
        """See `DocumentFinder.first_document`."""
        with self._game(game_id) as game:
            members = _members(game, game.sources.get(collection_id))
            return _document(members[0]) if members else None

    def places(self, game_id: str, source_id: str, *, limit: int) -> Sequence[Place]:
        """See `DocumentFinder.places`."""
        with self._game(game_id) as game:
            source = game.sources.get(source_id)
            found = (
                _place(game, source, collection)
                for collection in sorted(game.sources.values(), key=lambda source: source.row)
            )
            return [place for place in found if place is not None][:limit]

    def place(self, game_id: str, source_id: str, collection_id: str) -> Place | None:
        """See `DocumentFinder.place`."""
        with self._game(game_id) as game:
            return _place(game, game.sources.get(source_id), game.sources.get(collection_id))

    def list_headings(self, game_id: str, version_id: str) -> Sequence[HeadedChunk]:
        """See `DocumentFinder.list_headings`."""
        with self._game(game_id) as game:
            version = game.versions.get(version_id)
            if version is None:
                raise Failure(FailureCode.NOT_FOUND, "VERSION_NOT_FOUND", "version_id")
            return [
                HeadedChunk(chunk.first_line, tuple(json.loads(chunk.heading_path)))
                for chunk in version.chunks
            ]


def _members(game: MemoryGame, collection: MemorySource | None) -> list[MemorySource]:
    """Documents of a job in the order in which it first listed them."""
    if collection is None or collection.captured.family != JOB_FAMILY:
        return []
    if not collection.readable_observations():
        return []
    listings: dict[str, int] = {}
    for source in game.sources.values():
        numbers = [
            entry.number for entry in source.readable_observations() if entry.parent is collection
        ]
        if numbers and source.current is not None:
            listings[source.id] = min(numbers)
    return [game.sources[name] for name in sorted(listings, key=lambda name: listings[name])]


def _place(
    game: MemoryGame, source: MemorySource | None, collection: MemorySource | None
) -> Place | None:
    members = _members(game, collection)
    if source is None or collection is None or source not in members:
        return None
    position = members.index(source)
    behind = members[position + 1 : position + 2]
    return Place(
        Collection(collection.id, collection.title, len(members)),
        _document(members[position - 1]) if position else None,
        _document(behind[0]) if behind else None,
    )


def _document(source: MemorySource) -> Document:
    version = source.current
    if version is None:
        raise Failure(FailureCode.DATA_LOSS, "STORE_DAMAGED")
    return Document(
        source.id,
        version.id,
        version.title,
        source.captured.kind,
        version.prepared.line_count,
        version.artifact.content_hash,
    )
