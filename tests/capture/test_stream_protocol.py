"""The protocol of a capture stream: misuse ends it, a bad envelope does not."""

from __future__ import annotations

import pytest

from capture_service.domain.incoming import IncomingEnvelope, RejectedEnvelope
from capture_service.servicers.stream_protocol import (
    EnvelopeEnded,
    FinishRequested,
    Phase,
    SessionOpened,
    StreamProtocol,
)
from sourcecorpus.capture.v1 import capture_service_pb2 as pb
from sourcecorpus.rpc import limits
from sourcecorpus.rpc.failures import Failure, FailureCode
from tests.capture.frames import data, end_of, finish, head, opening, side_file, whole


def opened(durable_sequence: int = 0) -> StreamProtocol:
    protocol = StreamProtocol()
    assert isinstance(protocol.receive(opening()), SessionOpened)
    protocol.resume(durable_sequence)
    return protocol


def feed(protocol: StreamProtocol, *messages: pb.StreamCapturesRequest) -> list[object]:
    actions = [protocol.receive(message) for message in messages]
    return [action for action in actions if action is not None]


def item_of(protocol: StreamProtocol, *messages: pb.StreamCapturesRequest) -> object:
    (action,) = feed(protocol, *messages)
    assert isinstance(action, EnvelopeEnded)
    return action.item


def test_an_envelope_arrives_whole_with_its_side_files() -> None:
    item = item_of(
        opened(),
        head(1),
        data(b"ab"),
        data(b""),
        data(b"c"),
        side_file("full.md", "text/markdown"),
        data(b"side"),
        side_file("empty.md"),
        end_of(b"abcside"),
    )
    assert isinstance(item, IncomingEnvelope)
    assert item.size_bytes == 7
    assert item.result.take() == b"abc"
    assert [(part.name, part.take()) for part in item.side_files] == [
        ("full.md", b"side"),
        ("empty.md", b""),
    ]


def test_an_empty_result_is_an_envelope() -> None:
    item = item_of(opened(), *whole(1, b""))
    assert isinstance(item, IncomingEnvelope)
    assert item.result.take() == b""


MISUSE = {
    "data before open": ([data(b"x")], "OPEN_REQUIRED"),
    "finish before open": ([finish()], "OPEN_REQUIRED"),
    "empty oneof first": ([pb.StreamCapturesRequest()], "FRAME_EMPTY"),
    "open without session": ([opening("")], "FIELD_REQUIRED"),
    "open with a control character": ([opening("a\nb")], "FIELD_INVALID"),
    "open with a long session": ([opening("s" * 129)], "FIELD_INVALID"),
    "open with a long client name": ([opening(client_name="n" * 129)], "FIELD_TOO_LARGE"),
    "two opens": ([opening(), opening()], "OPEN_REPEATED"),
    "empty oneof": ([opening(), pb.StreamCapturesRequest()], "FRAME_EMPTY"),
    "data before an envelope": ([opening(), data(b"x")], "FRAME_OUT_OF_ORDER"),
    "side file before an envelope": ([opening(), side_file("a")], "FRAME_OUT_OF_ORDER"),
    "end before an envelope": ([opening(), end_of(b"")], "FRAME_OUT_OF_ORDER"),
    "second end": ([opening(), *whole(1, b"x"), end_of(b"x")], "FRAME_OUT_OF_ORDER"),
    "envelope in an envelope": ([opening(), head(1), head(2)], "FRAME_OUT_OF_ORDER"),
    "finish in an envelope": ([opening(), head(1), finish()], "ENVELOPE_INCOMPLETE"),
    "sequence zero": ([opening(), head(0)], "FIELD_REQUIRED"),
    "gap at the beginning": ([opening(), head(2)], "SEQUENCE_GAP"),
    "gap later": ([opening(), *whole(1, b""), head(3)], "SEQUENCE_GAP"),
    "large frame": ([opening(), head(1), data(bytes(256 * 1024 + 1))], "FRAME_TOO_LARGE"),
    "frame after finish": ([opening(), finish(), head(1)], "FRAME_AFTER_FINISH"),
    "finish after finish": ([opening(), finish(), finish()], "FRAME_AFTER_FINISH"),
    "empty oneof after finish": (
        [opening(), finish(), pb.StreamCapturesRequest()],
        "FRAME_AFTER_FINISH",
    ),
}


@pytest.mark.parametrize(("messages", "reason"), MISUSE.values(), ids=MISUSE)
def test_misuse_ends_the_stream_at_the_frame_itself(
    messages: list[pb.StreamCapturesRequest], reason: str
) -> None:
    protocol = StreamProtocol()
    feed(protocol, *messages[:-1])
    with pytest.raises(Failure) as failure:
        protocol.receive(messages[-1])
    assert failure.value.reason == reason


def test_a_gap_says_what_was_expected() -> None:
    with pytest.raises(Failure) as failure:
        opened(7).receive(head(9))
    assert failure.value.code is FailureCode.FAILED_PRECONDITION
    assert failure.value.metadata == {"expected": "8", "received": "9"}


@pytest.mark.parametrize(
    ("fields", "reason", "field"),
    [
        ({"tool_name": ""}, "FIELD_REQUIRED", "tool_name"),
        ({"tool_name": "t" * 257}, "FIELD_TOO_LARGE", "tool_name"),
        ({"run_id": "é" * 129}, "FIELD_TOO_LARGE", "run_id"),
        ({"arguments": bytes(1024 * 1024 + 1)}, "FIELD_TOO_LARGE", "arguments"),
        ({"envelope_id": ""}, "FIELD_REQUIRED", "envelope_id"),
        ({"envelope_id": "é"}, "FIELD_INVALID", "envelope_id"),
        ({"envelope_id": "x" * 129}, "FIELD_INVALID", "envelope_id"),
    ],
)
def test_a_bad_head_rejects_its_envelope_and_the_stream_goes_on(
    fields: dict[str, object], reason: str, field: str
) -> None:
    protocol = opened()
    message = head(1)
    for name, value in fields.items():
        setattr(message.envelope, name, value)
    item = item_of(protocol, message, data(b"x"), side_file("a"), data(b"y"), end_of(b"xy"))
    assert isinstance(item, RejectedEnvelope)
    assert (item.sequence, item.reason, item.faulty_field) == (1, reason, field)
    assert protocol.open_bytes == 0
    assert isinstance(item_of(protocol, *whole(2, b"good")), IncomingEnvelope)


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (pb.End(length_bytes=2, content_hash=end_of(b"abc").end.content_hash), "ENVELOPE_LENGTH"),
        (pb.End(length_bytes=3, content_hash=end_of(b"abd").end.content_hash), "ENVELOPE_HASH"),
        (pb.End(length_bytes=3, content_hash="abc"), "INVALID_HASH"),
        (pb.End(length_bytes=3), "INVALID_HASH"),
    ],
)
def test_a_wrong_end_rejects_its_envelope_and_the_stream_goes_on(end: pb.End, reason: str) -> None:
    protocol = opened()
    item = item_of(protocol, head(1), data(b"abc"), pb.StreamCapturesRequest(end=end))
    assert isinstance(item, RejectedEnvelope)
    assert item.reason.startswith(reason)
    assert isinstance(item_of(protocol, *whole(2, b"abc")), IncomingEnvelope)


def test_too_many_side_files_and_a_long_name_reject_the_envelope() -> None:
    many = [side_file(str(number)) for number in range(limits.ENVELOPE_SIDE_FILES_MAX + 1)]
    item = item_of(opened(), head(1), *many, end_of(b""))
    assert isinstance(item, RejectedEnvelope)
    assert item.reason == "FIELD_TOO_MANY_VALUES"
    item = item_of(opened(), head(1), side_file("n" * 4_097), end_of(b""))
    assert isinstance(item, RejectedEnvelope)
    assert item.faulty_field == "side_file.name"


def test_an_envelope_beyond_the_limit_is_rejected_without_keeping_its_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("capture_service.servicers.stream_protocol.ENVELOPE_BYTES_MAX", 5)
    protocol = opened()
    exact = item_of(protocol, head(1), data(b"abcde"), end_of(b"abcde"))
    assert isinstance(exact, IncomingEnvelope)
    feed(protocol, head(2), data(b"abc"), data(b"def"))
    assert protocol.phase is Phase.SKIPPING
    assert protocol.open_bytes == 0
    item = item_of(protocol, data(b"more"), end_of(b"abcdefmore"))
    assert isinstance(item, RejectedEnvelope)
    assert (item.envelope_id, item.reason) == ("envelope-2", "ENVELOPE_TOO_LARGE")


def test_a_sequence_that_is_durable_already_is_taken_again() -> None:
    protocol = opened(5)
    for sequence in (3, 5, 6, 6):
        assert isinstance(item_of(protocol, *whole(sequence, b"x")), IncomingEnvelope)
    with pytest.raises(Failure):
        protocol.receive(head(8))


@pytest.mark.parametrize(
    ("wanted", "granted"), [(0, limits.STREAM_WINDOW_MESSAGES_MAX), (3, 3), (2**32 - 1, 256)]
)
def test_the_window_is_lowered_to_the_limit(wanted: int, granted: int) -> None:
    action = StreamProtocol().receive(opening(window_messages=wanted))
    assert isinstance(action, SessionOpened)
    assert action.window.messages == granted


def test_finish_ends_the_protocol() -> None:
    protocol = opened()
    assert isinstance(protocol.receive(finish()), FinishRequested)
    assert protocol.phase is Phase.FINISHED
