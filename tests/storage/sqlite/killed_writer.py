"""A process that stores records until somebody ends it: `python -m … FOLDER`; prints each ack.

The environment's fault point says where it ends itself.
"""

from __future__ import annotations

import sys
from pathlib import Path

from corpus_service.domain.games import Game
from corpus_service.storage.pieces import compress_piece
from corpus_service.storage.preparation import PreparedRecord
from corpus_service.storage.sqlite import SqliteStore, writing
from sourcecorpus.rpc import faults
from tests.storage.records import GAME, PREPARATION, hash_of, page, prepared, record

RECORDS = 30
BATCH = 5


def ready(number: int) -> PreparedRecord:
    data = f"gate {number} tower {number % 7} ".encode() * 40
    source = page(f"https://a.example/{number % 10}", data, title="castle")
    captured = record(
        f"e{number}", [source], [data], at=number + 1, result_hash=hash_of(data), run_id="run"
    )
    return prepared(captured)


def main(folder: Path) -> None:
    faults.arm_from_environment()
    # Every commit is followed by a checkpoint, so that one of them can be broken off.
    vars(writing)["WAL_AUTOCHECKPOINT_PAGES"] = 1
    store = SqliteStore(folder, PREPARATION)
    if store.get_game(GAME) is None:
        store.create_game(Game(GAME, created_time=1))
    for start in range(0, RECORDS, BATCH):
        futures = [store.submit(GAME, ready(number)) for number in range(start, start + BATCH)]
        for number, future in enumerate(futures, start):
            future.result(30)
            print(f"e{number}", flush=True)  # noqa: T201 - the parent reads it
        upload = store.begin_upload(GAME, hash_of(b"%d" % start), 1)
        upload.write(compress_piece(b"x"))
        upload.abort()
    store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
