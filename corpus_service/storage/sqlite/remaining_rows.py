"""Facts of a source computed again from the observations that are left of it."""

from __future__ import annotations

from typing import Final

from corpus_service.storage.sqlite.writing import Transaction

_COUNTS: Final = """
    UPDATE sources SET
        observation_count = seen.number,
        fetched_time = seen.fetched,
        first_observed_time = seen.first_time,
        last_observed_time = seen.last_time,
        first_sequence = seen.first_sequence,
        version_count = (SELECT count(*) FROM document_versions WHERE source = :source)
    FROM (
        SELECT count(*) AS number, max(fetched_time) AS fetched, min(observed_time) AS first_time,
            max(observed_time) AS last_time, min(sequence) AS first_sequence
        FROM observations WHERE source = :source AND verdict = 0
    ) AS seen
    WHERE row = :source
"""
_LISTED: Final = """
    UPDATE sources SET listed_sequence = (
        SELECT min(sequence) FROM observations
        WHERE source = :source AND verdict = 0 AND observed_time = sources.last_observed_time
    ) WHERE row = :source
"""
# The order of `domain.currency.Claim`; a content with text stands before one without.
_BEST: Final = """
    SELECT o.row, o.artifact, (
            SELECT max(v.row) FROM document_versions AS v WHERE v.artifact = o.artifact
        ) AS version, a.grade, o.fetched_time IS NOT NULL AS known,
        coalesce(o.fetched_time, o.observed_time) AS time
    FROM observations AS o JOIN source_artifacts AS a ON a.row = o.artifact
    WHERE o.source = :source AND o.verdict = 0 AND o.never_current = 0 AND a.grade > 0
    ORDER BY version IS NOT NULL DESC, a.grade DESC, known DESC, time DESC, o.row DESC LIMIT 1
"""
_MAKE_CURRENT: Final = """
    UPDATE sources SET current_artifact = :artifact, current_version = :version,
        current_grade = :grade, current_fetched_known = :known, current_fetched = :time,
        original_uri = CASE WHEN o.final_uri <> '' THEN o.final_uri
            WHEN o.requested_uri <> '' THEN o.requested_uri ELSE sources.canonical_uri END,
        family = o.family, kind = o.kind, trust = a.trust, license_hint = o.license_hint,
        title = coalesce(nullif(
            (SELECT title FROM document_versions WHERE row = :version), ''), o.title)
    FROM observations AS o JOIN source_artifacts AS a ON a.row = o.artifact
    WHERE o.row = :observation AND sources.row = :source
"""
_NO_CURRENT: Final = """
    UPDATE sources SET current_grade = 0, current_fetched_known = 0, current_fetched = 0,
        license_hint = '', title = coalesce((
            SELECT o.title FROM observations AS o WHERE o.source = :source AND o.verdict = 0
            ORDER BY o.observed_time DESC, o.row DESC LIMIT 1
        ), '')
    WHERE row = :source
"""


def recompute_source(transaction: Transaction, source: int) -> str:
    """Count what is left and, where the current content is gone, choose the best one that is left.

    Returns:
        Id of the current version, "" without one.
    """
    connection = transaction.connection
    one = {"source": source}
    connection.execute(_COUNTS, one)
    connection.execute(_LISTED, one)
    kept = connection.execute("SELECT current_artifact FROM sources WHERE row = :source", one).get
    if kept is None:
        best = connection.execute(_BEST, one).fetchone()
        if best is None:
            connection.execute(_NO_CURRENT, one)
        else:
            observation, artifact, version, grade, known, time = best
            connection.execute(
                _MAKE_CURRENT,
                one
                | {
                    "observation": observation,
                    "artifact": artifact,
                    "version": version,
                    "grade": grade,
                    "known": known,
                    "time": time,
                },
            )
            if version is not None:
                connection.execute(
                    "INSERT INTO currency (version, from_sequence, until_sequence)"
                    " VALUES (?, ?, NULL)",
                    (version, transaction.sequence),
                )
    current: str | None = connection.execute(
        "SELECT v.id FROM sources AS s JOIN document_versions AS v ON v.row = s.current_version"
        " WHERE s.row = :source",
        one,
    ).get
    return current or ""
