"""Files: migrations that never change, foreign and newer ones, the SQLite floor, what is left."""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from corpus_service.domain.games import Game
from corpus_service.domain.queries import SearchFilter, Term
from corpus_service.storage.sqlite import SqliteStore
from corpus_service.storage.sqlite.failures import StoreOpenError
from corpus_service.storage.sqlite.migrating import Migration, migrate, migrations_of
from corpus_service.storage.sqlite.opening import (
    DatabaseKind,
    check_sqlite_version,
    open_writer,
)
from sourcecorpus.rpc.failures import Failure
from tests.storage.records import GAME, PREPARATION, put_page

RELEASED = {
    "catalog/0001_games.sql": "359221e1f19818571f76eb178891a98e5d9c942b92c72de701ee0f96e28200a2",
    "game/0001_corpus.sql": "ff6f751e6bb133c180a3a7260d4fc90cfbb298c6173351c2101e55fe5dd20fa1",
    "game/0002_reading_views.sql": "52419861720bf384a5bf6b6c6d4c3fc215f5aca189d513dd96800df3c382896e",
    "game/0003_reading_facts.sql": "50fa6486d653477a24566aa4501f1d0775d7421e95b0988e3de3b7abdb10eae8",
    "game/0004_tombstone_facts.sql": "4cfb520161723641c0b3e833ce7b3e06b812f2410f54dd45885a72f541fe4556",
    "game/0005_run_refs.sql": "86f81617773dfc48c5025ab960c9d6047c2d2b00df918d881fe4f2f0d1879148",
    "game/0006_refresh_requests.sql": "9fabe9e9101643d8ff70e0bb3b2dd3a040d9922efc0f8eea37236ef71e0f6f09",
    "game/0007_version_facts.sql": "dfd66cdcf2d7a2db0c15066eb51f397200da00066d460c77a24aef5b8389ec12",
    "game/0008_collections.sql": "b61bc6be7b6056661d9b3fd38d7a7cddfd02a8a5d1fd0acef9419ba04d364594",
    "game/0009_source_hosts.sql": "8f52d8cbd22df52128bceab3fea6646ea1b386f37f237b72268374b5c4c6933a",
}


def test_released_migrations_never_change() -> None:
    found = {
        f"{kind.name.lower()}/{migration.name}": hashlib.sha256(migration.sql.encode()).hexdigest()
        for kind in DatabaseKind
        for migration in migrations_of(kind)
    }
    assert found == RELEASED


def test_what_was_stored_is_there_after_a_restart(tmp_path: Path) -> None:
    first = SqliteStore(tmp_path, PREPARATION)
    first.create_game(Game(GAME, "Castle", ("wc",), created_time=1))
    version = put_page(first, "e1", b"gate").sources[0].version_id
    snapshot = first.snapshot(GAME)
    first.close()
    second = SqliteStore(tmp_path, PREPARATION)
    assert second.get_game("wc") == Game(GAME, "Castle", ("wc",), created_time=1)
    assert second.read_span(GAME, version, 0, 4) == "gate"
    assert second.snapshot(GAME) == snapshot
    assert put_page(second, "e1", b"gate").status.name == "DUPLICATE"
    second.close()


def make_foreign(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.commit()
    connection.close()


def test_a_foreign_database_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    make_foreign(path)
    before = path.read_bytes()
    with pytest.raises(StoreOpenError, match="not a catalog database") as refused:
        SqliteStore(tmp_path, PREPARATION)
    assert "\n" not in str(refused.value)
    assert path.read_bytes() == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["catalog.db", "games"]


def test_a_file_that_is_no_database_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    path.write_bytes(b"no database at all" * 500)
    with pytest.raises(StoreOpenError, match="not a SQLite database"):
        SqliteStore(tmp_path, PREPARATION)
    assert path.read_bytes() == b"no database at all" * 500


def test_a_folder_that_cannot_be_made_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreOpenError, match="cannot be used"):
        SqliteStore(tmp_path / "file" / "folder", PREPARATION)


@pytest.mark.parametrize("emptied", [False, True])
def test_games_without_their_catalog_are_not_taken_for_a_new_folder(
    tmp_path: Path, emptied: bool
) -> None:
    store = SqliteStore(tmp_path, PREPARATION)
    store.create_game(Game(GAME, "Castle", created_time=1))
    put_page(store, "e1", b"gate")
    store.close()
    path = tmp_path / "catalog.db"
    kept = path.read_bytes()
    if emptied:
        path.write_bytes(b"")
    else:
        path.unlink()
    for _ in range(2):
        with pytest.raises(StoreOpenError, match="lists no game"):
            SqliteStore(tmp_path, PREPARATION)
    path.write_bytes(kept)
    again = SqliteStore(tmp_path, PREPARATION)
    assert again.get_game(GAME) is not None
    again.close()


def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    SqliteStore(tmp_path, PREPARATION).close()
    connection = apsw.Connection(str(tmp_path / "catalog.db"))
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreOpenError, match="has version 99"):
        SqliteStore(tmp_path, PREPARATION)


def test_the_file_of_another_game_is_refused(tmp_path: Path, game_file: Path) -> None:
    first = SqliteStore(tmp_path, PREPARATION)
    first.create_game(Game("other", created_time=1))
    put_page(first, "e1", record_facts={"game_id": "other"})
    first.create_game(Game(GAME, created_time=1))
    first.close()
    (tmp_path / "games" / "other.db").rename(game_file)
    second = SqliteStore(tmp_path, PREPARATION)
    with pytest.raises(Failure) as refused:
        second.snapshot(GAME)
    assert refused.value.reason == "STORE_UNAVAILABLE"
    assert "belongs to another game" in str(refused.value.__cause__)
    second.close()


@pytest.mark.parametrize("version", ["3.51.2", "3.50.9", "2.99.99"])
def test_an_old_sqlite_is_refused(version: str) -> None:
    with pytest.raises(StoreOpenError, match="too old"):
        check_sqlite_version(version)
    check_sqlite_version("3.51.3")
    check_sqlite_version("3.100.0")


def test_a_failed_migration_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    SqliteStore(tmp_path, PREPARATION).close()
    connection = open_writer(path, DatabaseKind.CATALOG)
    steps = (
        *migrations_of(DatabaseKind.CATALOG),
        Migration(2, "0002_good.sql", "CREATE TABLE good (x)"),
        Migration(3, "0003_bad.sql", "CREATE TABLE bad (x); SELECT * FROM nowhere"),
    )
    with pytest.raises(StoreOpenError, match="0003_bad"):
        migrate(connection, path, DatabaseKind.CATALOG, steps)
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
    assert "good" in tables
    assert "bad" not in tables
    assert connection.pragma("user_version") == 2
    connection.close()
    copy = apsw.Connection(str(tmp_path / "catalog.db.before-version-2"))
    assert copy.pragma("user_version") == 1
    copy.close()


def test_another_preparation_makes_the_index_again(tmp_path: Path) -> None:
    first = SqliteStore(tmp_path, PREPARATION)
    first.create_game(Game(GAME, created_time=1))
    put_page(first, "e1", b"gate tower", title="Castle")
    before = first.snapshot(GAME)
    first.close()
    backwards = replace(
        PREPARATION, version="next", prepare=lambda text: PREPARATION.prepare(text)[::-1]
    )
    second = SqliteStore(tmp_path, backwards)
    assert second.search(GAME, Term("gate"), SearchFilter(), limit=9) == []
    assert len(second.search(GAME, Term("etag"), SearchFilter(), limit=9)) == 1
    assert len(second.search(GAME, Term("eltsac"), SearchFilter(), limit=9)) == 1
    assert second.snapshot(GAME).epoch != before.epoch
    second.close()


def test_a_written_secret_leaves_no_trace_when_its_rows_go(
    store: SqliteStore, game_file: Path
) -> None:
    canary = "zyxwvcanary" + "q" * 9
    put_page(store, "e1", f"say {canary} twice {canary}".encode(), title=canary)
    put_page(store, "e2", b"other words", "https://other.example/")
    store.close()
    connection = open_writer(game_file, DatabaseKind.GAME)
    assert canary.encode() in game_file.read_bytes()
    with connection:
        connection.execute("DELETE FROM passage_index WHERE rowid = 1")
        for table in ("observations", "source_chunks", "document_versions"):
            connection.execute(f"DELETE FROM {table}")
        for table in ("source_artifacts", "sources", "blob_pieces", "blobs", "envelopes"):
            connection.execute(f"DELETE FROM {table}")
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    connection.close()
    left = b"".join(path.read_bytes() for path in game_file.parent.iterdir())
    assert canary.encode() not in left
    assert canary[::-1].encode() not in left
