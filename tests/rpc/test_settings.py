from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from sourcecorpus.rpc.addresses import Address
from sourcecorpus.rpc.runtime_settings import RuntimeSettings, default_data_folder
from sourcecorpus.rpc.settings import SettingsError, describe, load, setting


@dataclass(frozen=True, slots=True)
class Sample:
    table: ClassVar[str] = "capture"

    workers: int = setting("Workers.", "SOURCECORPUS_TEST_WORKERS", 2, minimum=1, maximum=8)
    pause_seconds: float = setting("Pause in seconds.", "SOURCECORPUS_TEST_PAUSE", 0.5)
    eager: bool = setting("Eager.", "SOURCECORPUS_TEST_EAGER", False)
    mode: str = setting("Mode.", "SOURCECORPUS_TEST_MODE", "slow", choices=("slow", "fast"))
    roots: tuple[str, ...] = setting("Roots.", "SOURCECORPUS_TEST_ROOTS", ())
    folder: Path | None = setting("Folder.", "SOURCECORPUS_TEST_FOLDER", None)
    listen: Address = setting("Address.", "SOURCECORPUS_TEST_LISTEN", Address("127.0.0.1", 0))
    word: str = setting("Word.", "SOURCECORPUS_TEST_WORD", "", secret=True)


def write(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text)
    return path


def test_defaults_then_file_then_environment(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        '[capture]\nworkers = 3\npause_seconds = 2\neager = true\nroots = ["a", "b"]\n'
        'listen = "unix:/tmp/s"\n[corpus]\nanything = 1\n',
    )
    environment = {"SOURCECORPUS_TEST_WORKERS": "4", "SOURCECORPUS_CONFIG": str(file)}
    assert load(Sample, environment=environment) == Sample(
        workers=4,
        pause_seconds=2.0,
        eager=True,
        roots=("a", "b"),
        listen=Address(unix_path="/tmp/s"),
    )
    assert load(Sample, environment={}) == Sample()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("EAGER", "Yes", Sample(eager=True)),
        ("PAUSE", "1.5", Sample(pause_seconds=1.5)),
        ("ROOTS", "a, b,", Sample(roots=("a", "b"))),
        ("FOLDER", "/data", Sample(folder=Path("/data"))),
        ("FOLDER", "", Sample(folder=None)),
        ("LISTEN", "[::1]:80", Sample(listen=Address("::1", 80))),
        ("MODE", "fast", Sample(mode="fast")),
    ],
)
def test_values_of_the_environment(name: str, text: str, expected: Sample) -> None:
    assert load(Sample, environment={f"SOURCECORPUS_TEST_{name}": text}) == expected


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("WORKERS", "many", "expected whole number"),
        ("WORKERS", "0", "must be at least 1"),
        ("WORKERS", "9", "must be at most 8"),
        ("PAUSE", "nan", "expected number"),
        ("EAGER", "perhaps", "expected true or false"),
        ("MODE", "hasty", "expected one of slow, fast"),
        ("LISTEN", "somewhere", "expected host:port or unix:path"),
        ("LISTEN", "h:70000", "the port must be at most 65535"),
        ("LISTEN", "::1:80", "an IPv6 host needs brackets: [host]:port"),
        ("LISTEN", "unix:", "expected a path after unix:"),
        ("LISTEN", "unix:" + "p" * 104, "the path of a Unix socket may have at most 103 bytes"),
    ],
)
def test_bad_values_of_the_environment(name: str, text: str, problem: str) -> None:
    variable = f"SOURCECORPUS_TEST_{name}"
    with pytest.raises(SettingsError) as caught:
        load(Sample, environment={variable: text})
    assert str(caught.value) == f"environment: {variable}: {problem}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[capture]\n\nwokers = 3\n", ":3: capture.wokers: unknown key"),
        (
            '[corpus]\nworkers = 1\n[capture]\nworkers = "3"\n',
            ":4: capture.workers: expected whole number",
        ),
        ("[capture]\nworkers = true\n", ":2: capture.workers: expected whole number"),
        ("[capture]\nroots = [1]\n", ":2: capture.roots: expected an array of strings"),
        ("[capture]\nmode = 'hasty'\n", ":2: capture.mode: expected one of slow, fast"),
        ("[captures]\n", ":1: captures: unknown; tables are runtime, capture, corpus, client"),
        ("capture = 1\n", ":1: capture: expected a table"),
    ],
)
def test_bad_files_name_key_and_line(tmp_path: Path, text: str, message: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        load(Sample, file=file, environment={})
    assert str(caught.value) == f"{file}{message}"
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="No such file"):
        load(Sample, file=tmp_path / "absent.toml", environment={})
    with pytest.raises(SettingsError, match=r"line 1, column \d+"):
        load(Sample, file=write(tmp_path, "workers\n"), environment={})
    (tmp_path / "bytes.toml").write_bytes(b"# \xff")
    with pytest.raises(SettingsError, match="not UTF-8 at byte 2"):
        load(Sample, file=tmp_path / "bytes.toml", environment={})
    with pytest.raises(SettingsError, match="larger than"):
        load(Sample, file=write(tmp_path, "#" * (1 << 20) + "\n"), environment={})


def test_a_value_never_stands_in_an_error() -> None:
    secret = "s3cr3t" * 3
    with pytest.raises(SettingsError) as caught:
        load(Sample, environment={"SOURCECORPUS_TEST_WORKERS": secret})
    assert secret not in str(caught.value)


def test_rows_for_people_hide_secrets() -> None:
    loaded = load(Sample, environment={"SOURCECORPUS_TEST_WORD": "hush"})
    rows = {row.key: row for row in describe(Sample, loaded)}
    assert list(rows) == [
        "workers", "pause_seconds", "eager", "mode", "roots", "folder", "listen", "word",
    ]  # fmt: skip
    assert rows["word"].value == "(set)"
    assert rows["mode"].kind == "slow | fast"
    assert rows["folder"].kind == "path, optional"
    assert rows["eager"].default == "false"
    assert rows["listen"].value == "127.0.0.1:0"
    assert describe(Sample)[0].value == ""


def test_a_variable_of_another_program_is_refused() -> None:
    with pytest.raises(ValueError, match="SOURCECORPUS_"):
        setting("Text.", "HOME", "")


def test_every_runtime_setting_has_its_own_variable_and_a_sentence() -> None:
    rows = describe(RuntimeSettings)
    assert len({row.variable for row in rows}) == len(rows)
    assert all(row.description.endswith(".") for row in rows)
    assert load(RuntimeSettings, environment={}).corpus_address == Address("127.0.0.1", 50552)


def test_the_data_folder_follows_the_base_directory_rule(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_data_folder() == tmp_path / "sourcecorpus"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_data_folder() == tmp_path / ".local" / "share" / "sourcecorpus"


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("127.0.0.1:1", True),
        ("127.9.9.9:1", True),
        ("[::1]:1", True),
        ("localhost:1", True),
        ("unix:/run/s", True),
        ("unix:///run/s", True),
        ("0.0.0.0:1", False),
        ("[::]:1", False),
        ("10.0.0.1:1", False),
        ("example.org:1", False),
        ("localhost.example.org:1", False),
    ],
)
def test_local_addresses(text: str, local: bool) -> None:
    address = Address.parse(text)
    assert address.local is local
    assert Address.parse(str(address)) == address
