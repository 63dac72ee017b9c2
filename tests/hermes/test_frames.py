import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcecorpus.hermes.plugin.frames import (
    ConnectionEnded,
    FrameError,
    encode_frame,
    receive_frame,
    send_frame,
)
from sourcecorpus.hermes.plugin.limits import BODY_BYTES_MAX, HEADER_BYTES_MAX

headers = st.dictionaries(st.text(max_size=20), st.text(max_size=50) | st.integers(), max_size=5)


@given(headers, st.lists(st.binary(max_size=200), max_size=4))
def test_what_is_sent_is_received(header: dict[str, object], body: list[bytes]) -> None:
    left, right = socket.socketpair()
    with left, right:
        send_frame(left, header, body)
        assert receive_frame(right) == (header, b"".join(body))


def test_large_body_arrives_whole() -> None:
    left, right = socket.socketpair()
    body = bytes(range(256)) * 20_000
    with left, right:
        sending = threading.Thread(target=send_frame, args=(left, {"n": 1}, [body]))
        sending.start()
        assert receive_frame(right) == ({"n": 1}, body)
        sending.join()


@pytest.mark.parametrize("cut", [1, 7, 8, 9, 12, 20])
def test_cut_frame_is_an_error_and_an_end_between_frames_is_none(cut: int) -> None:
    left, right = socket.socketpair()
    with right:
        left.sendall(b"".join(encode_frame({"kind": "event"}, [b"body"]))[:cut])
        left.close()
        with pytest.raises(FrameError, match="cut"):
            receive_frame(right)
    left, right = socket.socketpair()
    with right:
        left.close()
        with pytest.raises(ConnectionEnded):
            receive_frame(right)


@pytest.mark.parametrize(
    "data",
    [
        (HEADER_BYTES_MAX + 1).to_bytes(4, "big") + bytes(4),
        bytes(4) + (BODY_BYTES_MAX + 1).to_bytes(4, "big"),
        b"\x00\x00\x00\x02\x00\x00\x00\x00[]",
        b"\x00\x00\x00\x01\x00\x00\x00\x00{",
    ],
)
def test_foreign_bytes_are_refused_before_memory_is_taken(data: bytes) -> None:
    left, right = socket.socketpair()
    with left, right:
        left.sendall(data)
        with pytest.raises(FrameError):
            receive_frame(right)
