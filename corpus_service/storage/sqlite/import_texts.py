"""Chunks of an import: compared with their versions, stored, and put into the full-text index."""

from __future__ import annotations

import json
from typing import Final

import apsw

from corpus_service.domain.exports import Row
from corpus_service.storage.import_faults import row_invalid, row_repeated
from corpus_service.storage.preparation import prepared_heading
from corpus_service.storage.sqlite.index_upkeep import IndexPreparation
from corpus_service.storage.text_proof import TextFacts, TextProof

_TABLE: Final = "chunks"
_INSERT: Final = (
    "INSERT INTO source_chunks (id, version_id, ordinal, span_start, span_end, first_line,"
    " token_count, heading_path, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class TextImport:
    """Takes the chunks of versions that are there already."""

    def __init__(self, connection: apsw.Connection, preparation: IndexPreparation) -> None:
        self._connection = connection
        self._preparation = preparation
        self._proof: TextProof | None = None
        self._version = (0, "")

    def add(self, row: Row) -> None:
        """Take the next chunk.

        Raises:
            Failure: See `GameImport.add`.
        """
        version_id, ordinal, start, end, first_line, _, headings, text = row
        if self._proof is None or self._proof.facts.version_id != version_id:
            self.finish()
            self._begin(version_id)
        number, title = self._version
        proof = self._proof
        if proof is None or not proof.follows(ordinal, start, end, first_line, text):
            raise row_invalid(_TABLE)
        number += ordinal
        self._connection.execute(_INSERT, (number, *row))
        prepare = self._preparation.prepare
        body = prepare(text)
        if body:
            heading = prepared_heading(prepare, title, json.loads(headings))
            self._connection.execute(
                "INSERT INTO passage_index (rowid, heading, body) VALUES (?, ?, ?)",
                (number, heading, body),
            )

    def finish(self) -> None:
        """End the text under way.

        Raises:
            Failure: ``ARCHIVE_ROW_INVALID`` where it is not what its version says.
        """
        if self._proof is not None and not self._proof.whole():
            raise row_invalid(_TABLE)

    def _begin(self, version_id: str) -> None:
        found = self._connection.execute(
            "SELECT row, title, text_hash, text_length, line_count, chunk_count"
            " FROM document_versions WHERE id = ?",
            (version_id,),
        ).fetchone()
        if found is None:
            raise row_invalid(_TABLE)
        if found[0] <= self._version[0]:
            # Texts come in the order of their versions.
            raise row_repeated(_TABLE)
        self._version = (found[0], found[1])
        self._proof = TextProof(TextFacts(version_id, *found[2:]))
