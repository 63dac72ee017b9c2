"""IngestService over a real socket: batches, uploads, streams that break off."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import grpc
import pytest

from corpus_service.domain.games import Game
from corpus_service.extraction import TextExtraction, extractor_versions
from corpus_service.search.preparation import prepare_all_for_index
from corpus_service.servicers.ingest_servicer import IngestServicer
from corpus_service.servicers.refresh_calls import RefreshCalls
from corpus_service.services.ingest import IngestUseCase
from corpus_service.services.ingest_texts import TextPreparation
from corpus_service.services.ingest_uploads import ContentUploadUseCase, UploadHead
from corpus_service.services.refresh import RefreshUseCase
from corpus_service.storage.sqlite import SqliteStore
from sourcecorpus.capture.v1 import envelope_pb2 as envelope_pb
from sourcecorpus.capture.v1 import outcome_pb2 as outcome_pb
from sourcecorpus.corpus.v1 import capture_record_pb2 as record_pb
from sourcecorpus.corpus.v1 import ingest_service_pb2 as pb
from sourcecorpus.corpus.v1 import ingest_service_pb2_grpc as pb_grpc
from sourcecorpus.rpc.interceptors.errors import ErrorInterceptor
from sourcecorpus.rpc.page_tokens import KEY_BYTES, PageTokenSigner
from sourcecorpus.rpc.status import failure_from_rpc_error
from tests.storage.records import GAME, PREPARATION, hash_of

if TYPE_CHECKING:
    # The generated stub module has this type for type checkers alone.
    Stub: TypeAlias = pb_grpc.IngestServiceAsyncStub
FRAME = 256 * 1024


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path, PREPARATION)
    opened.create_game(Game(GAME, created_time=1))
    yield opened
    opened.close()


def over_socket(store: SqliteStore, call: Callable[[Stub], Awaitable[None]]) -> None:
    """Serve IngestService on a free port for the length of one conversation."""

    async def converse() -> None:
        extraction = TextExtraction()
        with ThreadPoolExecutor(4) as threads:
            texts = TextPreparation(extraction, extractor_versions(), prepare_all_for_index)
            servicer = IngestServicer(
                IngestUseCase(store, texts, time.time_ns),
                ContentUploadUseCase(store),
                RefreshCalls(
                    RefreshUseCase(store, time.time_ns, lambda: "refresh"),
                    PageTokenSigner(b"k" * KEY_BYTES),
                ),
                threads,
            )
            server = grpc.aio.server(interceptors=[ErrorInterceptor()])
            pb_grpc.add_IngestServiceServicer_to_server(servicer, server)
            port = server.add_insecure_port("127.0.0.1:0")
            await server.start()
            async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
                await call(pb_grpc.IngestServiceStub(channel))
            await server.stop(5)
        extraction.close()

    asyncio.run(converse())


def message(envelope_id: str, data: bytes, *, with_bytes: bool = True) -> record_pb.CaptureRecord:
    record = record_pb.CaptureRecord(
        game_id=GAME,
        envelope_id=envelope_id,
        envelope_fingerprint=hash_of(envelope_id.encode()),
        tool_name="web_extract",
        result_hash=hash_of(data),
    )
    record.finished_time.FromNanoseconds(1_700_000_000_123_456_789)
    record.received_time.FromNanoseconds(1_700_000_001_000_000_000)
    content = record.contents.add(content_hash=hash_of(data), size_bytes=len(data))
    if with_bytes:
        content.data = data
    record.sources.add(
        canonical_uri=f"https://castle.example/{envelope_id}",
        family="gtc_page",
        kind="page",
        role=record_pb.SOURCE_ROLE_DOCUMENT,
        content_hash=hash_of(data),
        content_type="text/plain",
        completeness=envelope_pb.COMPLETENESS_FULL,
        derivation=envelope_pb.DERIVATION_AS_RETURNED,
        headers={"etag": "x"},
    )
    return record


async def refusal(call: Awaitable[object]) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    return failure_from_rpc_error(refused.value).reason


def frames(data: bytes, *, head: pb.UploadHead | None = None) -> list[pb.UploadContentRequest]:
    described = head or pb.UploadHead(
        game_id=GAME, content_hash=hash_of(data), size_bytes=len(data)
    )
    parts = [data[start : start + FRAME] for start in range(0, len(data), FRAME)]
    return [
        pb.UploadContentRequest(head=described),
        *(pb.UploadContentRequest(data=part) for part in parts),
    ]


async def sent(requests: list[pb.UploadContentRequest]) -> AsyncIterator[pb.UploadContentRequest]:
    for request in requests:
        yield request


def test_titles_are_one_line_without_hidden_characters_and_bytes_stay(store: SqliteStore) -> None:
    data = "gate\u202e\nkeep".encode()

    async def call(stub: Stub) -> None:
        record = message("e1", data)
        record.sources[0].title = "The\u202e Gate\n\tof\u200b \u2066Iron\x07"
        answer = await stub.IngestCaptures(pb.IngestCapturesRequest(records=[record]))
        source = store.get_source(GAME, answer.results[0].sources[0].source_id)
        assert source is not None
        assert source.title == "The Gate of Iron"
        version = store.get_versions(GAME, [source.current_version_id])[source.current_version_id]
        assert version.title == "The Gate of Iron"
        assert b"".join(store.open_content(GAME, hash_of(data)).pieces()) == data

    over_socket(store, call)


def test_a_batch_answers_each_record_in_order(store: SqliteStore) -> None:
    async def call(stub: Stub) -> None:
        wrong = message("e2", b"two")
        wrong.tool_name = ""
        request = pb.IngestCapturesRequest(
            records=[message("e1", b"one"), wrong, message("e3", b"three"), message("e1", b"one")]
        )
        answer = await stub.IngestCaptures(request)
        assert [result.status for result in answer.results] == [
            pb.INGEST_STATUS_COMMITTED,
            pb.INGEST_STATUS_REJECTED,
            pb.INGEST_STATUS_COMMITTED,
            pb.INGEST_STATUS_DUPLICATE,
        ]
        assert answer.results[0].outcome == outcome_pb.CAPTURE_OUTCOME_STORED
        assert (answer.results[1].reason, answer.results[1].field) == (
            "FIELD_REQUIRED",
            "tool_name",
        )
        assert answer.results[3].sources == answer.results[0].sources
        (seen,) = store.list_observations(GAME, answer.results[0].sources[0].source_id, limit=9)
        assert seen.observed_time == 1_700_000_000_123_456_789

    over_socket(store, call)


@pytest.mark.parametrize("seconds", [2**62, -(2**62), 253_402_300_799])
def test_a_time_that_cannot_be_is_refused_with_its_field_alone(
    store: SqliteStore, seconds: int
) -> None:
    async def call(stub: Stub) -> None:
        records = [message(f"e{number}", b"one") for number in range(5)]
        for record, name in zip(
            records, ("started_time", "finished_time", "received_time"), strict=False
        ):
            getattr(record, name).seconds = seconds
        records[3].sources[0].fetched_time.seconds = seconds
        answer = await stub.IngestCaptures(pb.IngestCapturesRequest(records=records))
        assert [(result.reason, result.field) for result in answer.results] == [
            ("FIELD_INVALID", "started_time"),
            ("FIELD_INVALID", "finished_time"),
            ("FIELD_INVALID", "received_time"),
            ("FIELD_INVALID", "sources[0].fetched_time"),
            ("", ""),
        ]

    over_socket(store, call)


def test_a_stamp_with_broken_nanoseconds_is_refused(store: SqliteStore) -> None:
    async def call(stub: Stub) -> None:
        wrong = message("e1", b"one")
        wrong.finished_time.nanos = -1
        answer = await stub.IngestCaptures(pb.IngestCapturesRequest(records=[wrong]))
        (result,) = answer.results
        assert (result.reason, result.field) == ("FIELD_INVALID", "finished_time")

    over_socket(store, call)


def test_batches_are_bounded(store: SqliteStore) -> None:
    async def call(stub: Stub) -> None:
        assert await refusal(stub.IngestCaptures(pb.IngestCapturesRequest())) == "BATCH_EMPTY"
        many = pb.IngestCapturesRequest(records=[message("e", b"x")] * 65)
        assert await refusal(stub.IngestCaptures(many)) == "FIELD_TOO_MANY_VALUES"
        large = pb.IngestCapturesRequest(
            records=[message(f"e{number}", b"%d" % number * 1_100_000) for number in range(2)]
        )
        assert await refusal(stub.IngestCaptures(large)) == "BATCH_TOO_LARGE"

    over_socket(store, call)


def test_uploaded_bytes_wait_for_their_record(store: SqliteStore) -> None:
    data = bytes(range(256)) * 3_000

    async def call(stub: Stub) -> None:
        bare = pb.IngestCapturesRequest(records=[message("e1", data, with_bytes=False)])
        (asked,) = (await stub.IngestCaptures(bare)).results
        assert asked.status == pb.INGEST_STATUS_NEED_CONTENT
        answer = await stub.UploadContent(sent(frames(data)))
        assert (answer.content_hash, answer.already_stored) == (hash_of(data), False)
        (stored,) = (await stub.IngestCaptures(bare)).results
        assert stored.status == pb.INGEST_STATUS_COMMITTED
        again = await stub.UploadContent(sent(frames(data)))
        assert again.already_stored

    over_socket(store, call)
    assert b"".join(store.open_content(GAME, hash_of(data)).pieces()) == data


def test_a_wrong_upload_is_refused_and_leaves_nothing(store: SqliteStore) -> None:
    data = b"x" * 700_000
    name = hash_of(data)

    def head(**facts: object) -> pb.UploadHead:
        values = {"game_id": GAME, "content_hash": name, "size_bytes": len(data)} | facts
        return pb.UploadHead(**values)  # type: ignore[arg-type]

    whole = frames(data)
    cases = {
        "HEAD_REQUIRED": whole[1:],
        "HEAD_REPEATED": [whole[0], whole[1], whole[0]],
        "FRAME_EMPTY": [whole[0], pb.UploadContentRequest()],
        "FRAME_TOO_LARGE": [whole[0], pb.UploadContentRequest(data=b"x" * (FRAME + 1))],
        "CONTENT_SIZE_MISMATCH": whole[:-1],
        "CONTENT_HASH_MISMATCH": [*whole[:-1], pb.UploadContentRequest(data=b"y" * 175_712)],
        "UNKNOWN_GAME": frames(data, head=head(game_id="nowhere")),
        "INVALID_HASH": frames(data, head=head(content_hash="md5:1")),
        "CONTENT_TOO_LARGE": frames(data, head=head(size_bytes=2**27)),
    }

    async def call(stub: Stub) -> None:
        assert await refusal(stub.UploadContent(sent([]))) == "HEAD_REQUIRED"
        longer = frames(data, head=head(size_bytes=10))
        assert await refusal(stub.UploadContent(sent(longer))) == "CONTENT_SIZE_MISMATCH"
        for reason, requests in cases.items():
            assert await refusal(stub.UploadContent(sent(requests))) == reason

    over_socket(store, call)
    assert store.missing_contents(GAME, [name]) == {name}
    assert store.drop_uploads(GAME, older_than=2**62) == 0


def test_an_upload_that_breaks_off_leaves_nothing(store: SqliteStore, tmp_path: Path) -> None:
    data = b"z" * (FRAME * 5)

    async def call(stub: Stub) -> None:
        stream = stub.UploadContent()
        for request in frames(data)[:4]:
            await stream.write(request)
        # The pieces are in the store before the client goes away.
        await until(lambda: pending(store) == 1)
        stream.cancel()
        await until(lambda: pending(store) == 0)

    over_socket(store, call)
    assert store.missing_contents(GAME, [hash_of(data)])


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - rows of a database have no event
        await asyncio.sleep(0)


def pending(store: SqliteStore) -> int:
    with store._reader(GAME) as connection:
        found = connection.execute("SELECT count(*) FROM blobs").get
    assert isinstance(found, int)
    return found


def test_an_upload_drops_what_nobody_asked_for_in_a_day(store: SqliteStore) -> None:
    now = time.time_ns()
    day = 86_400 * 10**9

    def upload(data: bytes, at: int) -> None:
        opened = ContentUploadUseCase(store, lambda: at).begin(
            UploadHead(GAME, hash_of(data), len(data))
        )
        opened.write(data)
        opened.finish()

    upload(b"first", now)
    upload(b"second", now + day - 10**12)
    both = [hash_of(b"first"), hash_of(b"second")]
    assert store.missing_contents(GAME, both) == frozenset()
    upload(b"third", time.time_ns() + day + 1)
    assert store.missing_contents(GAME, both) == set(both)
    assert not store.missing_contents(GAME, [hash_of(b"third")])
