"""Accepts connections, one thread each, until the process ends or is idle."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Any

from sourcecorpus.hermes.plugin.frames import send_frame
from sourcecorpus.hermes.sidecar import limits
from sourcecorpus.hermes.sidecar.connections import Connection


class Server:
    """Owns the connections. ``run`` belongs to one thread."""

    def __init__(
        self,
        listening: socket.socket,
        connect: Callable[[socket.socket], Connection],
        *,
        idle: Callable[[float], bool],
        clock: Callable[[], float],
    ) -> None:
        """Wire the server.

        Args:
            listening: The listening socket; not closed here.
            connect: Makes the connection of an accepted socket.
            idle: Whether to end after so many seconds without a connection.
            clock: Monotonic seconds.
        """
        self._listening = listening
        self._connect = connect
        self._idle = idle
        self._clock = clock
        self._lock = threading.Lock()
        self._connections: dict[Connection, threading.Thread] = {}
        self._stopping = threading.Event()

    def run(self) -> None:
        """Accept until ``stop`` or until idle."""
        self._listening.settimeout(limits.ACCEPT_POLL_SECONDS)
        last_busy = self._clock()
        while not self._stopping.is_set():
            if self._connections:
                last_busy = self._clock()
            elif self._idle(self._clock() - last_busy):
                return
            try:
                accepted, _ = self._listening.accept()
            except TimeoutError:
                continue
            except OSError:
                # Out of file handles, or a client that left before it was accepted.
                self._stopping.wait(limits.ACCEPT_POLL_SECONDS)
                continue
            self._serve(accepted)

    def stop(self) -> None:
        """Let ``run`` return; safe in a signal handler."""
        self._stopping.set()

    def close(self, seconds: float) -> None:
        """End every connection; what was read is taken first, within a bounded time."""
        deadline = self._clock() + seconds
        with self._lock:
            connections = dict(self._connections)
        for connection in connections:
            connection.close()
        for thread in connections.values():
            thread.join(max(0.0, deadline - self._clock()))

    def plugins(self) -> list[dict[str, Any]]:
        """The Hermes processes that are connected."""
        with self._lock:
            greetings = [connection.hello for connection in self._connections]
        return [
            {"pid": hello.get("pid"), "client_version": hello.get("client_version")}
            for hello in greetings
            if hello
        ]

    def _serve(self, accepted: socket.socket) -> None:
        with self._lock:
            full = len(self._connections) >= limits.CONNECTIONS_MAX
        if full:
            accepted.settimeout(limits.GREETING_SECONDS_MAX)
            with contextlib.suppress(OSError):
                send_frame(accepted, {"kind": "refused", "reason": "SIDECAR_BUSY"})
            accepted.close()
            return
        connection = self._connect(accepted)
        thread = threading.Thread(
            target=self._serve_to_end, args=(connection,), name="connection", daemon=True
        )
        with self._lock:
            self._connections[connection] = thread
        thread.start()

    def _serve_to_end(self, connection: Connection) -> None:
        try:
            connection.serve()
        finally:
            with self._lock:
                self._connections.pop(connection, None)
