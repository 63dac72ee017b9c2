"""The process: what keeps it from starting is one clear line, and nothing is damaged."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import grpc
import pytest

from sourcecorpus.capture.v1 import capture_service_pb2_grpc
from sourcecorpus.rpc.channels import open_channel
from sourcecorpus.rpc.status import failure_from_rpc_error
from tests.capture.fake_corpus import FakeCorpus
from tests.capture.frames import envelope
from tests.capture.running import Running, run

pytestmark = pytest.mark.process
SECONDS_MAX = 30


def start(folder: Path, *flags: str, **variables: str) -> subprocess.Popen[str]:
    """Start the service; the ready pipe tells when it takes calls."""
    environment = {
        **os.environ,
        "SOURCECORPUS_DATA_DIR": str(folder),
        "SOURCECORPUS_CAPTURE_ADDRESS": "127.0.0.1:0",
        "SOURCECORPUS_CORPUS_ADDRESS": "127.0.0.1:1",
        **variables,
    }
    return subprocess.Popen(
        [sys.executable, "-m", "capture_service", *flags],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    path = tmp_path / "ready"
    os.mkfifo(path)
    return path


def address_of(ready: Path) -> str:
    """Wait until the service takes calls."""
    return ready.read_text(encoding="utf-8").strip()


def refused(process: subprocess.Popen[str]) -> str:
    _, error = process.communicate(timeout=SECONDS_MAX)
    assert process.returncode == 2
    lines = [line for line in error.splitlines() if not line.startswith("{")]
    assert len(lines) == 1, error
    assert lines[0].startswith("capture: ")
    return lines[0]


def stop(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=SECONDS_MAX)
    assert process.returncode == 0


def test_unknown_flags_and_settings_are_refused(tmp_path: Path) -> None:
    assert "--nonsense" in refused(start(tmp_path, "--nonsense"))
    message = refused(start(tmp_path, SOURCECORPUS_OUTBOX_BYTES_MAX="many"))
    assert "SOURCECORPUS_OUTBOX_BYTES_MAX" in message
    message = refused(start(tmp_path, SOURCECORPUS_FAULT_POINT="x:y"))
    assert "SOURCECORPUS_FAULT_POINT" in message


def test_a_data_folder_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder", encoding="utf-8")
    assert str(file) in refused(start(file))
    assert file.read_text(encoding="utf-8") == "not a folder"


def test_a_foreign_database_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "capture" / "capture.db"
    path.parent.mkdir()
    foreign = apsw.Connection(str(path))
    foreign.execute("CREATE TABLE theirs (x)")
    foreign.close()
    before = path.read_bytes()
    assert "another program" in refused(start(tmp_path))
    assert path.read_bytes() == before


def test_an_open_key_is_refused(tmp_path: Path) -> None:
    key = tmp_path / "keys" / "redaction.key"
    key.parent.mkdir()
    key.write_bytes(bytes(32))
    key.chmod(0o644)
    assert "0600" in refused(start(tmp_path))


def test_one_process_for_an_address_and_for_a_folder(tmp_path: Path, ready: Path) -> None:
    first = start(tmp_path / "a", "--ready-file", str(ready))
    try:
        address = address_of(ready)
        second = start(tmp_path / "b", "--address", address)
        assert "in use" in refused(second)
        assert not (tmp_path / "b").exists()
        third = start(tmp_path / "a")
        assert "another capture service" in refused(third)
    finally:
        stop(first)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk is not permitted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_refuses_and_goes_on_when_there_is_room(small_disk: Path, ready: Path) -> None:
    async def test(corpus: FakeCorpus, address: str) -> None:
        channel = open_channel(address)
        try:
            stub = capture_service_pb2_grpc.CaptureServiceStub(channel)
            service = Running(stub, corpus, None)  # type: ignore[arg-type]
            await service.submit(envelope("first", b"{}"))
            filling = small_disk / "filling"
            with pytest.raises(OSError, match="No space"):
                filling.write_bytes(bytes(5_000_000))
            body = os.urandom(300_000).hex().encode()
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await service.submit(envelope("second", body))
            failure = failure_from_rpc_error(error.value)
            assert (failure.reason, failure.retry_after_seconds) == ("DISK_FULL", 1.0)
            filling.unlink()
            (outcome,) = await service.submit(envelope("second", body))
            assert not outcome.reason
            await service.delivered(2)
        finally:
            await channel.close()

    async def with_corpus() -> None:
        corpus = FakeCorpus()
        await corpus.start()
        port = str(corpus.port)
        process = start(
            small_disk,
            "--ready-file",
            str(ready),
            SOURCECORPUS_CORPUS_ADDRESS=f"127.0.0.1:{port}",
        )
        try:
            address = await asyncio.to_thread(address_of, ready)
            await test(corpus, address)
        finally:
            await asyncio.to_thread(stop, process)
            await corpus.stop()

    run(with_corpus())
    database = apsw.Connection(str(small_disk / "capture" / "capture.db"))
    assert database.pragma("integrity_check") == "ok"
    database.close()
