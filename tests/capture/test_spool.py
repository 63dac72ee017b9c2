"""The durable queue: what is committed stays, what is refused leaves nothing, contents are shared."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from capture_service.spool import (
    QUEUE_MIGRATIONS,
    Content,
    DatabaseRefusedError,
    GroupCommitWriter,
    Migration,
    QueueLimits,
    QueueTotals,
    Schema,
    SpoolBusyError,
    SpoolClosedError,
    SpoolFullError,
    StoredContentDamagedError,
    open_reader,
    open_writer,
    queue,
)
from capture_service.spool import limits as spool_limits
from capture_service.spool.contents import read_all, read_piece
from capture_service.spool.group_commit import CommitHooks

SCHEMA = Schema(0x1234, QUEUE_MIGRATIONS)
ROOMY = QueueLimits()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "queue.db"


@pytest.fixture
def connection(path: Path) -> Iterator[apsw.Connection]:
    opened = open_writer(path, SCHEMA)
    yield opened
    opened.close()


def content_of(data: bytes) -> Content:
    return Content(hashlib.sha256(data).digest(), data)


def append(connection: apsw.Connection, key: str, *bodies: bytes, **fields: Any) -> int:
    values: dict[str, Any] = {
        "lane": "game",
        "session": "s",
        "sequence": 1,
        "queued_milliseconds": 1,
        "payload": b"payload of " + key.encode(),
        **fields,
    }
    bounds = values.pop("bounds", ROOMY)
    return queue.append(
        connection,
        bounds,
        entry_key=key,
        entry_contents=[content_of(body) for body in bodies],
        **values,
    )


def keys(connection: apsw.Connection, **options: Any) -> list[str]:
    found = queue.peek(connection, entries_max=100, payload_bytes_max=10**9, **options)
    return [entry.entry_key for entry in found]


def test_entries_come_in_order_and_survive_a_restart(path: Path) -> None:
    connection = open_writer(path, SCHEMA)
    for key in ("b", "a", "c"):
        append(connection, key, key.encode())
    connection.close()
    reopened = open_writer(path, SCHEMA)
    assert keys(reopened) == ["b", "a", "c"]
    (first, *_) = queue.peek(reopened, entries_max=1, payload_bytes_max=0)
    assert first.payload == b"payload of b"
    assert read_all(reopened, first.contents[0].digest) == b"b"
    reopened.close()


def test_what_was_not_committed_is_gone_after_a_crash(path: Path) -> None:
    connection = open_writer(path, SCHEMA)
    append(connection, "kept", b"kept")
    connection.execute("BEGIN IMMEDIATE")
    append(connection, "lost", b"lost", os.urandom(3 * spool_limits.CONTENT_PIECE_BYTES))
    # A crash: the transaction is never committed, the file stays as it is.
    connection.close(True)
    reopened = open_writer(path, SCHEMA)
    assert keys(reopened) == ["kept"]
    assert queue.totals(reopened).entries == 1
    assert reopened.execute("SELECT count(*) FROM queue_content_pieces").get == 0
    reopened.close()


@pytest.mark.parametrize("size", [0, 1, spool_limits.CONTENT_PIECE_BYTES, 2_500_000])
def test_contents_of_every_size_come_back_byte_for_byte(
    connection: apsw.Connection, size: int
) -> None:
    body = os.urandom(size)
    append(connection, "a", body)
    digest = hashlib.sha256(body).digest()
    assert read_all(connection, digest) == body
    first = read_piece(connection, digest, 0)
    assert first is not None
    assert len(first) == min(size, spool_limits.CONTENT_PIECE_BYTES)


def test_a_content_is_stored_once_and_leaves_with_its_last_entry(
    connection: apsw.Connection,
) -> None:
    small, large = b"shared", os.urandom(2 * spool_limits.CONTENT_PIECE_BYTES)
    first = append(connection, "a", small, large)
    before = queue.totals(connection).stored_bytes
    second = append(connection, "b", small, large)
    assert queue.totals(connection).stored_bytes - before < 2_000
    assert queue.settle(connection, first)
    assert read_all(connection, hashlib.sha256(large).digest()) == large
    assert queue.settle(connection, second)
    assert not queue.settle(connection, second)
    assert queue.totals(connection) == QueueTotals(0, 0, 0)
    for table in ("queue_contents", "queue_content_pieces", "queue_entry_contents"):
        assert connection.execute(f"SELECT count(*) FROM {table}").get == 0
    with pytest.raises(StoredContentDamagedError):
        read_all(connection, hashlib.sha256(small).digest())


def test_bounds_refuse_without_a_trace(path: Path) -> None:
    writer = GroupCommitWriter(open_writer(path, SCHEMA))
    writer.submit(lambda connection: append(connection, "a", b"x")).result(10)
    held = writer.submit(queue.totals).result(10)
    for bounds in (QueueLimits(entries_max=1), QueueLimits(bytes_max=held.stored_bytes + 100)):
        body = os.urandom(1_000)
        refused = writer.submit(lambda c, b=bounds, d=body: append(c, "b", d, bounds=b))  # type: ignore[misc]
        with pytest.raises(SpoolFullError) as full:
            refused.result(10)
        assert full.value.reason == "OUTBOX_FULL"
        assert writer.submit(queue.totals).result(10) == held
    assert writer.submit(keys).result(10) == ["a"]
    writer.close()


def test_peek_bounds_payloads_and_leaves_lanes_out(connection: apsw.Connection) -> None:
    first = append(connection, "a", lane="one", payload=b"x" * 10)
    append(connection, "b", lane="two", payload=b"x" * 10)
    append(connection, "c", lane="one", payload=b"x" * 10)
    assert keys(connection, excluded_lanes=["one"]) == ["b"]
    assert keys(connection, after_entry_id=first) == ["b", "c"]
    found = queue.peek(connection, entries_max=9, payload_bytes_max=20)
    assert [entry.entry_key for entry in found] == ["a", "b"]
    assert len(queue.peek(connection, entries_max=9, payload_bytes_max=1)) == 1


def test_dead_letters_keep_their_bytes_and_count_against_the_bounds(
    connection: apsw.Connection,
) -> None:
    entry = append(connection, "a", b"body")
    append(connection, "b")
    assert queue.bury(
        connection, entry, reason="GAME_PAUSED", field="game_id", refused_milliseconds=7
    )
    assert not queue.bury(connection, entry, reason="X", field="", refused_milliseconds=7)
    (letter,) = queue.dead_letters(connection)
    assert (letter.entry_key, letter.reason, letter.field) == ("a", "GAME_PAUSED", "game_id")
    assert keys(connection) == ["b"]
    assert read_all(connection, hashlib.sha256(b"body").digest()) == b"body"
    totals = queue.totals(connection)
    assert (totals.entries, totals.dead_letters) == (1, 1)
    with pytest.raises(SpoolFullError):
        append(connection, "c", bounds=QueueLimits(entries_max=2))


def test_a_flipped_byte_is_never_handed_out(connection: apsw.Connection) -> None:
    body = b"a long enough text that compresses well " * 100
    append(connection, "a", body)
    digest = hashlib.sha256(body).digest()
    frame = bytearray(connection.execute("SELECT data FROM queue_contents").get)
    for position in (8, len(frame) // 2, len(frame) - 1):
        damaged = bytearray(frame)
        damaged[position] ^= 1
        connection.execute("UPDATE queue_contents SET data = ?", (bytes(damaged),))
        with pytest.raises(StoredContentDamagedError):
            read_all(connection, digest)


def test_group_commit_joins_what_waits_and_isolates_what_fails(path: Path) -> None:
    begun, release = threading.Event(), threading.Event()
    writer = GroupCommitWriter(open_writer(path, SCHEMA))

    def hold(_: apsw.Connection) -> None:
        begun.set()
        release.wait(10)

    def fail(connection: apsw.Connection) -> None:
        append(connection, "half", b"half")
        raise ValueError("of the unit")

    holding = writer.submit(hold)
    assert begun.wait(10)
    good = [writer.submit(lambda c, n=n: append(c, f"k{n}")) for n in range(20)]  # type: ignore[misc]
    bad = writer.submit(fail)
    last = writer.submit(lambda connection: append(connection, "last"))
    release.set()
    holding.result(10)
    assert [future.result(10) for future in good] == list(range(1, 21))
    with pytest.raises(ValueError, match="of the unit"):
        bad.result(10)
    last.result(10)
    assert writer.commits == 2
    writer.close()
    reader = open_reader(path)
    assert keys(reader) == [*(f"k{n}" for n in range(20)), "last"]
    reader.close()


def test_nothing_is_told_before_the_commit(path: Path) -> None:
    told: list[bool] = []
    futures: list[Any] = []
    submitted = threading.Event()

    def before() -> None:
        submitted.wait(10)
        told.append(any(future.done() for future in futures))

    writer = GroupCommitWriter(open_writer(path, SCHEMA), CommitHooks(before_commit=before))
    futures.append(writer.submit(lambda connection: append(connection, "a")))
    submitted.set()
    futures[0].result(10)
    writer.close()
    assert told == [False]


def test_a_full_disk_refuses_and_the_writer_goes_on(path: Path) -> None:
    connection = open_writer(path, SCHEMA)
    pages = int(str(connection.pragma("page_count")))
    writer = GroupCommitWriter(connection)

    def limit(inner: apsw.Connection, page_count: int) -> None:
        inner.pragma("max_page_count", page_count)

    writer.submit(lambda inner: limit(inner, pages + 2)).result(10)
    body = os.urandom(200_000)
    with pytest.raises(SpoolFullError) as full:
        writer.submit(lambda inner: append(inner, "large", body)).result(10)
    assert full.value.reason == "DISK_FULL"
    writer.submit(lambda inner: limit(inner, 10_000)).result(10)
    writer.submit(lambda inner: append(inner, "large", body)).result(10)
    writer.close()
    reader = open_reader(path)
    assert keys(reader) == ["large"]
    assert reader.pragma("integrity_check") == "ok"
    reader.close()


def test_the_writers_queue_is_bounded_and_closes(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool_limits, "WRITER_QUEUE_UNITS_MAX", 2)
    begun, release = threading.Event(), threading.Event()
    writer = GroupCommitWriter(open_writer(path, SCHEMA))

    def hold(_: apsw.Connection) -> None:
        begun.set()
        release.wait(10)

    writer.submit(hold)
    assert begun.wait(10)
    waiting = [writer.submit(lambda connection: append(connection, "a")) for _ in range(1)]
    writer.submit(lambda _: None)
    with pytest.raises(SpoolBusyError):
        writer.submit(lambda _: None)
    release.set()
    writer.close()
    assert waiting[0].result(0) == 1
    with pytest.raises(SpoolClosedError):
        writer.submit(lambda _: None)


def test_the_log_is_copied_back_when_it_is_long(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool_limits, "CHECKPOINT_PAGES", 5)
    reached = threading.Event()
    writer = GroupCommitWriter(
        open_writer(path, SCHEMA), CommitHooks(during_checkpoint=reached.set)
    )
    writer.submit(lambda connection: append(connection, "a", os.urandom(100_000))).result(10)
    assert reached.wait(10)
    writer.close()
    assert not path.with_name("queue.db-wal").exists()


def test_a_foreign_file_is_refused_and_stays_as_it_is(path: Path) -> None:
    foreign = apsw.Connection(str(path))
    foreign.execute("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)")
    foreign.close()
    before = path.read_bytes()
    with pytest.raises(DatabaseRefusedError, match="another program"):
        open_writer(path, SCHEMA)
    path.with_name("queue.db").write_bytes(before)
    assert path.read_bytes() == before


def test_a_newer_file_and_no_database_are_refused(path: Path) -> None:
    newer = Schema(0x1234, (*QUEUE_MIGRATIONS, Migration("0002", "CREATE TABLE later (x)")))
    open_writer(path, newer).close()
    with pytest.raises(DatabaseRefusedError, match="schema 2"):
        open_writer(path, SCHEMA)
    path.write_bytes(b"this is no database, but it is long enough to look at" * 100)
    before = path.read_bytes()
    with pytest.raises(DatabaseRefusedError, match="not a SQLite database"):
        open_writer(path, SCHEMA)
    assert path.read_bytes() == before


def test_an_old_library_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apsw, "SQLITE_VERSION_NUMBER", 3_051_002)
    with pytest.raises(DatabaseRefusedError, match="older"):
        open_writer(path, SCHEMA)
    assert not path.exists()


def test_a_crash_during_a_migration_leaves_the_schema_before(path: Path) -> None:
    open_writer(path, SCHEMA).close()
    newer = Schema(0x1234, (*QUEUE_MIGRATIONS, Migration("0002", "CREATE TABLE later (x)")))

    def crash() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        open_writer(path, newer, crash)
    open_writer(path, SCHEMA).close()
    connection = open_writer(path, newer)
    assert connection.pragma("user_version") == 2
    connection.close()


def test_released_migrations_never_change() -> None:
    digests = [
        hashlib.sha256(migration.statements.encode()).hexdigest()[:16]
        for migration in QUEUE_MIGRATIONS
    ]
    assert digests == ["a58f31059776589c"]
