"""The full-text side of the embedded store."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager

import apsw

from corpus_service.domain.queries import (
    EVERY_PASSAGE,
    Candidate,
    DocumentCounts,
    FacetField,
    PassageFilter,
    Query,
    SearchFilter,
    SearchPosition,
    VersionScan,
    WordUse,
)
from corpus_service.domain.sources import Passage, Snapshot
from corpus_service.limits import VERSIONS_SCANNED_MAX
from corpus_service.storage.sqlite import read_facets, read_passages, read_words
from corpus_service.storage.sqlite.game_database import check_epoch, snapshot_of
from corpus_service.storage.sqlite.index_tokens import index_tokens, known_tokens
from corpus_service.storage.sqlite.scan_versions import scan_versions


class SqlitePassageIndex(ABC):
    """`PassageIndex` over the FTS5 table of each game."""

    @abstractmethod
    def _reader(
        self, game_id: str, deadline_seconds: float | None = None
    ) -> AbstractContextManager[apsw.Connection]:
        """Give a connection for reading."""

    @abstractmethod
    def _reading(
        self, game_id: str, deadline_seconds: float | None = None
    ) -> AbstractContextManager[apsw.Connection]:
        """Give a connection whose statements all see one state."""

    def search(
        self,
        game_id: str,
        query: Query,
        narrowing: SearchFilter,
        *,
        limit: int,
        after: SearchPosition | None = None,
        as_of: Snapshot | None = None,
        within: PassageFilter = EVERY_PASSAGE,
        deadline_seconds: float | None = None,
    ) -> Sequence[Candidate]:
        """See `PassageIndex.search`."""
        with self._reading(game_id, deadline_seconds) as connection:
            present = snapshot_of(connection)
            return read_passages.search(
                connection,
                query,
                narrowing,
                limit=limit,
                after=after,
                as_of=check_epoch(connection, as_of, present),
                present=present,
                within=within,
            )

    def count_matches(
        self, game_id: str, query: Query, *, limit: int, deadline_seconds: float | None = None
    ) -> int:
        """See `PassageIndex.count_matches`."""
        with self._reader(game_id, deadline_seconds) as connection:
            return read_passages.count_matches(connection, query, limit=limit)

    def count_documents(
        self,
        game_id: str,
        matching: Query | Collection[int],
        narrowing: SearchFilter,
        fields: Sequence[FacetField],
        *,
        passages_max: int,
        as_of: Snapshot | None = None,
        within: PassageFilter = EVERY_PASSAGE,
        deadline_seconds: float | None = None,
    ) -> DocumentCounts:
        """See `PassageIndex.count_documents`."""
        with self._reading(game_id, deadline_seconds) as connection:
            return read_facets.count_documents(
                connection,
                matching,
                narrowing,
                fields,
                passages_max=passages_max,
                as_of=check_epoch(connection, as_of),
                present=snapshot_of(connection),
                within=within,
            )

    def tokens(
        self, game_id: str, beginning: str, *, limit: int, deadline_seconds: float | None = None
    ) -> Sequence[str]:
        """See `PassageIndex.tokens`."""
        with self._reading(game_id, deadline_seconds) as connection:
            return index_tokens(connection, beginning, limit=limit)

    def known_tokens(
        self, game_id: str, tokens: Collection[str], *, deadline_seconds: float | None = None
    ) -> Sequence[str]:
        """See `PassageIndex.known_tokens`."""
        with self._reading(game_id, deadline_seconds) as connection:
            return known_tokens(connection, tokens)

    def counted_tokens(
        self, game_id: str, beginning: str, *, limit: int, deadline_seconds: float | None = None
    ) -> Sequence[tuple[str, int]]:
        """See `PassageIndex.counted_tokens`."""
        with self._reader(game_id, deadline_seconds) as connection:
            return read_words.counted_tokens(connection, beginning, limit=limit)

    def word_uses(
        self,
        game_id: str,
        tokens: Collection[str],
        *,
        passages_max: int,
        deadline_seconds: float | None = None,
    ) -> Mapping[str, WordUse]:
        """See `PassageIndex.word_uses`."""
        with self._reading(game_id, deadline_seconds) as connection:
            return read_words.word_uses(connection, tokens, passages_max=passages_max)

    def passages(self, game_id: str, rows: Collection[int]) -> Mapping[int, Passage]:
        """See `PassageIndex.passages`."""
        with self._reader(game_id) as connection:
            return read_passages.passages(connection, rows)

    def scan_versions(
        self,
        game_id: str,
        query: Query | None,
        narrowing: SearchFilter,
        *,
        first_row: int,
        limit: int,
        look_at: int = VERSIONS_SCANNED_MAX,
        as_of: Snapshot | None = None,
        deadline_seconds: float | None = None,
    ) -> VersionScan:
        """See `PassageIndex.scan_versions`."""
        with self._reading(game_id, deadline_seconds) as connection:
            return scan_versions(
                connection,
                query,
                narrowing,
                first_row=first_row,
                limit=limit,
                look_at=look_at,
                as_of=check_epoch(connection, as_of),
            )
