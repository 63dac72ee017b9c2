import json
import os
import time
from pathlib import Path

import pytest
from capture_double import CaptureDouble
from sidecar_double import PluginConnection, RunningSidecar, until

from sourcecorpus.bridge.cli.commands.hermes import status_rows
from sourcecorpus.bridge.cli.main import main
from sourcecorpus.hermes.inspection import sidecar_status
from sourcecorpus.hermes.sidecar import limits
from sourcecorpus.hermes.sidecar.status import queue_facts, remove_old_reports


def test_status_of_a_running_and_of_an_ended_sidecar(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "hermes"
    with RunningSidecar(tmp_path / "data", "127.0.0.1:1") as running:
        plugin = PluginConnection(running)
        plugin.send(1)
        plugin.send(2, b"other text")
        plugin.wait_durable(2)
        until(lambda: bool(running.ask("status")["capture"]["last_error"]))
        status = sidecar_status(folder)
        assert status["running"]
        assert status["queue"]["envelopes"] == 2
        assert status["queue"]["oldest_seconds"] >= 0
        assert status["capture"]["last_error"] == "UNAVAILABLE SERVICE_UNREACHABLE"
        assert len(status["hermes"]) == 1
    ended = sidecar_status(folder)
    assert not ended["running"]
    assert ended["queue"]["envelopes"] == 2
    assert ended["counters"]["taken"] == {"envelopes": 2}
    assert ("waiting", f"2 envelopes, {ended['queue']['stored_bytes']} bytes") in status_rows(ended)


def test_clock_that_went_back_gives_no_negative_age(tmp_path: Path) -> None:
    with RunningSidecar(tmp_path / "data", "127.0.0.1:1") as running:
        plugin = PluginConnection(running)
        plugin.send(1)
        plugin.wait_durable(1)
        store = running.sidecar.store
        now = time.time_ns() // 1_000_000
        yesterday = store.read(lambda connection: queue_facts(connection, now - 86_400_000))
        assert yesterday["oldest_seconds"] == 0.0
        tomorrow = store.read(lambda connection: queue_facts(connection, now + 86_400_000))
        assert 86_000 < tomorrow["oldest_seconds"] < 87_000


def test_rows_tell_reasons_games_and_what_hermes_left() -> None:
    rows = status_rows(
        {
            "running": True,
            "pid": 7,
            "queue": {"envelopes": 1, "stored_bytes": 9, "oldest_seconds": 2.5, "set_aside": 3},
            "hermes": [],
            "capture": {"last_error": "UNAVAILABLE SERVICE_UNREACHABLE"},
            "games": [{"session": "s", "game": "", "confirmed": True}],
            "counters": {"refused": {"NO_GAME": 2}, "lost": {"MEMORY_FULL": 1}},
            "reports": [{"pid": 5, "waiting": 4, "losses": {"HOOK_FAULT": 6}}],
        }
    )
    told = [" ".join(row) for row in rows]
    assert "not kept 2 NO_GAME" in told
    assert "lost 1 MEMORY_FULL" in told
    assert "lost 6 HOOK_FAULT in Hermes process 5" in told
    assert "game none for session s" in told
    assert any(line.startswith("hint") for line in told)
    assert any("3 envelopes that cannot be delivered" in line for line in told)


def test_command_prints_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOURCECORPUS_DATA_DIR", str(tmp_path))
    assert main(["status", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["running"] is False
    assert document["queue"]["envelopes"] == 0


def test_install_command_copies_the_plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOURCECORPUS_DATA_DIR", str(tmp_path / "data"))
    assert main(["hermes", "install", "--home", str(tmp_path / "absent")]) == 1
    (tmp_path / "home").mkdir()
    assert main(["hermes", "install", "--home", str(tmp_path / "home")]) == 0
    assert (tmp_path / "home" / "plugins" / "source-corpus" / "plugin.yaml").is_file()
    assert "hermes plugins enable source-corpus" in capsys.readouterr().out


def test_old_reports_are_removed(tmp_path: Path) -> None:
    for number in range(limits.REPORT_FILES_MAX + 5):
        path = tmp_path / f"{number}.json"
        path.write_text("{}", encoding="utf-8")
        os.utime(path, (number, number))
    remove_old_reports(tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert len(left) == limits.REPORT_FILES_MAX
    assert "4.json" not in left
    assert "5.json" in left


def test_envelopes_that_were_delivered_are_in_the_counters(
    running: RunningSidecar, capture: CaptureDouble
) -> None:
    del capture
    plugin = PluginConnection(running)
    plugin.send(1)
    until(lambda: running.counters().get("outcome") == {"STORED": 1})
    assert running.ask("status")["capture"]["last_acknowledged_seconds_ago"] is not None
