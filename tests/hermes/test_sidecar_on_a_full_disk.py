"""A real sidecar process on a disk that is full: Hermes does not notice, losses are counted, work goes on with room."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from capture_double import CaptureDouble
from sidecar_double import until

from sourcecorpus.hermes.plugin import launcher
from sourcecorpus.hermes.plugin.connection import SidecarAbsent, ask
from sourcecorpus.hermes.plugin.recorder import Recorder

pytestmark = pytest.mark.process
DISK_MEBIBYTES = 16
EVENTS = 12
SIZE = 400_000


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEBIBYTES}m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def recorder(
    small_disk: Path, capture: CaptureDouble, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Recorder]:
    monkeypatch.setenv("SOURCECORPUS_DATA_DIR", str(small_disk / "data"))
    monkeypatch.setenv("SOURCECORPUS_CAPTURE_ADDRESS", capture.address)
    monkeypatch.setenv("SOURCECORPUS_SIDECAR_IDLE_SECONDS", "1")
    monkeypatch.setattr(launcher, "LAUNCH_PAUSE_SECONDS_MIN", 0.05)
    monkeypatch.setattr(launcher, "LAUNCH_PAUSE_SECONDS_MAX", 0.05)
    command = [sys.executable, "-m", "sourcecorpus.hermes.sidecar"]
    monkeypatch.setenv("SOURCECORPUS_SIDECAR_COMMAND", json.dumps(command))
    made = Recorder("emberfall")
    made.start()
    yield made
    made.close()
    child = made.sender._launcher._child
    if child is not None:
        child.wait(30)


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4_096))
        except OSError:
            return


def counters() -> dict[str, dict[str, int]]:
    try:
        found: dict[str, dict[str, int]] = ask("status", {}, 10.0)["counters"]
    except SidecarAbsent:
        return {}
    return found


def call(recorder: Recorder, number: int) -> None:
    # Noise does not shrink, so that each result needs the room that it names.
    text = f"{number} {os.urandom(SIZE // 2).hex()}"
    recorder.post_tool_call(
        tool_name="web_extract", args={}, result=text, session_id="s", tool_call_id=f"c{number}"
    )


def test_refusals_are_counted_and_nothing_is_kept_in_part(
    recorder: Recorder, small_disk: Path, capture: CaptureDouble
) -> None:
    call(recorder, 0)
    until(lambda: len(capture.memory.snapshot()) == 1)
    capture.stop()
    filler = small_disk / "filler"
    fill(filler)
    for number in range(1, EVENTS + 1):
        call(recorder, number)
    until(lambda: recorder.queue.waiting() == 0)
    refused = counters().get("refused", {}).get("DISK_FULL", 0)
    assert 0 < refused <= EVENTS
    assert recorder.hook_faults == 0
    filler.unlink()
    call(recorder, EVENTS + 1)
    until(lambda: recorder.queue.waiting() == 0)
    capture.start()
    expected = 2 + EVENTS - refused
    until(lambda: len(capture.memory.snapshot()) == expected)
    arrived = [envelope.result.decode() for envelope in capture.memory.snapshot()]
    assert {len(text.split(" ", 1)[1]) for text in arrived} == {SIZE // 2 * 2}
    assert arrived[-1].startswith(f"{EVENTS + 1} ")
    assert counters()["refused"] == {"DISK_FULL": refused}
    assert recorder.queue.losses() == {}
