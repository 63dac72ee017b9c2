"""What keeps a service from starting: one clear line, exit code 2, and nothing damaged."""

import os
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from tests.process.conftest import Services
from tests.process.files import change, number

RUN_SECONDS_MAX = 30
NAMES = ["capture", "corpus"]
DATABASE = {"capture": "capture/capture.db", "corpus": "corpus/catalog.db"}

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]


def start(
    name: str, folder: Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", f"{name}_service", *arguments],
        env={
            **os.environ,
            "SOURCECORPUS_DATA_DIR": str(folder),
            "SOURCECORPUS_CAPTURE_ADDRESS": "127.0.0.1:0",
            "SOURCECORPUS_CORPUS_ADDRESS": "127.0.0.1:0",
            **environment,
        },
        check=False,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS_MAX,
    )


def the_line(ended: subprocess.CompletedProcess[str], name: str) -> str:
    """The one line that was said."""
    assert ended.returncode == 2, ended.stderr
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"{name}: "), line
    return line


@pytest.mark.parametrize("name", NAMES)
def test_the_port_of_another_service(shared_services: Services, tmp_path: Path, name: str) -> None:
    taken = shared_services.addresses[name]
    variable = f"SOURCECORPUS_{name.upper()}_ADDRESS"
    line = the_line(start(name, tmp_path / "data", **{variable: taken}), name)
    assert f"{taken}: in use by another process" in line
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("name", NAMES)
def test_the_data_folder_of_another_service(shared_services: Services, name: str) -> None:
    line = the_line(start(name, shared_services.folder / "data"), name)
    assert f"in use by another {name} service" in line


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_flag(tmp_path: Path, name: str) -> None:
    line = the_line(start(name, tmp_path, "--no-such-flag"), name)
    assert "--no-such-flag" in line


def test_an_unknown_flag_of_the_command_line(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "sourcecorpus.bridge.cli.main",
        "search",
        "word",
        "--no-such-flag",
    ]
    ended = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=RUN_SECONDS_MAX, cwd=tmp_path
    )
    assert ended.returncode == 2
    assert "--no-such-flag" in ended.stderr.splitlines()[-1]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_in_place_of_the_data_folder(tmp_path: Path, name: str) -> None:
    place = tmp_path / "data"
    place.write_text("not a folder", encoding="utf-8")
    line = the_line(start(name, place), name)
    assert str(place) in line
    assert place.read_text(encoding="utf-8") == "not a folder"


@pytest.mark.parametrize("name", NAMES)
def test_a_data_folder_that_cannot_be_written(tmp_path: Path, name: str) -> None:
    # Permission bits do not hold root back; a read-only place does, and /proc is one everywhere.
    line = the_line(start(name, Path("/proc/sourcecorpus")), name)
    assert "/proc/sourcecorpus" in line


@pytest.mark.parametrize("name", NAMES)
def test_a_foreign_database(tmp_path: Path, name: str) -> None:
    path = tmp_path / DATABASE[name]
    path.parent.mkdir(parents=True)
    foreign = apsw.Connection(str(path))
    foreign.execute("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup')")
    foreign.close()
    before = path.read_bytes()
    line = the_line(start(name, tmp_path), name)
    assert path.name in line or str(path.parent) in line
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_is_no_database(tmp_path: Path, name: str) -> None:
    path = tmp_path / DATABASE[name]
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no database at all\n" * 1_000)
    before = path.read_bytes()
    the_line(start(name, tmp_path), name)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", NAMES)
def test_a_database_of_a_newer_program(tmp_path: Path, name: str) -> None:
    services = Services(tmp_path)
    services.start(name)
    assert services.stop(name) == 0
    path = tmp_path / "data" / DATABASE[name]
    change(path, "PRAGMA user_version = 999")
    before = path.read_bytes()
    line = the_line(start(name, tmp_path / "data"), name)
    assert "newer" in line
    assert path.read_bytes() == before
    change(path, f"PRAGMA user_version = {version_of(name, tmp_path)}")
    services.start(name)
    assert services.stop(name) == 0


def version_of(name: str, folder: Path) -> int:
    """The version that a fresh file of this program has."""
    fresh = Services(folder / "fresh")
    fresh.folder.mkdir()
    fresh.start(name)
    assert fresh.stop(name) == 0
    return number(fresh.folder / "data" / DATABASE[name], "PRAGMA user_version")


@pytest.mark.parametrize("name", NAMES)
def test_a_package_that_is_not_installed(name: str) -> None:
    program = (
        "import sys; sys.modules['apsw'] = None;"
        f"from {name}_service.__main__ import main; sys.exit(main([]))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS_MAX,
    )
    assert the_line(ended, name).endswith(
        f"needs the Python package apsw: install source-corpus[{name}]"
    )
