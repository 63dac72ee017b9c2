"""Capture streams under stress: drain, misuse of the protocol, fifty healthy ones beside a broken one."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from sourcecorpus.bridge.client import SourceCorpusClient
from sourcecorpus.capture.v1.capture_service_pb2 import End, Open, SideFileHead
from tests.process.calls import (
    GAME,
    deliver,
    make_game,
    outcome_names,
    raw,
    refusal,
    send,
    sources,
    wait_delivered,
)
from tests.process.captures import envelope, mixed
from tests.process.conftest import Services
from tests.process.measures import open_files, resident_megabytes, threads
from tests.process.sending import Sender
from tests.process.streams import FINISH, RawStream, Request, head_frame, open_frame, whole
from tests.process.waiting import until

DRAIN_SECONDS_MAX = 10.0
MISUSE_SECONDS_MAX = 2.0
RECOVERY_SECONDS_MAX = 5.0
KEPT_MEGABYTES_MAX = 16.0
HEALTHY_STREAMS = 50
HEALTHY_ENVELOPES = 10

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]


@pytest.mark.parametrize("name", ["capture", "corpus"])
def test_a_drain_under_load_loses_nothing(services: Services, name: str) -> None:
    count = 600
    with services.client() as client:
        make_game(client)
    senders = [
        Sender(services, mixed(count, GAME, prefix=f"drain-{number}"), f"drain-{number}").start()
        for number in range(2)
    ]
    assert senders[0].some.wait(20)
    began = time.monotonic()
    assert services.stop(name) == 0
    assert time.monotonic() - began < DRAIN_SECONDS_MAX
    services.start(name)
    for number, sender in enumerate(senders):
        assert len(sender.join()) == count
        with services.client() as client:
            wait_delivered(client, f"drain-{number}")
            for one in mixed(count, GAME, prefix=f"drain-{number}"):
                assert raw(client, envelope_id=one.head.envelope_id)[0] == one.result


def test_open_streams_are_told_of_a_drain(services: Services) -> None:
    with services.client() as client, RawStream(client) as stream:
        make_game(client)
        stream.send(open_frame("told"), *whole(envelope(1, GAME, prefix="told"), 1))
        assert stream.receive().WhichOneof("frame") == "opened"
        assert stream.receive().ack.durable_sequence == 1
        assert services.stop("capture") == 0
        told = stream.receive()
        assert told.slow_down.reason == "DRAINING"
        assert told.slow_down.retry_delay.ToTimedelta().total_seconds() > 0
        assert refusal(stream.error()) == ("UNAVAILABLE", "DRAINING")
        services.start("capture")
        (outcome,) = send(client, [envelope(1, GAME, prefix="told")], "told")
        assert outcome_names([outcome]) == ["DUPLICATE_ENVELOPE"]


def one(name: str) -> list[Request]:
    return whole(envelope(1, GAME, prefix=name), 1)


MISUSE: dict[str, tuple[Callable[[str], list[Request]], str, str]] = {
    "data first": (lambda _: [Request(data=b"x")], "INVALID_ARGUMENT", "OPEN_REQUIRED"),
    "envelope first": (lambda n: [one(n)[0]], "INVALID_ARGUMENT", "OPEN_REQUIRED"),
    "empty frame first": (lambda _: [Request()], "INVALID_ARGUMENT", "FRAME_EMPTY"),
    "no session": (lambda _: [Request(open=Open())], "INVALID_ARGUMENT", "FIELD_REQUIRED"),
    "two opens": (lambda n: [open_frame(n)] * 2, "INVALID_ARGUMENT", "OPEN_REPEATED"),
    "data without envelope": (
        lambda n: [open_frame(n), Request(data=b"x")],
        "INVALID_ARGUMENT",
        "FRAME_OUT_OF_ORDER",
    ),
    "side file without envelope": (
        lambda n: [open_frame(n), Request(side_file=SideFileHead(name="x"))],
        "INVALID_ARGUMENT",
        "FRAME_OUT_OF_ORDER",
    ),
    "end without envelope": (
        lambda n: [open_frame(n), Request(end=End())],
        "INVALID_ARGUMENT",
        "FRAME_OUT_OF_ORDER",
    ),
    "a second end": (
        lambda n: [open_frame(n), *one(n), one(n)[-1]],
        "INVALID_ARGUMENT",
        "FRAME_OUT_OF_ORDER",
    ),
    "envelope within envelope": (
        lambda n: [open_frame(n), one(n)[0], one(n)[0]],
        "INVALID_ARGUMENT",
        "FRAME_OUT_OF_ORDER",
    ),
    "a gap": (
        lambda n: [open_frame(n), head_frame(envelope(1, GAME, prefix=n), 3)],
        "FAILED_PRECONDITION",
        "SEQUENCE_GAP",
    ),
    "no sequence": (
        lambda n: [open_frame(n), head_frame(envelope(1, GAME, prefix=n), 0)],
        "INVALID_ARGUMENT",
        "FIELD_REQUIRED",
    ),
    "an empty oneof": (
        lambda n: [open_frame(n), Request()],
        "INVALID_ARGUMENT",
        "FRAME_EMPTY",
    ),
    "finish within envelope": (
        lambda n: [open_frame(n), one(n)[0], FINISH],
        "INVALID_ARGUMENT",
        "ENVELOPE_INCOMPLETE",
    ),
    "a frame after finish": (
        lambda n: [open_frame(n), FINISH, one(n)[0]],
        "INVALID_ARGUMENT",
        "FRAME_AFTER_FINISH",
    ),
    "a large frame": (
        lambda n: [open_frame(n), one(n)[0], Request(data=bytes(256 * 1024 + 1))],
        "INVALID_ARGUMENT",
        "FRAME_TOO_LARGE",
    ),
}


@pytest.mark.parametrize("name", MISUSE)
def test_misuse_is_answered_at_once(shared_services: Services, name: str) -> None:
    frames, code, reason = MISUSE[name]
    session = f"misuse-{name.replace(' ', '-')}"
    with shared_services.client() as client:
        with RawStream(client) as stream:
            began = time.monotonic()
            # The requests stay open: the answer must not wait for more.
            stream.send(*frames(session))
            assert refusal(stream.error()) == (code, reason)
            assert time.monotonic() - began < MISUSE_SECONDS_MAX
        (outcome,) = send(client, [envelope(1, GAME, prefix=session)], session)
        ended_before = name in {"a second end"}
        expected = {"DUPLICATE_ENVELOPE"} if ended_before else {"STORED", "OBSERVED_AGAIN"}
        assert outcome_names([outcome])[0] in expected


def test_a_bad_item_is_refused_and_the_stream_goes_on(shared_services: Services) -> None:
    good = envelope(6, GAME, prefix="good")
    bad_length, bad_hash = (one(name)[-1] for name in ("length", "hash"))
    bad_length.end.length_bytes += 1
    bad_hash.end.content_hash = f"sha256:{'0' * 64}"
    with shared_services.client() as client, RawStream(client) as stream:
        stream.send(open_frame("bad-items"))
        for sequence, end in enumerate((bad_length, bad_hash), start=1):
            head = head_frame(envelope(1, GAME, prefix=f"bad-{sequence}"), sequence)
            stream.send(head, Request(data=envelope(1, GAME).result), Request(data=b""), end)
        stream.send(*whole(good, 3), FINISH)
        messages = list(stream.call)
        outcomes = [one for message in messages for one in message.ack.outcomes]
        assert outcome_names(outcomes) == ["REJECTED", "REJECTED", "STORED"]
        assert [outcome.reason for outcome in outcomes[:2]] == [
            "ENVELOPE_LENGTH_MISMATCH",
            "ENVELOPE_HASH_MISMATCH",
        ]
        assert messages[-1].finished.durable_sequence == 3


def test_fifty_healthy_streams_beside_a_broken_one(services: Services) -> None:
    pid = services.pid("capture")
    with services.client() as client:
        make_game(client)
        run_healthy(services, "warm", HEALTHY_STREAMS)
        files, memory, running = open_files(pid), resident_megabytes(pid), threads(pid)
        stop = threading.Event()
        breaker = threading.Thread(target=break_streams, args=(services, stop))
        breaker.start()
        try:
            run_healthy(services, "beside", HEALTHY_STREAMS)
        finally:
            stop.set()
            breaker.join()
        until(lambda: open_files(pid) <= files, RECOVERY_SECONDS_MAX)
        until(lambda: resident_megabytes(pid) < memory + KEPT_MEGABYTES_MAX, RECOVERY_SECONDS_MAX)
        until(lambda: threads(pid) <= running, RECOVERY_SECONDS_MAX)
        # None of the handlers is left: as many streams as there may be can be opened.
        with ExitStack() as stack:
            streams = [stack.enter_context(RawStream(client)) for _ in range(128)]
            for number, stream in enumerate(streams):
                stream.send(open_frame(f"many-{number}"))
            assert all(stream.receive().HasField("opened") for stream in streams)
        assert not any("broken" in source.canonical_uri for source in sources(client))


def run_healthy(services: Services, prefix: str, count: int) -> None:
    def run(number: int) -> list[str]:
        name = f"{prefix}-{number}"
        captures = list(mixed(HEALTHY_ENVELOPES, GAME, prefix=name))
        with services.client() as client:
            return [outcome.envelope_id for outcome in deliver(client, captures, name)]

    with ThreadPoolExecutor(count) as pool:
        for number, told in enumerate(pool.map(run, range(count))):
            assert told == [
                f"{prefix}-{number}-{position}" for position in range(1, HEALTHY_ENVELOPES + 1)
            ]


def break_streams(services: Services, stop: threading.Event) -> None:
    """Break the protocol, break off, and leave half an envelope, again and again."""
    attempt = 0
    with services.client() as client:
        while not stop.is_set():
            attempt += 1
            break_one(client, f"broken-{attempt}", misuse=bool(attempt % 2))


def break_one(client: SourceCorpusClient, session: str, *, misuse: bool) -> None:
    with RawStream(client) as stream:
        head = head_frame(envelope(1, GAME, prefix=session), 1)
        stream.send(open_frame(session), head, Request(data=bytes(200_000)))
        if misuse:
            stream.send(Request())
            stream.error()
