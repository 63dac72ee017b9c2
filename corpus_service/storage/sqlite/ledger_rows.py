"""Rows of the ingest ledger: one for each envelope, whatever came of it."""

from __future__ import annotations

from typing import Final

import apsw

from corpus_service.domain.records import IngestedSource, IngestResult
from corpus_service.domain.vocabulary import IngestStatus, Outcome
from corpus_service.storage.json_values import counts_json
from corpus_service.storage.preparation import PreparedRecord
from corpus_service.storage.sqlite.rows import all_rows
from corpus_service.storage.sqlite.writing import Transaction
from sourcecorpus.identity.identifiers import observation_id

_COLUMNS: Final = (
    "envelope_id, fingerprint, sequence, committed_time, outcome, probe, readable,"
    " first_observation, source_count, tool_name, capture_session_id, run_id, session_id,"
    " parent_session_id, task_id, turn_id, tool_call_id, parent_tool_call_id, attempt, arguments,"
    " result_hash, result_media_type, status, error, started_time, finished_time, received_time,"
    " rule_set_version, redaction_key_id, masks_json, authenticated, paywalled, robots,"
    " client_name, client_version, traceparent"
)
_INSERT: Final = (
    f"INSERT INTO envelopes ({_COLUMNS})"  # noqa: S608 - constants alone
    f" VALUES ({', '.join('?' * (_COLUMNS.count(',') + 1))})"
)


def insert_envelope(
    transaction: Transaction, prepared: PreparedRecord, *, first_observation: int, readable: bool
) -> int:
    """Insert the ledger row and return its number; a probe's row keeps nothing that it brought."""
    record = prepared.record
    payload = not record.probe
    transaction.connection.execute(
        _INSERT,
        (
            record.envelope_id,
            record.envelope_fingerprint,
            transaction.sequence,
            prepared.committed_time,
            Outcome.STORED,
            int(record.probe),
            int(readable),
            first_observation,
            len(record.sources) if payload else 0,
            record.tool_name,
            record.capture_session_id,
            record.run_id,
            record.session_id,
            record.parent_session_id,
            record.task_id,
            record.turn_id,
            record.tool_call_id,
            record.parent_tool_call_id,
            record.attempt,
            record.arguments if payload else b"",
            record.result_hash if payload else "",
            record.result_media_type,
            record.status,
            record.error if payload else "",
            record.started_time,
            record.finished_time,
            record.received_time,
            record.redaction_rule_set_version,
            record.redaction_key_id,
            counts_json(record.masks),
            int(record.access.authenticated),
            int(record.access.paywalled),
            record.access.robots,
            record.client_name,
            record.client_version,
            record.traceparent,
        ),
    )
    return transaction.connection.last_insert_rowid()


def repeat_result(connection: apsw.Connection, envelope_id: str) -> IngestResult:
    """Return what came of an envelope that is in the ledger, as DUPLICATE."""
    ((outcome, first, count),) = all_rows(
        connection,
        "SELECT outcome, first_observation, source_count FROM envelopes WHERE envelope_id = ?",
        (envelope_id,),
    )
    rows = all_rows(
        connection,
        "SELECT o.position, s.canonical_uri, s.id, coalesce(a.id, ''), coalesce(v.id, ''),"
        " o.outcome, coalesce(a.extraction_failure, '') FROM observations AS o"
        " JOIN sources AS s ON s.row = o.source"
        " LEFT JOIN source_artifacts AS a ON a.row = o.artifact"
        " LEFT JOIN document_versions AS v ON v.row = o.version"
        " WHERE o.row BETWEEN ? AND ?"
        # Numbers of deleted observations are given again.
        " AND o.envelope = (SELECT row FROM envelopes WHERE envelope_id = ?) ORDER BY o.row",
        (first, first + count - 1, envelope_id),
    )
    sources = tuple(
        IngestedSource(
            uri,
            source,
            artifact,
            version,
            observation_id(envelope_id, position),
            Outcome(of_source),
            failure,
        )
        for position, uri, source, artifact, version, of_source, failure in rows
    )
    return IngestResult(envelope_id, IngestStatus.DUPLICATE, Outcome(outcome), sources=sources)
