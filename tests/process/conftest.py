"""Real service processes for tests: started on free ports in a fresh data folder, ended by pid."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sourcecorpus.bridge.client import Addresses, SourceCorpusClient
from tests.compiled_rules import compile_rules
from tests.process.calls import make_game

START_SECONDS_MAX = 30.0
POLL_SECONDS = 0.01


@dataclass
class Services:
    """The two services over one data folder; either can be killed and started again."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    children: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)

    def start(self, name: str, **environment: str) -> None:
        """Start one service; it takes the port it had before, so that the other one finds it again."""
        ready = self.folder / f"{name}.ready"
        ready.unlink(missing_ok=True)
        with (self.folder / f"{name}.log").open("ab") as log:
            self.children[name] = subprocess.Popen(
                [sys.executable, "-m", f"{name}_service"],
                env={
                    **os.environ,
                    **self._settings(name),
                    **self.environment,
                    **environment,
                    "SOURCECORPUS_READY_FILE": str(ready),
                },
                stdout=log,
                stderr=log,
            )
        self.addresses[name] = self._wait_for(name, ready)

    def start_both(self) -> None:
        self.start("corpus")
        self.start("capture")

    def kill(self, name: str) -> None:
        child = self.children.pop(name)
        child.kill()
        child.wait()

    def wait_for_death(self, name: str, seconds: float = 60.0) -> None:
        """Wait for a service that kills itself at a fault point."""
        # Until it is dead it stays among the children, so that a failed wait leaves no orphan.
        code = self.children[name].wait(seconds)
        del self.children[name]
        assert code == -signal.SIGKILL

    def stop(self, name: str, seconds: float = 15.0) -> int:
        child = self.children[name]
        child.send_signal(signal.SIGTERM)
        code = child.wait(seconds)
        del self.children[name]
        return code

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def client(self) -> SourceCorpusClient:
        return SourceCorpusClient(
            Addresses(capture=self.addresses["capture"], corpus=self.addresses["corpus"])
        )

    def close(self) -> None:
        for name in list(self.children):
            self.kill(name)

    def pid(self, name: str) -> int:
        return self.children[name].pid

    def _settings(self, name: str) -> dict[str, str]:
        free = "127.0.0.1:0"
        return {
            "SOURCECORPUS_DATA_DIR": str(self.folder / "data"),
            "SOURCECORPUS_CORPUS_ADDRESS": self.addresses.get("corpus", free),
            "SOURCECORPUS_CAPTURE_ADDRESS": self.addresses.get(name, free),
        }

    def _wait_for(self, name: str, ready: Path) -> str:
        deadline = time.monotonic() + START_SECONDS_MAX
        while not ready.exists():
            code = self.children[name].poll()
            assert code is None, f"{name} ended with {code}:\n{self.log(name)[-4000:]}"
            assert time.monotonic() < deadline, self.log(name)[-4000:]
            time.sleep(POLL_SECONDS)
        return ready.read_text(encoding="utf-8").strip()


@pytest.fixture(scope="session", autouse=True)
def compiled_rules() -> None:
    """No service of a test compiles the rules while it is waited for."""
    compile_rules()


@pytest.fixture
def stopped_services(tmp_path: Path) -> Iterator[Services]:
    services = Services(tmp_path)
    yield services
    services.close()


@pytest.fixture
def services(stopped_services: Services) -> Services:
    stopped_services.start_both()
    return stopped_services


@pytest.fixture(scope="module")
def shared_services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """Services with a game, for the tests of a module that neither kill nor stop them."""
    shared = Services(tmp_path_factory.mktemp("shared"))
    try:
        shared.start_both()
        with shared.client() as client:
            make_game(client)
        yield shared
    finally:
        shared.close()
