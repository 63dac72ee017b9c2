"""Reading statements of runs: views alone."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from corpus_service.domain.run_links import CitingRun, RunPlace, RunSource
from corpus_service.domain.sources import Snapshot
from corpus_service.domain.vocabulary import RunUse, Trust
from corpus_service.storage.run_interface import RUN_PLACES_SHOWN_MAX
from corpus_service.storage.sqlite.rows import Row, all_rows


def list_run_sources(
    connection: apsw.Connection,
    run_id: str,
    *,
    least_use: RunUse,
    limit: int,
    after: int,
    as_of: Snapshot,
) -> Sequence[RunSource]:
    """See `RunLinks.list_run_sources`."""
    rows = all_rows(
        connection,
        "SELECT artifact, artifact_id, source_id, version_id, canonical_uri, original_uri, title,"
        " family, kind, trust, fetched_time, use FROM readable_run_sources"
        " WHERE run_id = ? AND use >= ? AND sequence <= ? AND artifact > ?"
        " ORDER BY artifact LIMIT ?",
        (run_id, least_use, as_of.sequence, after, limit),
    )
    return [_run_source(connection, run_id, row) for row in rows]


def _run_source(connection: apsw.Connection, run_id: str, row: Row) -> RunSource:
    found = all_rows(
        connection,
        "SELECT version_id, span_start, span_end, use FROM readable_run_refs"
        " WHERE run_id = ? AND artifact = ? ORDER BY version_id, span_start, span_end LIMIT ?",
        (run_id, row[0], RUN_PLACES_SHOWN_MAX + 1),
    )
    places = tuple(
        RunPlace(version, start, end, RunUse(use))
        for version, start, end, use in found[:RUN_PLACES_SHOWN_MAX]
    )
    return RunSource(
        row=row[0],
        artifact_id=row[1],
        source_id=row[2],
        version_id=row[3],
        canonical_uri=row[4],
        original_uri=row[5],
        title=row[6],
        family=row[7],
        kind=row[8],
        trust=Trust(row[9]),
        fetched_time=row[10],
        use=RunUse(row[11]),
        places=places,
        places_cut=len(found) > len(places),
    )


def list_citing_runs(
    connection: apsw.Connection,
    *,
    source_id: str,
    version_id: str,
    least_use: RunUse,
    limit: int,
    after: tuple[int, str] | None,
    as_of: Snapshot,
) -> Sequence[CitingRun]:
    """See `RunLinks.list_citing_runs`."""
    if source_id:
        condition = "source = (SELECT row FROM readable_sources WHERE id = :id)"
    else:
        condition = "artifact = (SELECT artifact FROM readable_versions WHERE id = :id)"
    behind = " AND (first < :sequence OR first = :sequence AND run_id > :run)" if after else ""
    rows = all_rows(
        connection,
        "SELECT run_id, strongest, first FROM (SELECT run_id, max(use) AS strongest,"  # noqa: S608 - constants
        f" min(sequence) AS first FROM readable_run_links WHERE {condition}"
        " AND sequence <= :newest GROUP BY run_id)"
        f" WHERE strongest >= :use{behind} ORDER BY first DESC, run_id LIMIT :limit",
        {
            "id": source_id or version_id,
            "newest": as_of.sequence,
            "use": int(least_use),
            "limit": limit,
            **({"sequence": after[0], "run": after[1]} if after else {}),
        },
    )
    return [CitingRun(run_id, RunUse(use), sequence) for run_id, use, sequence in rows]
