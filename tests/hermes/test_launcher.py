import json
import sys
from pathlib import Path

import pytest

from sourcecorpus.hermes.plugin import launcher, locations
from sourcecorpus.hermes.plugin.launcher import Launcher, sidecar_command, sidecar_environment
from sourcecorpus.hermes.plugin.locations import Endpoint, data_folder, read_endpoint


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_sidecar_gets_no_keys_and_no_paths_of_hermes_interpreter(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SOURCECORPUS_DATA_DIR", str(tmp_path))
    kept = sidecar_environment(
        {
            "PATH": "/bin",
            "HOME": "/home/player",
            "LC_ALL": "C.UTF-8",
            "SOURCECORPUS_LOG_LEVEL": "debug",
            "FIRECRAWL_API_KEY": "fc-local",
            "PYTHONPATH": "/hermes",
            "VIRTUAL_ENV": "/hermes",
        }
    )
    assert kept == {
        "PATH": "/bin",
        "HOME": "/home/player",
        "LC_ALL": "C.UTF-8",
        "SOURCECORPUS_LOG_LEVEL": "debug",
        "SOURCECORPUS_DATA_DIR": str(tmp_path),
    }


def test_command_comes_from_the_environment_then_the_installation_then_this_interpreter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert sidecar_command() == [sys.executable, "-m", "sourcecorpus.hermes.sidecar"]
    monkeypatch.setattr(
        launcher, "installation", lambda: {"sidecar_command": ["/opt/python", "-m"]}
    )
    assert sidecar_command() == ["/opt/python", "-m"]
    monkeypatch.setenv("SOURCECORPUS_SIDECAR_COMMAND", '["/opt/side car", "run"]')
    assert sidecar_command() == ["/opt/side car", "run"]
    monkeypatch.setenv("SOURCECORPUS_SIDECAR_COMMAND", "/opt/side car")
    assert sidecar_command() == ["/opt/side car"]
    monkeypatch.setenv("SOURCECORPUS_SIDECAR_COMMAND", "[1]")
    assert sidecar_command() == []


def test_sidecar_that_does_not_start_is_tried_less_and_less_often(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SOURCECORPUS_SIDECAR_COMMAND", str(tmp_path / "missing"))
    tried: list[float] = []
    clock = Clock()
    started = Launcher(clock)
    monkeypatch.setattr(
        launcher.subprocess, "Popen", lambda *_, **__: tried.append(clock.now) or fail()
    )
    for second in range(400):
        clock.now = float(second)
        assert not started.start()
    assert tried == [0.0, 5.0, 15.0, 35.0, 75.0, 155.0, 275.0, 395.0]


def fail() -> None:
    raise OSError


def test_data_folder_comes_from_the_environment_then_the_file_then_the_installation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SOURCECORPUS_DATA_DIR", raising=False)
    monkeypatch.delenv("SOURCECORPUS_CONFIG", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    assert data_folder() == tmp_path / "share" / "sourcecorpus"
    monkeypatch.setattr(locations, "installation", lambda: {"data_dir": "/installed"})
    assert data_folder() == Path("/installed")
    configuration = tmp_path / "sourcecorpus.toml"
    configuration.write_text('[runtime]\ndata_dir = "/configured"\n', encoding="utf-8")
    monkeypatch.setenv("SOURCECORPUS_CONFIG", str(configuration))
    assert data_folder() == Path("/configured")
    configuration.write_text("not toml [", encoding="utf-8")
    assert data_folder() == Path("/installed")
    monkeypatch.setenv("SOURCECORPUS_DATA_DIR", "/environment")
    assert data_folder() == Path("/environment")


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"unix_path": "/run/x.sock", "port": 0, "token": ""}, Endpoint(unix_path="/run/x.sock")),
        ({"port": 7, "token": "t"}, Endpoint(port=7, token="t")),
        ({"port": 7, "token": ""}, None),
        ({"port": 70_000, "token": "t"}, None),
        ({}, None),
        ([], None),
    ],
)
def test_endpoint_is_read_or_it_is_absent(
    tmp_path: Path, document: object, expected: Endpoint | None
) -> None:
    file = tmp_path / "sidecar.json"
    assert read_endpoint(file) is None
    file.write_text(json.dumps(document), encoding="utf-8")
    assert read_endpoint(file) == expected
