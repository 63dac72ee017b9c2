"""The log of the capture database is cut when nothing waits, and only then."""

from __future__ import annotations

import asyncio
from pathlib import Path

import apsw
import pytest

from capture_service.outbox.log_keeping import cut_log, keep_log_short
from capture_service.spool import QueueTotals, SpoolClosedError

PLANTED = b"zxqvplanted"


@pytest.fixture
def database(tmp_path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(tmp_path / "capture.db"))
    connection.pragma("journal_mode", "wal")
    connection.pragma("secure_delete", True)
    connection.execute("CREATE TABLE kept (value BLOB)")
    connection.execute("INSERT INTO kept VALUES (?)", (PLANTED,))
    connection.execute("DELETE FROM kept")
    return connection


class Outbox:
    """Has what the test says, then is closed."""

    def __init__(self, *entries: int) -> None:
        self._entries = list(entries)

    async def totals(self) -> QueueTotals:
        if not self._entries:
            raise SpoolClosedError
        return QueueTotals(entries=self._entries.pop(0), dead_letters=0, stored_bytes=0)


def log_of(folder: Path) -> bytes:
    return (folder / "capture.db-wal").read_bytes()


def keep(folder: Path, *entries: int) -> None:
    async def at_once() -> None:
        return None

    asyncio.run(keep_log_short(Outbox(*entries), folder / "capture.db", at_once))


def test_the_log_is_cut_when_nothing_waits(database: apsw.Connection, tmp_path: Path) -> None:
    assert PLANTED in log_of(tmp_path)
    keep(tmp_path, 3)
    assert PLANTED in log_of(tmp_path)
    keep(tmp_path, 3, 0)
    assert log_of(tmp_path) == b""
    assert PLANTED not in (tmp_path / "capture.db").read_bytes()
    database.close()


def test_a_reader_keeps_the_log_and_nothing_breaks(
    database: apsw.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("capture_service.outbox.log_keeping.BUSY_TIMEOUT_MILLISECONDS", 1)
    reader = apsw.Connection(str(tmp_path / "capture.db"))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM kept").fetchall()
    database.execute("INSERT INTO kept VALUES ('after')")
    assert not cut_log(tmp_path / "capture.db")
    reader.close()
    assert cut_log(tmp_path / "capture.db")
    assert not cut_log(tmp_path / "nowhere.db")
    database.close()
