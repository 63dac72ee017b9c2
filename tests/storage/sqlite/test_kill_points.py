"""SIGKILL at each named point of the corpus: what was acknowledged is there exactly once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from corpus_service.domain.games import Game
from corpus_service.domain.queries import SearchFilter, SourceFilter, Term
from corpus_service.domain.vocabulary import IngestStatus, VersionScope
from corpus_service.storage.sqlite import SqliteStore
from sourcecorpus.rpc.faults import FAULT_POINT_VARIABLE
from tests.storage.records import GAME, PREPARATION, put
from tests.storage.sqlite.killed_writer import RECORDS, ready

POINTS = (
    "corpus.before_commit:4",
    "corpus.after_commit_before_answer:4",
    "corpus.mid_batch:13",
    "corpus.during_checkpoint:3",
    "corpus.mid_upload:2",
    "corpus.during_migration:1",
    "corpus.during_migration:2",
    "corpus.during_migration:3",
    "corpus.during_migration:4",
)


def run_until_killed(folder: Path, point: str) -> list[str]:
    """Run the writer; return the envelopes that it acknowledged before it ended itself."""
    root = Path(__file__).parents[3]
    finished = subprocess.run(
        [sys.executable, "-m", "tests.storage.sqlite.killed_writer", str(folder)],
        cwd=root,
        env=os.environ | {FAULT_POINT_VARIABLE: point},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert finished.returncode == -signal.SIGKILL, finished.stderr
    return finished.stdout.split()


def assert_sound(file: Path) -> None:
    connection = apsw.Connection(str(file))
    assert connection.pragma("integrity_check") == "ok"
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.execute("INSERT INTO passage_index (passage_index) VALUES ('integrity-check')")
    uploads = connection.execute("SELECT count(*) FROM blobs WHERE complete = 0").get
    pieces = connection.execute(
        "SELECT count(*) FROM blob_pieces AS p WHERE NOT EXISTS"
        " (SELECT 1 FROM blobs AS b WHERE b.row = p.row >> 16)"
    ).get
    assert (uploads, pieces) == (0, 0)
    connection.close()


@pytest.mark.parametrize("point", POINTS)
def test_killed_anywhere_nothing_is_lost_and_nothing_is_there_twice(
    tmp_path: Path, game_file: Path, point: str
) -> None:
    acknowledged = run_until_killed(tmp_path, point)
    store = SqliteStore(tmp_path, PREPARATION)
    if store.get_game(GAME) is None:
        # Killed while the catalog was made: nothing had been promised.
        assert acknowledged == []
        store.create_game(Game(GAME, created_time=1))
    results = [put(store, ready(number)) for number in range(RECORDS)]
    duplicates = {
        result.envelope_id for result in results if result.status is IngestStatus.DUPLICATE
    }
    assert set(acknowledged) <= duplicates
    committed = [result for result in results if result.status is IngestStatus.COMMITTED]
    assert len(committed) == RECORDS - len(duplicates)
    listed = store.list_sources(GAME, SourceFilter(), limit=99)
    assert sum(source.observation_count for source, _ in listed) == RECORDS
    assert sum(source.version_count for source, _ in listed) == RECORDS
    for number in range(RECORDS):
        content = ready(number).record.contents[0]
        stored = store.open_content(GAME, content.content_hash)
        assert b"".join(stored.pieces()) == content.data
    hits = store.search(GAME, Term("gate"), SearchFilter(version_scope=VersionScope.ALL), limit=999)
    assert len({hit.version_id for hit in hits}) == RECORDS
    store.close()
    assert_sound(game_file)
