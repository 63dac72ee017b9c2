"""After a deletion no file of the store holds a planted text, whatever was under way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from corpus_service.domain.deletions import Deletion, DeletionReason
from corpus_service.domain.games import Game
from corpus_service.domain.queries import SearchFilter, Term
from corpus_service.storage.sqlite import SqliteStore
from sourcecorpus.identity.identifiers import source_id
from sourcecorpus.rpc.faults import FAULT_POINT_VARIABLE
from tests.deletion.killed_deletion import PLANTED, URI, fill
from tests.storage.records import GAME, PREPARATION, SECOND


def files_with(folder: Path, needle: bytes) -> list[str]:
    return [
        path.name
        for path in sorted(folder.rglob("*"))
        if path.is_file() and needle in path.read_bytes()
    ]


def deletion() -> Deletion:
    reason = DeletionReason.SENSITIVE
    return Deletion(source_id(GAME, URI), reason, 9 * SECOND)


def test_no_file_holds_what_was_deleted_while_the_store_is_open(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path, PREPARATION)
    store.create_game(Game(GAME, created_time=1))
    fill(store)
    # What a migration copied aside holds what the file held then.
    copy = tmp_path / "games" / f"{GAME}.db.before-version-2"
    copy.write_bytes(PLANTED)
    assert len(files_with(tmp_path, PLANTED)) >= 2
    store.delete_source(GAME, deletion())
    assert files_with(tmp_path, PLANTED) == []
    assert not copy.exists()
    assert [hit.version_id for hit in store.search(GAME, Term("garden"), SearchFilter(), limit=99)]
    store.close()


@pytest.mark.parametrize(
    ("point", "gone"), [("corpus.before_commit:32", False), ("corpus.before_purge:1", True)]
)
def test_a_kill_leaves_all_or_nothing(tmp_path: Path, point: str, gone: bool) -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "tests.deletion.killed_deletion", str(tmp_path)],
        cwd=Path(__file__).parents[2],
        env=os.environ | {FAULT_POINT_VARIABLE: point},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert finished.returncode == -signal.SIGKILL, finished.stderr
    assert finished.stdout.split() == ["filled"]
    store = SqliteStore(tmp_path, PREPARATION)
    found = store.search(GAME, Term(PLANTED.decode()), SearchFilter(), limit=9)
    assert bool(found) is not gone
    assert bool(store.get_source(GAME, source_id(GAME, URI))) is not gone
    if not gone:
        store.delete_source(GAME, deletion())
    # Opening the game went on where the purge was broken off.
    assert files_with(tmp_path, PLANTED) == []
    store.close()
