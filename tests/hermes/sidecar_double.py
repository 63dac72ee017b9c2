"""A real sidecar inside the test's process, on a socket of its own."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import capture_double

from capture_service.settings import CaptureSettings
from sourcecorpus.hermes.plugin.connection import ask, greeting, open_connection
from sourcecorpus.hermes.plugin.frames import receive_frame, send_frame
from sourcecorpus.hermes.sidecar.bootstrap import Sidecar
from sourcecorpus.hermes.sidecar.endpoint import Listener
from sourcecorpus.hermes.sidecar.settings import SidecarSettings
from sourcecorpus.rpc.addresses import Address
from sourcecorpus.rpc.runtime_settings import RuntimeSettings

SECONDS_MAX = 30.0


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while not condition():
        assert time.monotonic() < deadline, "the awaited state did not come"
        time.sleep(0.01)


class RunningSidecar:
    """Wired as the program is; ``settings`` are those of the sidecar."""

    def __init__(self, data_dir: Path, capture_address: str, **settings: Any) -> None:
        runtime = RuntimeSettings(
            data_dir=data_dir,
            capture_address=Address.parse(capture_address),
            corpus_address=Address.parse(settings.pop("corpus_address", "127.0.0.1:1")),
        )
        own = SidecarSettings(**{"idle_seconds": 3_600.0, **settings})
        self.listener = Listener(data_dir / "hermes", use_tcp=own.transport == "tcp")
        self.sidecar = Sidecar(self.listener, runtime, own, CaptureSettings())
        self.plugins: list[PluginConnection] = []
        self._thread = threading.Thread(target=self.sidecar.run)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for plugin in self.plugins:
            plugin.close()
        self.sidecar.server.stop()
        self.join()

    def join(self) -> None:
        self._thread.join()
        self.listener.close()

    def ask(self, call: str, **arguments: Any) -> dict[str, Any]:
        return ask(call, arguments, 10.0, self.listener.endpoint)

    def counters(self) -> dict[str, dict[str, int]]:
        counters: dict[str, dict[str, int]] = self.ask("status")["counters"]
        return counters


class PluginConnection:
    """The plugin's side of the socket by hand: events are sent as a test says."""

    def __init__(
        self, running: RunningSidecar, instance: str = "one", game: str = "emberfall"
    ) -> None:
        endpoint = running.listener.endpoint
        self.socket = open_connection(endpoint)
        running.plugins.append(self)
        self.socket.settimeout(SECONDS_MAX)
        hello = greeting("hello", endpoint, instance=instance, pid=1, default_game=game)
        send_frame(self.socket, hello)
        header, _ = receive_frame(self.socket)
        assert header["kind"] == "welcome", header
        self.durable: int = header["durable_sequence"]

    def send(self, sequence: int, result: bytes = b"text", **facts: Any) -> None:
        arguments = facts.pop("arguments", b"{}")
        files: list[tuple[str, bytes]] = facts.pop("side_files", [])
        header = {
            "kind": "event",
            "sequence": sequence,
            "tool_name": "web_extract",
            "session_id": "session",
            "sessions": ["session"],
            "status": "ok",
            "arguments_bytes": len(arguments),
            "result_bytes": len(result),
            "side_files": [{"name": name, "bytes": len(data)} for name, data in files],
            **facts,
        }
        send_frame(self.socket, header, [arguments, result, *(data for _, data in files)])

    def wait_durable(self, sequence: int) -> None:
        while self.durable < sequence:
            header, _ = receive_frame(self.socket)
            assert header["kind"] == "durable"
            self.durable = header["sequence"]

    def close(self) -> None:
        self.socket.close()


def results(capture: "capture_double.CaptureDouble") -> list[bytes]:
    return [envelope.result for envelope in capture.memory.snapshot()]
