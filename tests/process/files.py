"""What stands in the files, looked at beside the services."""

from collections import Counter
from pathlib import Path

import apsw
import lz4.frame

CORPUS = "data/corpus/games/emberfall.db"
CAPTURE = "data/capture/capture.db"


def query(path: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    """Read a database without taking part in its locks for longer than one statement."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        connection.set_busy_timeout(5_000)
        return list(connection.execute(statement, values))
    finally:
        connection.close(True)


def number(path: Path, statement: str, *values: object) -> int:
    value = query(path, statement, *values)[0][0]
    assert isinstance(value, int)
    return value


def change(path: Path, statement: str, *values: object) -> int:
    """Change a database behind the back of the service that owns it; returns the rows changed."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.set_busy_timeout(5_000)
        connection.execute(statement, values)
        return connection.changes()
    finally:
        connection.close(True)


def sound(path: Path) -> bool:
    """SQLite itself finds no fault: pages, rows and indexes, foreign keys."""
    answers = query(path, "PRAGMA integrity_check")
    return answers == [("ok",)] and not query(path, "PRAGMA foreign_key_check")


def row_counts(path: Path) -> Counter[str]:
    """Rows of every ordinary table."""
    tables = query(path, "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT NULL")
    found: Counter[str] = Counter()
    for (name,) in tables:
        if "VIRTUAL" not in str(name) and not str(name).startswith("passage_index"):
            found[str(name)] = number(path, f'SELECT count(*) FROM "{name}"')
    return found


def all_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def stored_result(path: Path, envelope_id: str) -> bytes:
    """The whole result of an envelope as it stands in the file, readers allowed or not."""
    pieces = query(
        path,
        "SELECT p.frame FROM envelopes AS e JOIN blobs AS b ON b.hash = e.result_hash"
        " JOIN blob_pieces AS p ON p.row >> 16 = b.row"
        " WHERE e.envelope_id = ? AND b.complete = 1 ORDER BY p.row",
        envelope_id,
    )
    return b"".join(lz4.frame.decompress(piece[0]) for piece in pieces)
