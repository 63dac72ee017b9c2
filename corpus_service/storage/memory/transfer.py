"""`GameTransfer` over tables in memory."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Collection
from contextlib import AbstractContextManager
from dataclasses import replace

from corpus_service.domain.exports import GameState, Row, TakeRow
from corpus_service.domain.games import Game
from corpus_service.domain.vocabulary import Trust
from corpus_service.storage.import_faults import row_invalid
from corpus_service.storage.memory.export_rows import export_rows
from corpus_service.storage.memory.import_rows import RowImport
from corpus_service.storage.memory.tables import MemoryArtifact, MemoryGame
from corpus_service.storage.preparation import ContentPiece
from corpus_service.trust import trust_of
from sourcecorpus.rpc.failures import Failure, FailureCode


class MemoryTransfer(ABC):
    """Whole games out of the store and into it."""

    _lock: threading.RLock
    _games: dict[str, Game]
    _tables: dict[str, MemoryGame]

    @abstractmethod
    def _game(self, game_id: str) -> AbstractContextManager[MemoryGame]:
        """Give the tables of a game to one caller at a time."""

    @abstractmethod
    def _check_names(self, game: Game) -> None:
        """Refuse a game whose names belong to another one."""

    def export_rows(
        self,
        game_id: str,
        tables: Collection[str],
        take: TakeRow,
        *,
        deadline_seconds: float | None = None,
    ) -> GameState:
        """See `GameTransfer.export_rows`."""
        del deadline_seconds
        with self._game(game_id) as game:
            export_rows(game, tables, take)
            return GameState(self._games[game_id], game.sequence)

    def begin_import(self, state: GameState, size_bytes: int) -> MemoryImport:
        """See `GameTransfer.begin_import`."""
        del size_bytes
        self._check_free(state.game)
        return MemoryImport(self, state)

    def _check_free(self, game: Game) -> None:
        with self._lock:
            self._check_names(game)
            present = self._tables.get(game.game_id)
            if present is not None and (present.sources or present.tombstones):
                raise Failure(FailureCode.FAILED_PRECONDITION, "GAME_NOT_EMPTY", "game_id")

    def show_import(self, game: Game, tables: MemoryGame) -> None:
        """Puts a whole game in its place."""
        with self._lock:
            self._check_free(game)
            self._games[game.game_id] = game
            self._tables[game.game_id] = tables


class MemoryImport:
    """`GameImport` that builds tables of its own and hands them over whole."""

    def __init__(self, store: MemoryTransfer, state: GameState) -> None:
        self._store = store
        self._state = state
        game = MemoryGame(state.game.game_id, "imported", sequence=state.sequence)
        self._rows = RowImport(game)

    def add(self, table: str, row: Row) -> None:
        """See `GameImport.add`."""
        self._rows.add(table, row)

    def add_piece(self, content_hash: str, ordinal: int, piece: ContentPiece) -> None:
        """See `GameImport.add_piece`."""
        content = self._rows.game.contents.get(content_hash)
        if content is None or ordinal != len(content.pieces):
            raise row_invalid("contents")
        content.pieces.append(piece)

    def commit(self) -> None:
        """See `GameImport.commit`."""
        game, texts = self._rows.game, self._rows.texts
        texts.finish()
        if not texts.complete():
            raise row_invalid("chunks")
        _check_whole(game)
        for name, envelope in game.envelopes.items():
            # What a code run ran is found by the first source of its record.
            entries = [
                entry.captured
                for source in game.sources.values()
                for entry in source.observations
                if entry.record.envelope_id == name and entry.position == 0
            ]
            record = replace(envelope.record, sources=tuple(entries))
            game.envelopes[name] = replace(envelope, record=record)
        if game.sequence:
            game.commits[game.sequence] = game.next_chunk
        self._store.show_import(self._state.game, game)

    def abort(self) -> None:
        """See `GameImport.abort`; what was not committed is in no table."""


def _is_as_good_as_its_observations(artifact: MemoryArtifact) -> bool:
    """Whether an artifact that is no model's text has the trust of one of its observations."""
    if artifact.synthetic:
        return True
    seen = [entry.captured for entry in artifact.source.observations if entry.artifact is artifact]
    trusts = {
        trust_of(role=part.role, canonical_uri=part.canonical_uri, synthetic=part.synthetic)
        for part in seen
    }
    return artifact.trust is not Trust.SYNTHETIC and artifact.trust in trusts


def _check_whole(game: MemoryGame) -> None:
    if not all(source.observations for source in game.sources.values()):
        raise row_invalid("sources")
    if not all(artifact.readable for artifact in game.artifacts.values()):
        raise row_invalid("artifacts")
    if not all(_is_as_good_as_its_observations(artifact) for artifact in game.artifacts.values()):
        raise row_invalid("artifacts")
    if any(
        artifact.content_hash in game.contents
        and game.contents[artifact.content_hash].size_bytes != artifact.size_bytes
        for artifact in game.artifacts.values()
    ):
        raise row_invalid("artifacts")
    if not all(envelope.result.sources for envelope in game.envelopes.values()):
        raise row_invalid("envelopes")
    named = {artifact.content_hash for artifact in game.artifacts.values()}
    named |= {envelope.record.result_hash for envelope in game.envelopes.values()} - {""}
    for source in game.sources.values():
        for entry in source.observations:
            named.update(part.content_hash for part in entry.captured.representations)
    whole = all(
        sum(piece.size_bytes for piece in content.pieces) == content.size_bytes
        for content in game.contents.values()
    )
    if named != game.contents.keys() or not whole:
        raise row_invalid("contents")
