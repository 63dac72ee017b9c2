"""Gives the rows of an export. Every statement asks a view of readable rows which rows there are."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

import apsw

from corpus_service.domain.exports import CHUNKS, TABLES, TakeRow
from corpus_service.storage.sqlite.rows import Row
from corpus_service.storage.text_proof import TextFacts, TextProof
from sourcecorpus.rpc.failures import Failure, FailureCode

_ENVELOPE: Final = (
    "e.envelope_id, e.fingerprint, e.sequence, e.committed_time, e.outcome, e.tool_name,"
    " e.capture_session_id, e.run_id, e.session_id, e.parent_session_id, e.task_id, e.turn_id,"
    " e.tool_call_id, e.parent_tool_call_id, e.attempt, e.arguments, e.result_hash,"
    " e.result_media_type, e.status, e.error, e.started_time, e.finished_time, e.received_time,"
    " e.rule_set_version, e.redaction_key_id, e.masks_json, e.authenticated, e.paywalled, e.robots,"
    " e.client_name, e.client_version, e.traceparent"
)
_OBSERVATION: Final = (
    "o.outcome, o.role, o.completeness, o.derivation, o.fetched_time, o.fetch_time_unknown,"
    " o.family, o.kind, o.title, o.content_type, o.requested_uri, o.final_uri, o.canonicalised,"
    " o.locator, o.window_json, o.http_status, o.headers_json, o.error, o.error_code, o.rank,"
    " o.list_group, o.list_order, o.claims_json, o.metadata_json, o.license_hint, o.language,"
    " o.synthetic, o.shape_unknown, o.snippet, o.never_current, o.also_stub, o.upstream_masked,"
    " o.job_id, o.repeats_earlier_content"
)

STATEMENTS: Final = {
    "contents": "SELECT hash, size_bytes, content_type FROM readable_contents ORDER BY hash",
    "sources": (
        "SELECT id, canonical_uri, original_uri, family, kind, title, trust, license_hint"
        " FROM readable_sources ORDER BY row"
    ),
    "artifacts": (
        "SELECT a.id, s.id, a.source_uri, a.content_hash, a.content_type, a.size_bytes, a.family,"
        " a.source_kind, a.title, a.run_id, a.tool_call_id,"
        " coalesce((SELECT p.id FROM readable_artifacts AS p WHERE p.id = a.parent_id), ''),"
        " a.license_hint, a.metadata_json, a.completeness, a.grade, a.trust, a.synthetic,"
        " a.extraction_failure, a.failed_extractor, a.failed_extractor_version"
        " FROM readable_artifacts AS r JOIN source_artifacts AS a ON a.row = r.row"
        " JOIN sources AS s ON s.row = a.source ORDER BY a.row"
    ),
    "versions": (
        "SELECT v.id, v.artifact_id, v.extractor, v.extractor_version, v.language, v.created_at,"
        " v.sequence, v.text_hash, v.text_length, v.line_count, v.chunk_count, v.title,"
        " v.repairs_json, v.facts_json"
        " FROM passage_versions AS r JOIN document_versions AS v ON v.row = r.row ORDER BY v.row"
    ),
    "currents": (
        "SELECT s.id, a.id, coalesce(v.id, ''), s.current_grade, s.current_fetched_known,"
        " s.current_fetched FROM readable_sources AS r JOIN sources AS s ON s.row = r.row"
        " JOIN readable_artifacts AS a ON a.row = s.current_artifact"
        " LEFT JOIN passage_versions AS v ON v.row = s.current_version ORDER BY s.row"
    ),
    "chunks": (
        "SELECT c.version_id, c.ordinal, c.span_start, c.span_end, c.first_line, c.token_count,"
        " c.heading_path, c.text, v.text_hash, v.text_length, v.line_count, v.chunk_count"
        " FROM readable_chunks AS c JOIN document_versions AS v ON v.row = c.id - c.ordinal"
        " ORDER BY c.id"
    ),
    "envelopes": (
        f"SELECT {_ENVELOPE} FROM readable_envelopes AS r"  # noqa: S608 - constants alone
        " JOIN envelopes AS e ON e.row = r.row ORDER BY e.row"
    ),
    "observations": (
        "SELECT r.envelope_id, r.position, s.id, r.artifact_id, coalesce(v.id, ''),"  # noqa: S608
        f" coalesce(p.id, ''), {_OBSERVATION} FROM readable_observations AS r"
        " JOIN observations AS o ON o.row = r.row JOIN sources AS s ON s.row = o.source"
        " LEFT JOIN passage_versions AS v ON v.row = o.version"
        " LEFT JOIN readable_sources AS p ON p.row = o.parent_source ORDER BY o.row"
    ),
    "representations": (
        "SELECT o.envelope_id, o.position, r.position, r.name, r.media_type, r.content_hash"
        " FROM readable_observations AS o JOIN readable_representations AS r"
        " ON r.observation = o.row ORDER BY o.row, r.position"
    ),
    "run_links": (
        "SELECT l.run_id, a.id, l.use, l.sequence FROM readable_run_links AS l"
        " JOIN readable_artifacts AS a ON a.row = l.artifact ORDER BY l.sequence, l.run_id, a.id"
    ),
    "run_places": (
        "SELECT run_id, version_id, span_start, span_end, use, sequence FROM readable_run_refs"
        " ORDER BY run_id, version_id, span_start, span_end"
    ),
    "tombstones": (
        "SELECT version_id, source_id, canonical_uri, title, content_hash, fetched_time,"
        " deleted_time, reason, note FROM deleted_versions ORDER BY version_id"
    ),
}
"""Table to statement; columns as in `corpus_service.domain.exports`."""

_WITHOUT_BYTES: Final = (
    "SELECT content_hash FROM readable_artifacts UNION ALL"
    " SELECT content_hash FROM readable_representations UNION ALL"
    " SELECT result_hash FROM readable_envelopes WHERE result_hash <> ''"
    " EXCEPT SELECT hash FROM readable_contents LIMIT 1"
)
_PROVEN_COLUMNS: Final = len(CHUNKS.columns)


def export_rows(connection: apsw.Connection, tables: Collection[str], take: TakeRow) -> None:
    """See `GameTransfer.export_rows`; the connection is in a transaction."""
    if "contents" in tables and connection.execute(_WITHOUT_BYTES).get is not None:
        raise Failure(FailureCode.DATA_LOSS, "STORED_HASH_MISMATCH", "content_hash")
    for table in TABLES:
        if table.name not in tables:
            continue
        rows: Iterator[Row] = connection.execute(STATEMENTS[table.name])
        if table is CHUNKS:
            rows = _proven(rows)
        for row in rows:
            take(table.name, row)


def _proven(rows: Iterator[Row]) -> Iterator[Row]:
    """Gives chunks, comparing each text with its version before the next one begins."""
    proof: TextProof | None = None
    for row in rows:
        version_id, ordinal, start, end, first_line, _, _, text = row[:_PROVEN_COLUMNS]
        if proof is None or proof.facts.version_id != version_id:
            _check(proof)
            proof = TextProof(TextFacts(version_id, *row[_PROVEN_COLUMNS:]))
        if not proof.follows(ordinal, start, end, first_line, text):
            raise damaged_text(version_id)
        yield row[:_PROVEN_COLUMNS]
    _check(proof)


def _check(proof: TextProof | None) -> None:
    if proof is not None and not proof.whole():
        raise damaged_text(proof.facts.version_id)


def damaged_text(version_id: str) -> Failure:
    """The answer where a stored text is not what its version says."""
    return Failure(
        FailureCode.DATA_LOSS, "STORED_HASH_MISMATCH", metadata={"version_id": version_id}
    )
