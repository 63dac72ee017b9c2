"""Frames between plugin and sidecar: a JSON header and raw bytes, each with its length before it.

Layout: 4 bytes length of the header, 4 bytes length of the body (both unsigned, big-endian), the header as
UTF-8 JSON object, the body. Both sides speak the same frames; ``PROTOCOL`` changes when they do.
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any, Final

from .limits import BODY_BYTES_MAX, HEADER_BYTES_MAX

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

PROTOCOL: Final = 1
_LENGTHS: Final = struct.Struct(">II")
_READ_BYTES: Final = 1024 * 1024


class FrameError(Exception):
    """The other side does not speak these frames, or a bound is broken; the text never holds payload."""


class ConnectionEnded(Exception):  # noqa: N818 - an end is no error
    """The other side has closed the connection between two frames."""


def encode_frame(header: dict[str, Any], body: Sequence[bytes] = ()) -> list[bytes]:
    """Bytes of a frame in pieces, so that a large body is not copied.

    Raises:
        FrameError: Header or body is too large.
    """
    encoded = json.dumps(header, ensure_ascii=True).encode("ascii")
    length = sum(map(len, body))
    if len(encoded) > HEADER_BYTES_MAX or length > BODY_BYTES_MAX:
        raise FrameError("a frame is too large")
    return [_LENGTHS.pack(len(encoded), length) + encoded, *(part for part in body if part)]


def send_frame(
    connection: socket.socket, header: dict[str, Any], body: Sequence[bytes] = ()
) -> None:
    """Send one frame; the socket's own timeout bounds each step.

    Raises:
        FrameError: Header or body is too large.
        OSError: The connection is broken or too slow.
    """
    for piece in encode_frame(header, body):
        connection.sendall(piece)


def receive_frame(connection: socket.socket) -> tuple[dict[str, Any], bytes]:
    """Read one frame.

    Returns:
        Header and body.

    Raises:
        ConnectionEnded: There is no further frame.
        FrameError: The bytes are no frame, or it is cut or too large.
        OSError: The connection is broken or too slow.
    """
    lengths = _receive(connection, _LENGTHS.size, begun=False)
    header_length, body_length = _LENGTHS.unpack(lengths)
    if header_length > HEADER_BYTES_MAX or body_length > BODY_BYTES_MAX:
        raise FrameError("a frame is too large")
    header_bytes = _receive(connection, header_length, begun=True)
    body = _receive(connection, body_length, begun=True)
    try:
        header = json.loads(header_bytes)
    except ValueError:
        raise FrameError("a header is not JSON") from None
    if not isinstance(header, dict):
        raise FrameError("a header is not an object")
    return header, body


def _receive(connection: socket.socket, length: int, *, begun: bool) -> bytes:
    pieces = bytearray()
    while len(pieces) < length:
        piece = connection.recv(min(_READ_BYTES, length - len(pieces)))
        if not piece:
            if begun or pieces:
                raise FrameError("a frame is cut")
            raise ConnectionEnded
        pieces += piece
    return bytes(pieces)
