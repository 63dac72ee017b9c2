"""The facts that searches ask of a version are those of the tables they come from, after every change."""

from __future__ import annotations

import pytest

from corpus_service.domain.deletions import Deletion, DeletionReason
from corpus_service.storage.sqlite import SqliteStore
from corpus_service.storage.sqlite.migrating import migrations_of
from corpus_service.storage.sqlite.opening import DatabaseKind
from corpus_service.storage.sqlite.rows import Row
from sourcecorpus.identity.identifiers import source_id
from tests.storage.records import GAME, SECOND, put_page

CASTLE = "https://castle.example/"
ROSES = "https://roses.example/"

_EXPECTED = (
    "SELECT v.row, v.row + v.chunk_count, v.artifact, v.readable, s.current_version IS v.row,"
    " a.trust, a.fetched_at, a.family, a.source_kind, s.host, v.language, a.media_type, v.id"
    " FROM document_versions AS v JOIN source_artifacts AS a ON a.row = v.artifact"
    " JOIN sources AS s ON s.row = v.source ORDER BY v.row"
)


def facts(store: SqliteStore) -> list[Row]:
    with store._reading(GAME) as connection:
        return connection.execute("SELECT * FROM version_facts ORDER BY row").fetchall()


def expected(store: SqliteStore) -> list[Row]:
    with store._reading(GAME) as connection:
        return connection.execute(_EXPECTED).fetchall()


def delete(store: SqliteStore, uri: str, version_id: str = "") -> None:
    wanted = Deletion(source_id(GAME, uri), DeletionReason.WRONG, 99 * SECOND, version_id)
    store.delete_source(GAME, wanted)


@pytest.fixture
def filled(store: SqliteStore) -> SqliteStore:
    put_page(store, "e1", b"gate " * 30, CASTLE, at=1, synthetic=True)
    put_page(store, "e2", b"tower " * 30, CASTLE, at=2, fetched_time=2 * SECOND)
    put_page(store, "e3", b"petal", ROSES, at=3, kind="wiki")
    return store


def test_versions_that_come_go_and_come_again(filled: SqliteStore) -> None:
    def current() -> list[int]:
        assert facts(filled) == expected(filled)
        return [row[4] for row in facts(filled)]

    assert current() == [0, 1, 1]
    # The first text again, now fetched and trusted.
    put_page(filled, "e4", b"gate " * 30, CASTLE, at=4, fetched_time=4 * SECOND)
    assert current() == [1, 0, 1]
    put_page(filled, "e5", b"moat", CASTLE, at=5)
    newest = put_page(filled, "e6", b"moat and bridge", CASTLE, at=6).sources[0].version_id
    assert len(current()) == 5
    delete(filled, CASTLE, newest)
    assert sum(current()) == 2
    delete(filled, CASTLE)
    assert current() == [1]


def test_changed_facts_of_an_artifact_are_followed(filled: SqliteStore) -> None:
    before = facts(filled)
    put_page(filled, "again", b"gate " * 30, CASTLE, at=7, fetched_time=7 * SECOND)
    after = facts(filled)
    assert after == expected(filled)
    assert {(row[5], row[6]) for row in before} != {(row[5], row[6]) for row in after}


def test_a_version_that_is_hidden_is_hidden_here(filled: SqliteStore) -> None:
    with filled._lease(GAME) as database:
        database.write(
            lambda transaction: transaction.connection.execute(
                "UPDATE document_versions SET readable = 0 WHERE canonical_uri = ?", (ROSES,)
            ).fetchall()
        ).result(timeout=30)
    assert facts(filled) == expected(filled)
    assert [row[3] for row in facts(filled)] == [1, 1, 0]


def test_the_migration_fills_the_table_of_an_older_file(filled: SqliteStore) -> None:
    put_page(filled, "e4", b"gate " * 30, CASTLE, at=4)
    before = facts(filled)
    migration = migrations_of(DatabaseKind.GAME)[6]
    assert migration.name == "0007_version_facts.sql"
    with filled._lease(GAME) as database:
        database.write(
            lambda transaction: transaction.connection.execute(
                "DROP VIEW readable_version_facts; DROP TRIGGER version_facts_added;"
                "DROP TRIGGER version_facts_hidden; DROP TRIGGER version_facts_removed;"
                "DROP TRIGGER version_facts_of_artifact; DROP TRIGGER version_facts_current;"
                "DROP TRIGGER version_facts_superseded; DROP TABLE version_facts;" + migration.sql
            ).fetchall()
        ).result(timeout=30)
    assert facts(filled) == before
