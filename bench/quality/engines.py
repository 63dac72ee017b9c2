"""The engines that are compared: ours, and two baselines over exactly the same passages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import apsw
import tantivy

from bench.search.stocking import GAME
from corpus_service.domain.queries import SearchFilter
from corpus_service.services.search import SearchRequest, SearchUseCase
from corpus_service.storage.sqlite import SqliteStore
from corpus_service.storage.sqlite.rows import all_rows

HITS: Final = 10
# Hits that a baseline is asked for where only the best passage of a document counts.
HITS_BEFORE_COLLAPSING: Final = 60
_WORD: Final = re.compile(r"\w+")

Hit = tuple[str, str]
"""Document and text of the passage."""

Engine = Callable[[str, bool], list[Hit]]
"""Takes a query and whether one hit of a document is enough."""

Passages = Sequence[tuple[int, str, str]]
"""Row, document, text."""


def passages_of(store: SqliteStore) -> Passages:
    """Returns every passage of a store."""
    with store._reader(GAME) as connection:  # noqa: SLF001 - whole tables are no reader's need
        return all_rows(
            connection,
            "SELECT c.id, v.canonical_uri, c.text FROM source_chunks AS c"
            " JOIN document_versions AS v ON v.row = c.id - c.ordinal ORDER BY c.id",
        )


def ours(store: SqliteStore) -> Engine:
    """The search of the service with its defaults; one hit of a document where that is enough."""
    use_case = SearchUseCase(store)
    as_of = store.snapshot(GAME)

    def search(query: str, once: bool) -> list[Hit]:
        request = SearchRequest(GAME, query, SearchFilter(), HITS, 1 if once else 3)
        page = use_case.search(request, as_of)
        return [(hit.version.canonical_uri, hit.passage.text) for hit in page.hits]

    return search


def fts5(passages: Passages, operator: str) -> Engine:
    """SQLite's FTS5 as it comes: unicode61, bm25(), words joined by AND or OR."""
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5 (body, tokenize = 'unicode61')")
    connection.executemany(
        "INSERT INTO t (rowid, body) VALUES (?, ?)", [(row, text) for row, _, text in passages]
    )
    known = {row: (document, text) for row, document, text in passages}

    def search(query: str, once: bool) -> list[Hit]:
        words = _WORD.findall(query)
        if not words:
            return []
        found = connection.execute(
            "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT ?",
            (f" {operator} ".join(f'"{word}"' for word in words), _asked(once)),
        )
        return [known[row] for (row,) in found]

    return search


def tantivy_defaults(passages: Passages) -> Engine:
    """Tantivy with its default tokenizer, scoring and query parser."""
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("row", stored=True)
    builder.add_text_field("body")
    index = tantivy.Index(builder.build())
    writer: Any = index.writer(50_000_000)
    for row, _, text in passages:
        writer.add_document(tantivy.Document(row=row, body=text))
    writer.commit()
    index.reload()
    searcher = index.searcher()
    known = {row: (document, text) for row, document, text in passages}

    def search(query: str, once: bool) -> list[Hit]:
        # Its query language takes punctuation and words such as NOT for syntax.
        parsed, _ = index.parse_query_lenient(" ".join(_WORD.findall(query.lower())), ["body"])
        found = searcher.search(parsed, _asked(once)).hits
        return [known[searcher.doc(address)["row"][0]] for _, address in found]

    return search


def _asked(once: bool) -> int:
    return HITS_BEFORE_COLLAPSING if once else HITS
