"""Plain FTS5 over the passages of a store: the floor that searches are compared with.

One contentless table of one column, unicode61, CJK runs written as pairs; a table of the passages'
hosts beside it for filters. Default settings of SQLite, pages of 8 KiB, ids alone as the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

import apsw

from bench.quality.known_items import CJK
from bench.search.stocking import GAME
from corpus_service.storage.sqlite import SqliteStore

ROWS_OF_A_TRANSACTION: Final = 2_000
HITS: Final = 10
_RUN: Final = re.compile(f"[{CJK}]+")


class RawIndex:
    """Queries of each class against the table; each returns the rows of the best ten."""

    def __init__(self, path: Path) -> None:
        self._connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)

    def search(self, expression: str, host: str = "") -> list[int]:
        """Returns the best rows of an FTS5 expression, of one host alone where one is given."""
        if not host:
            return [
                row
                for (row,) in self._connection.execute(
                    "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT ?",
                    (expression, HITS),
                )
            ]
        return [
            row
            for (row,) in self._connection.execute(
                "SELECT t.rowid FROM t JOIN hosts AS h ON h.row = t.rowid WHERE t MATCH ?"
                " AND h.host = ? ORDER BY bm25(t) LIMIT ?",
                (expression, host, HITS),
            )
        ]

    def count(self, expression: str) -> int:
        """Returns the number of matches."""
        found: int = self._connection.execute(
            "SELECT count(*) FROM t WHERE t MATCH ?", (expression,)
        ).get
        return found


def pairs(run: str) -> str:
    """Writes a run of CJK as its overlapping pairs."""
    return " ".join(run[at : at + 2] for at in range(len(run) - 1)) if len(run) > 1 else run


def build_raw_index(store: SqliteStore, path: Path) -> None:
    """Makes the file out of a store; a file that is there is kept."""
    if path.exists():
        return
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA page_size = 8192")
    connection.execute(
        "CREATE VIRTUAL TABLE t USING fts5 (body, content = '', contentless_delete = 1,"
        " tokenize = 'unicode61')"
    )
    connection.execute("CREATE TABLE hosts (row INTEGER PRIMARY KEY, host TEXT)")
    with store._reader(GAME) as reader:  # noqa: SLF001 - whole tables are no reader's need
        rows = reader.execute(
            "SELECT c.id, c.text, s.host FROM source_chunks AS c"
            " JOIN document_versions AS v ON v.row = c.id - c.ordinal"
            " JOIN sources AS s ON s.row = v.source ORDER BY c.id"
        )
        while part := list(islice(rows, ROWS_OF_A_TRANSACTION)):
            with connection:
                connection.executemany(
                    "INSERT INTO t (rowid, body) VALUES (?, ?)",
                    [(row, _RUN.sub(_apart, str(text))) for row, text, _ in part],
                )
                connection.executemany(
                    "INSERT INTO hosts VALUES (?, ?)", [(row, host) for row, _, host in part]
                )
    connection.close()


def texts_of(store: SqliteStore) -> Iterator[str]:
    """Yields every hundredth passage of a store."""
    with store._reader(GAME) as reader:  # noqa: SLF001 - a sample is no reader's need
        yield from (
            str(text)
            for (text,) in reader.execute("SELECT text FROM source_chunks WHERE id % 100 = 7")
        )


def _apart(found: re.Match[str]) -> str:
    return f" {pairs(found[0])} "
