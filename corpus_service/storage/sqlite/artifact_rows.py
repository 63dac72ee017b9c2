"""Rows of artifacts: one content under one canonical URI."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from corpus_service.domain.currency import grade_of
from corpus_service.domain.records import CapturedSource, CaptureRecord
from corpus_service.domain.vocabulary import Completeness, Trust
from corpus_service.storage.preparation import PreparedSource
from corpus_service.storage.sqlite.observation_rows import fetched_time_of
from corpus_service.storage.sqlite.values import media_type_of
from corpus_service.storage.sqlite.writing import Transaction
from corpus_service.trust import Verdict, trust_of
from sourcecorpus.identity.identifiers import artifact_id, source_id

_STATE: Final = (
    "row, id, status, fetched_at, completeness, grade, trust, synthetic, observation_count,"
    " readable_sequence, content_hash"
)
_INSERT: Final = (
    "INSERT INTO source_artifacts (id, game_id, run_id, tool_call_id, source_uri, source_kind,"
    " title, fetched_at, status, content_type, raw_blob_id, content_hash, parent_id, license_hint,"
    " trust, metadata_json, source, family, media_type, size_bytes, completeness, grade, synthetic,"
    " observation_count, readable_sequence, extraction_failure, failed_extractor,"
    " failed_extractor_version) VALUES (?, ?, ?, ?, ?, ?, ?, NULL, '', ?, ?, ?, ?, ?, ?, ?, ?, ?,"
    " ?, ?, ?, 0, 1, 0, NULL, '', '', '')"
)


@dataclass(slots=True)
class ArtifactRow:
    """The facts of an artifact that observations change."""

    row: int
    id: str
    status: str
    fetched_time: int | None
    completeness: int
    grade: int
    trust: int
    synthetic: int
    observation_count: int
    readable_sequence: int | None
    content_hash: str


class ArtifactTable:
    """The table ``source_artifacts`` within the transaction of one record."""

    def __init__(self, transaction: Transaction, game_id: str) -> None:
        self._transaction = transaction
        self._connection = transaction.connection
        self._game_id = game_id

    def load_or_make(
        self, source_row: int, source: CapturedSource, record: CaptureRecord, parent_id: str
    ) -> tuple[ArtifactRow, bool]:
        """Return the artifact of a captured source, and whether it was made."""
        name = artifact_id(self._game_id, source.canonical_uri, source.content_hash)
        found = self._load("id = ?", (name,))
        if found is not None:
            return found, False
        trust = trust_of(
            role=source.role, canonical_uri=source.canonical_uri, synthetic=source.synthetic
        )
        size_bytes = next(
            part.size_bytes for part in record.contents if part.content_hash == source.content_hash
        )
        self._connection.execute(
            _INSERT,
            (
                name,
                self._game_id,
                record.run_id,
                record.tool_call_id,
                source.canonical_uri,
                source.kind,
                source.title,
                source.content_type,
                source.content_hash,
                source.content_hash,
                parent_id,
                source.license_hint,
                trust,
                source.metadata_json,
                source_row,
                source.family,
                media_type_of(source.content_type),
                size_bytes,
                source.completeness,
            ),
        )
        row = self._connection.last_insert_rowid()
        made = ArtifactRow(
            row, name, "", None, source.completeness, 0, trust, 1, 0, None, source.content_hash
        )
        return made, True

    def earlier(self, source: CapturedSource, session_id: str) -> ArtifactRow | None:
        """Return the artifact that "unchanged" means: the session's newest one, else the current."""
        name = source_id(self._game_id, source.canonical_uri)
        found = self._connection.execute(
            "SELECT row, current_artifact FROM sources WHERE id = ?", (name,)
        ).fetchone()
        if found is None:
            return None
        artifact = found[1]
        if session_id:
            of_session = self._connection.execute(
                "SELECT o.artifact FROM observations AS o JOIN envelopes AS e ON e.row = o.envelope"
                " WHERE o.source = ? AND o.verdict = 0 AND e.session_id = ?"
                " ORDER BY o.observed_time DESC, o.row DESC LIMIT 1",
                (found[0], session_id),
            ).get
            artifact = of_session or artifact
        return self._load("row = ?", (artifact,)) if artifact else None

    def observe(
        self,
        artifact: ArtifactRow,
        source: CapturedSource,
        record: CaptureRecord,
        prepared: PreparedSource,
        verdict: Verdict,
    ) -> None:
        """Note one more observation; only a readable one changes what readers see."""
        if verdict is Verdict.READABLE:
            self._note_readable(artifact, source, record)
        elif artifact.readable_sequence is None:
            artifact.status = verdict.word
        self._connection.execute(
            "UPDATE source_artifacts SET status = ?, fetched_at = ?, completeness = ?, grade = ?,"
            " trust = ?, synthetic = ?, observation_count = ?, readable_sequence = ? WHERE row = ?",
            (
                artifact.status,
                artifact.fetched_time,
                artifact.completeness,
                artifact.grade,
                artifact.trust,
                artifact.synthetic,
                artifact.observation_count,
                artifact.readable_sequence,
                artifact.row,
            ),
        )
        if prepared.text is not None or prepared.extraction_failure:
            self._connection.execute(
                "UPDATE source_artifacts SET extraction_failure = ?, failed_extractor = ?,"
                " failed_extractor_version = ? WHERE row = ?",
                (
                    prepared.extraction_failure,
                    prepared.failed_extractor,
                    prepared.failed_extractor_version,
                    artifact.row,
                ),
            )

    def _note_readable(
        self, artifact: ArtifactRow, source: CapturedSource, record: CaptureRecord
    ) -> None:
        artifact.status = Verdict.READABLE.word
        artifact.observation_count += 1
        if artifact.readable_sequence is None:
            artifact.readable_sequence = self._transaction.sequence
        fetched = fetched_time_of(source, record)
        if fetched is not None:
            artifact.fetched_time = max(fetched, artifact.fetched_time or fetched)
        grade = grade_of(source.completeness)
        if source.content_hash and grade > artifact.grade:
            # The same bytes may come once as a window and once as the whole.
            artifact.grade = grade
            artifact.completeness = Completeness(source.completeness)
        trust = trust_of(
            role=source.role, canonical_uri=source.canonical_uri, synthetic=source.synthetic
        )
        if source.content_hash and trust is not Trust.SYNTHETIC and artifact.synthetic:
            artifact.synthetic = 0
            artifact.trust = trust

    def _load(self, condition: str, bindings: tuple[object, ...]) -> ArtifactRow | None:
        found = self._connection.execute(
            f"SELECT {_STATE} FROM source_artifacts WHERE {condition}",  # noqa: S608 - constants
            bindings,
        ).fetchone()
        return ArtifactRow(*found) if found is not None else None
