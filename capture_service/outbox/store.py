"""The capture database for the event loop: every call is one unit of work or one short read."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import apsw

from capture_service.delivery.limits import BATCH_BYTES_MAX, BATCH_RECORDS_MAX
from capture_service.domain.games import Directory
from capture_service.domain.prepared import PreparedCapture
from capture_service.outbox import commit, counters, delivery, games, limits, sessions
from capture_service.outbox.commit import CommitReport
from capture_service.outbox.delivery import LaneContent, Outbound, Settlement
from capture_service.outbox.schema import CAPTURE_SCHEMA
from capture_service.spool import (
    GroupCommitWriter,
    QueueLimits,
    QueueTotals,
    SpoolBusyError,
    SpoolClosedError,
    SpoolFullError,
    open_reader,
    open_writer,
    queue,
    refusing,
)
from capture_service.spool.contents import read_piece
from capture_service.spool.group_commit import CommitHooks
from sourcecorpus.rpc import faults

Result = TypeVar("Result")


class OutboxStore:
    """Owns the writer thread and one reader thread of the capture database.

    Methods raise ``SpoolFullError``, ``SpoolBusyError`` and ``SpoolClosedError`` of the spool.
    """

    def __init__(
        self, path: Path, bounds: QueueLimits, wall_milliseconds: Callable[[], int]
    ) -> None:
        """Open or make the database.

        Raises:
            DatabaseRefusedError: The file cannot be used; it is as it was.
            SpoolFullError: There is no space to make it.
        """
        connection = open_writer(
            path, CAPTURE_SCHEMA, lambda: faults.reach("capture.during_migration")
        )
        try:
            with refusing():
                commit.prune(connection)
        except BaseException:
            connection.close(True)
            raise
        self._bounds = bounds
        self._writer = GroupCommitWriter(
            connection,
            CommitHooks(
                before_commit=lambda: faults.reach("capture.before_outbox_commit"),
                after_commit=lambda: faults.reach("capture.after_outbox_commit"),
                during_checkpoint=lambda: faults.reach("capture.during_checkpoint"),
            ),
        )
        self._path = path
        self._wall_milliseconds = wall_milliseconds
        self._readers = ThreadPoolExecutor(max_workers=1, thread_name_prefix="outbox-reader")
        self._of_thread = threading.local()
        self._stored_since_pruning = 0

    @property
    def alive(self) -> bool:
        """Whether the store takes work."""
        return self._writer.alive

    @property
    def commits(self) -> int:
        """Number of durable commits."""
        return self._writer.commits

    async def write(
        self,
        work: Callable[[apsw.Connection], Result],
        size_bytes: int = 0,
        *,
        apart: bool = True,
    ) -> Result:
        """Run a unit of work; returns after its durable commit. See ``GroupCommitWriter``."""
        return await asyncio.wrap_future(self._writer.submit(work, size_bytes, apart=apart))

    async def read(self, work: Callable[[apsw.Connection], Result]) -> Result:
        """Run a short read on the reader's connection, in one transaction."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, self._read, work)

    def _read(self, work: Callable[[apsw.Connection], Result]) -> Result:
        connection: apsw.Connection | None = getattr(self._of_thread, "connection", None)
        if connection is None:
            connection = open_reader(self._path)
            self._of_thread.connection = connection
        with connection:
            result = work(connection)
        return result  # noqa: RET504 - behind the end of the transaction

    def _close_reader(self) -> None:
        connection: apsw.Connection | None = getattr(self._of_thread, "connection", None)
        if connection is not None:
            connection.close(True)

    async def commit(self, session: str, captures: Sequence[PreparedCapture]) -> CommitReport:
        """Commit captures of one session; see ``commit_captures``."""
        size_bytes = sum(
            len(capture.record) + sum(len(content.data) for content in capture.contents)
            for capture in captures
        )
        report = await self.write(
            lambda connection: commit.commit_captures(connection, self._bounds, session, captures),
            size_bytes,
        )
        self._stored_since_pruning += report.queued
        if self._stored_since_pruning >= limits.PRUNE_INTERVAL_ENVELOPES:
            self._stored_since_pruning = 0
            await self.write(commit.prune)
        return report

    async def open_session(self, session: str, now_milliseconds: int) -> int:
        """Open a capture session; returns its durable sequence behind all commits under way."""
        found = await self.write(
            lambda connection: sessions.touch(connection, session, now_milliseconds)
        )
        return found.durable_sequence

    async def game_of_session(self, session_id: str) -> str:
        """Game of a Hermes session, "" for none."""
        return await self.read(lambda connection: sessions.game_of(connection, session_id))

    async def set_session_game(self, session_id: str, game_id: str, now_milliseconds: int) -> None:
        """Set or, with "", clear the game of a Hermes session."""
        await self.write(
            lambda connection: sessions.set_game(connection, session_id, game_id, now_milliseconds)
        )

    async def load_directory(self) -> Directory | None:
        """The game directory as it was told last."""
        return await self.read(games.load)

    async def save_directory(self, directory: Directory, now_milliseconds: int) -> bool:
        """Replace the game directory; False where there is no room for it now."""
        try:
            await self.write(lambda connection: games.save(connection, directory, now_milliseconds))
        except (SpoolFullError, SpoolBusyError, SpoolClosedError):
            return False
        return True

    async def load_batch(
        self, after_entry_id: int, excluded_lanes: Set[str], under_way: Set[LaneContent]
    ) -> Sequence[Outbound]:
        """Read the next batch for the corpus in order."""
        return await self.read(
            lambda connection: delivery.load_batch(
                connection,
                records_max=BATCH_RECORDS_MAX,
                bytes_max=BATCH_BYTES_MAX,
                after_entry_id=after_entry_id,
                excluded_lanes=excluded_lanes,
                under_way=under_way,
            )
        )

    async def read_piece(self, digest: bytes, number: int) -> bytes | None:
        """Read one piece of a content that waits.

        Raises:
            StoredContentDamagedError: It is missing or not what was stored.
        """
        return await self.read(lambda connection: read_piece(connection, digest, number))

    async def settle(self, settlements: Sequence[Settlement]) -> None:
        """Write what the corpus has answered, durably."""
        now_milliseconds = self._wall_milliseconds()
        await self.write(
            lambda connection: delivery.settle(connection, settlements, now_milliseconds),
            apart=False,
        )

    async def totals(self) -> QueueTotals:
        """What waits for the corpus."""
        return await self.read(queue.totals)

    async def counters(self, session: str, kind: str) -> dict[str, int]:
        """Counters of a session, or with "" of the whole service."""
        return await self.read(lambda connection: counters.read(connection, session, kind))

    def close(self) -> None:
        """Finish what waits, copy the log back, close the file. Blocks; idempotent."""
        self._readers.submit(self._close_reader)
        self._readers.shutdown(wait=True)
        self._writer.close()
