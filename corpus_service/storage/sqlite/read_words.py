"""Words of the index: which ones begin so, and which current versions use them."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Final

import apsw

from corpus_service.domain.queries import SearchFilter, Term, WordUse
from corpus_service.storage.sqlite.match_expressions import match_expression
from corpus_service.storage.sqlite.read_passages import VERSION_OF_CHUNK, conditions
from corpus_service.storage.sqlite.rows import all_rows

_HIGHEST: Final = "\U0010ffff"


def counted_tokens(
    connection: apsw.Connection, beginning: str, *, limit: int
) -> list[tuple[str, int]]:
    """See `PassageIndex.counted_tokens`."""
    return [
        (term, chunks)
        for term, chunks in all_rows(
            connection,
            "SELECT term, doc FROM temp.token_counts WHERE term >= ? AND term < ? LIMIT ?",
            (beginning, beginning + _HIGHEST, limit),
        )
    ]


def word_uses(
    connection: apsw.Connection, tokens: Collection[str], *, passages_max: int
) -> dict[str, WordUse]:
    """See `PassageIndex.word_uses`; inside a read transaction."""
    filters, bindings = conditions(SearchFilter(), present=True)
    found: dict[str, WordUse] = {}
    for token in tokens:
        matching = [
            row
            for (row,) in all_rows(
                connection,
                "SELECT rowid FROM passage_index WHERE passage_index MATCH ?"
                " ORDER BY rowid DESC LIMIT ?",
                (match_expression(Term(token)), passages_max + 1),
            )
        ]
        ((documents, newest),) = all_rows(
            connection,
            "SELECT count(DISTINCT v.row), max(m.value) FROM json_each(:rows) AS m"  # noqa: S608
            f" CROSS JOIN {VERSION_OF_CHUNK.format('m.value')}{filters}",
            bindings | {"rows": json.dumps(matching[:passages_max])},
        )
        if documents:
            found[token] = WordUse(documents, newest, len(matching) > passages_max)
    return found
