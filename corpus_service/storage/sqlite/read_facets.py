"""Counts of the versions that match, by facts of theirs."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Final

import apsw

from corpus_service.domain.queries import (
    DocumentCounts,
    FacetField,
    PassageFilter,
    Query,
    SearchFilter,
    count_values,
)
from corpus_service.domain.sources import Snapshot
from corpus_service.storage.sqlite.match_expressions import match_expression
from corpus_service.storage.sqlite.read_passages import VERSION_OF_CHUNK, conditions
from corpus_service.storage.sqlite.read_within import passage_conditions
from corpus_service.storage.sqlite.rows import all_rows

_COLUMNS: Final = {
    FacetField.FAMILY: "v.family",
    FacetField.HOST: "v.host",
    FacetField.KIND: "v.kind",
    FacetField.LANGUAGE: "v.language",
}
# FTS5 yields its matches by row without sorting, so that only as many are looked at as needed.
_MATCHING: Final = (
    "SELECT rowid FROM passage_index WHERE passage_index MATCH :match AND rowid <"
    " (SELECT next_chunk FROM snapshots WHERE sequence = :sequence){0} ORDER BY rowid DESC LIMIT :most"
)


def count_documents(
    connection: apsw.Connection,
    matching: Query | Collection[int],
    narrowing: SearchFilter,
    fields: Sequence[FacetField],
    *,
    passages_max: int,
    as_of: Snapshot,
    present: Snapshot,
    within: PassageFilter,
) -> DocumentCounts:
    """See `PassageIndex.count_documents`; inside a read transaction, ``present`` being its snapshot."""
    filters, bindings = conditions(narrowing, present=as_of.sequence == present.sequence)
    standing = passage_conditions(within)
    bindings |= {"sequence": as_of.sequence, **standing.bindings}
    if isinstance(matching, Collection):
        chunks = sorted(matching, reverse=True)
    else:
        matches = {"match": match_expression(matching), "most": passages_max + 1}
        chunks = [
            row
            for (row,) in all_rows(
                connection, _MATCHING.format(standing.matching), bindings | matches
            )
        ]
    columns = "".join(f", {_COLUMNS[field]}" for field in fields)
    versions = all_rows(
        connection,
        f"SELECT DISTINCT v.row{columns} FROM json_each(:rows) AS m"  # noqa: S608 - constants
        f" CROSS JOIN {VERSION_OF_CHUNK.format('m.value')}{filters}{standing.standing.format('m.value')}",
        bindings | {"rows": json.dumps(chunks[:passages_max])},
    )
    return count_values(
        fields, (values for _, *values in versions), at_least=len(chunks) > passages_max
    )
