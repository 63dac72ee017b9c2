"""Full-text candidates: FTS5 orders by its bm25(), filters look at readable versions."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

import apsw

from corpus_service.domain.queries import Candidate, Query, SearchFilter, SearchPosition
from corpus_service.domain.sources import Passage, Snapshot
from corpus_service.domain.vocabulary import VersionScope
from corpus_service.storage.sqlite.best_matches import (
    Scored,
    best_of_some,
    score_expression,
    statistics_of,
)
from corpus_service.storage.sqlite.match_expressions import leaves_of, match_expression
from corpus_service.storage.sqlite.read_texts import passage_of
from corpus_service.storage.sqlite.rows import all_rows
from corpus_service.storage.sqlite.scoring import KNOWN_SCORE

_JOIN: Final = (
    " CROSS JOIN readable_versions AS v ON v.row ="
    " (SELECT max(p.row) FROM passage_versions AS p WHERE p.row <= m.row)"
    # A chunk of a version that is not readable must not count for the version before it.
    " WHERE m.row < v.row + v.chunk_count"
)
_BEHIND: Final = " WHERE (m.score, m.row) > (:score, :row)"
# The filter first looks at so many matches beyond those that are asked for: most filters let most
# matches pass, and each look touches pages of four tables.
SPARE_MATCHES: Final = 8
# Then at so many, in portions.
FILTERED_NEXT_MAX: Final = 20_000
ADMITTED_AT_A_TIME: Final = 256


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
    bindings |= {"match": expression, "sequence": as_of.sequence}
    condition = ""
    if whole:
        some = None
        if after is None:
            some = best_of_some(connection, query, statistics, limit + SPARE_MATCHES)
        if some is not None:
            found = _Matches(connection, "", "", filters, bindings).admitted(some, limit)
            if len(found) == limit:
                return found
        score, values = score_expression(connection, query, statistics, expression=expression)
        bindings |= values
    else:
        score = KNOWN_SCORE
        condition = " AND passage_index.rowid < :next"
        bindings["next"] = statistics.state.next_chunk
        bindings["statistics"] = statistics.written(connection, leaves_of(query))
    matches = _Matches(connection, score, condition, filters, bindings)
    if after is not None:
        bindings |= {"score": -after.score, "row": after.row}
    for number in (limit + SPARE_MATCHES, FILTERED_NEXT_MAX):
        ranked = matches.best(number, behind=after is not None)
        found = matches.admitted(ranked, limit)
        if len(found) == limit or len(ranked) < number:
            return found
    return matches.best_admitted(limit, behind=after is not None)


@dataclass(frozen=True, slots=True)
class _Matches:
    """The matches of one query: scored by an expression, admitted by a filter.

    Most filters let most chunks pass, and a look at the version of every match costs more than its
    score. So the filter is asked about the best few first, then about the best many, then about all.
    """

    connection: apsw.Connection
    score: str
    condition: str
    filters: str
    bindings: dict[str, object]

    def best(self, number: int, *, behind: bool) -> Scored:
        """Returns the best matches, those behind a position alone where one was given."""
        if not behind:
            # No subquery: SQLite would score each match twice.
            sql = (
                f"SELECT passage_index.rowid, {self.score} AS score FROM passage_index"  # noqa: S608
                f" WHERE passage_index MATCH :match{self.condition}"
                " ORDER BY score, passage_index.rowid LIMIT :number"
            )
        else:
            sql = (
                f"{self._scored} SELECT row, score FROM m{_BEHIND}"  # noqa: S608 - constants
                " ORDER BY score, row LIMIT :number"
            )
        return all_rows(self.connection, sql, self.bindings | {"number": number})

    def admitted(self, ranked: Scored, limit: int) -> list[Candidate]:
        """Asks the filter, best matches first, until there are enough."""
        found: list[Candidate] = []
        for start in range(0, len(ranked), ADMITTED_AT_A_TIME):
            part = ranked[start : start + ADMITTED_AT_A_TIME]
            rows = all_rows(
                self.connection,
                "SELECT m.row, v.id, v.family FROM"  # noqa: S608 - constants
                f" (SELECT value AS row FROM json_each(:rows)) AS m{_JOIN}{self.filters}",
                # Neighbours share pages of the file.
                self.bindings | {"rows": json.dumps(sorted(row for row, _ in part))},
            )
            versions = {row: (version_id, family) for row, version_id, family in rows}
            for row, score in part:
                if row in versions:
                    version_id, family = versions[row]
                    found.append(Candidate(row, version_id, -score, family))
            if len(found) >= limit:
                break
        return found[:limit]

    def best_admitted(self, limit: int, *, behind: bool) -> list[Candidate]:
        """Asks the filter about every match."""
        rows = all_rows(
            self.connection,
            f"{self._scored} SELECT m.row, v.id, -m.score, v.family FROM m{_JOIN}{self.filters}"  # noqa: S608
            f"{_BEHIND.replace('WHERE', 'AND') if behind else ''}"
            " ORDER BY m.score, m.row LIMIT :limit",
            self.bindings | {"limit": limit},
        )
        return [Candidate(*row) for row in rows]

    @property
    def _scored(self) -> str:
        return (
            "WITH m (row, score) AS MATERIALIZED"  # noqa: S608 - constants
            f" (SELECT passage_index.rowid, {self.score} FROM passage_index"
            f" WHERE passage_index MATCH :match{self.condition})"
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
    one_of("fold_title(v.title)", narrowing.titles)
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
