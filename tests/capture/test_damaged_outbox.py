"""A capture database with damaged pages: refused in one line, or opened, and never anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from capture_service.outbox.store import OutboxStore
from capture_service.spool import DatabaseRefusedError, QueueLimits
from capture_service.spool.limits import PAGE_BYTES

BOUNDS = QueueLimits(1_000_000, 1_000)


def open_and_close(path: Path) -> None:
    OutboxStore(path, BOUNDS, lambda: 0).close()


@pytest.mark.parametrize("filling", [b"\x00", b"\xff"])
def test_any_damaged_page_is_a_refusal_or_no_matter(tmp_path: Path, filling: bytes) -> None:
    path = tmp_path / "capture.db"
    open_and_close(path)
    sound = path.read_bytes()
    refusals: list[str] = []
    for start in range(0, len(sound), PAGE_BYTES):
        path.write_bytes(
            sound[:start] + filling * PAGE_BYTES + sound[min(start + PAGE_BYTES, len(sound)) :]
        )
        try:
            open_and_close(path)
        except DatabaseRefusedError as error:
            refusals.append(str(error))
    assert len(refusals) > 1
    assert not any("\n" in refusal for refusal in refusals)
    path.write_bytes(sound)
    open_and_close(path)
