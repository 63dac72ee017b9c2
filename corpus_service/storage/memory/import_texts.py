"""Chunks of an import into memory: compared with their versions, kept, and indexed."""

from __future__ import annotations

import json
from typing import Final

from corpus_service.domain.exports import Row
from corpus_service.search.preparation import prepare_for_index
from corpus_service.storage.import_faults import row_invalid, row_repeated
from corpus_service.storage.memory.ranking import IndexedChunk, tokens_of
from corpus_service.storage.memory.tables import MemoryGame
from corpus_service.storage.preparation import PreparedChunk, prepared_heading
from corpus_service.storage.text_proof import TextFacts, TextProof

_TABLE: Final = "chunks"


class TextImport:
    """Takes the chunks of versions that are there already."""

    def __init__(self, game: MemoryGame) -> None:
        self._game = game
        self._counts: dict[str, int] = {}
        self._proof: TextProof | None = None
        self._chunks: list[PreparedChunk] = []

    def expect(self, version_id: str, chunk_count: int) -> None:
        """Notes how many chunks a version has."""
        self._counts[version_id] = chunk_count

    def add(self, row: Row) -> None:
        """Takes the next chunk; see `GameImport.add`."""
        version_id, ordinal, start, end, first_line, tokens, headings, text = row
        if self._proof is None or self._proof.facts.version_id != version_id:
            self.finish()
            self._begin(version_id)
        if self._proof is None or not self._proof.follows(ordinal, start, end, first_line, text):
            raise row_invalid(_TABLE)
        body = prepare_for_index(text)
        title = self._game.versions[version_id].title
        heading = prepared_heading(prepare_for_index, title, json.loads(headings)) if body else ""
        self._chunks.append(
            PreparedChunk(start, end, first_line, headings, text, tokens, heading, body)
        )

    def finish(self) -> None:
        """Ends the text under way; see `GameImport.commit`."""
        if self._proof is None:
            return
        if not self._proof.whole():
            raise row_invalid(_TABLE)
        game, version = self._game, self._game.versions[self._proof.facts.version_id]
        version.chunks = tuple(self._chunks)
        version.text = "".join(chunk.text for chunk in version.chunks)
        for number, chunk in enumerate(version.chunks, version.row):
            game.chunk_versions[number] = version
            if chunk.prepared_text:
                game.index[number] = IndexedChunk(
                    tokens_of(chunk.prepared_heading), tokens_of(chunk.prepared_text)
                )

    def complete(self) -> bool:
        """Whether every version has its chunks."""
        return all(
            len(version.chunks) == self._counts[name]
            for name, version in self._game.versions.items()
        )

    def _begin(self, version_id: str) -> None:
        version = self._game.versions.get(version_id)
        if version is None:
            raise row_invalid(_TABLE)
        if self._proof is not None:
            before = self._game.versions[self._proof.facts.version_id]
            if version.row <= before.row:
                # Texts come in the order of their versions.
                raise row_repeated(_TABLE)
        text = version.prepared
        count = self._counts[version_id]
        self._proof = TextProof(
            TextFacts(version_id, text.text_hash, text.text_length, text.line_count, count)
        )
        self._chunks = []
