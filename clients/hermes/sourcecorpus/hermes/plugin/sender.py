"""Passes events to the sidecar: one daemon thread sends, one per connection reads what is durable.

Neither touches Hermes, standard output or a log, and none is waited for at the exit beyond a tenth of a second.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
import uuid
from typing import TYPE_CHECKING, Any, Final

from .connection import SidecarAbsent, greeting, open_connection
from .events import EventTooLarge
from .frames import ConnectionEnded, FrameError, receive_frame, send_frame
from .launcher import Launcher
from .limits import (
    CLOSE_SECONDS_MAX,
    REPORT_PAUSE_SECONDS,
    RETRY_SECONDS_MAX,
    RETRY_SECONDS_MIN,
    SEND_SECONDS_MAX,
)
from .reports import write_report

if TYPE_CHECKING:
    from .queue import EventQueue, Item

_IDLE_SECONDS: Final = 1.0
# After so many failed attempts in a row nobody waits for the sidecar at the end of a turn.
_HOPELESS_ATTEMPTS: Final = 3
_BROKEN: Final = (OSError, FrameError, ConnectionEnded)


class Sender:
    """Sends the events of one queue. Started by the first event or by the registration."""

    def __init__(self, queue: EventQueue, facts: dict[str, Any]) -> None:
        """Wire the sender.

        Args:
            queue: Events to send.
            facts: What the sidecar is told about this Hermes; JSON values, may change later.
        """
        self.instance: Final = str(uuid.uuid4())
        self.facts = facts
        self._queue = queue
        self._launcher = Launcher()
        self._connection: socket.socket | None = None
        self._started = threading.Event()
        self._start_lock = threading.Lock()
        self._closed = threading.Event()
        self._failed_attempts = 0
        self._reported: tuple[dict[str, int], int] | None = ({}, 0)
        self._report_due = float("-inf")
        self.last_fault = ""

    @property
    def connected(self) -> bool:
        """Whether a sidecar takes events now."""
        return self._connection is not None

    def start(self) -> None:
        """Start the thread; does nothing where it runs."""
        if self._started.is_set():
            return
        with self._start_lock:
            if not self._started.is_set() and not self._closed.is_set():
                self._started.set()
                threading.Thread(target=self._run, name="source-corpus-sender", daemon=True).start()

    def flush(self, seconds: float) -> bool:
        """Wait a bounded time until everything is durable.

        Returns:
            Whether it is; otherwise the counts are left in a file, because Hermes may end without a word.
        """
        if self._queue.wait_until_empty(seconds, self._hopeless):
            return True
        self._report(at_once=True)
        return False

    def close(self) -> None:
        """End the connection after a short flush; for the exit of the interpreter."""
        self.flush(CLOSE_SECONDS_MAX)
        self._closed.set()
        self._disconnect()
        self._queue.wake()

    def _hopeless(self) -> bool:
        return self._failed_attempts >= _HOPELESS_ATTEMPTS and not self._launcher.starting()

    def _run(self) -> None:
        while not self._closed.is_set():
            connection = self._connect()
            if connection is None:
                self._report()
                self._closed.wait(self._retry_seconds())
                continue
            self._failed_attempts = 0
            with contextlib.suppress(*_BROKEN):
                self._send_until_broken(connection)
            self._disconnect()

    def _retry_seconds(self) -> float:
        if self._launcher.starting():
            return RETRY_SECONDS_MIN
        return float(min(RETRY_SECONDS_MIN * 2**self._failed_attempts, RETRY_SECONDS_MAX))

    def _connect(self) -> socket.socket | None:
        connection: socket.socket | None = None
        try:
            connection = open_connection()
            send_frame(connection, greeting("hello", instance=self.instance, **self.facts))
            header, _ = receive_frame(connection)
            if header.get("kind") != "welcome":
                raise SidecarAbsent(str(header.get("reason") or "SIDECAR_BROKEN"))
            self._queue.acknowledge(int(header["durable_sequence"]))
        except (SidecarAbsent, KeyError, TypeError, ValueError, *_BROKEN) as fault:
            self.last_fault = getattr(fault, "reason", "SIDECAR_BROKEN")
            self._failed_attempts = min(self._failed_attempts + 1, 16)
            if connection is not None:
                connection.close()
            if self.last_fault == "SIDECAR_NOT_RUNNING":
                self._launcher.start()
            self._queue.wake()
            return None
        self.last_fault = ""
        self._launcher.succeeded()
        connection.settimeout(SEND_SECONDS_MAX)
        self._connection = connection
        threading.Thread(
            target=self._read_acknowledgements,
            args=(connection,),
            name="source-corpus-reader",
            daemon=True,
        ).start()
        return connection

    def _send_until_broken(self, connection: socket.socket) -> None:
        self._queue.begin_again()
        while not self._closed.is_set() and self._connection is connection:
            item = self._queue.next_item(_IDLE_SECONDS)
            self._report()
            if item is not None:
                self._send(connection, item)

    def _send(self, connection: socket.socket, item: Item) -> None:
        try:
            header, body = item.frame()
        except EventTooLarge:
            self._queue.give_up(item.sequence, "RESULT_TOO_LARGE")
            return
        except (ValueError, TypeError, RecursionError, MemoryError):
            self._queue.give_up(item.sequence, "RESULT_NOT_ENCODABLE")
            return
        send_frame(connection, header, body)

    def _read_acknowledgements(self, connection: socket.socket) -> None:
        try:
            while True:
                try:
                    header, _ = receive_frame(connection)
                except TimeoutError:
                    # Nothing to acknowledge for a while; a broken connection shows in another way.
                    continue
                if header.get("kind") == "durable":
                    self._queue.acknowledge(int(header["sequence"]))
        except (KeyError, TypeError, ValueError, *_BROKEN):
            if self._connection is connection:
                self._disconnect()
                self._queue.wake()

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _report(self, *, at_once: bool = False) -> None:
        """Keep the file of counts true while no sidecar can tell them."""
        now = time.monotonic()
        connected = self._connection is not None
        # Over a connection losses travel as frames; what waits is only told when Hermes may end with it.
        losses = {} if connected else self._queue.losses()
        state = (losses, self._queue.waiting() if at_once or not connected else 0)
        if state == self._reported or (now < self._report_due and not at_once):
            return
        self._reported = state
        self._report_due = now + REPORT_PAUSE_SECONDS
        write_report(self.instance, *state)
