"""kill -9 of the sidecar under load, at named places and from outside: every result arrives once."""

import json
import os
import random
import signal
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from capture_double import CaptureDouble
from sidecar_double import until

from sourcecorpus.hermes.plugin import launcher
from sourcecorpus.hermes.plugin.queue import EventQueue
from sourcecorpus.hermes.plugin.recorder import Recorder
from sourcecorpus.hermes.plugin.sender import Sender

EVENTS = 500
THREADS = 5


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capture: CaptureDouble) -> Path:
    monkeypatch.setenv("SOURCECORPUS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("SOURCECORPUS_CAPTURE_ADDRESS", capture.address)
    monkeypatch.setenv("SOURCECORPUS_SIDECAR_IDLE_SECONDS", "1")
    monkeypatch.setattr(launcher, "LAUNCH_PAUSE_SECONDS_MIN", 0.05)
    monkeypatch.setattr(launcher, "LAUNCH_PAUSE_SECONDS_MAX", 0.05)
    return tmp_path / "data"


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    made = Recorder("emberfall")
    yield made
    close(made)


def close(recorder: Recorder) -> None:
    """End the plugin's side; the sidecar that it started is idle then and ends by itself."""
    recorder.close()
    child = recorder.sender._launcher._child
    if child is not None:
        child.wait(30)


def call_all(recorder: Recorder, expected: list[bytes]) -> list[threading.Thread]:
    """Results of many sizes from several threads at once, as a batch of Hermes makes them."""
    chooser = random.Random(7)
    texts = [f"{number} " + "text " * chooser.choice([1, 50, 4_000]) for number in range(EVENTS)]
    expected += [text.encode() for text in texts]

    def work(part: int) -> None:
        for text in texts[part::THREADS]:
            recorder.post_tool_call(
                tool_name="web_extract", args={}, result=text, session_id="s", tool_call_id="c"
            )

    threads = [threading.Thread(target=work, args=(part,)) for part in range(THREADS)]
    for thread in threads:
        thread.start()
    return threads


def check_all_arrived_once(
    recorder: Recorder, capture: CaptureDouble, expected: list[bytes]
) -> None:
    until(lambda: recorder.queue.waiting() == 0)
    until(lambda: len(capture.memory.snapshot()) >= EVENTS)
    arrived = Counter(envelope.result for envelope in capture.memory.snapshot())
    assert arrived == Counter(expected)
    assert recorder.queue.losses() == {}


@pytest.mark.process
@pytest.mark.parametrize(
    "point",
    [
        "sidecar.before_commit:9",
        "sidecar.after_commit:9",
        "sidecar.before_settle:60",
        "sidecar.after_settle:60",
    ],
)
def test_sidecar_that_dies_at_a_named_place_again_and_again(
    data_dir: Path,
    recorder: Recorder,
    capture: CaptureDouble,
    monkeypatch: pytest.MonkeyPatch,
    point: str,
) -> None:
    monkeypatch.setenv("SOURCECORPUS_FAULT_POINT", point)
    expected: list[bytes] = []
    for thread in call_all(recorder, expected):
        thread.join()
    first = wait_for_pid(data_dir, other_than=0)
    wait_for_pid(data_dir, other_than=first)
    monkeypatch.delenv("SOURCECORPUS_FAULT_POINT")
    check_all_arrived_once(recorder, capture, expected)


@pytest.mark.process
def test_sidecar_and_capture_service_that_are_killed_under_load(
    data_dir: Path, recorder: Recorder, capture: CaptureDouble
) -> None:
    expected: list[bytes] = []
    threads = call_all(recorder, expected)
    victim = 0
    for wanted in (40, 160, 300):
        until(lambda wanted=wanted: len(capture.memory.snapshot()) >= wanted)
        victim = wait_for_pid(data_dir, other_than=victim)
        os.kill(victim, signal.SIGKILL)
        capture.stop()
        capture.start()
    for thread in threads:
        thread.join()
    check_all_arrived_once(recorder, capture, expected)


def wait_for_pid(data_dir: Path, *, other_than: int) -> int:
    found: list[int] = []

    def changed() -> bool:
        try:
            pid = json.loads((data_dir / "hermes" / "sidecar.json").read_text("utf-8"))["pid"]
        except (OSError, ValueError):
            return False
        found[:] = [pid]
        return bool(pid != other_than)

    until(changed)
    return found[0]


def test_absent_sidecar_costs_events_only_beyond_the_memory_and_leaves_the_counts(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCECORPUS_SIDECAR_COMMAND", json.dumps([sys.executable, "-c", ""]))
    recorder = Recorder("emberfall")
    recorder.queue = EventQueue(events_max=3)
    recorder.sender = Sender(recorder.queue, recorder.facts)
    try:
        for number in range(5):
            recorder.post_tool_call(tool_name="web_search", args={}, result=str(number))
        recorder.turn_ends(session_id="s")
        (report,) = (data_dir / "hermes" / "reports").glob("*.json")
        document = json.loads(report.read_text("utf-8"))
        assert document["losses"] == {"MEMORY_FULL": 2}
        assert document["waiting"] == 3
        assert (report.parent.stat().st_mode & 0o777, report.parents[1].stat().st_mode & 0o777) == (
            0o700,
            0o700,
        )
    finally:
        close(recorder)


def test_socket_that_nobody_listens_on_is_no_fault_of_hermes(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCECORPUS_SIDECAR_COMMAND", json.dumps([str(data_dir / "missing")]))
    folder = data_dir / "hermes"
    folder.mkdir(parents=True)
    (folder / "sidecar.json").write_text(json.dumps({"unix_path": str(folder / "dead.sock")}))
    recorder = Recorder("emberfall")
    try:
        recorder.post_tool_call(tool_name="web_search", args={}, result="text")
        recorder.turn_ends(session_id="s")
        assert recorder.queue.waiting() == 1
        assert recorder.hook_faults == 0
    finally:
        close(recorder)
