"""``source-corpus up`` leaves no service behind, whenever it is told to stop."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

_SECONDS_MAX = 90.0


@pytest.fixture
def up(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("source-corpus")), "up", "--no-sample"],
        env={
            **os.environ,
            "SOURCECORPUS_DATA_DIR": str(tmp_path / "data"),
            "SOURCECORPUS_CAPTURE_ADDRESS": "127.0.0.1:0",
            "SOURCECORPUS_CORPUS_ADDRESS": "127.0.0.1:0",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    yield process
    children = children_of(process.pid)
    process.kill()
    process.communicate()
    for child in children:
        if is_alive(child):
            os.kill(child, signal.SIGKILL)


def children_of(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in listed.read_text().split()] if listed.exists() else []


def is_alive(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    try:
        return state.read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def first_children(up: subprocess.Popen[bytes]) -> list[int]:
    deadline = time.monotonic() + _SECONDS_MAX
    while not (children := children_of(up.pid)):
        assert up.poll() is None
        assert time.monotonic() < deadline, "no service was started"
        time.sleep(0.005)
    return children


@pytest.mark.parametrize("wanted", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_the_services_start_ends_them(
    up: subprocess.Popen[bytes], wanted: signal.Signals
) -> None:
    children = first_children(up)
    up.send_signal(wanted)
    _, errors = up.communicate(timeout=_SECONDS_MAX)
    assert up.returncode == 1
    assert errors.decode().splitlines()[-1].endswith("stopped before both services served")
    assert [child for child in children if is_alive(child)] == []


def test_a_signal_while_they_serve_drains_both(up: subprocess.Popen[bytes]) -> None:
    assert up.stdout is not None
    while b"Ctrl-C" not in (line := up.stdout.readline()):
        assert line, "the services did not come up"
    children = children_of(up.pid)
    assert len(children) == 2
    up.send_signal(signal.SIGTERM)
    up.communicate(timeout=_SECONDS_MAX)
    assert up.returncode == 0
    assert [child for child in children if is_alive(child)] == []
