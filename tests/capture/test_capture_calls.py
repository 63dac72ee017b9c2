"""The unary calls over a real socket: outcomes, games, sessions, delivery."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from sourcecorpus.capture.v1 import capture_service_pb2 as pb
from sourcecorpus.capture.v1 import envelope_pb2
from sourcecorpus.capture.v1.outcome_pb2 import CaptureOutcome
from sourcecorpus.rpc.status import failure_from_rpc_error
from tests.capture.frames import GAME, envelope
from tests.capture.running import Running, run, running


def page(url: str, text: str) -> bytes:
    return json.dumps({"results": [{"url": url, "title": "T", "content": text}]}).encode()


def names(outcomes: list[object]) -> list[str]:
    return [
        CaptureOutcome.Name(outcome.outcome).removeprefix("CAPTURE_OUTCOME_")  # type: ignore[attr-defined]
        for outcome in outcomes
    ]


async def reason_of(service: Running, *envelopes: envelope_pb2.Envelope) -> tuple[str, float]:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await service.submit(*envelopes)
    failure = failure_from_rpc_error(error.value)
    return failure.reason, failure.retry_after_seconds or 0.0


async def submitted(service: Running, item: envelope_pb2.Envelope) -> list[object]:
    """Submit as a client does: again after the time that the service asks for."""
    while True:
        try:
            return await service.submit(item)
        except grpc.aio.AioRpcError as error:
            failure = failure_from_rpc_error(error)
            assert failure.retry_after_seconds
            await asyncio.sleep(failure.retry_after_seconds)


def test_contents_a_b_a_are_stored_new_and_observed(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            url = "https://example.org/lava"
            first, second = page(url, "lava hurts"), page(url, "lava heals")
            outcomes = []
            for number, content in enumerate((first, second, first)):
                outcomes += await service.submit(envelope(f"e{number}", content))
            assert names(outcomes) == ["STORED", "NEW_VERSION", "OBSERVED_AGAIN"]
            assert len({outcome.sources[-1].source_id for outcome in outcomes}) == 1
            await service.delivered(3)
            assert [service.corpus.result_of(f"e{number}") for number in range(3)] == [
                first,
                second,
                first,
            ]
            record = service.corpus.records[GAME, "e2"]
            assert not any(content.HasField("data") for content in record.contents)

    run(test())


def test_the_same_envelope_twice_is_a_duplicate_and_another_content_is_rejected(
    tmp_path: Path,
) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            one, other = page("https://example.org/a", "one"), page("https://example.org/a", "two")
            outcomes = await service.submit(
                envelope("same", one), envelope("same", one), envelope("same", other)
            )
            assert names(outcomes) == ["STORED", "DUPLICATE_ENVELOPE", "REJECTED"]
            assert outcomes[1].sources[-1].source_id == outcomes[0].sources[-1].source_id
            assert (outcomes[2].reason, outcomes[2].field) == ("ENVELOPE_ID_REUSED", "envelope_id")
            again = await service.submit(envelope("same", one))
            assert names(again) == ["DUPLICATE_ENVELOPE"]
            await service.delivered(1)
            assert service.corpus.order == ["same"]

    run(test())


def test_games_by_alias_unknown_paused_none_and_made_again(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            body = page("https://example.org/a", "text")
            outcomes = await service.submit(
                envelope("by-alias", body, game_id="ember fall"),
                envelope("unknown", body, game_id="nowhere"),
                envelope("none", body, game_id=""),
                envelope("no-family", body, tool_name="memory_write"),
            )
            assert names(outcomes) == ["STORED", "UNKNOWN_GAME", "NO_GAME", "IGNORED"]
            assert outcomes[0].game_id == GAME
            service.corpus.games[GAME].paused = True
            assert names(await service.submit(envelope("paused", body))) == ["PAUSED"]
            service.corpus.games[GAME].paused = False
            assert names(await service.submit(envelope("paused", body))) == ["OBSERVED_AGAIN"]
            await service.delivered(2)
            # Deleted and made anew: what was known of the old game is forgotten.
            service.corpus.games[GAME].created_time.FromSeconds(2)
            assert names(await service.submit(envelope("by-alias", body))) == ["STORED"]

    run(test())


def test_the_sessions_game_is_taken_where_the_envelope_names_none(tmp_path: Path) -> None:
    async def test() -> None:
        body = page("https://example.org/a", "text")
        async with running(tmp_path) as service:
            request = pb.SetSessionGameRequest(session_id="hermes-1", game_id="Ember Fall")
            assert (await service.stub.SetSessionGame(request)).game_id == GAME
            outcomes = await service.submit(
                envelope("a", body, game_id="", session_id="hermes-1"),
                envelope("b", body, game_id="", session_id="hermes-2"),
            )
            assert names(outcomes) == ["STORED", "NO_GAME"]
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await service.stub.SetSessionGame(
                    pb.SetSessionGameRequest(session_id="hermes-1", game_id="nowhere")
                )
            assert failure_from_rpc_error(error.value).reason == "UNKNOWN_GAME"
        async with running(tmp_path) as service:
            asked = pb.GetSessionGameRequest(session_id="hermes-1")
            assert (await service.stub.GetSessionGame(asked)).game_id == GAME
            await service.stub.SetSessionGame(pb.SetSessionGameRequest(session_id="hermes-1"))
            assert (await service.stub.GetSessionGame(asked)).game_id == ""

    run(test())


def test_secrets_are_masked_before_anything_is_kept(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"

    async def test() -> None:
        async with running(tmp_path) as service:
            (outcome,) = await service.submit(
                envelope(
                    f"id-{secret}",
                    page(f"https://example.org/a?token={secret}", f"use {secret} here"),
                    arguments=json.dumps(
                        {"urls": ["https://example.org/a"], "key": secret}
                    ).encode(),
                    error=f"failed with {secret}",
                    run_id=secret,
                    session_id=secret,
                )
            )
            assert names([outcome]) == ["STORED"]
            assert outcome.envelope_id == f"id-{secret}"
            assert sum(outcome.masks.values()) >= 5
            await service.delivered(1)
            (record,) = service.corpus.records.values()
            kept = record.SerializeToString() + b"".join(service.corpus.contents.values())
            assert secret.encode() not in kept
            again = await service.submit(envelope(f"id-{secret}", b"other"))
            assert names(again)[0] in {"REJECTED", "DUPLICATE_ENVELOPE"}

    run(test())
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or secret.encode() not in path.read_bytes(), path.name


def test_a_probe_arrives_without_sources_or_contents(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            body = page("https://example.org/a", "text")
            (probe,) = await service.submit(envelope("probe", body, probe=True))
            assert names([probe]) == ["STORED"]
            assert (len(probe.sources), probe.source_count) == (0, 0)
            (real,) = await service.submit(envelope("real", body))
            assert names([real]) == ["STORED"]
            await service.delivered(2)
            record = service.corpus.records[GAME, "probe"]
            assert record.probe
            assert (len(record.sources), len(record.contents), record.result_hash) == (0, 0, "")

    run(test())


@pytest.mark.parametrize("name", ["started_time", "finished_time"])
@pytest.mark.parametrize(
    "stamp",
    [
        Timestamp(seconds=-62_135_596_800),
        Timestamp(),
        Timestamp(seconds=253_402_300_799),
        Timestamp(seconds=2**62),
        Timestamp(seconds=1, nanos=-1),
    ],
)
def test_a_time_that_the_corpus_cannot_keep_is_refused_before_it_is_acknowledged(
    tmp_path: Path, name: str, stamp: Timestamp
) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            outcomes = await service.submit(
                envelope("bad", b"one", **{name: stamp}), envelope("good", b"one")
            )
            assert names(outcomes) == ["REJECTED", "STORED"]
            assert (outcomes[0].reason, outcomes[0].field) == ("FIELD_INVALID", name)
            await service.delivered(1)

    run(test())


@pytest.mark.parametrize("sequence", [2**63, 2**64 - 1])
def test_a_sequence_that_no_row_holds_is_refused_alone(tmp_path: Path, sequence: int) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            outcomes = await service.submit(
                envelope("bad", b"one", sequence=sequence), envelope("good", b"one")
            )
            assert names(outcomes) == ["REJECTED", "STORED"]
            assert (outcomes[0].reason, outcomes[0].field) == ("FIELD_INVALID", "sequence")

    run(test())


def test_a_batch_is_bounded(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            assert await reason_of(service) == ("BATCH_EMPTY", 0.0)
            many = [envelope(f"e{number}", b"") for number in range(65)]
            assert (await reason_of(service, *many))[0] == "FIELD_TOO_MANY_VALUES"
            large = envelope("large", bytes(3_700_000))
            assert (await reason_of(service, large))[0] == "BATCH_TOO_LARGE"
            bad = envelope("bad", b"", tool_name="")
            outcomes = await service.submit(bad, envelope("good", page("https://a.org/", "x")))
            assert names(outcomes) == ["REJECTED", "STORED"]
            assert (outcomes[0].reason, outcomes[0].field) == ("FIELD_REQUIRED", "tool_name")

    run(test())


@pytest.mark.parametrize(
    "result",
    [
        b"",
        b"\0\xff\xfe",
        b"\xef\xbb\xbf{\r\n}",
        b'{"results": [{"url": "https://example.org/x", "content": "lone \\ud800 half"}]}',
        b'{"results": [{"url": "https://example.org/\\ud800", "content": "x"}]}',
        bytes(range(256)) * 20,
        b"[" * 5_000,
    ],
)
def test_every_byte_string_comes_through(tmp_path: Path, result: bytes) -> None:
    async def test() -> None:
        async with running(tmp_path) as service:
            outcomes = await service.submit(envelope("e", result))
            assert names(outcomes) == ["STORED"]
            await service.delivered(1)
            assert service.corpus.result_of("e") == result

    run(test())


def test_capture_goes_on_while_the_corpus_is_away(tmp_path: Path) -> None:
    from tests.capture.fake_corpus import FakeCorpus

    async def test() -> None:
        corpus = FakeCorpus()
        await corpus.start()
        async with running(tmp_path, corpus) as service:
            await service.submit(envelope("before", page("https://example.org/0", "x")))
            await service.delivered(1)
        await corpus.stop()
        async with running(tmp_path, corpus) as service:
            for number in range(20):
                outcomes = await service.submit(
                    envelope(f"e{number}", page(f"https://example.org/{number + 1}", "x"))
                )
                assert names(outcomes) == ["STORED"]
            # Whether this game exists cannot be told now; the capture is not lost, it is refused.
            reason, retry = await reason_of(service, envelope("x", b"", game_id="newer"))
            assert (reason, retry) == ("GAME_DIRECTORY_UNAVAILABLE", 1.0)
            await corpus.start()
            await service.delivered(21)
            assert corpus.order == ["before", *(f"e{number}" for number in range(20))]
        await corpus.stop()

    run(test())


def test_without_any_directory_nothing_is_lost(tmp_path: Path) -> None:
    from tests.capture.fake_corpus import FakeCorpus

    async def test() -> None:
        corpus = FakeCorpus()
        await corpus.start()
        await corpus.stop()
        async with running(tmp_path, corpus) as service:
            reason, _ = await reason_of(service, envelope("e", b""))
            assert reason == "GAME_DIRECTORY_UNAVAILABLE"
            await corpus.start()
            again = envelope("e", page("https://example.org/", "x"))
            assert names(await submitted(service, again)) == ["STORED"]
        await corpus.stop()

    run(test())


def test_a_full_outbox_refuses_and_takes_again(tmp_path: Path) -> None:
    from capture_service.settings import CaptureSettings
    from tests.capture.fake_corpus import FakeCorpus

    async def test() -> None:
        corpus = FakeCorpus()
        await corpus.start()
        async with running(tmp_path, corpus) as service:
            await service.submit(envelope("warm", page("https://example.org/", "x")))
            await service.delivered(1)
        await corpus.stop()
        settings = CaptureSettings(outbox_entries_max=2)
        async with running(tmp_path, corpus, settings) as service:
            envelopes = [
                envelope(f"e{number}", page(f"https://example.org/{number}", "x"))
                for number in range(3)
            ]
            assert await reason_of(service, *envelopes) == ("OUTBOX_FULL", 1.0)
            await corpus.start()
            await service.delivered(3)
            outcomes = await service.submit(*envelopes)
            assert names(outcomes) == ["DUPLICATE_ENVELOPE", "DUPLICATE_ENVELOPE", "STORED"]
        await corpus.stop()

    run(test())
