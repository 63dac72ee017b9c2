"""SIGKILL in the middle of an import: the game is whole afterwards, or nothing is there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from corpus_service.domain.games import Game
from corpus_service.storage.memory import MemoryStore
from corpus_service.storage.sqlite import SqliteStore
from sourcecorpus.rpc.faults import FAULT_POINT_VARIABLE
from tests.storage.records import GAME, PREPARATION, put_page
from tests.storage.sqlite.test_kill_points import assert_sound
from tests.transfer.filled import archive_of, fill, import_into

BROKEN_OFF = ("corpus.mid_import:1", "corpus.mid_import:7", "corpus.before_import_shown")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    store = MemoryStore()
    store.create_game(Game(GAME, "Castle", ("burg",), created_time=1))
    fill(store)
    file = tmp_path / "castle.tar"
    file.write_bytes(archive_of(store))
    return file


def import_until_killed(folder: Path, archive: Path, point: str) -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "tests.transfer.killed_import", str(folder), str(archive)],
        cwd=Path(__file__).parents[2],
        env=os.environ | {FAULT_POINT_VARIABLE: point},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert finished.returncode == -signal.SIGKILL, finished.stderr


@pytest.mark.parametrize("point", BROKEN_OFF)
def test_an_import_that_is_broken_off_leaves_nothing(
    tmp_path: Path, archive: Path, point: str
) -> None:
    folder = tmp_path / "data"
    import_until_killed(folder, archive, point)
    assert any((folder / "games").iterdir())
    store = SqliteStore(folder, PREPARATION)
    assert list((folder / "games").iterdir()) == []
    assert store.get_game(GAME) is None
    import_into(store, archive.read_bytes())
    assert archive_of(store) == archive.read_bytes()
    store.close()
    assert_sound(folder / "games" / f"{GAME}.db")


@pytest.mark.parametrize("exists", [False, True])
def test_an_import_that_was_committed_is_there_when_the_store_opens(
    tmp_path: Path, archive: Path, *, exists: bool
) -> None:
    folder = tmp_path / "data"
    if exists:
        store = SqliteStore(folder, PREPARATION)
        store.create_game(Game(GAME, "Old title", created_time=9))
        put_page(store, "probe", record_facts={"probe": True})
        store.close()
    import_until_killed(folder, archive, "corpus.mid_import_shown")
    store = SqliteStore(folder, PREPARATION)
    game = store.get_game("burg")
    assert game == Game(GAME, "Castle", ("burg",), created_time=1)
    assert archive_of(store) == archive.read_bytes()
    store.close()
    assert sorted(path.name for path in (folder / "games").iterdir()) == [f"{GAME}.db"]
    assert_sound(folder / "games" / f"{GAME}.db")
