"""Rows of versions, their chunks and the entries of the full-text index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from corpus_service.domain.records import CapturedSource
from corpus_service.limits import CHUNKS_PER_STATEMENT
from corpus_service.storage.json_values import counts_json
from corpus_service.storage.preparation import PreparedChunk, PreparedSource, PreparedText
from corpus_service.storage.sqlite.artifact_rows import ArtifactRow
from corpus_service.storage.sqlite.writing import Transaction
from sourcecorpus.identity.identifiers import version_id

if TYPE_CHECKING:
    from corpus_service.storage.sqlite.source_rows import SourceRow

_INSERT_VERSION: Final = (
    "INSERT INTO document_versions (row, id, artifact_id, canonical_uri, extractor,"
    " extractor_version, language, created_at, source, artifact, sequence, readable, chunk_count,"
    " text_hash, text_length, line_count, title, repairs_json, facts_json)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_CHUNK: Final = (
    "INSERT INTO source_chunks (id, version_id, ordinal, span_start, span_end, first_line,"
    " token_count, heading_path, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_PASSAGE: Final = "INSERT INTO passage_index (rowid, heading, body) VALUES (?, ?, ?)"


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version that an observation has; ``made`` says that this observation brought it."""

    row: int
    id: str
    title: str
    made: bool


class VersionTable:
    """Versions and chunks within a write transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self._connection = transaction.connection

    def load_or_make(
        self,
        source_row: SourceRow,
        artifact: ArtifactRow,
        source: CapturedSource,
        prepared: PreparedSource,
    ) -> VersionRow | None:
        """Return the version of a readable observation: the prepared one, else the newest one."""
        text = prepared.text
        if text is not None:
            name = version_id(artifact.id, text.extractor, text.extractor_version)
            found = self._connection.execute(
                "SELECT row, title FROM document_versions WHERE id = ?", (name,)
            ).fetchone()
            if found is None:
                return self._make(name, source_row, artifact, source, text)
            return VersionRow(found[0], name, found[1], made=False)
        found = self._connection.execute(
            "SELECT row, id, title FROM document_versions WHERE artifact = ?"
            " ORDER BY row DESC LIMIT 1",
            (artifact.row,),
        ).fetchone()
        return VersionRow(found[0], found[1], found[2], made=False) if found is not None else None

    def _make(
        self,
        name: str,
        source_row: SourceRow,
        artifact: ArtifactRow,
        source: CapturedSource,
        text: PreparedText,
    ) -> VersionRow:
        transaction = self._transaction
        row = transaction.next_chunk
        title = source.title or text.title
        count = self._insert_chunks(name, row, text.chunks)
        self._connection.execute(
            _INSERT_VERSION,
            (
                row,
                name,
                artifact.id,
                source_row.canonical_uri,
                text.extractor,
                text.extractor_version,
                text.language or source.language,
                transaction.committed_time,
                source_row.row,
                artifact.row,
                transaction.sequence,
                count,
                text.text_hash,
                text.text_length,
                text.line_count,
                title,
                counts_json(text.repairs),
                text.facts_json,
            ),
        )
        # An empty text has no chunk and takes a number all the same.
        transaction.next_chunk = row + max(1, count)
        return VersionRow(row, name, title, made=True)

    def _insert_chunks(self, name: str, row: int, chunks: Iterable[PreparedChunk]) -> int:
        ordinal = 0
        for group in _in_groups(chunks):
            first = row + ordinal
            self._connection.executemany(
                _INSERT_CHUNK,
                [
                    (
                        first + offset,
                        name,
                        ordinal + offset,
                        chunk.start,
                        chunk.end,
                        chunk.first_line,
                        chunk.token_count,
                        chunk.heading_path,
                        chunk.text,
                    )
                    for offset, chunk in enumerate(group)
                ],
            )
            entries = [
                (first + offset, chunk.prepared_heading, chunk.prepared_text)
                for offset, chunk in enumerate(group)
                if chunk.prepared_text
            ]
            self._connection.executemany(_INSERT_PASSAGE, entries)
            ordinal += len(group)
        return ordinal


def _in_groups(chunks: Iterable[PreparedChunk]) -> Iterator[list[PreparedChunk]]:
    iterator = iter(chunks)
    while group := list(islice(iterator, CHUNKS_PER_STATEMENT)):
        yield group
