"""The way to the corpus: repair, order, retries, dead letters, bounds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import grpc
import pytest

from capture_service.delivery.backoff import Backoff
from sourcecorpus.corpus.v1 import game_pb2, ingest_service_pb2
from sourcecorpus.corpus.v1.ingest_service_pb2 import IngestResult
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import INGEST_RECORDS_MAX
from sourcecorpus.rpc.status import status_of
from tests.capture.fake_corpus import FakeCorpus, Record
from tests.capture.frames import GAME, envelope, finish, opening, whole
from tests.capture.running import run, running, until

OTHER = "second-game"


def small(number: int, **fields: object) -> object:
    text = b'{"results": [{"url": "https://example.org/%d", "content": "text"}]}' % number
    return envelope(f"e{number}", text, **fields)


def terminal(envelope_id: str, size: int) -> object:
    return envelope(
        envelope_id,
        os.urandom(size // 2).hex().encode(),
        tool_name="terminal",
        arguments=b'{"command": "curl -s https://example.org/dump"}',
    )


async def with_two_games() -> FakeCorpus:
    corpus = FakeCorpus()
    corpus.games[OTHER] = game_pb2.Game(game_id=OTHER)
    await corpus.start()
    return corpus


@pytest.mark.parametrize("size", [2_000, 2_500_000])
def test_bytes_that_the_corpus_lost_are_sent_again(tmp_path: Path, size: int) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            body = os.urandom(size // 2).hex().encode()
            arguments = b'{"command": "curl -s https://example.org/dump"}'
            for number in (1, 2):
                frames = whole(1, body, f"e{number}", tool_name="terminal", arguments=arguments)
                stream = await service.stream([opening(f"s{number}"), *frames, finish()])
                await stream.drained()
                await service.delivered(number)
                assert service.corpus.result_of(f"e{number}") == body
                # Behind the capture service's back; it still believes that the corpus has them.
                service.corpus.forget(GAME)

    run(test())


def test_a_rejected_record_is_kept_apart_and_harms_nobody(tmp_path: Path) -> None:
    def answer(record: Record) -> IngestResult | None:
        if record.envelope_id != "e2":
            return None
        return IngestResult(
            envelope_id="e2",
            status=ingest_service_pb2.INGEST_STATUS_REJECTED,
            reason="RECORD_INVALID",
            field="sources[0]",
        )

    async def test() -> None:
        async with running(tmp_path) as service:
            service.corpus.answer = answer
            await service.submit(*(small(number) for number in range(4)))
            await service.delivered(3)
            assert service.corpus.order == ["e0", "e1", "e3"]

    run(test())


@pytest.mark.parametrize("reason", ["GAME_PAUSED", "OVER_QUOTA"])
def test_a_paused_games_records_wait_and_come_when_it_resumes(tmp_path: Path, reason: str) -> None:
    def refuse(record: Record) -> IngestResult | None:
        if record.game_id != GAME:
            return None
        return IngestResult(
            envelope_id=record.envelope_id,
            status=ingest_service_pb2.INGEST_STATUS_REJECTED,
            reason=reason,
        )

    async def test() -> None:
        corpus = await with_two_games()
        async with running(tmp_path, corpus) as service:
            corpus.answer = refuse
            await service.submit(small(1), small(2))
            await service.submit(small(3, game_id=OTHER))
            await service.delivered(1)
            corpus.answer = lambda _: None
            await service.delivered(3)
            assert corpus.order == ["e3", "e1", "e2"]
        await corpus.stop()

    run(test())


def test_an_upload_that_a_paused_game_refuses_holds_up_nobody_else(tmp_path: Path) -> None:
    async def test() -> None:
        corpus = await with_two_games()
        upload, paused = corpus.UploadContent, True

        async def refusing(requests: Any, context: Any) -> Any:
            if paused:
                failure = Failure(FailureCode.FAILED_PRECONDITION, "GAME_PAUSED")
                status = status_of(failure)
                details = (("grpc-status-details-bin", status.SerializeToString()),)
                code = grpc.StatusCode.FAILED_PRECONDITION
                await context.abort(code, status.message, details)
            return await upload(requests, context)

        corpus.UploadContent = refusing  # type: ignore[method-assign, assignment]
        await corpus.stop()
        await corpus.start()
        async with running(tmp_path, corpus) as service:
            await service.submit(terminal("large", 2_500_000), small(1, game_id=OTHER))
            await service.delivered(1)
            assert corpus.order == ["e1"]
            paused = False
            await service.delivered(2)
        await corpus.stop()

    run(test())


def test_a_game_that_must_wait_does_not_hold_up_another_and_keeps_its_order(
    tmp_path: Path,
) -> None:
    refusals = 3

    def answer(record: Record) -> IngestResult | None:
        nonlocal refusals
        if record.game_id != GAME or not refusals:
            return None
        refusals -= record.envelope_id == "e0"
        return IngestResult(
            envelope_id=record.envelope_id,
            status=ingest_service_pb2.INGEST_STATUS_RETRY_LATER,
            reason="WRITER_BUSY",
        )

    async def test() -> None:
        corpus = await with_two_games()
        async with running(tmp_path, corpus) as service:
            corpus.answer = answer
            await service.submit(
                *(small(number, game_id=(GAME, OTHER)[number % 2]) for number in range(6))
            )
            await service.delivered(6)
            assert corpus.order[:3] == ["e1", "e3", "e5"]
            assert corpus.order[3:] == ["e0", "e2", "e4"]
        await corpus.stop()

    run(test())


def test_a_record_over_which_the_corpus_fails_waits_alone_with_its_game(tmp_path: Path) -> None:
    failing = True

    def answer(record: Record) -> IngestResult | None:
        if failing and record.envelope_id == "e0":
            raise RuntimeError("a defect of the corpus")
        return None

    async def test() -> None:
        nonlocal failing
        corpus = await with_two_games()
        async with running(tmp_path, corpus) as service:
            corpus.answer = answer
            await service.submit(small(0), small(1, game_id=OTHER))
            await service.delivered(1)
            assert corpus.order == ["e1"]
            failing = False
            await service.delivered(2)
        await corpus.stop()

    run(test())


def test_a_corpus_that_comes_and_goes_gets_everything_once_and_in_order(tmp_path: Path) -> None:
    async def test() -> None:
        corpus = FakeCorpus()
        await corpus.start()
        async with running(tmp_path, corpus) as service:
            for turn in range(3):
                await service.submit(*(small(turn * 10 + number) for number in range(10)))
                await corpus.stop()
                await corpus.start()
            await service.delivered(30)
            assert corpus.order == [f"e{number}" for number in range(30)]
        await corpus.stop()

    run(test())


def test_an_answer_that_never_arrived_does_not_store_twice(tmp_path: Path) -> None:
    lost: list[str] = []

    async def test() -> None:
        corpus = FakeCorpus()
        commit = corpus.IngestCaptures

        async def commit_and_break(request: object, context: Any) -> object:
            response = await commit(request, context)  # type: ignore[arg-type]
            if not lost:
                lost.append("answer")
                await context.abort(grpc.StatusCode.UNAVAILABLE, "gone")
            return response

        corpus.IngestCaptures = commit_and_break  # type: ignore[method-assign, assignment]
        await corpus.start()
        async with running(tmp_path, corpus) as service:
            await service.submit(small(1), small(2))
            await until(lambda: len(corpus.batches) >= 2)
            assert corpus.order == ["e1", "e2"]
        await corpus.stop()

    run(test())


def test_batches_stay_within_their_bounds(tmp_path: Path) -> None:
    async def test() -> None:
        corpus = FakeCorpus()
        await corpus.start()
        async with running(tmp_path, corpus) as service:
            await service.submit(small(0))
            await service.delivered(1)
        await corpus.stop()
        async with running(tmp_path, corpus) as service:
            for number in range(8):
                await service.submit(terminal(f"large-{number}", 900_000))
            await service.submit(*(small(number) for number in range(1, 61)))
            await service.submit(*(small(number) for number in range(61, 101)))
            await corpus.start()
            await service.delivered(109)
            # 900 kB of text and the result that holds it: two such records fit into 2 MiB at most.
            assert max(corpus.batches) <= INGEST_RECORDS_MAX
            assert max(corpus.batches[1:4]) <= 2
        await corpus.stop()

    run(test())


def test_backoff_grows_to_its_bound_with_full_jitter() -> None:
    parts = iter([1.0] * 8 + [0.5, 0.0, 0.0])
    backoff = Backoff(lambda: next(parts), first_seconds=0.1, seconds_max=5.0)
    waits = [backoff.next_seconds() for _ in range(8)]
    assert waits == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0])
    assert backoff.next_seconds() == 2.5
    assert backoff.next_seconds(at_least=1.5) == 1.5
    backoff.reset()
    assert backoff.next_seconds(at_least=60.0) == 5.0
