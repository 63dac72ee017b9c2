"""The transaction of one capture record.

Everything that can be refused is looked at before the first row is written, so that a refusal never
costs the group its transaction.
"""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from corpus_service.domain.records import (
    CapturedSource,
    CaptureRecord,
    IngestedSource,
    IngestResult,
)
from corpus_service.domain.vocabulary import IngestStatus, Outcome, RunUse, SourceRole
from corpus_service.storage.preparation import PreparedRecord, PreparedSource
from corpus_service.storage.sqlite.artifact_rows import ArtifactRow, ArtifactTable
from corpus_service.storage.sqlite.blob_rows import BlobTable
from corpus_service.storage.sqlite.ledger_rows import insert_envelope, repeat_result
from corpus_service.storage.sqlite.observation_rows import insert_observation
from corpus_service.storage.sqlite.source_rows import SourceRow, SourceTable
from corpus_service.storage.sqlite.version_rows import VersionRow, VersionTable
from corpus_service.storage.sqlite.writing import Transaction
from corpus_service.trust import Verdict, judge
from sourcecorpus.identity.identifiers import artifact_id, observation_id


def ingest(transaction: Transaction, game_id: str, prepared: PreparedRecord) -> IngestResult:
    """Store one record: all of it, or nothing and why."""
    record = prepared.record
    known = transaction.connection.execute(
        "SELECT row, fingerprint FROM envelopes WHERE envelope_id = ?", (record.envelope_id,)
    ).fetchone()
    if known is not None:
        if known[1] != record.envelope_fingerprint:
            return IngestResult(
                record.envelope_id,
                IngestStatus.REJECTED,
                Outcome.REJECTED,
                reason="ENVELOPE_ID_REUSED",
                faulty_field="envelope_id",
            )
        return repeat_result(transaction.connection, record.envelope_id)
    return _RecordIngest(transaction, game_id, prepared).run()


class _RecordIngest:
    """One record on its way through the tables."""

    def __init__(self, transaction: Transaction, game_id: str, prepared: PreparedRecord) -> None:
        self._transaction = transaction
        self._connection: apsw.Connection = transaction.connection
        self._prepared = prepared
        self._record: CaptureRecord = prepared.record
        self._game_id = game_id
        self._blobs = BlobTable(transaction.connection)
        self._sources = SourceTable(transaction, game_id)
        self._artifacts = ArtifactTable(transaction, game_id)
        self._versions = VersionTable(transaction)

    def run(self) -> IngestResult:
        record = self._record
        if record.probe:
            return self._keep_probe()
        verdicts = [
            self._judge(source, prepared)
            for source, prepared in zip(record.sources, self._prepared.sources, strict=True)
        ]
        types = _referenced_contents(record)
        missing = self._blobs.missing(types, self._prepared)
        if missing:
            return IngestResult(
                record.envelope_id,
                IngestStatus.NEED_CONTENT,
                missing_content_hashes=tuple(missing),
            )
        self._transaction.committed_time = self._prepared.committed_time
        readable = _readable_hashes(record, verdicts)
        self._blobs.store(types, readable, self._prepared)
        rows = [self._sources.load_or_make(source) for source in record.sources]
        first = self._next_observation()
        envelope = self._insert_envelope(first, Verdict.READABLE in verdicts)
        results = tuple(
            self._store_source(position, rows, verdicts[position], envelope, first + position)
            for position in range(len(rows))
        )
        outcome = _overall([result.outcome for result in results])
        if outcome is not Outcome.STORED:
            self._connection.execute(
                "UPDATE envelopes SET outcome = ? WHERE row = ?", (outcome, envelope)
            )
        return IngestResult(record.envelope_id, IngestStatus.COMMITTED, outcome, sources=results)

    def _keep_probe(self) -> IngestResult:
        self._transaction.committed_time = self._prepared.committed_time
        self._insert_envelope(0, readable=False)
        return IngestResult(self._record.envelope_id, IngestStatus.COMMITTED, Outcome.STORED)

    def _insert_envelope(self, first_observation: int, readable: bool) -> int:
        return insert_envelope(
            self._transaction,
            self._prepared,
            first_observation=first_observation,
            readable=readable,
        )

    def _judge(self, source: CapturedSource, prepared: PreparedSource) -> Verdict:
        unchanged = (
            not source.content_hash
            and source.repeats_earlier_content
            and self._artifacts.earlier(source, self._record.session_id) is not None
        )
        return judge(
            probe=self._record.probe,
            role=source.role,
            completeness=source.completeness,
            http_status=source.http_status,
            has_content=bool(source.content_hash) or unchanged,
            empty_frame=prepared.empty_frame,
            unchanged=unchanged,
        )

    def _next_observation(self) -> int:
        found = self._connection.execute("SELECT max(row) FROM observations").get
        return (found or 0) + 1

    def _store_source(
        self,
        position: int,
        rows: Sequence[tuple[SourceRow, bool]],
        verdict: Verdict,
        envelope: int,
        observation: int,
    ) -> IngestedSource:
        record, prepared = self._record, self._prepared.sources[position]
        source = record.sources[position]
        row, is_new = rows[position]
        parent = source.parent_position - 1
        outcome = Outcome.STORED if is_new else Outcome.OBSERVED_AGAIN
        artifact: ArtifactRow | None = None
        if source.content_hash:
            artifact, made = self._artifacts.load_or_make(
                row.row, source, record, self._parent_artifact_id(parent)
            )
            if made and not is_new:
                outcome = Outcome.NEW_VERSION
        elif source.repeats_earlier_content:
            artifact = self._artifacts.earlier(source, record.session_id)
        version: VersionRow | None = None
        if artifact is not None:
            self._artifacts.observe(artifact, source, record, prepared, verdict)
            if verdict is Verdict.READABLE:
                version = self._versions.load_or_make(row, artifact, source, prepared)
                self._sources.observe(row, source, record, artifact, version)
                self._link_run(artifact.id, source.role)
        parent_row = rows[parent][0].row if 0 <= parent < len(rows) else None
        key = (
            observation,
            envelope,
            position,
            row.row,
            artifact.row if artifact else None,
            version.row if version else None,
        )
        insert_observation(
            self._connection,
            (*key, self._transaction.sequence, verdict, outcome, parent_row),
            source,
            record,
        )
        return IngestedSource(
            source.canonical_uri,
            row.id,
            artifact.id if artifact else "",
            version.id if version else "",
            observation_id(record.envelope_id, position),
            outcome,
            prepared.extraction_failure,
        )

    def _parent_artifact_id(self, parent: int) -> str:
        if not 0 <= parent < len(self._record.sources):
            return ""
        source = self._record.sources[parent]
        if not source.content_hash:
            return ""
        return artifact_id(self._game_id, source.canonical_uri, source.content_hash)

    def _link_run(self, artifact: str, role: SourceRole) -> None:
        if not self._record.run_id:
            return
        use = RunUse.DISCOVERED if role is SourceRole.ARTIFACT else RunUse.CONSULTED
        self._connection.execute(
            "INSERT INTO run_source_links (run_id, artifact_id, use, sequence) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (run_id, artifact_id) DO UPDATE SET use = excluded.use"
            " WHERE excluded.use > use",
            (self._record.run_id, artifact, use, self._transaction.sequence),
        )


def _referenced_contents(record: CaptureRecord) -> dict[str, str]:
    """Every hash that the record names, once each, in order, with its media type."""
    found: dict[str, str] = {}
    for source in record.sources:
        if source.content_hash:
            found.setdefault(source.content_hash, source.content_type)
        for part in source.representations:
            found.setdefault(part.content_hash, part.media_type)
    if record.result_hash:
        found.setdefault(record.result_hash, record.result_media_type)
    return found


def _readable_hashes(record: CaptureRecord, verdicts: Sequence[Verdict]) -> list[str]:
    """Hashes that a readable observation names, the whole result included."""
    found: list[str] = []
    for source, verdict in zip(record.sources, verdicts, strict=True):
        if verdict is Verdict.READABLE:
            if source.content_hash:
                found.append(source.content_hash)
            found.extend(part.content_hash for part in source.representations)
    if Verdict.READABLE in verdicts and record.result_hash:
        found.append(record.result_hash)
    return list(dict.fromkeys(found))


def _overall(outcomes: Sequence[Outcome]) -> Outcome:
    """A new source makes the record STORED, else new content NEW_VERSION."""
    for outcome in (Outcome.STORED, Outcome.NEW_VERSION):
        if outcome in outcomes:
            return outcome
    return Outcome.OBSERVED_AGAIN if outcomes else Outcome.STORED
