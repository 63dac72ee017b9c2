"""What follows from the rows of an import: made from them, and refused where they contradict."""

from __future__ import annotations

from typing import Final

import apsw

from corpus_service.domain.exports import GameState
from corpus_service.domain.vocabulary import SourceRole, Trust
from corpus_service.storage.import_faults import row_invalid

_ARTIFACTS: Final = """
    UPDATE source_artifacts SET observation_count = seen.number, fetched_at = seen.fetched,
        readable_sequence = seen.first_sequence
    FROM (
        SELECT artifact, count(*) AS number, max(fetched_time) AS fetched,
            min(sequence) AS first_sequence
        FROM observations GROUP BY artifact
    ) AS seen
    WHERE seen.artifact = source_artifacts.row
"""
_SOURCES: Final = """
    UPDATE sources SET observation_count = seen.number, fetched_time = seen.fetched,
        first_observed_time = seen.first_time, last_observed_time = seen.last_time,
        first_sequence = seen.first_sequence
    FROM (
        SELECT source, count(*) AS number, max(fetched_time) AS fetched,
            min(observed_time) AS first_time, max(observed_time) AS last_time,
            min(sequence) AS first_sequence
        FROM observations GROUP BY source
    ) AS seen
    WHERE seen.source = sources.row
"""
_VERSION_COUNTS: Final = """
    UPDATE sources SET version_count = seen.number
    FROM (SELECT source, count(*) AS number FROM document_versions GROUP BY source) AS seen
    WHERE seen.source = sources.row
"""
_LISTED: Final = """
    UPDATE sources SET listed_sequence = (
        SELECT min(o.sequence) FROM observations AS o
        WHERE o.source = sources.row AND o.observed_time = sources.last_observed_time
    )
"""
_CURRENCY: Final = (
    "INSERT INTO currency (version, from_sequence, until_sequence)"
    " SELECT current_version, ?, NULL FROM sources WHERE current_version IS NOT NULL"
)
_CONTRADICTIONS: Final = {
    "sources": "SELECT 1 FROM sources WHERE first_sequence IS NULL",
    "artifacts": "SELECT 1 FROM source_artifacts WHERE readable_sequence IS NULL",
    "envelopes": "SELECT 1 FROM envelopes WHERE source_count = 0",
    "chunks": (
        "SELECT 1 FROM document_versions AS v WHERE v.chunk_count > 0"
        " AND NOT EXISTS (SELECT 1 FROM source_chunks AS c WHERE c.id = v.row)"
    ),
    "contents": (
        "SELECT content_hash FROM source_artifacts UNION ALL"
        " SELECT content_hash FROM representations UNION ALL"
        " SELECT result_hash FROM envelopes WHERE result_hash <> '' EXCEPT SELECT hash FROM blobs"
    ),
}
"""Table to a statement that finds a row of it that no export has."""
# No archive makes a model's text or a tool's list a better witness than its observations do: see
# `corpus_service.trust.trust_of`.
_TRUST: Final = """
    SELECT 1 FROM source_artifacts AS a JOIN (
        SELECT artifact, max(synthetic = 0 AND role <> :derived) AS real,
            max(synthetic = 0 AND role NOT IN (:derived, :listing)) AS document
        FROM observations GROUP BY artifact
    ) AS seen ON seen.artifact = a.row
    WHERE a.synthetic = 0 AND (
        NOT seen.real OR a.trust = :by_model
        OR (a.trust <> :by_tool AND (NOT seen.document OR a.source_uri GLOB 'tool:*'
            OR (a.trust = :local) <> (a.source_uri GLOB 'file:*')))
    )
"""
_SIZES: Final = (
    "SELECT 1 FROM source_artifacts AS a JOIN blobs AS b ON b.hash = a.content_hash"
    " WHERE b.size_bytes <> a.size_bytes"
)
_BELONGING: Final = (
    "SELECT hash FROM blobs EXCEPT SELECT content_hash FROM source_artifacts"
    " EXCEPT SELECT content_hash FROM representations EXCEPT SELECT result_hash FROM envelopes"
)
_PIECES: Final = (
    "SELECT 1 FROM blobs AS b WHERE (b.piece_count, b.size_bytes) IS NOT ("
    "SELECT count(*), coalesce(sum(p.size_bytes), 0) FROM blob_pieces AS p"
    " WHERE p.row BETWEEN b.row * 65536 AND b.row * 65536 + 65535)"
)


def make_facts(connection: apsw.Connection, state: GameState, next_chunk: int) -> None:
    """Make counts, times and the commit that the game goes on from.

    Raises:
        Failure: ``ARCHIVE_ROW_INVALID`` with the table whose rows contradict others.
    """
    for statement in (_ARTIFACTS, _SOURCES, _VERSION_COUNTS, _LISTED):
        connection.execute(statement)
    for table, statement in (
        *_CONTRADICTIONS.items(),
        ("artifacts", _SIZES),
        ("contents", _BELONGING),
        ("contents", _PIECES),
    ):
        if connection.execute(f"{statement} LIMIT 1").get is not None:
            raise row_invalid(table)
    words: dict[str, int] = {
        "derived": SourceRole.DERIVED,
        "listing": SourceRole.ARTIFACT,
        "by_model": Trust.SYNTHETIC,
        "by_tool": Trust.DISCOVERY,
        "local": Trust.LOCAL,
    }
    if connection.execute(f"{_TRUST} LIMIT 1", words).get is not None:
        raise row_invalid("artifacts")
    connection.execute(_CURRENCY, (state.sequence,))
    if state.sequence:
        committed = connection.execute("SELECT max(committed_time) FROM envelopes").get
        connection.execute(
            "INSERT INTO commits (sequence, committed_time, next_chunk) VALUES (?, ?, ?)",
            (state.sequence, committed or 0, next_chunk),
        )
