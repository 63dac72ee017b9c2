"""Real processes: one service on one address, readiness, drain, one clear line on failure."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from sourcecorpus.rpc.addresses import Address
from sourcecorpus.rpc.binding import StartError
from sourcecorpus.rpc.channels import open_sync_channel
from sourcecorpus.rpc.lifecycle import Lifecycle
from sourcecorpus.rpc.runtime_settings import RuntimeSettings
from sourcecorpus.rpc.server import ServiceServer
from sourcecorpus.rpc.settings import SettingsError
from sourcecorpus.rpc.status import failure_from_rpc_error
from tests.rpc.serving import GET_GAME, MESSAGES, STREAM, callable_of, running

ROOT = Path(__file__).parents[2]


@dataclass(slots=True)
class Service:
    process: subprocess.Popen[str]
    address: str

    def finish(self) -> tuple[int, str, list[dict[str, Any]]]:
        """Exit code, standard output, log lines."""
        out, log = self.process.communicate(timeout=30)
        return self.process.returncode, out, [json.loads(line) for line in log.splitlines()]


def begin(address: str, **environment: str) -> subprocess.Popen[str]:
    variables = {
        **os.environ,
        "SOURCECORPUS_CORPUS_ADDRESS": address,
        "PYTHONPATH": str(ROOT),
        **environment,
    }
    return subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "rpc" / "one_service.py")],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextlib.contextmanager
def service(folder: Path, address: str = "127.0.0.1:0", **environment: str) -> Iterator[Service]:
    """Start a process and wait on a FIFO until it takes calls."""
    ready = folder / "ready"
    os.mkfifo(ready)
    # Both ends are open, so that the read waits for a line instead of the end of a file.
    descriptor = os.open(ready, os.O_RDWR)
    with os.fdopen(descriptor, "r") as fifo:
        process = begin(address, SOURCECORPUS_READY_FILE=str(ready), **environment)
        try:
            yield Service(process, fifo.readline().strip())
        finally:
            process.kill()
            process.communicate()


pytestmark = pytest.mark.process


def test_a_second_service_on_the_port_fails_at_once_with_one_line(tmp_path: Path) -> None:
    with service(tmp_path) as first:
        second = begin(first.address)
        out, log = second.communicate(timeout=30)
        assert second.returncode == 2
        assert log == f"sample: {first.address}: in use by another process\n"
        assert out == ""
        with open_sync_channel(first.address) as channel:
            callable_of(channel, GET_GAME)(MESSAGES[GET_GAME][0]())


def test_a_second_service_on_the_socket_fails_and_a_stale_socket_does_not_matter(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.sock"
    address = f"unix:{path}"
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(str(path))
    stale.close()
    with service(tmp_path, address) as first:
        assert first.address == address
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        second = begin(address)
        _, log = second.communicate(timeout=30)
        assert (second.returncode, log) == (2, f"sample: {address}: in use by another process\n")
        with open_sync_channel(address) as channel:
            callable_of(channel, GET_GAME)(MESSAGES[GET_GAME][0]())
        first.process.send_signal(signal.SIGTERM)
        assert first.finish()[0] == 0
    assert not path.exists()


@pytest.mark.parametrize(
    ("variables", "line"),
    [
        ({"SOURCECORPUS_CORPUS_ADDRESS": "0.0.0.0:0"}, "beyond loopback set tls_certificate_file"),
        ({"SOURCECORPUS_CORPUS_ADDRESS": "unix:/nowhere/at/all/s"}, "No such file or directory"),
        ({"SOURCECORPUS_DRAIN_SECONDS": "-1"}, "SOURCECORPUS_DRAIN_SECONDS: must be at least 0"),
        ({"SOURCECORPUS_CONFIG": "/nowhere.toml"}, "/nowhere.toml: No such file or directory"),
        ({"SOURCECORPUS_ACCESS": "tokens"}, "access = tokens needs a token file"),
    ],
)
def test_what_cannot_start_says_why_in_one_line(variables: dict[str, str], line: str) -> None:
    process = begin("127.0.0.1:0", **variables)
    _, log = process.communicate(timeout=30)
    assert process.returncode == 2
    assert log.startswith("sample: ")
    assert line in log
    assert log.count("\n") == 1


def test_a_signal_drains_streams_are_told_and_parts_stop(tmp_path: Path) -> None:
    with service(tmp_path, SOURCECORPUS_DRAIN_SECONDS="20") as running_service:
        with open_sync_channel(running_service.address) as channel:
            health = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
            assert next(health).status == health_pb2.HealthCheckResponse.SERVING
            stream = callable_of(channel, STREAM)(iter([MESSAGES[STREAM][0]()]))
            next(stream)
            began = time.monotonic()
            running_service.process.send_signal(signal.SIGTERM)
            assert next(health).status == health_pb2.HealthCheckResponse.NOT_SERVING
            assert list(stream) == [MESSAGES[STREAM][1]()]
            assert list(health) == []
            code, out, log = running_service.finish()
        assert time.monotonic() - began < 10
    assert (code, out) == (0, "store closed\n")
    assert [line["event"] for line in log] == [
        "service_started",
        "service_draining",
        "service_stopped",
    ]
    assert log[1]["reason"] == "SIGTERM"


def test_a_signal_as_soon_as_the_service_is_ready_drains_too(tmp_path: Path) -> None:
    with service(tmp_path, SIGNAL_WHEN_READY="1") as running_service:
        code, out, log = running_service.finish()
    assert (code, out) == (0, "store closed\n")
    assert log[-1]["event"] == "service_stopped"


def test_a_second_signal_shortens_the_grace(tmp_path: Path) -> None:
    with (
        service(tmp_path, SOURCECORPUS_DRAIN_SECONDS="300", STUBBORN="1") as stubborn,
        open_sync_channel(stubborn.address) as channel,
    ):
        watching = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
        next(watching)
        stream = callable_of(channel, STREAM)(iter([MESSAGES[STREAM][0]()]))
        next(stream)
        stubborn.process.send_signal(signal.SIGTERM)
        assert next(watching).status == health_pb2.HealthCheckResponse.NOT_SERVING
        stubborn.process.send_signal(signal.SIGINT)
        with pytest.raises(grpc.RpcError) as caught:
            next(stream)
        code, out, _ = stubborn.finish()
    assert failure_from_rpc_error(caught.value).code.name == "UNAVAILABLE"
    assert (code, out) == (0, "store closed\n")


def test_the_ready_file_appears_whole_and_goes_with_the_service(tmp_path: Path) -> None:
    async def main() -> None:
        ready = tmp_path / "ready"
        settings = RuntimeSettings(ready_file=ready, drain_seconds=0.1)
        async with running({}, settings=settings) as system:
            assert ready.read_text() == f"{system.address}\n"
            assert system.address.port != 0
        assert not ready.exists()

    asyncio.run(main())
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way_of_a_socket_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_text("mine")

    async def main() -> None:
        with pytest.raises(StartError, match="a file that is no socket is in the way"):
            ServiceServer(RuntimeSettings()).bind(Address(unix_path=str(path)))

    asyncio.run(main())
    assert path.read_text() == "mine"


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.invalid"])
def test_addresses_beyond_loopback_need_tls_and_tokens(host: str, tmp_path: Path) -> None:
    certificate, key = tmp_path / "certificate", tmp_path / "key"
    certificate.write_text("pem")
    key.write_text("pem")

    async def main() -> None:
        address = Address(host, 0)
        with pytest.raises(SettingsError, match="set tls_certificate_file and tls_key_file"):
            ServiceServer(RuntimeSettings()).bind(address)
        with pytest.raises(SettingsError, match="set access = tokens"):
            ServiceServer(RuntimeSettings(tls_certificate_file=certificate, tls_key_file=key)).bind(
                address
            )
        with pytest.raises(SettingsError, match="certificate and key go together"):
            ServiceServer(RuntimeSettings(tls_key_file=key)).bind(address)
        with pytest.raises(SettingsError, match="TLS is required beyond loopback"):
            open_sync_channel(str(address))

    asyncio.run(main())


def test_an_address_of_another_machine_is_named_as_such() -> None:
    async def main() -> None:
        server = ServiceServer(RuntimeSettings())
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            with pytest.raises(StartError, match=r"localhost:\d+: in use by another process"):
                server.bind(Address("localhost", taken.getsockname()[1]))

    asyncio.run(main())


def test_health_of_single_services_and_of_one_that_is_not_here() -> None:
    async def handler(request: Any, context: Any) -> Any:
        return MESSAGES[GET_GAME][1]()

    async def main() -> None:
        async with running({GET_GAME: handler}) as system:
            check = health_pb2_grpc.HealthStub(system.channel).Check
            name = "sourcecorpus.corpus.v1.GameService"
            request = health_pb2.HealthCheckRequest(service=name)
            assert (await check(request)).status == health_pb2.HealthCheckResponse.SERVING
            system.server.set_serving(False, name)
            assert (await check(request)).status == health_pb2.HealthCheckResponse.NOT_SERVING
            whole = await check(health_pb2.HealthCheckRequest())
            assert whole.status == health_pb2.HealthCheckResponse.SERVING
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await check(health_pb2.HealthCheckRequest(service="nobody"))
            assert failure_from_rpc_error(caught.value).reason == "SERVICE_NOT_FOUND"

    asyncio.run(main())


def test_reflection_lists_the_services_unless_it_is_off() -> None:
    from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

    async def handler(request: Any, context: Any) -> Any:
        return MESSAGES[GET_GAME][1]()

    async def listed(reflection: bool) -> set[str]:
        settings = RuntimeSettings(reflection=reflection, drain_seconds=0.1)
        async with running({GET_GAME: handler}, settings=settings) as system:
            asked = reflection_pb2.ServerReflectionRequest(list_services="")
            stub = reflection_pb2_grpc.ServerReflectionStub(system.channel)
            answer = await stub.ServerReflectionInfo(iter([asked])).read()
            return {entry.name for entry in answer.list_services_response.service}

    assert asyncio.run(listed(reflection=True)) == {
        "sourcecorpus.corpus.v1.GameService",
        "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection",
    }
    with pytest.raises(grpc.aio.AioRpcError):
        asyncio.run(listed(reflection=False))


def test_parts_stop_backwards_and_one_that_fails_stops_nobody() -> None:
    stopped = []

    def part(name: str, error: Exception | None = None) -> Any:
        async def stop() -> None:
            stopped.append(name)
            if error:
                raise error

        return stop

    async def main() -> int:
        lifecycle = Lifecycle(seconds_max=0.05)
        lifecycle.started("store", part("store"))
        lifecycle.started("writer", part("writer", RuntimeError("full")))
        lifecycle.started("hung", asyncio.Event().wait)  # type: ignore[arg-type] # never returns
        lifecycle.started("source", part("source"))
        return await lifecycle.stop_all()

    assert asyncio.run(main()) == 2
    assert stopped == ["source", "writer", "store"]


def test_a_missing_exporter_does_not_keep_the_service_from_serving(tmp_path: Path) -> None:
    variables = {"SOURCECORPUS_TELEMETRY": "otlp", "NO_EXPORTER": "1"}
    with service(tmp_path, **variables) as running_service:
        with open_sync_channel(running_service.address) as channel:
            callable_of(channel, GET_GAME)(MESSAGES[GET_GAME][0]())
        running_service.process.send_signal(signal.SIGTERM)
        code, _, log = running_service.finish()
    assert code == 0
    failed = [line for line in log if line["event"] == "telemetry_unavailable"]
    assert [line["error_type"] for line in failed] == ["ModuleNotFoundError"]


def test_console_telemetry_goes_to_standard_error(tmp_path: Path) -> None:
    with service(tmp_path, SOURCECORPUS_TELEMETRY="console") as running_service:
        with open_sync_channel(running_service.address) as channel:
            callable_of(channel, GET_GAME)(MESSAGES[GET_GAME][0]())
        running_service.process.send_signal(signal.SIGTERM)
        out, log = running_service.process.communicate(timeout=30)
    assert running_service.process.returncode == 0
    assert out == "store closed\n"
    assert "rpc.server.active_requests" in log
