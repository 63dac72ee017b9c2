"""A process that stores sources and deletes one, until the environment's fault point ends it."""

from __future__ import annotations

import sys
from pathlib import Path

from corpus_service.domain.deletions import Deletion, DeletionReason
from corpus_service.domain.games import Game
from corpus_service.storage.interface import CorpusStore
from corpus_service.storage.sqlite import SqliteStore
from sourcecorpus.identity.identifiers import source_id
from sourcecorpus.rpc import faults
from tests.storage.records import GAME, PREPARATION, SECOND, put_page

PLANTED = b"zxqvplanted"
URI = "https://castle.example/planted"
OTHERS = 30


def fill(store: CorpusStore) -> None:
    """Store the planted page among others, each in a commit of its own."""
    for number in range(OTHERS):
        uri = f"https://castle.example/{number}"
        put_page(store, f"e{number}", b"garden %d" % number, uri, title="garden")
    put_page(store, "planted", b"garden " + PLANTED, URI, title=PLANTED.decode())


def main(folder: Path) -> None:
    faults.arm_from_environment()
    store = SqliteStore(folder, PREPARATION)
    store.create_game(Game(GAME, created_time=1))
    fill(store)
    print("filled", flush=True)  # noqa: T201 - the parent reads it
    reason = DeletionReason.SENSITIVE
    store.delete_source(GAME, Deletion(source_id(GAME, URI), reason, 9 * SECOND))
    store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
