"""What was delivered leaves the write-ahead log too.

SQLite writes over old pages of a log and keeps the file (https://sqlite.org/wal.html), so the log of
a quiet service would hold the last captures for days, after the corpus has deleted them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

import apsw

from capture_service.outbox.limits import LOG_KEEPING_SECONDS
from capture_service.spool import QueueTotals, SpoolBusyError, SpoolClosedError, SpoolFullError
from capture_service.spool.limits import BUSY_TIMEOUT_MILLISECONDS


class Outbox(Protocol):
    """What is asked of the outbox."""

    async def totals(self) -> QueueTotals:
        """What waits for the corpus."""


async def keep_log_short(
    outbox: Outbox,
    path: Path,
    rest: Callable[[], Awaitable[None]] = lambda: asyncio.sleep(LOG_KEEPING_SECONDS),
) -> None:
    """Cut the log of a database whenever nothing waits in it; runs until it is cancelled.

    Args:
        outbox: The outbox in the database.
        path: The database.
        rest: Waits between two looks.
    """
    while True:
        await rest()
        try:
            if (await outbox.totals()).entries == 0:
                await asyncio.to_thread(cut_log, path)
        except SpoolClosedError:
            return
        except (SpoolBusyError, SpoolFullError):
            continue


def cut_log(path: Path) -> bool:
    """Move the log of a database into its file and cut it to nothing.

    Returns:
        Whether it was cut; not where a reader holds it or the disk is full.
    """
    log = path.with_name(f"{path.name}-wal")
    try:
        if not log.stat().st_size:
            return True
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    except (OSError, apsw.Error):
        return False
    try:
        connection.set_busy_timeout(BUSY_TIMEOUT_MILLISECONDS)
        # A connection that has read nothing does not know that there is a log.
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.Error:
        return False
    finally:
        connection.close()
    return True
