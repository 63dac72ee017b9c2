"""The two services, and the bare server of the floor, as processes of a benchmark."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sourcecorpus.bridge.client import Addresses, SourceCorpusClient

START_SECONDS_MAX = 30.0
STOP_SECONDS_MAX = 15.0


@dataclass(frozen=True, slots=True)
class Running:
    """Services over a fresh data folder.

    Attributes:
        client: A client of both.
        pids: Process ids by name.
    """

    client: SourceCorpusClient
    pids: dict[str, int]

    def cpu_seconds(self) -> dict[str, float]:
        """User and system time of each service so far, ended and waited-for children included."""
        ticks = os.sysconf("SC_CLK_TCK")
        return {name: _ticks_of_tree(pid) / ticks for name, pid in self.pids.items()}


@contextmanager
def services() -> Iterator[Running]:
    """Both services on free ports of loopback; stopped at the end."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = _start("corpus", folder, "127.0.0.1:0")
        children = [corpus]
        try:
            address = _address(corpus, folder / "corpus.ready")
            capture = _start("capture", folder, address)
            children.append(capture)
            addresses = Addresses(_address(capture, folder / "capture.ready"), address)
            with SourceCorpusClient(addresses) as client:
                yield Running(client, {"corpus": corpus.pid, "capture": capture.pid})
        finally:
            for child in reversed(children):
                child.terminate()
                child.wait(STOP_SECONDS_MAX)


@contextmanager
def empty_server() -> Iterator[str]:
    """The bare server; gives its address."""
    with subprocess.Popen(
        [sys.executable, "-m", "bench.path.empty_rpc"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdin is not None, "a pipe was asked for"
        assert child.stdout is not None, "a pipe was asked for"
        yield f"127.0.0.1:{int(child.stdout.readline())}"
        child.stdin.close()


def _start(name: str, folder: Path, corpus_address: str) -> subprocess.Popen[bytes]:
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", f"{name}_service"],
            env={
                **os.environ,
                "SOURCECORPUS_DATA_DIR": str(folder / "data"),
                "SOURCECORPUS_CORPUS_ADDRESS": corpus_address,
                "SOURCECORPUS_CAPTURE_ADDRESS": "127.0.0.1:0",
                "SOURCECORPUS_READY_FILE": str(folder / f"{name}.ready"),
            },
            stdout=log,
            stderr=log,
        )


def _address(child: subprocess.Popen[bytes], ready: Path) -> str:
    deadline = time.monotonic() + START_SECONDS_MAX
    while not ready.exists():
        if child.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"{ready.stem} does not start")
        time.sleep(0.01)
    return ready.read_text(encoding="utf-8").strip()


def _ticks_of_tree(pid: int) -> int:
    """Clock ticks of a process and its living children (proc(5), fields 14 to 17 of stat)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    own = sum(int(field) for field in fields[11:15])
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    others = [
        task / "children" for task in Path(f"/proc/{pid}/task").iterdir() if task.name != str(pid)
    ]
    for path in others:
        children += path.read_text(encoding="utf-8").split()
    return own + sum(_ticks_of_tree(int(child)) for child in children)
