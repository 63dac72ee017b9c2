"""Lists sources in every order, through the views of readable rows alone."""

from __future__ import annotations

from typing import Final

import apsw

from corpus_service.domain.queries import (
    SORTED_TITLE_CODE_POINTS_MAX,
    SourceFilter,
    SourceOrder,
    SourceOrdering,
    SourcePosition,
)
from corpus_service.domain.sources import Snapshot, Source
from corpus_service.storage.sqlite.read_sources import SOURCE_COLUMNS, source_of
from corpus_service.storage.sqlite.rows import all_rows

_MEDIA_TYPE: Final = "lower(trim(substr(s.content_type, 1, instr(s.content_type || ';', ';') - 1)))"
_OBSERVATIONS: Final = (
    "FROM readable_observations AS o WHERE o.source = s.row AND o.sequence <= :sequence"
)
# Values as of a commit; v is the version that was current then, where there was one.
_VALUES: Final = {
    SourceOrder.TITLE: "substr(fold_title(coalesce(nullif("
    "CASE WHEN v.row IS NULL THEN s.title ELSE v.title END, ''), s.canonical_uri)),"
    f" 1, {SORTED_TITLE_CODE_POINTS_MAX})",
    SourceOrder.KIND: "coalesce(v.kind, s.kind)",
    SourceOrder.TRUST: "coalesce(v.trust, s.trust)",
    SourceOrder.FETCHED_TIME: f"coalesce((SELECT max(o.fetched_time) {_OBSERVATIONS}), -1)",
    SourceOrder.SIZE: "coalesce(v.size_bytes, s.size_bytes)",
    SourceOrder.VERSION_COUNT: "(SELECT count(*) FROM readable_versions AS n"
    " WHERE n.source = s.row AND n.sequence <= :sequence)",
    SourceOrder.OBSERVED_TIME: f"(SELECT max(o.observed_time) {_OBSERVATIONS})",
}


def list_sources(
    connection: apsw.Connection,
    game_id: str,
    narrowing: SourceFilter,
    ordering: SourceOrdering,
    *,
    limit: int,
    after: SourcePosition | None,
    as_of: Snapshot,
) -> list[tuple[Source, SourcePosition]]:
    """See `SourceReader.list_sources`.

    Every order but the usual one looks at all sources that the filter leaves.
    """
    if ordering.order is SourceOrder.NEWEST:
        return _newest_first(connection, game_id, narrowing, limit=limit, after=after, as_of=as_of)
    condition, bindings = _conditions(narrowing)
    bindings |= {"sequence": as_of.sequence, "limit": limit}
    direction, comparison = ("DESC", "<") if ordering.descending else ("ASC", ">")
    keyset = ""
    if after is not None:
        keyset = f" WHERE (place, number) {comparison} (:place, :row)"
        bindings |= {"place": after.value, "row": after.row}
    # Constants and marks alone: values are bound.
    statement = f"""
        SELECT * FROM (
            SELECT {SOURCE_COLUMNS}, s.row AS number, {_VALUES[ordering.order]} AS place
            FROM readable_sources AS s
            LEFT JOIN (
                SELECT n.row, n.source, n.title, n.kind, n.trust, n.size_bytes
                FROM version_currency AS c JOIN readable_versions AS n ON n.row = c.version
                WHERE c.from_sequence <= :sequence
                    AND (c.until_sequence IS NULL OR c.until_sequence > :sequence)
            ) AS v ON v.source = s.row
            WHERE s.first_sequence <= :sequence{condition}
        ){keyset}
        ORDER BY place {direction}, number {direction} LIMIT :limit
    """  # noqa: S608
    rows = all_rows(connection, statement, bindings)
    return [(source_of(game_id, row[:19]), SourcePosition(row[20], row[19])) for row in rows]


def _newest_first(
    connection: apsw.Connection,
    game_id: str,
    narrowing: SourceFilter,
    *,
    limit: int,
    after: SourcePosition | None,
    as_of: Snapshot,
) -> list[tuple[Source, SourcePosition]]:
    """Sources by their newest observation, out of an index.

    Two branches: sources that were observed no more since the snapshot stand where the index has
    them, the few others where their newest observation of the snapshot puts them.
    """
    condition, bindings = _conditions(narrowing)
    bindings |= {"sequence": as_of.sequence, "limit": limit}
    keyset = keyset_still = ""
    if after is not None:
        keyset = " WHERE (place, number) < (:time, :row)"
        keyset_still = " AND (s.last_observed_time, s.row) < (:time, :row)"
        bindings |= {"time": after.value, "row": after.row}
    # Constants and marks alone: values are bound.
    statement = f"""
        SELECT * FROM (
            SELECT {SOURCE_COLUMNS}, s.row AS number, s.last_observed_time AS place
            FROM readable_sources AS s
            WHERE s.listed_sequence <= :sequence{condition}{keyset_still}
            ORDER BY s.last_observed_time DESC, s.row DESC LIMIT :limit
        )
        UNION ALL
        SELECT * FROM (
            SELECT {SOURCE_COLUMNS}, s.row AS number, (
                SELECT max(o.observed_time) FROM readable_observations AS o
                WHERE o.source = s.row AND o.sequence <= :sequence
            ) AS place
            FROM readable_sources AS s
            WHERE s.listed_sequence > :sequence AND s.first_sequence <= :sequence{condition}
        ){keyset}
        ORDER BY place DESC, number DESC LIMIT :limit
    """  # noqa: S608
    rows = all_rows(connection, statement, bindings)
    return [(source_of(game_id, row[:19]), SourcePosition(row[20], row[19])) for row in rows]


def _conditions(narrowing: SourceFilter) -> tuple[str, dict[str, object]]:
    condition = ""
    bindings: dict[str, object] = {}
    for number, (expression, values) in enumerate(
        (
            ("s.family", narrowing.families),
            ("s.kind", narrowing.kinds),
            ("s.host", narrowing.hosts),
            ("s.language", narrowing.languages),
            (_MEDIA_TYPE, narrowing.content_types),
            ("s.trust", narrowing.trust),
        )
    ):
        if values:
            marks = [f":value{number}_{position}" for position in range(len(values))]
            condition += f" AND {expression} IN ({', '.join(marks)})"
            bindings |= dict(zip((mark[1:] for mark in marks), values, strict=True))
    if narrowing.text:
        condition += (
            " AND (instr(fold_title(s.title), :text) OR instr(fold_title(s.canonical_uri), :text))"
        )
        bindings["text"] = narrowing.text
    for name, comparison in (("fetched_after", ">="), ("fetched_before", "<")):
        if (time := getattr(narrowing, name)) is not None:
            condition += f" AND s.fetched_time {comparison} :{name}"
            bindings[name] = time
    if narrowing.uri_prefix:
        condition += " AND substr(s.canonical_uri, 1, length(:prefix)) = :prefix"
        bindings["prefix"] = narrowing.uri_prefix
    if narrowing.run_id:
        condition += (
            " AND EXISTS (SELECT 1 FROM readable_run_links AS l"
            " WHERE l.run_id = :run AND l.source = s.row AND l.sequence <= :sequence)"
        )
        bindings["run"] = narrowing.run_id
    return condition, bindings
