"""The corpus service as a process: starting, refusing to start, draining."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from corpus_service.__main__ import EXIT_CANNOT_START
from sourcecorpus.corpus.v1 import game_pb2, game_service_pb2, game_service_pb2_grpc

SECONDS = 60


def environment(folder: Path, **more: str) -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith("SOURCECORPUS")
    }
    return {
        **kept,
        "SOURCECORPUS_DATA_DIR": str(folder),
        "SOURCECORPUS_CORPUS_ADDRESS": "127.0.0.1:0",
        **more,
    }


def refusal(variables: Mapping[str, str], *arguments: str) -> str:
    """The one line that a service says which cannot start."""
    ended = subprocess.run(
        [sys.executable, "-m", "corpus_service", *arguments],
        env=variables, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert ended.returncode == EXIT_CANNOT_START
    assert ended.stdout == ""
    lines = ended.stderr.splitlines()
    assert len(lines) == 1, lines
    return lines[0]


@contextmanager
def running(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    ready = folder / "ready"
    os.mkfifo(ready)
    with subprocess.Popen(
        [sys.executable, "-m", "corpus_service"],
        env=environment(folder, SOURCECORPUS_READY_FILE=str(ready)),
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            with ready.open() as told:
                address = told.readline().strip()
            yield address, process
        finally:
            process.kill()
            ready.unlink()


@pytest.mark.process
def test_one_process_for_a_folder_and_an_address(tmp_path: Path) -> None:
    with running(tmp_path) as (address, process):
        assert "in use by another corpus service" in refusal(environment(tmp_path))
        other = environment(tmp_path / "other", SOURCECORPUS_CORPUS_ADDRESS=address)
        assert "in use" in refusal(other)
        assert not (tmp_path / "other" / "corpus").exists()
        with grpc.insecure_channel(address) as channel:
            stub = game_service_pb2_grpc.GameServiceStub(channel)
            stub.CreateGame(
                game_service_pb2.CreateGameRequest(game=game_pb2.Game(game_id="g1")),
                timeout=SECONDS,
            )
        process.send_signal(signal.SIGTERM)
        assert process.wait(SECONDS) == 0
    # A truncating checkpoint leaves no log beside the files.
    assert not [path for path in tmp_path.rglob("*-wal") if path.stat().st_size]
    with running(tmp_path) as (address, _), grpc.insecure_channel(address) as channel:
        stub = game_service_pb2_grpc.GameServiceStub(channel)
        listed = stub.ListGames(game_service_pb2.ListGamesRequest(), timeout=SECONDS)
        assert [game.game_id for game in listed.games] == ["g1"]


@pytest.mark.process
def test_what_keeps_the_service_from_starting_is_said_in_one_line(tmp_path: Path) -> None:
    assert "--nonsense" in refusal(environment(tmp_path), "--nonsense")
    file = tmp_path / "file"
    file.write_text("in the way")
    assert str(file) in refusal(environment(file))
    assert "expected host:port" in refusal(
        environment(tmp_path, SOURCECORPUS_CORPUS_ADDRESS="nowhere")
    )
    configuration = tmp_path / "settings.toml"
    configuration.write_text("[corpus]\nread_threads = 0\n")
    assert "settings.toml:2" in refusal(environment(tmp_path), "--config", str(configuration))


@pytest.mark.process
def test_foreign_and_damaged_databases_are_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    catalog = folder / "catalog.db"
    connection = sqlite3.connect(catalog)
    connection.execute("create table theirs (x)")
    connection.commit()
    connection.close()
    before = catalog.read_bytes()
    assert "catalog.db" in refusal(environment(tmp_path))
    assert catalog.read_bytes() == before
    catalog.write_bytes(b"no database at all, but long enough to be one" * 100)
    before = catalog.read_bytes()
    assert "catalog.db" in refusal(environment(tmp_path))
    assert catalog.read_bytes() == before
