"""Opens a connection to the sidecar and asks single questions."""

from __future__ import annotations

import json
import socket
from typing import Any

from .frames import PROTOCOL, ConnectionEnded, FrameError, receive_frame, send_frame
from .limits import CONNECT_SECONDS_MAX
from .locations import Endpoint, read_endpoint


class SidecarAbsent(Exception):  # noqa: N818 - a state, not a defect
    """No sidecar can be reached, or it refused.

    Attributes:
        reason: UPPER_SNAKE word.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def open_connection(endpoint: Endpoint | None = None) -> socket.socket:
    """Connect to the running sidecar.

    Args:
        endpoint: Where it listens; None reads the file that it wrote.

    Raises:
        SidecarAbsent: Nobody listens there.
    """
    endpoint = endpoint or read_endpoint()
    if endpoint is None:
        raise SidecarAbsent("SIDECAR_NOT_RUNNING")
    connection: socket.socket | None = None
    try:
        if endpoint.unix_path:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.settimeout(CONNECT_SECONDS_MAX)
            connection.connect(endpoint.unix_path)
        else:
            connection = socket.create_connection(
                ("127.0.0.1", endpoint.port), timeout=CONNECT_SECONDS_MAX
            )
    except (OSError, AttributeError):
        # AttributeError: a system without Unix sockets that was given a path of one.
        if connection is not None:
            connection.close()
        raise SidecarAbsent("SIDECAR_NOT_RUNNING") from None
    return connection


def greeting(kind: str, endpoint: Endpoint | None = None, **facts: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON values
    """The first header of a connection: what it is for, the protocol, and the token where there is one."""
    endpoint = endpoint or read_endpoint()
    token = endpoint.token if endpoint else ""
    return {"kind": kind, "protocol": PROTOCOL, "token": token, **facts}


def ask(
    call: str, arguments: dict[str, Any], seconds_max: float, endpoint: Endpoint | None = None
) -> dict[str, Any]:
    """Ask the sidecar one question.

    Args:
        call: Name of the question.
        arguments: JSON values.
        seconds_max: How long to wait for the answer.
        endpoint: Where the sidecar listens; None reads the file that it wrote.

    Returns:
        The answer as JSON values; a fault of the question stands in its ``error``.

    Raises:
        SidecarAbsent: It cannot be reached, did not answer in time, or speaks another protocol.
    """
    with open_connection(endpoint) as connection:
        connection.settimeout(seconds_max)
        try:
            body = json.dumps(arguments).encode()
            send_frame(connection, greeting("call", endpoint, call=call), [body])
            header, answer = receive_frame(connection)
            document = json.loads(answer or b"{}")
        except TimeoutError:
            raise SidecarAbsent("SIDECAR_SLOW") from None
        except (OSError, FrameError, ConnectionEnded, ValueError):
            raise SidecarAbsent("SIDECAR_BROKEN") from None
    if header.get("kind") != "answer" or not isinstance(document, dict):
        raise SidecarAbsent(str(header.get("reason") or "SIDECAR_BROKEN"))
    return document
