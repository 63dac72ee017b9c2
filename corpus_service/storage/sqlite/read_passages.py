"""Full-text candidates: FTS5 orders by its bm25(), filters look at readable versions."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Final

import apsw

from corpus_service.domain.queries import Candidate, Query, SearchFilter, SearchPosition
from corpus_service.domain.sources import Passage, Snapshot
from corpus_service.domain.vocabulary import VersionScope
from corpus_service.storage.sqlite.best_matches import (
    Statistics,
    best_of_some,
    score_expression,
    statistics_of,
)
from corpus_service.storage.sqlite.match_expressions import leaves_of, match_expression
from corpus_service.storage.sqlite.read_texts import passage_of
from corpus_service.storage.sqlite.rows import Row, all_rows
from corpus_service.storage.sqlite.scoring import KNOWN_SCORE

_JOIN: Final = (
    " CROSS JOIN readable_versions AS v ON v.row ="
    " (SELECT max(p.row) FROM passage_versions AS p WHERE p.row <= m.row)"
    # A chunk of a version that is not readable must not count for the version before it.
    " WHERE m.row < v.row + v.chunk_count"
)
# The filter first looks at so many matches: enough for most pages, cheap beside ranking.
FILTERED_FIRST_MIN: Final = 64
FILTERED_FIRST_FACTOR: Final = 4
# Matches ranked beyond those that are asked for, as the filter may take some away.
SPARE_MATCHES: Final = 24


def search(
    connection: apsw.Connection,
    query: Query,
    narrowing: SearchFilter,
    *,
    limit: int,
    after: SearchPosition | None,
    as_of: Snapshot,
    present: Snapshot,
) -> list[Candidate]:
    """See `PassageIndex.search`; inside a read transaction, ``present`` being its snapshot."""
    whole = as_of.sequence == present.sequence
    statistics = statistics_of(connection, as_of, whole=whole)
    if statistics is None:
        return []
    filters, bindings = conditions(narrowing)
    expression = match_expression(query)
    bindings |= {"match": expression, "sequence": as_of.sequence, "limit": limit}
    condition = ""
    if whole:
        if after is None:
            some = _best_of_some(connection, query, statistics, filters, bindings)
            if some is not None:
                return some
        score, values = score_expression(connection, query, statistics, expression=expression)
        bindings |= values
    else:
        score = KNOWN_SCORE
        condition = " AND passage_index.rowid < :next"
        bindings["next"] = statistics.state.next_chunk
        bindings["statistics"] = statistics.written(connection, leaves_of(query))
    keyset = ""
    if after is not None:
        keyset = " WHERE (score, row) > (:score, :row)"
        bindings |= {"score": -after.score, "row": after.row}
    matches = (
        f"SELECT passage_index.rowid AS row, {score} AS score FROM passage_index"  # noqa: S608
        f" WHERE passage_index MATCH :match{condition}"
    )
    found = _best_of_the_first(connection, matches, keyset, filters, bindings)
    if found is None:
        found = _best_of_all(connection, matches, keyset, filters, bindings)
    return [Candidate(row, version_id, -value) for row, version_id, value in found]


def _best_of_some(
    connection: apsw.Connection,
    query: Query,
    statistics: Statistics,
    filters: str,
    bindings: dict[str, object],
) -> list[Candidate] | None:
    """Rank the passages with rare words alone where that is enough; None where it is not."""
    limit = bindings["limit"]
    assert isinstance(limit, int)
    fetched = limit + SPARE_MATCHES
    ranked = best_of_some(connection, query, statistics, fetched)
    if ranked is None:
        return None
    versions: dict[int, str] = dict(
        all_rows(
            connection,
            "SELECT m.row, v.id FROM (SELECT value AS row FROM json_each(:rows)) AS m"  # noqa: S608
            f"{_JOIN}{filters}",
            bindings | {"rows": json.dumps([row for row, _ in ranked])},
        )
    )
    found = [Candidate(row, versions[row], -score) for row, score in ranked if row in versions]
    return found[:limit] if len(found) >= limit else None


def _best_of_the_first(
    connection: apsw.Connection,
    matches: str,
    keyset: str,
    filters: str,
    bindings: dict[str, object],
) -> list[Row] | None:
    """Rank everything, then ask the filter about the first few hundred alone.

    Most filters let most chunks pass, and a look at the version of every match costs more than its
    score. None where these do not fill the page although there are more.
    """
    limit = bindings["limit"]
    assert isinstance(limit, int)
    fetched = max(FILTERED_FIRST_MIN, limit * FILTERED_FIRST_FACTOR)
    rows = all_rows(
        connection,
        f"WITH ranked AS MATERIALIZED (SELECT * FROM ({matches}){keyset}"  # noqa: S608 - constants
        " ORDER BY score, row LIMIT :fetched) SELECT * FROM ("
        "SELECT 0 AS row, '' AS version_id, -1e999 AS score, (SELECT count(*) FROM ranked)"
        f" UNION ALL SELECT m.row, v.id, m.score, 0 FROM ranked AS m{_JOIN}{filters}"
        ") ORDER BY score, row LIMIT :limit + 1",
        bindings | {"fetched": fetched},
    )
    ranked = rows[0][3]
    found = [row[:3] for row in rows[1:]]
    return found if len(found) == limit or ranked < fetched else None


def _best_of_all(
    connection: apsw.Connection,
    matches: str,
    keyset: str,
    filters: str,
    bindings: dict[str, object],
) -> list[Row]:
    """Ask the filter about every match."""
    return all_rows(
        connection,
        f"SELECT row, version_id, score FROM (SELECT m.row AS row, v.id AS version_id,"  # noqa: S608
        f" m.score AS score FROM ({matches}) AS m{_JOIN}{filters}){keyset}"
        " ORDER BY score, row LIMIT :limit",
        bindings,
    )


def count_matches(connection: apsw.Connection, query: Query, *, limit: int) -> int:
    """See `PassageIndex.count_matches`."""
    found: int = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM passage_index WHERE passage_index MATCH ? LIMIT ?)",
        (match_expression(query), limit),
    ).get
    return found


def passages(connection: apsw.Connection, rows: Collection[int]) -> Mapping[int, Passage]:
    """See `PassageIndex.passages`."""
    numbers = list(rows)
    found = all_rows(
        connection,
        "SELECT id, version_id, ordinal, span_start, span_end, first_line,"  # noqa: S608 - marks
        " heading_path, text, token_count FROM readable_chunks"
        f" WHERE id IN ({', '.join('?' * len(numbers))})",
        numbers,
    )
    return {row[0]: passage_of(row) for row in found}


def conditions(narrowing: SearchFilter) -> tuple[str, dict[str, object]]:
    """Write a filter of versions ``v`` as " AND …" with its bindings; ``:sequence`` is the snapshot."""
    parts: list[str] = []
    bindings: dict[str, object] = {}

    def one_of(column: str, values: Collection[object], form: str = "{0} IN ({1})") -> None:
        if not values:
            return
        marks = []
        for value in values:
            name = f"v{len(bindings)}"
            bindings[name] = value
            marks.append(f":{name}")
        parts.append(form.format(column, ", ".join(marks)))

    one_of("v.family", narrowing.families)
    one_of("v.kind", narrowing.kinds)
    one_of("v.host", narrowing.hosts)
    one_of("v.language", narrowing.languages)
    one_of("v.media_type", narrowing.content_types)
    one_of("v.trust", narrowing.trust)
    one_of(
        "v.artifact",
        narrowing.run_ids,
        "EXISTS (SELECT 1 FROM readable_run_links AS l WHERE l.artifact = {0}"
        " AND l.run_id IN ({1}) AND l.sequence <= :sequence)",
    )
    prefixes = []
    for prefix in narrowing.uri_prefixes:
        name = f"v{len(bindings)}"
        bindings[name] = prefix
        prefixes.append(f"substr(v.canonical_uri, 1, length(:{name})) = :{name}")
    if prefixes:
        parts.append(f"({' OR '.join(prefixes)})")
    for operator, bound, name in (
        (">=", narrowing.fetched_after, "fetched_after"),
        ("<", narrowing.fetched_before, "fetched_before"),
    ):
        if bound is not None:
            parts.append(f"v.fetched_time {operator} :{name}")
            bindings[name] = bound
    if narrowing.version_scope is VersionScope.LATEST:
        parts.append(
            "EXISTS (SELECT 1 FROM version_currency AS c WHERE c.version = v.row"
            " AND c.from_sequence <= :sequence"
            " AND (c.until_sequence IS NULL OR c.until_sequence > :sequence))"
        )
    return "".join(f" AND {part}" for part in parts), bindings
