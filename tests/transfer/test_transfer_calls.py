"""ExportGame and ImportGame over a real server."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import grpc
import pytest

from corpus_service.archives.writing import ArchiveWriter
from corpus_service.domain.deletions import Deletion, DeletionReason
from corpus_service.domain.exports import ExportScope, Row
from corpus_service.services.exports import ExportUseCase
from corpus_service.services.limits import EXPORTS_MAX
from corpus_service.storage.memory import MemoryStore
from sourcecorpus.corpus.v1.citation_service_pb2 import ResolveCitationsRequest
from sourcecorpus.corpus.v1.transfer_pb2 import (
    EXPORT_SCOPE_CATALOGUE,
    ExportGameRequest,
    ExportGameResponse,
    ImportGameRequest,
    ImportHead,
    TransferEnd,
)
from sourcecorpus.identity import content_hash
from sourcecorpus.rpc.failures import Failure
from sourcecorpus.rpc.limits import DATA_FRAME_BYTES_MAX
from tests.reading.stocked import (
    BACKENDS,
    GAME,
    Stock,
    Stubs,
    over_socket,
    refused,
    serving,
    stocks,
)

TEXT = "The cold iron wall.\n冷铁 🗡\n"


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


async def exported(stubs: Stubs, **facts: object) -> list[ExportGameResponse]:
    request = ExportGameRequest(game_id=GAME, **facts)  # type: ignore[arg-type]
    return [message async for message in stubs.game.ExportGame(request)]


def bytes_of(messages: list[ExportGameResponse]) -> bytes:
    return b"".join(message.data for message in messages)


def parts(data: bytes, **end: object) -> list[ImportGameRequest]:
    facts = {"size_bytes": len(data), "content_hash": content_hash(data)} | end
    cut = range(0, len(data), DATA_FRAME_BYTES_MAX)
    return [
        ImportGameRequest(head=ImportHead()),
        *(ImportGameRequest(data=data[at : at + DATA_FRAME_BYTES_MAX]) for at in cut),
        ImportGameRequest(end=TransferEnd(**facts)),  # type: ignore[arg-type]
    ]


def test_refs_of_the_old_game_resolve_in_the_new_one(stock: Stock) -> None:
    version = stock.add("https://a.example/", TEXT, title="Wall", license_hint="CC0-1.0")
    stock.ingest("https://a.example/big", b"x" * 700_000, "x" * 50)
    fresh = Stock(MemoryStore())

    async def main() -> None:
        async with serving(stock.store) as stubs:
            messages = await exported(stubs)
            ref = f"v-{version.removeprefix('ver-')}#4-8"
            old = await stubs.citation.ResolveCitations(
                ResolveCitationsRequest(game_id=GAME, refs=[ref])
            )
        data = bytes_of(messages)
        head, end = messages[0].head, messages[-1].end
        assert (head.size_bytes, head.source_count, head.version_count) == (len(data), 2, 2)
        assert (end.size_bytes, end.content_hash) == (len(data), content_hash(data))
        sizes = {len(message.data) for message in messages[1:-2]}
        assert sizes == {DATA_FRAME_BYTES_MAX}
        async with serving(fresh.store) as stubs:
            imported = await stubs.game.ImportGame(iter(parts(data)))
            assert imported.game == head.game
            assert (imported.source_count, imported.content_count) == (2, 2)
            new = await stubs.citation.ResolveCitations(
                ResolveCitationsRequest(game_id=GAME, refs=[ref])
            )
            assert new == old
            assert new.results[0].citation.quote == "cold"
            assert bytes_of(await exported(stubs)) == data

    asyncio.run(main())


def test_a_stream_that_breaks_the_rules_is_refused_and_leaves_nothing(stock: Stock) -> None:
    stock.add("https://a.example/", TEXT)
    fresh = Stock(MemoryStore())

    async def main() -> None:
        async with serving(stock.store) as stubs:
            data = bytes_of(await exported(stubs))
        whole = parts(data)
        streams = {
            "HEAD_REQUIRED": [whole[1:], []],
            "HEAD_REPEATED": [[whole[0], *whole]],
            "FRAME_EMPTY": [[whole[0], ImportGameRequest()]],
            "FRAME_OUT_OF_ORDER": [[*whole, whole[1]]],
            "FRAME_TOO_LARGE": [
                [whole[0], ImportGameRequest(data=bytes(DATA_FRAME_BYTES_MAX + 1))]
            ],
            "ARCHIVE_TRUNCATED": [whole[:-1], [whole[0], *parts(data[:4_000])[1:]]],
            "CONTENT_SIZE_MISMATCH": [parts(data, size_bytes=1)],
            "CONTENT_HASH_MISMATCH": [parts(data, content_hash="sha256:" + "0" * 64)],
            "FIELD_INVALID": [[ImportGameRequest(head=ImportHead(game_id="another")), *whole[1:]]],
        }
        async with serving(fresh.store) as stubs:
            for reason, sent in streams.items():
                for stream in sent:
                    code, found, _ = await refused(stubs.game.ImportGame(iter(stream)))
                    assert (code, found) == ("INVALID_ARGUMENT", reason)
            assert fresh.store.get_game(GAME) is None
            await stubs.game.ImportGame(iter(whole))

    asyncio.run(main())


async def begun_export(stubs: Stubs) -> Any:
    call = stubs.game.ExportGame(ExportGameRequest(game_id=GAME))
    await call.read()
    return call


async def when_free(call: Callable[[], Awaitable[Any]]) -> Any:
    """Makes a call that is refused while the one before it is still being closed."""
    while True:
        try:
            return await call()
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED:
                raise


def test_a_caller_who_goes_away_leaves_nothing_and_blocks_nobody(
    stock: Stock, tmp_path: Path
) -> None:
    stock.ingest("https://a.example/", b"y" * 1_000_000, "y")

    async def main(other: Stock) -> None:
        async with serving(stock.store) as stubs:
            data = bytes_of(await exported(stubs))
            for _ in range(EXPORTS_MAX + 1):
                export = await when_free(lambda: begun_export(stubs))
                export.cancel()
        arrived = asyncio.Event()

        async def half() -> AsyncIterator[ImportGameRequest]:
            for part in parts(data)[:3]:
                yield part
            arrived.set()
            await asyncio.Event().wait()

        async with serving(other.store) as stubs:
            call = stubs.game.ImportGame(half())
            waiting = asyncio.ensure_future(call)
            await asyncio.wait_for(arrived.wait(), 20)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            await when_free(lambda: stubs.game.ImportGame(iter(parts(data))))

    for other in stocks("sqlite", tmp_path / "other"):
        asyncio.run(main(other))


def test_what_is_deleted_during_an_export_ends_it(stock: Stock) -> None:
    stock.ingest("https://a.example/", b"z" * 700_000, "z")
    export = ExportUseCase(stock.store).open(GAME, ExportScope.EVERYTHING)
    frames = export.frames()
    next(frames)
    source = stock.store.find_source(GAME, "https://a.example/")
    stock.store.delete_source(GAME, Deletion(source, DeletionReason.LICENSE, 1))
    with pytest.raises(Failure, match="ABORTED EXPORT_OUTDATED"):
        list(frames)
    export.close()


def test_a_full_disk_ends_an_export_and_leaves_room_for_others(
    stock: Stock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stock.add("https://a.example/", TEXT)
    exports = ExportUseCase(stock.store)

    def full(writer: ArchiveWriter, table: str, row: Row) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(ArchiveWriter, "take", full)
        for _ in range(EXPORTS_MAX + 1):
            with pytest.raises(Failure, match="RESOURCE_EXHAUSTED DISK_FULL"):
                exports.open(GAME, ExportScope.EVERYTHING)
    exports.open(GAME, ExportScope.EVERYTHING).close()


def test_a_damaged_store_gives_no_archive(tmp_path: Path) -> None:
    for stock in stocks("sqlite", tmp_path):
        version = stock.add("https://a.example/", TEXT)
        assert version
        changed = apsw.Connection(str(next((tmp_path / "games").glob("*.db"))))
        changed.execute("UPDATE source_chunks SET text = replace(text, 'cold', 'gold')")
        changed.close()

        async def body(stubs: Stubs) -> None:
            call = stubs.game.ExportGame(ExportGameRequest(game_id=GAME))
            code, reason, _ = await refused(call.read())
            assert (code, reason) == ("DATA_LOSS", "STORED_HASH_MISMATCH")

        over_socket(stock, body)


def test_exports_are_asked_for_by_name_and_scope(stock: Stock) -> None:
    stock.add("https://a.example/", TEXT)

    async def body(stubs: Stubs) -> None:
        for request, expected in (
            (ExportGameRequest(), ("INVALID_ARGUMENT", "FIELD_REQUIRED", "game_id")),
            (ExportGameRequest(game_id="nobody"), ("NOT_FOUND", "UNKNOWN_GAME", "game_id")),
            (
                ExportGameRequest(game_id=GAME, scope=7),  # type: ignore[arg-type]
                ("INVALID_ARGUMENT", "FIELD_INVALID", "scope"),
            ),
        ):
            assert await refused(stubs.game.ExportGame(request).read()) == expected
        bare = bytes_of(await exported(stubs, scope=EXPORT_SCOPE_CATALOGUE))
        assert b"cold iron" not in bare
        refusal = await refused(stubs.game.ImportGame(iter(parts(bare))))
        assert refusal[:2] == ("FAILED_PRECONDITION", "ARCHIVE_WITHOUT_CONTENTS")
        whole = bytes_of(await exported(stubs))
        refusal = await refused(stubs.game.ImportGame(iter(parts(whole))))
        assert refusal[:2] == ("FAILED_PRECONDITION", "GAME_NOT_EMPTY")

    over_socket(stock, body)
