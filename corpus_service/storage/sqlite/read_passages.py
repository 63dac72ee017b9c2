"""Full-text candidates: FTS5 orders by its bm25(), filters look at facts of readable versions."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

import apsw

from corpus_service.domain.queries import (
    EVERY_PASSAGE,
    Candidate,
    PassageFilter,
    Query,
    SearchFilter,
    SearchPosition,
)
from corpus_service.domain.sources import Passage, Snapshot
from corpus_service.domain.vocabulary import VersionScope
from corpus_service.storage.sqlite.best_matches import (
    Scored,
    Statistics,
    best_of_some,
    score_expression,
    statistics_of,
)
from corpus_service.storage.sqlite.match_expressions import leaves_of, match_expression
from corpus_service.storage.sqlite.read_marks import MARKED, mark_chunks
from corpus_service.storage.sqlite.read_texts import passage_of
from corpus_service.storage.sqlite.read_within import passage_conditions
from corpus_service.storage.sqlite.rows import Row, all_rows
from corpus_service.storage.sqlite.scoring import KNOWN_SCORE

# The version of a chunk is the one with the greatest row that is not above it. A chunk of a version
# that is not readable must not count for the version before it.
VERSION_OF_CHUNK: Final = (
    "readable_version_facts AS v ON v.row ="
    " (SELECT max(p.row) FROM readable_version_facts AS p WHERE p.row <= {0}) AND {0} < v.behind"
)
_WAS_CURRENT: Final = (
    "EXISTS (SELECT 1 FROM version_currency AS c WHERE c.version = v.row"
    " AND c.from_sequence <= :sequence"
    " AND (c.until_sequence IS NULL OR c.until_sequence > :sequence))"
)
_LISTED: Final = (
    "EXISTS (SELECT 1 FROM readable_versions AS d JOIN readable_members AS k ON k.source = d.source"
    " JOIN readable_observations AS o ON o.row = k.listing"
    " WHERE d.row = {0} AND o.sequence <= :sequence"
    " AND (k.collection_id IN ({1}) OR fold_title(k.collection_title) IN ({1})))"
)
# The filter first looks at so many matches beyond those that are asked for, and at several times as
# many where it does more than leave out what is superseded.
SPARE_MATCHES: Final = 8
FILTERED_MATCHES: Final = 8
# A filter of passages reads each of them, so it looks at so many before it looks at all.
STANDING_MATCHES: Final = 4_096


def search(
    connection: apsw.Connection,
    query: Query,
    narrowing: SearchFilter,
    *,
    limit: int,
    after: SearchPosition | None,
    as_of: Snapshot,
    present: Snapshot,
    within: PassageFilter,
) -> list[Candidate]:
    """See `PassageIndex.search`; inside a read transaction, ``present`` being its snapshot."""
    whole = as_of.sequence == present.sequence
    statistics = statistics_of(connection, as_of, whole=whole)
    if statistics is None:
        return []
    filters, bindings = conditions(narrowing, present=whole)
    standing = passage_conditions(within)
    bindings |= {"match": match_expression(query), "sequence": as_of.sequence, **standing.bindings}
    if after is not None:
        bindings |= {"score": -after.score, "row": after.row}
    condition = standing.matching + ("" if whole else " AND passage_index.rowid < :next")
    bindings["next"] = statistics.state.next_chunk
    # Of the fields that narrow, the host alone has an index.
    marks = mark_chunks(connection, filters, bindings) if narrowing.hosts else None
    if marks is not None:
        condition += f" AND {MARKED}"
        bindings["marks"] = marks
    number = limit + SPARE_MATCHES
    if narrowing != SearchFilter(version_scope=narrowing.version_scope) or within != EVERY_PASSAGE:
        number *= FILTERED_MATCHES
    if whole and after is None and marks is None:
        some = best_of_some(connection, query, statistics, number)
        if some is not None:
            found = _Matches(connection, "", "", filters, standing.standing, bindings).admitted(
                some, limit
            )
            if len(found) == limit:
                return found
    score, values = _scoring(connection, query, statistics)
    matches = _Matches(connection, score, condition, filters, standing.standing, bindings | values)
    further = max(number, STANDING_MATCHES) if standing.standing else number
    for most in sorted({number, further}):
        ranked = matches.best(most, behind=after is not None)
        found = [_candidate(row) for row in ranked if row[1] is not None][:limit]
        if len(found) == limit or len(ranked) < most:
            return found
    return matches.best_admitted(limit, behind=after is not None)


def _scoring(
    connection: apsw.Connection, query: Query, statistics: Statistics
) -> tuple[str, dict[str, object]]:
    """Give the expression that scores a match, with its bindings."""
    if statistics.state.whole:
        return score_expression(connection, query, statistics)
    return KNOWN_SCORE, {"statistics": statistics.written(connection, leaves_of(query))}


@dataclass(frozen=True, slots=True)
class _Matches:
    """The matches of one query: scored by an expression, admitted by a filter.

    Most filters let most chunks pass, and a look at the version of every match costs more than its
    score. So the filter is asked about the best few first and only then about all.
    """

    connection: apsw.Connection
    score: str
    condition: str
    filters: str
    standing: str
    bindings: dict[str, object]

    def best(self, number: int, *, behind: bool) -> list[Row]:
        """Returns the best matches, those behind a position alone where one was given.

        Each with its version, score and family; without a version where the filter does not admit it.
        """
        scored = (
            f"SELECT passage_index.rowid AS row, {self.score} AS score FROM passage_index"  # noqa: S608
            f" WHERE passage_index MATCH :match{self.condition}"
        )
        order = "score, passage_index.rowid DESC"
        if behind:
            # Without being written down each match would be scored several times.
            scored = (
                f"WITH m AS MATERIALIZED ({scored}) SELECT row, score FROM m"  # noqa: S608
                " WHERE (score, -row) > (:score, -:row)"
            )
            order = "score, row DESC"
        return all_rows(
            self.connection,
            "SELECT b.row, v.id, b.score, v.family"  # noqa: S608 - constants
            f" FROM ({scored} ORDER BY {order} LIMIT :number) AS b"
            f" LEFT JOIN {VERSION_OF_CHUNK.format('b.row')}{self._admits('b.row')} ORDER BY b.score, b.row DESC",
            self.bindings | {"number": number},
        )

    def admitted(self, ranked: Scored, limit: int) -> list[Candidate]:
        """Asks the filter about matches whose scores are known."""
        rows = all_rows(
            self.connection,
            "SELECT m.value, v.id, v.family FROM json_each(:rows) AS m"  # noqa: S608 - constants
            f" CROSS JOIN {VERSION_OF_CHUNK.format('m.value')}{self._admits('m.value')}",
            # Neighbours share pages of the file.
            self.bindings | {"rows": json.dumps(sorted(row for row, _ in ranked))},
        )
        versions = {row: (version_id, family) for row, version_id, family in rows}
        found = [
            _candidate((row, versions[row][0], score, versions[row][1]))
            for row, score in ranked
            if row in versions
        ]
        return found[:limit]

    def best_admitted(self, limit: int, *, behind: bool) -> list[Candidate]:
        """Asks the filter about every match before it is scored."""
        scored = (
            f"SELECT passage_index.rowid AS row, v.id, {self.score} AS score, v.family"  # noqa: S608
            f" FROM passage_index CROSS JOIN {VERSION_OF_CHUNK.format('passage_index.rowid')}"
            f" WHERE passage_index MATCH :match{self.condition}{self._admits('passage_index.rowid')}"
        )
        order = "score, passage_index.rowid DESC"
        if behind:
            scored = (
                f"WITH m AS MATERIALIZED ({scored}) SELECT * FROM m"  # noqa: S608
                " WHERE (score, -row) > (:score, -:row)"
            )
            order = "score, row DESC"
        rows = all_rows(
            self.connection,
            f"{scored} ORDER BY {order} LIMIT :limit",
            self.bindings | {"limit": limit},
        )
        return [_candidate(row) for row in rows]

    def _admits(self, chunk: str) -> str:
        return self.filters + self.standing.format(chunk)


def _candidate(row: Row) -> Candidate:
    number, version_id, score, family = row
    return Candidate(number, version_id, -score, family)


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


def conditions(narrowing: SearchFilter, *, present: bool = False) -> tuple[str, dict[str, object]]:
    """Write a filter of versions ``v`` as " AND …" with its bindings; ``:sequence`` is the snapshot.

    Args:
        narrowing: The filter.
        present: The snapshot is the present state.
    """
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
        "v.row",
        narrowing.titles,
        "EXISTS (SELECT 1 FROM readable_versions AS t WHERE t.row = {0}"
        " AND fold_title(t.title) IN ({1}))",
    )
    one_of("v.row", narrowing.collections, _LISTED)
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
        prefixes.append(f"substr(u.canonical_uri, 1, length(:{name})) = :{name}")
    if prefixes:
        parts.append(
            "EXISTS (SELECT 1 FROM readable_versions AS u WHERE u.row = v.row"  # noqa: S608
            f" AND ({' OR '.join(prefixes)}))"
        )
    for operator, bound, name in (
        (">=", narrowing.fetched_after, "fetched_after"),
        ("<", narrowing.fetched_before, "fetched_before"),
    ):
        if bound is not None:
            parts.append(f"v.fetched_time {operator} :{name}")
            bindings[name] = bound
    if narrowing.version_scope is VersionScope.LATEST:
        parts.append("v.current = 1" if present else _WAS_CURRENT)
    return "".join(f" AND {part}" for part in parts), bindings
