"""One connection of a plugin: a thread reads ahead, a thread takes, a thread acknowledges.

Reading ahead matters: what Hermes has written to the socket is taken even when Hermes ends the next moment and the
sidecar is still compiling its rules.
"""

from __future__ import annotations

import contextlib
import json
import logging
import socket
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from capture_service.spool import SpoolClosedError
from sourcecorpus.hermes.plugin.frames import (
    PROTOCOL,
    ConnectionEnded,
    FrameError,
    receive_frame,
    send_frame,
)
from sourcecorpus.hermes.plugin.limits import ANSWER_BYTES_MAX
from sourcecorpus.hermes.sidecar import limits
from sourcecorpus.hermes.sidecar.intake import Acknowledger, Intake
from sourcecorpus.rpc.logs import log_event

_LOGGER: Final = logging.getLogger(__name__)
_BROKEN: Final = (OSError, FrameError, ConnectionEnded)
Frame = tuple[dict[str, Any], bytes]
Answerer = Callable[[str, dict[str, Any]], dict[str, Any]]


class _ReadAhead:
    """Frames that were read and not yet taken, bounded in bytes."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._frames: deque[Frame] = deque()
        self._bytes = 0
        self._ended = False

    def put(self, frame: Frame) -> None:
        with self._condition:
            self._condition.wait_for(
                lambda: self._bytes < limits.READ_AHEAD_BYTES_MAX or self._ended
            )
            self._frames.append(frame)
            self._bytes += len(frame[1])
            self._condition.notify_all()

    def end(self) -> None:
        with self._condition:
            self._ended = True
            self._condition.notify_all()

    def take(self) -> Frame | None:
        with self._condition:
            self._condition.wait_for(lambda: self._frames or self._ended)
            if not self._frames:
                return None
            frame = self._frames.popleft()
            self._bytes -= len(frame[1])
            self._condition.notify_all()
            return frame


class Connection:
    """Serves one accepted socket until it ends."""

    def __init__(
        self,
        accepted: socket.socket,
        *,
        accepts: Callable[[socket.socket, object], bool],
        intake: Callable[[], Intake],
        answer: Answerer,
    ) -> None:
        """Wire the connection.

        Args:
            accepted: The socket; closed here.
            accepts: Whether the other end may talk.
            intake: Gives the intake, waiting until it is ready.
            answer: Answers a question by name.
        """
        self._socket = accepted
        self._accepts = accepts
        self._intake = intake
        self._answer = answer
        self._send_lock = threading.Lock()
        self.hello: dict[str, Any] = {}

    def serve(self) -> None:
        """Run until the other end has gone or breaks the protocol; never raises."""
        try:
            self._socket.settimeout(limits.GREETING_SECONDS_MAX)
            header, body = receive_frame(self._socket)
            refusal = self._refusal(header)
            if refusal:
                send_frame(self._socket, {"kind": "refused", "reason": refusal})
            elif header["kind"] == "call":
                self._serve_call(str(header.get("call", "")), body)
            else:
                self._serve_plugin(header)
        except _BROKEN:
            pass
        except Exception as error:  # noqa: BLE001 - one connection ends, the others go on
            log_event(_LOGGER, logging.ERROR, "connection_failed", error=error)
        finally:
            self.close()

    def close(self) -> None:
        """End the connection from another thread."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _refusal(self, header: dict[str, Any]) -> str:
        if not self._accepts(self._socket, header.get("token")):
            return "TOKEN_WRONG"
        if header.get("protocol") != PROTOCOL:
            return "PROTOCOL_UNKNOWN"
        return "" if header.get("kind") in {"hello", "call"} else "FRAME_UNKNOWN"

    def _serve_call(self, call: str, body: bytes) -> None:
        self._socket.settimeout(limits.CALL_SECONDS_MAX)
        try:
            arguments = json.loads(body or b"{}")
        except ValueError:
            arguments = None
        answer: dict[str, Any] = {"error": "ARGUMENTS_INVALID"}
        if isinstance(arguments, dict):
            answer = self._answer(call, arguments)
        encoded = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
        if len(encoded) > ANSWER_BYTES_MAX:
            encoded = b'{"error": "ANSWER_TOO_LARGE"}'
        send_frame(self._socket, {"kind": "answer"}, [encoded])

    def _serve_plugin(self, hello: dict[str, Any]) -> None:
        if not isinstance(hello.get("instance"), str) or not 1 <= len(hello["instance"]) <= 64:
            raise FrameError("a greeting names no instance")
        self.hello = hello
        frames = _ReadAhead()
        taking = threading.Thread(
            target=self._take_all, args=(frames, hello), name="taking", daemon=True
        )
        taking.start()
        try:
            self._socket.settimeout(None)
            while True:
                frames.put(receive_frame(self._socket))
        finally:
            frames.end()
            taking.join()

    def _take_all(self, frames: _ReadAhead, hello: dict[str, Any]) -> None:
        try:
            intake = self._intake()
            durable = intake.store.durable_sequence(hello["instance"])
            acknowledger = Acknowledger(intake.store, self._send_durable)
            try:
                with contextlib.suppress(OSError):
                    self._send({"kind": "welcome", "durable_sequence": durable})
                while (frame := frames.take()) is not None:
                    sequence, future = intake.take(*frame, hello)
                    acknowledger.expect(sequence, future)
            finally:
                acknowledger.close()
        except (FrameError, SpoolClosedError):
            pass
        except Exception as error:  # noqa: BLE001 - one connection ends, the others go on
            log_event(_LOGGER, logging.ERROR, "taking_failed", error=error)
        frames.end()
        self.close()

    def _send_durable(self, sequence: int) -> None:
        self._send({"kind": "durable", "sequence": sequence})

    def _send(self, header: dict[str, Any]) -> None:
        with self._send_lock:
            send_frame(self._socket, header)
