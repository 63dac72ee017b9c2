"""Inserts the rows of an import into an empty file of a game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import apsw

from corpus_service.domain.exports import Row
from corpus_service.limits import CONTENT_PIECE_BYTES
from corpus_service.storage.import_faults import row_invalid, row_repeated
from corpus_service.storage.pieces import CODEC
from corpus_service.storage.preparation import ContentPiece
from corpus_service.storage.sqlite.blob_rows import PIECES_PER_BLOB
from corpus_service.storage.sqlite.values import host_of, media_type_of
from corpus_service.trust import Verdict

_OBSERVED: Final = (
    "outcome, role, completeness, derivation, fetched_time, fetch_time_unknown, family, kind,"
    " title, content_type, requested_uri, final_uri, canonicalised, locator, window_json,"
    " http_status, headers_json, error, error_code, rank, list_group, list_order, claims_json,"
    " metadata_json, license_hint, language, synthetic, shape_unknown, snippet, never_current,"
    " also_stub, upstream_masked, job_id, repeats_earlier_content"
)
_ENVELOPE: Final = (
    "envelope_id, fingerprint, sequence, committed_time, outcome, tool_name, capture_session_id,"
    " run_id, session_id, parent_session_id, task_id, turn_id, tool_call_id, parent_tool_call_id,"
    " attempt, arguments, result_hash, result_media_type, status, error, started_time,"
    " finished_time, received_time, rule_set_version, redaction_key_id, masks_json, authenticated,"
    " paywalled, robots, client_name, client_version, traceparent"
)


def _insert(table: str, columns: str) -> str:
    marks = ", ".join("?" * (columns.count(",") + 1))
    return f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608 - constants alone


_CONTENT: Final = _insert(
    "blobs",
    "hash, size_bytes, content_type, codec, piece_count, complete, referenced, readable, begun_time",
)
_SOURCE: Final = _insert(
    "sources",
    "id, canonical_uri, original_uri, family, kind, title, trust, license_hint, host,"
    " current_grade, current_fetched_known, current_fetched, version_count, observation_count",
)
_ARTIFACT: Final = _insert(
    "source_artifacts",
    "id, source, source_uri, content_hash, content_type, size_bytes, family, source_kind, title,"
    " run_id, tool_call_id, parent_id, license_hint, metadata_json, completeness, grade, trust,"
    " synthetic, extraction_failure, failed_extractor, failed_extractor_version, game_id, status,"
    " raw_blob_id, media_type, observation_count",
)
_VERSION: Final = _insert(
    "document_versions",
    "id, artifact_id, extractor, extractor_version, language, created_at, sequence, text_hash,"
    " text_length, line_count, chunk_count, title, repairs_json, facts_json, row, canonical_uri,"
    " source, artifact, readable",
)
_INSERT_ENVELOPE: Final = _insert(
    "envelopes", f"{_ENVELOPE}, probe, readable, first_observation, source_count"
)
_OBSERVATION: Final = _insert(
    "observations",
    f"{_OBSERVED}, row, envelope, position, source, artifact, version, parent_source, sequence,"
    " verdict, observed_time",
)


class RowImport:
    """Rows of all tables but chunks, in one connection.

    Attributes:
        next_chunk: Number that the next chunk takes.
    """

    def __init__(self, connection: apsw.Connection, game_id: str) -> None:
        self._connection = connection
        self._game_id = game_id
        self.next_chunk = 1
        self._envelope = ""
        self._envelope_row = 0
        # Commit and end of the call of the envelope whose observations come.
        self._of_envelope = (0, 0)
        self._first_observation = self._next_observation = 1
        self._position = -1
        self._content: tuple[str, int] = ("", 0)
        self._takers: Final[dict[str, Callable[[Row], None]]] = {
            "contents": self._take_content,
            "sources": self._take_source,
            "artifacts": self._take_artifact,
            "versions": self._take_version,
            "currents": self._take_current,
            "envelopes": self._take_envelope,
            "observations": self._take_observation,
            "representations": self._take_representation,
            "run_links": self._take_link,
            "run_places": self._take_place,
            "tombstones": self._take_tombstone,
        }

    def add(self, table: str, row: Row) -> None:
        """Insert one row.

        Raises:
            Failure: ``ARCHIVE_ROW_REPEATED``, ``ARCHIVE_ROW_INVALID``.
        """
        try:
            self._takers[table](row)
        except apsw.ConstraintError:
            raise row_repeated(table) from None

    def add_piece(self, content_hash: str, ordinal: int, piece: ContentPiece) -> None:
        """Insert the next piece of a content."""
        if self._content[0] != content_hash:
            self._content = (content_hash, self._row("blobs", "hash", content_hash, "contents"))
        self._connection.execute(
            "INSERT INTO blob_pieces (row, size_bytes, frame) VALUES (?, ?, ?)",
            (self._content[1] * PIECES_PER_BLOB + ordinal, piece.size_bytes, piece.frame),
        )

    def _take_content(self, row: Row) -> None:
        content_hash, size, content_type = row
        count = -(-size // CONTENT_PIECE_BYTES)
        self._connection.execute(
            _CONTENT, (content_hash, size, content_type, CODEC, count, 1, 1, 1, 0)
        )

    def _take_source(self, row: Row) -> None:
        self._connection.execute(_SOURCE, (*row, host_of(row[1]), 0, 0, 0, 0, 0))

    def _take_artifact(self, row: Row) -> None:
        artifact_id, source_id, _, content_hash, content_type = row[:5]
        source = self._row("sources", "id", source_id, "artifacts")
        made = (self._game_id, Verdict.READABLE.word, content_hash, media_type_of(content_type), 0)
        self._connection.execute(_ARTIFACT, (artifact_id, source, *row[2:], *made))

    def _take_version(self, row: Row) -> None:
        artifact_id, chunk_count = row[1], row[10]
        found = self._connection.execute(
            "SELECT row, source, source_uri FROM source_artifacts WHERE id = ?", (artifact_id,)
        ).fetchone()
        if found is None:
            raise row_invalid("versions")
        artifact, source, uri = found
        number = self.next_chunk
        self._connection.execute(_VERSION, (*row, number, uri, source, artifact, 1))
        # An empty text has no chunk and takes a number all the same.
        self.next_chunk = number + max(1, chunk_count)

    def _take_current(self, row: Row) -> None:
        source_id, artifact_id, version_id, grade, known, time = row
        source = self._row("sources", "id", source_id, "currents")
        artifact = self._row("source_artifacts", "id", artifact_id, "currents")
        version = (
            self._row("document_versions", "id", version_id, "currents") if version_id else None
        )
        self._connection.execute(
            "UPDATE sources SET current_artifact = ?1, current_version = ?2, current_grade = ?3,"
            " current_fetched_known = ?4, current_fetched = ?5 WHERE row = ?6"
            " AND current_artifact IS NULL"
            " AND EXISTS (SELECT 1 FROM source_artifacts WHERE row = ?1 AND source = ?6)"
            " AND (?2 IS NULL"
            " OR EXISTS (SELECT 1 FROM document_versions WHERE row = ?2 AND artifact = ?1))",
            (artifact, version, grade, known, time, source),
        )
        if not self._connection.changes():
            raise row_invalid("currents")

    def _take_envelope(self, row: Row) -> None:
        self._connection.execute(_INSERT_ENVELOPE, (*row, 0, 1, 0, 0))

    def _take_observation(self, row: Row) -> None:
        envelope_id, position, source_id, artifact_id, version_id, parent_source_id = row[:6]
        if envelope_id != self._envelope:
            self._begin_envelope(envelope_id)
        if position <= self._position:
            raise row_repeated("observations")
        self._position = position
        number = self._first_observation + position
        self._next_observation = number + 1
        source = self._row("sources", "id", source_id, "observations")
        artifact = self._value(
            "SELECT row FROM source_artifacts WHERE id = ? AND source = ?", artifact_id, source
        )
        version = self._value(
            "SELECT row FROM document_versions WHERE id = ? AND artifact = ?", version_id, artifact
        )
        if artifact is None or (version_id and version is None):
            raise row_invalid("observations")
        parent = (
            self._row("sources", "id", parent_source_id, "observations")
            if parent_source_id
            else None
        )
        sequence, observed = self._of_envelope
        keys = (number, self._envelope_row, position, source, artifact, version, parent)
        self._connection.execute(
            _OBSERVATION, (*row[6:], *keys, sequence, Verdict.READABLE, observed)
        )
        self._connection.execute(
            "UPDATE envelopes SET first_observation = ?, source_count = ? WHERE row = ?",
            (self._first_observation, position + 1, self._envelope_row),
        )

    def _begin_envelope(self, envelope_id: str) -> None:
        found = self._connection.execute(
            "SELECT row, first_observation, sequence, finished_time FROM envelopes"
            " WHERE envelope_id = ?",
            (envelope_id,),
        ).fetchone()
        if found is None or found[1]:
            raise row_invalid("observations")
        self._envelope, self._envelope_row, self._position = envelope_id, found[0], -1
        self._of_envelope = (found[2], found[3])
        self._first_observation = self._next_observation

    def _take_representation(self, row: Row) -> None:
        envelope_id, position = row[:2]
        found = self._connection.execute(
            "SELECT o.row FROM envelopes AS e JOIN observations AS o"
            " ON o.row = e.first_observation + ?2 AND o.envelope = e.row WHERE e.envelope_id = ?1",
            (envelope_id, position),
        ).get
        if found is None:
            raise row_invalid("representations")
        self._connection.execute(
            "INSERT INTO representations (observation, position, name, media_type, content_hash)"
            " VALUES (?, ?, ?, ?, ?)",
            (found, *row[2:]),
        )

    def _take_link(self, row: Row) -> None:
        self._row("source_artifacts", "id", row[1], "run_links")
        self._connection.execute(
            "INSERT INTO run_source_links (run_id, artifact_id, use, sequence) VALUES (?, ?, ?, ?)",
            row,
        )

    def _take_place(self, row: Row) -> None:
        _, version_id, start, end, _, _ = row
        length = self._connection.execute(
            "SELECT text_length FROM document_versions WHERE id = ?", (version_id,)
        ).get
        if length is None or not 0 <= start <= end <= length:
            raise row_invalid("run_places")
        self._connection.execute(
            "INSERT INTO run_refs (run_id, version_id, span_start, span_end, use, sequence)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            row,
        )

    def _take_tombstone(self, row: Row) -> None:
        if self._value("SELECT row FROM document_versions WHERE id = ?", row[0]) is not None:
            raise row_invalid("tombstones")
        self._connection.execute(
            "INSERT INTO tombstones (version_id, source_id, canonical_uri, title, content_hash,"
            " fetched_time, deleted_time, reason, note, epoch) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
            row,
        )

    def _row(self, table: str, column: str, name: str, of: str) -> int:
        """The number of a row that must be there; ``of`` is the table that refers to it."""
        found = self._value(f"SELECT row FROM {table} WHERE {column} = ?", name)  # noqa: S608
        if found is None:
            raise row_invalid(of)
        return found

    def _value(self, statement: str, *bindings: object) -> int | None:
        found: int | None = self._connection.execute(statement, bindings).get
        return found
