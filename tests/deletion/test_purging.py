"""What is pending after deletions, and when it is not any more."""

from __future__ import annotations

from pathlib import Path

from corpus_service.domain.games import Game
from corpus_service.storage.sqlite import SqliteStore
from corpus_service.storage.sqlite.deleting import delete
from corpus_service.storage.sqlite.deletion import purge
from corpus_service.storage.sqlite.purging import note_done, pending_purge
from tests.deletion.killed_deletion import fill
from tests.deletion.test_bytes_on_disk import deletion
from tests.storage.records import GAME, PREPARATION, put_page


def test_a_purge_ends_what_was_pending_and_no_later_deletion(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path, PREPARATION)
    store.create_game(Game(GAME, created_time=1))
    fill(store)
    with store._lease(GAME) as database:

        def pending() -> str:
            return database.write(lambda begun: pending_purge(begun.connection)).result(60)

        assert pending() == ""
        database.write(lambda begun: delete(begun, deletion())).result(60)
        first = pending()
        assert first
        put_page(store, "again", b"gate", "https://castle.example/planted")
        database.write(lambda begun: delete(begun, deletion())).result(60)
        assert pending() not in ("", first)
        database.write(lambda begun: note_done(begun.connection, first)).result(60)
        assert pending() not in ("", first)
        purge(database)
        assert pending() == ""
    store.close()
