"""Starts both services as processes, waits until they serve, and ends them in the order of the flow.

Sinks start first and stop last: the corpus is there before captures arrive, and capture drains into it.
From the first child on, SIGINT and SIGTERM set a flag and nothing else: an exception out of a signal handler
could fall between the start of a child and the note of its pid, and leave that child behind.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from sourcecorpus.bridge.cli.faults import CommandError
from sourcecorpus.bridge.client import Addresses, SourceCorpusClient
from sourcecorpus.rpc.channels import Identity
from sourcecorpus.rpc.runtime_settings import RuntimeSettings
from sourcecorpus.rpc.settings import CONFIGURATION_VARIABLE, load

if TYPE_CHECKING:
    from types import TracebackType

START_SECONDS_MAX: Final = 60.0
DRAIN_SECONDS_MAX: Final = 15.0


class ServicePair:
    """The capture service and the corpus service as child processes."""

    def __init__(self, config_file: Path | None) -> None:
        self._config_file = config_file
        self._stack = ExitStack()
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._stop_asked = threading.Event()
        self._settings = load(RuntimeSettings, file=config_file)
        self.addresses = Addresses.from_settings(self._settings)

    def __enter__(self) -> Self:
        self._ready_folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        if threading.current_thread() is threading.main_thread():
            for wanted in (signal.SIGINT, signal.SIGTERM):
                former = signal.signal(wanted, lambda *_: self._stop_asked.set())
                self._stack.callback(signal.signal, wanted, former)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        self._stack.close()

    def start(self) -> None:
        """Start both and wait until each has written the address that it serves on.

        Raises:
            CommandError: A service ended before it served, its own line stands on standard error; or a
                signal asked to stop.
        """
        corpus = self._start_one("corpus", "corpus_service", {})
        capture = self._start_one(
            "capture", "capture_service", {"SOURCECORPUS_CORPUS_ADDRESS": corpus}
        )
        self.addresses = Addresses(capture=capture, corpus=corpus)

    def client(self) -> SourceCorpusClient:
        """A client of the two services."""
        return SourceCorpusClient(self.addresses, Identity.from_settings(self._settings))

    def wait(self) -> int:
        """Wait for a signal, or for a service that ends by itself; then drain both."""
        ended: list[str] = []

        def watch(name: str, child: subprocess.Popen[bytes]) -> None:
            child.wait()
            ended.append(name)
            self._stop_asked.set()

        for name, child in self._children.items():
            threading.Thread(target=watch, args=(name, child), daemon=True).start()
        self._stop_asked.wait()
        unasked = list(ended)
        codes = self.stop()
        if unasked:
            raise CommandError(f"the {unasked[0]} service ended by itself")
        return 0 if all(code == 0 for code in codes) else 1

    def stop(self) -> list[int]:
        """Drain capture, then corpus; a service that outlives its grace is killed by pid."""
        codes: list[int] = []
        for name in ("capture", "corpus"):
            child = self._children.get(name)
            if child is None:
                continue
            child.send_signal(signal.SIGTERM)
            try:
                codes.append(child.wait(DRAIN_SECONDS_MAX))
            except subprocess.TimeoutExpired:
                child.kill()
                codes.append(child.wait())
        self._children.clear()
        return codes

    def _start_one(self, name: str, module: str, changes: dict[str, str]) -> str:
        ready = self._ready_folder / f"{name}.ready"
        environment = {**os.environ, **changes, "SOURCECORPUS_READY_FILE": str(ready)}
        if self._config_file is not None:
            environment[CONFIGURATION_VARIABLE] = str(self._config_file.absolute())
        # A process group of its own: Ctrl-C reaches this process alone, which then drains in order.
        child = subprocess.Popen(  # noqa: S603 - the interpreter and the module are ours
            [sys.executable, "-m", module], env=environment, start_new_session=True
        )
        self._children[name] = child
        return self._wait_ready(name, child, ready)

    def _wait_ready(self, name: str, child: subprocess.Popen[bytes], ready: Path) -> str:
        """Wait for the ready file; it appears whole, because the service renames it into place."""
        waited = 0.0
        while not ready.exists():
            if child.poll() is not None:
                raise CommandError(
                    f"the {name} service did not start (exit code {child.returncode})"
                )
            if waited > START_SECONDS_MAX:
                raise CommandError(
                    f"the {name} service did not start within {START_SECONDS_MAX:.0f} s"
                )
            if self._stop_asked.wait(0.02):
                raise CommandError("stopped before both services served")
            waited += 0.02
        return ready.read_text(encoding="utf-8").strip()
