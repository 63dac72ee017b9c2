"""Versions in document order: all of them, or those of which a chunk matches."""

from __future__ import annotations

import apsw

from corpus_service.domain.queries import Query, SearchFilter, VersionScan
from corpus_service.domain.sources import Snapshot
from corpus_service.storage.sqlite.match_expressions import match_expression
from corpus_service.storage.sqlite.read_passages import conditions
from corpus_service.storage.sqlite.rows import all_rows


def scan_versions(
    connection: apsw.Connection,
    query: Query | None,
    narrowing: SearchFilter,
    *,
    first_row: int,
    limit: int,
    look_at: int,
    as_of: Snapshot,
) -> VersionScan:
    """See `PassageIndex.scan_versions`; inside a read transaction."""
    filters, bindings = conditions(narrowing)
    bindings |= {"sequence": as_of.sequence}
    admitted = "SELECT v.row, v.id FROM readable_versions AS v WHERE v.sequence <= :sequence"
    if query is None:
        # Rows of every version, readable or not: finding the last one costs no filter.
        behind: int | None = connection.execute(
            "SELECT row FROM passage_versions WHERE row >= ? ORDER BY row LIMIT 1 OFFSET ?",
            (first_row, look_at),
        ).get
        below = "" if behind is None else " AND v.row < :behind"
        rows = all_rows(
            connection,
            f"{admitted} AND v.row >= :first{below}{filters} ORDER BY v.row LIMIT :limit",
            bindings | {"first": first_row, "limit": limit, "behind": behind},
        )
        return VersionScan(tuple(rows), rows[-1][0] + 1 if len(rows) == limit else behind)
    found: list[tuple[int, str]] = []
    looked_at = 0
    next_row = first_row
    # FTS5 yields its matches by row without sorting, so that only as many are looked at as needed.
    for (chunk,) in connection.execute(
        "SELECT rowid FROM passage_index WHERE passage_index MATCH ? AND rowid >= ? ORDER BY rowid",
        (match_expression(query), first_row),
    ):
        if chunk < next_row:
            continue
        version = connection.execute(
            "SELECT row, chunk_count FROM passage_versions WHERE row <= ? ORDER BY row DESC LIMIT 1",
            (chunk,),
        ).fetchone()
        if version is None or chunk >= version[0] + version[1] or version[0] < first_row:
            continue
        if len(found) == limit or looked_at == look_at:
            return VersionScan(tuple(found), version[0])
        looked_at += 1
        next_row = version[0] + version[1]
        row = connection.execute(
            f"{admitted} AND v.row = :version{filters}", bindings | {"version": version[0]}
        ).fetchone()
        if row is not None:
            found.append(row)
    return VersionScan(tuple(found))
