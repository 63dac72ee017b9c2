"""Bytes that were changed or removed behind the store's back."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from corpus_service.domain.vocabulary import IngestStatus
from corpus_service.limits import CONTENT_BUFFERED_BYTES_MAX
from corpus_service.storage.sqlite import SqliteStore
from sourcecorpus.rpc.failures import Failure, FailureCode
from tests.storage.records import (
    GAME,
    hash_of,
    page,
    prepared,
    put,
    put_page,
    record,
    without_bytes,
)

DATA = b"stone and mortar " * 40
LARGE = bytes(range(256)) * (CONTENT_BUFFERED_BYTES_MAX // 256 + 2_000)


def behind_the_back(game_file: Path, sql: str) -> None:
    connection = apsw.Connection(str(game_file))
    connection.set_busy_timeout(5_000)
    connection.execute(sql)
    connection.close()


def flip(game_file: Path, at: int) -> None:
    connection = apsw.Connection(str(game_file))
    connection.set_busy_timeout(5_000)
    row, frame = connection.execute("SELECT row, frame FROM blob_pieces LIMIT 1").fetchall()[0]
    assert isinstance(frame, bytes)
    changed = bytearray(frame)
    changed[at] ^= 0x20
    connection.execute("UPDATE blob_pieces SET frame = ? WHERE row = ?", (bytes(changed), row))
    connection.close()


def assert_lost(store: SqliteStore, data: bytes) -> None:
    with pytest.raises(Failure) as lost:
        store.open_content(GAME, hash_of(data))
    assert (lost.value.code, lost.value.reason) == (FailureCode.DATA_LOSS, "STORED_HASH_MISMATCH")


def repair(store: SqliteStore, data: bytes) -> None:
    again = record("again", [page(data=data)], [data], at=5)
    asked = put(store, prepared(without_bytes(again), [None]))
    assert asked.status is IngestStatus.NEED_CONTENT
    assert asked.missing_content_hashes == (hash_of(data),)
    assert put(store, prepared(again, [None])).status is IngestStatus.COMMITTED
    assert b"".join(store.open_content(GAME, hash_of(data)).pieces()) == data


@pytest.mark.parametrize("at", [5, 9, 20, 30, -1, -6])
def test_a_flipped_byte_is_never_served_and_repaired_by_the_next_record(
    store: SqliteStore, game_file: Path, at: int
) -> None:
    put_page(store, "e1", DATA)
    flip(game_file, at)
    assert_lost(store, DATA)
    repair(store, DATA)


@pytest.mark.parametrize("table", ["blob_pieces", "blobs"])
def test_removed_bytes_are_asked_for_and_never_served(
    store: SqliteStore, game_file: Path, table: str
) -> None:
    put_page(store, "e1", DATA)
    behind_the_back(game_file, f"DELETE FROM {table}")
    assert_lost(store, DATA)
    repair(store, DATA)


def test_other_bytes_of_the_same_length_are_never_served(
    store: SqliteStore, game_file: Path
) -> None:
    put_page(store, "e1", b"AAAA")
    put_page(store, "e2", b"BBBB", "https://b.example/")
    behind_the_back(
        game_file,
        "UPDATE blob_pieces SET frame = (SELECT frame FROM blob_pieces ORDER BY row DESC LIMIT 1)",
    )
    assert_lost(store, b"AAAA")
    assert b"".join(store.open_content(GAME, hash_of(b"BBBB")).pieces()) == b"BBBB"


def test_damage_while_a_large_content_is_being_served_ends_the_serving(
    store: SqliteStore, game_file: Path
) -> None:
    whole = record("e1", [page(data=LARGE)], [LARGE])
    put(store, prepared(whole, [None]))
    pieces = store.open_content(GAME, hash_of(LARGE)).pieces()
    assert next(pieces) == LARGE[: 256 * 1024]
    behind_the_back(game_file, "UPDATE blob_pieces SET frame = zeroblob(40)")
    with pytest.raises(Failure) as lost:
        next(pieces)
    assert lost.value.code is FailureCode.DATA_LOSS


def test_a_damaged_page_of_the_file_is_data_loss(store: SqliteStore, game_file: Path) -> None:
    for number in range(40):
        put_page(store, f"e{number}", DATA + b"%d" % number, f"https://a.example/{number}")
    version = put_page(store, "last", b"x", "https://x.example/").sources[0].version_id
    store.close()
    content = bytearray(game_file.read_bytes())
    for start in range(8192 * 3, len(content), 8192):
        content[start : start + 64] = b"\xff" * 64
    game_file.write_bytes(bytes(content))
    again = SqliteStore(game_file.parent.parent, store._preparation)
    with pytest.raises(Failure) as lost:
        again.read_span(GAME, version, 0, 1)
    assert (lost.value.code, lost.value.reason) == (FailureCode.DATA_LOSS, "STORE_DAMAGED")
    again.close()
