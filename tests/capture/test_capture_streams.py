"""Capture streams over a real socket: acks after the commit, resume, misuse, drain, neighbours."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from capture_service.servicers.stream_parts import StreamTimes
from capture_service.settings import CaptureSettings
from sourcecorpus.capture.v1 import capture_service_pb2 as pb
from sourcecorpus.capture.v1.outcome_pb2 import CaptureOutcome
from sourcecorpus.rpc.failures import Failure
from tests.capture.fake_corpus import FakeCorpus
from tests.capture.frames import data, end_of, finish, head, opening, whole
from tests.capture.running import Running, Stream, run, running, until


def body(number: int) -> bytes:
    content = {"url": f"https://example.org/{number}", "content": f"page {number}"}
    return json.dumps({"results": [content]}).encode()


def envelopes(first: int, last: int) -> Iterator[pb.StreamCapturesRequest]:
    for number in range(first, last + 1):
        yield from whole(number, body(number))


def names(stream: Stream) -> list[str]:
    return [
        CaptureOutcome.Name(outcome.outcome).removeprefix("CAPTURE_OUTCOME_")
        for outcome in stream.outcomes
    ]


async def failure_of(stream: Stream) -> Failure:
    with pytest.raises(Failure) as failure:
        await stream.drained()
    return failure.value


def test_a_session_from_open_to_finished(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            stream = await service.stream([opening(), *envelopes(1, 30), finish()])
            await stream.half_close()
            await stream.drained()
            assert names(stream) == ["STORED"] * 30
            assert [outcome.sequence for outcome in stream.outcomes] == list(range(1, 31))
            assert stream.durable_sequence == 30
            await service.delivered(30)
            assert service.corpus.order == [f"envelope-{number}" for number in range(1, 31)]
            session = await service.session()
            assert dict(session.outcomes) == {"STORED": 30}
            assert session.durable_sequence == 30

    run(test())


def test_a_client_that_breaks_off_leaves_nothing_of_the_open_envelope(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            stream = await service.stream([opening(), *envelopes(1, 2), head(3)])
            for _ in range(3):
                await stream.send(data(bytes(256 * 1024)))
            await stream.acknowledged(2)
            stream.cancel()
            again = await service.stream([opening()])
            await again.next()
            assert again.durable_sequence == 2
            await again.send_all([*envelopes(3, 3), finish()])
            await again.drained()
            assert names(again) == ["STORED"]
            await service.delivered(3)
            session = await service.session()
            assert dict(session.outcomes) == {"STORED": 3}

    run(test())


def test_half_close_without_end_is_incomplete(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            stream = await service.stream([opening(), *envelopes(1, 1), head(2), data(b"half")])
            await stream.half_close()
            assert (await failure_of(stream)).reason == "ENVELOPE_INCOMPLETE"
            assert stream.durable_sequence == 1
            without_finish = await service.stream([opening(), *envelopes(2, 3)])
            await without_finish.half_close()
            await without_finish.drained()
            assert without_finish.durable_sequence == 3

    run(test())


MISUSE = {
    "data before an envelope": ([data(b"x")], "FRAME_OUT_OF_ORDER"),
    "two opens": ([opening()], "OPEN_REPEATED"),
    "second end": ([*whole(3, b"{}"), end_of(b"{}")], "FRAME_OUT_OF_ORDER"),
    "gap": ([head(9)], "SEQUENCE_GAP"),
    "empty oneof": ([pb.StreamCapturesRequest()], "FRAME_EMPTY"),
    "frame after finish": ([finish(), head(3)], "FRAME_AFTER_FINISH"),
}


@pytest.mark.parametrize(("messages", "reason"), MISUSE.values(), ids=MISUSE)
def test_misuse_ends_the_stream_soon_and_a_new_one_works_at_once(
    tmp_path: Path, messages: list[pb.StreamCapturesRequest], reason: str
) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            stream = await service.stream([opening(), *envelopes(1, 2), *messages])
            async with asyncio.timeout(2):
                failure = await failure_of(stream)
            assert failure.reason == reason
            assert names(stream)[:2] == ["STORED", "STORED"]
            again = await service.stream([opening()])
            await again.next()
            resumed = again.durable_sequence
            assert resumed >= 2
            await again.send_all([*envelopes(resumed + 1, resumed + 1), finish()])
            await again.drained()
            assert again.durable_sequence == resumed + 1

    run(test())


def test_a_bad_envelope_is_an_outcome_and_the_stream_goes_on(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            wrong_hash = [head(1), data(b"abc"), end_of(b"abd")]
            no_tool = whole(2, b"x", tool_name="")
            stream = await service.stream(
                [opening(), *wrong_hash, *no_tool, *envelopes(3, 3), finish()]
            )
            await stream.drained()
            assert names(stream) == ["REJECTED", "REJECTED", "STORED"]
            assert [outcome.reason for outcome in stream.outcomes] == [
                "ENVELOPE_HASH_MISMATCH",
                "FIELD_REQUIRED",
                "",
            ]
            assert stream.durable_sequence == 3
            session = await service.session()
            assert dict(session.outcomes) == {"REJECTED": 2, "STORED": 1}

    run(test())


def test_what_is_sent_again_after_an_ack_is_a_duplicate(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            first = await service.stream([opening(), *envelopes(1, 3), finish()])
            await first.drained()
            again = await service.stream([opening(), *envelopes(2, 5), finish()])
            await again.drained()
            assert names(again) == ["DUPLICATE_ENVELOPE"] * 2 + ["STORED"] * 2
            assert again.durable_sequence == 5
            await service.delivered(5)
            session = await service.session()
            assert dict(session.outcomes) == {"STORED": 5, "DUPLICATE_ENVELOPE": 2}

    run(test())


def test_two_clients_at_once_store_an_envelope_once(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            frames = [opening("a"), *whole(1, body(1), envelope_id="shared"), finish()]
            other = [opening("b"), *frames[1:]]
            streams = [await service.stream(frames), await service.stream(other)]
            for stream in streams:
                await stream.drained()
            outcomes = sorted(name for stream in streams for name in names(stream))
            assert outcomes == ["DUPLICATE_ENVELOPE", "STORED"]
            await service.delivered(1)
            assert service.corpus.order == ["shared"]

    run(test())


def test_a_newer_stream_of_a_session_replaces_the_older(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            older = await service.stream([opening(), *envelopes(1, 1)])
            await older.acknowledged(1)
            newer = await service.stream([opening()])
            await newer.next()
            assert (await failure_of(older)).reason == "STREAM_REPLACED"
            await newer.send_all([*envelopes(2, 2), finish()])
            await newer.drained()
            assert newer.durable_sequence == 2

    run(test())


def test_a_small_window_holds_back_a_client_that_runs_ahead_and_loses_nothing(
    tmp_path: Path,
) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            stream = await service.stream(
                [opening(window_messages=1, window_bytes=10), *envelopes(1, 50), finish()]
            )
            await stream.drained()
            assert names(stream) == ["STORED"] * 50

    run(test())


def test_a_full_outbox_asks_for_a_pause_and_goes_on(tmp_path: Path) -> None:
    async def test() -> None:
        corpus = FakeCorpus()
        await corpus.start()
        async with running(tmp_path, corpus) as service:
            await (await service.stream([opening(), *envelopes(1, 1), finish()])).drained()
            await service.delivered(1)
        await corpus.stop()
        settings = CaptureSettings(outbox_entries_max=3)
        async with running(tmp_path, corpus, settings) as service:
            stream = await service.stream([opening(), *envelopes(2, 9), finish()])
            await stream.acknowledged(3)
            while not stream.slow_downs:
                await stream.next()
            assert stream.slow_downs == ["OUTBOX_FULL"]
            assert stream.durable_sequence == 4
            await corpus.start()
            await stream.drained()
            assert stream.durable_sequence == 9
            await service.delivered(9)
        await corpus.stop()

    run(test())


def test_large_contents_are_uploaded_and_small_ones_travel_inline(tmp_path: Path) -> None:
    large = b'{"output": "' + b"lava and ember " * 200_000 + b'", "exit_code": 0, "error": null}'
    assert len(large) > 2 * 1024 * 1024

    async def test() -> None:
        async with running(tmp_path) as service:
            stream = await service.stream(
                [
                    opening(),
                    *whole(
                        1,
                        large,
                        tool_name="terminal",
                        arguments=b'{"command": "curl -s https://example.org/large"}',
                    ),
                    *envelopes(2, 2),
                    finish(),
                ]
            )
            await stream.drained()
            assert names(stream) == ["STORED", "STORED"]
            await service.delivered(2)
            assert service.corpus.result_of("envelope-1") == large
            assert service.corpus.uploads
            assert 0 < service.corpus.inline_bytes < 10_000

    run(test())


def test_a_silent_stream_ends(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path, times=StreamTimes(idle=0.2)) as service:
            stream = await service.stream([opening(), head(1)])
            assert (await failure_of(stream)).reason == "STREAM_IDLE"

    run(test())


def test_a_drain_tells_streams_and_loses_nothing(tmp_path: Path) -> None:
    async def drained(service: Running, number: int) -> int:
        stream = await service.stream([opening(f"s{number}"), *envelopes(1, 20)])
        await stream.acknowledged(1)
        failure = await failure_of(stream)
        assert failure.reason == "DRAINING"
        assert stream.slow_downs == ["DRAINING"]
        return stream.durable_sequence

    async def test() -> None:
        corpus = FakeCorpus()
        await corpus.start()
        async with running(tmp_path, corpus) as service:
            tasks = [asyncio.create_task(drained(service, number)) for number in range(3)]
            await until(lambda: len(corpus.records) > 2)
            async with asyncio.timeout(5):
                assert await service.server.drain() == 0
            acknowledged = await asyncio.gather(*tasks)
        async with running(tmp_path, corpus) as service:
            for number, durable in enumerate(acknowledged):
                session = await service.session(f"s{number}")
                assert session.durable_sequence >= durable
        await corpus.stop()

    run(test())


def test_fifty_healthy_streams_beside_broken_ones_notice_nothing(tmp_path: Path) -> None:
    async def healthy(service: Running, number: int) -> list[str]:
        frames = [opening(f"healthy-{number}")]
        for sequence in range(1, 4):
            frames += whole(sequence, body(sequence), envelope_id=f"h-{number}-{sequence}")
        stream = await service.stream([*frames, finish()])
        await stream.drained()
        return names(stream)

    async def broken(service: Running, number: int) -> str:
        stream = await service.stream([opening(f"broken-{number}"), head(1), data(b"x"), head(2)])
        return (await failure_of(stream)).reason

    async def test() -> None:
        async with running(tmp_path) as service:
            results = await asyncio.gather(
                *(healthy(service, number) for number in range(50)),
                *(broken(service, number) for number in range(5)),
            )
            for outcome in results[:50]:
                assert set(outcome) <= {"STORED", "OBSERVED_AGAIN"}
                assert len(outcome) == 3
            assert results[50:] == ["FRAME_OUT_OF_ORDER"] * 5
            await service.delivered(150)

    run(test())
