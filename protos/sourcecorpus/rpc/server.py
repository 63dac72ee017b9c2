"""The process of a service: bind, start, tell that it is ready, drain on a signal, stop.

Order: bind first, so that a second process fails before it touches a store; then the parts of the
service; then calls are taken. A drain goes NOT_SERVING → open streams are told → calls end within
the grace → parts stop, last started first.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import grpc
from grpc_reflection.v1alpha import reflection

from sourcecorpus.rpc import limits, telemetry
from sourcecorpus.rpc.access import AccessPolicy, MethodClass
from sourcecorpus.rpc.binding import Binding, StartError, bind, write_ready_file
from sourcecorpus.rpc.health import HEALTH_SERVICE, HealthServicer
from sourcecorpus.rpc.interceptors.access import AccessInterceptor
from sourcecorpus.rpc.interceptors.base import InterceptorChain
from sourcecorpus.rpc.interceptors.concurrency import LIMITS_DEFAULT, ConcurrencyInterceptor
from sourcecorpus.rpc.interceptors.deadlines import DeadlineInterceptor
from sourcecorpus.rpc.interceptors.errors import ErrorInterceptor
from sourcecorpus.rpc.interceptors.request_id import RequestIdInterceptor
from sourcecorpus.rpc.interceptors.telemetry import TelemetryInterceptor
from sourcecorpus.rpc.lifecycle import Lifecycle, StopCallback
from sourcecorpus.rpc.logs import configure_logging, log_event
from sourcecorpus.rpc.reflection import DocumentedPool, documented_files
from sourcecorpus.rpc.runtime_settings import RuntimeSettings
from sourcecorpus.rpc.settings import SettingsError, load

if TYPE_CHECKING:
    from pathlib import Path

    from sourcecorpus.rpc.addresses import Address

_LOGGER: Final = logging.getLogger(__name__)
_MILLISECONDS: Final = 1_000
_DRAIN_CALLBACK_SECONDS_MAX: Final = 2.0

DrainCallback = Callable[[], Awaitable[None]]
AddService = Callable[[grpc.aio.Server], None]


def server_options() -> list[tuple[str, int]]:
    """Every option of our servers; names are those of gRPC core's channel arguments."""
    return [
        # On, which is gRPC's default, two processes would share a port without a word.
        ("grpc.so_reuseport", 0),
        ("grpc.max_receive_message_length", limits.MESSAGE_BYTES_MAX),
        ("grpc.max_send_message_length", limits.MESSAGE_BYTES_MAX),
        ("grpc.max_concurrent_streams", limits.CONNECTION_CALLS_MAX),
        ("grpc.max_metadata_size", limits.METADATA_BYTES_MAX),
        ("grpc.absolute_max_metadata_size", limits.METADATA_BYTES_MAX),
        ("grpc.keepalive_time_ms", _milliseconds(limits.KEEPALIVE_SERVER_SECONDS)),
        ("grpc.keepalive_timeout_ms", _milliseconds(limits.KEEPALIVE_TIMEOUT_SECONDS)),
        ("grpc.keepalive_permit_without_calls", 1),
        (
            "grpc.http2.min_recv_ping_interval_without_data_ms",
            _milliseconds(limits.KEEPALIVE_SERVER_PING_INTERVAL_SECONDS_MIN),
        ),
        ("grpc.http2.max_ping_strikes", 2),
        ("grpc.max_connection_idle_ms", _milliseconds(limits.CONNECTION_IDLE_SECONDS_MAX)),
        ("grpc.max_connection_age_ms", _milliseconds(limits.CONNECTION_AGE_SECONDS_MAX)),
        ("grpc.max_connection_age_grace_ms", _milliseconds(limits.CONNECTION_AGE_GRACE_SECONDS)),
    ]


class ServiceServer:
    """One gRPC server in one process, from binding to the end of the drain.

    Must be made and used on one event loop. ``bind``, ``add_service`` …, ``start``, then
    ``run``; tests call ``start`` and ``drain`` instead.
    """

    def __init__(
        self,
        settings: RuntimeSettings,
        *,
        concurrency: Mapping[MethodClass, int] = LIMITS_DEFAULT,
        deadlines: DeadlineInterceptor | None = None,
    ) -> None:
        """Make the server.

        Args:
            settings: Shared settings.
            concurrency: Bounds of calls under way.
            deadlines: Another interceptor of deadlines, for tests with short ones.

        Raises:
            SettingsError: Access is by token and the token file is missing or not well formed.
        """
        self._settings = settings
        self._concurrency = ConcurrencyInterceptor(concurrency)
        self._server = grpc.aio.server(
            interceptors=(
                InterceptorChain(
                    ErrorInterceptor(),
                    RequestIdInterceptor(),
                    TelemetryInterceptor(),
                    AccessInterceptor(_access(settings)),
                    self._concurrency,
                    deadlines or DeadlineInterceptor(),
                ),
            ),
            options=server_options(),
            # Bounds stand in ConcurrencyInterceptor; one for all would refuse health checks too.
            maximum_concurrent_rpcs=None,
        )
        self._names: list[str] = []
        self._binding: Binding | None = None
        self._health: HealthServicer | None = None
        self._lifecycle = Lifecycle()
        self._drain_callbacks: list[DrainCallback] = []
        self._stop_requested = asyncio.Event()
        self._hurry_requested = asyncio.Event()
        self._stop_reason = ""

    @property
    def concurrency(self) -> ConcurrencyInterceptor:
        """Calls under way."""
        return self._concurrency

    def bind(self, address: Address) -> Address:
        """Take the address; calls wait until ``start``.

        Returns:
            The address with the port that was really bound.

        Raises:
            SettingsError: The address needs TLS and tokens.
            StartError: The address is in use or cannot be used.
        """
        self._binding = bind(self._server, address, self._settings)
        return self._binding.address

    def add_service(self, full_name: str, add: AddService) -> None:
        """Add a service before ``start``.

        Args:
            full_name: Such as ``sourcecorpus.corpus.v1.SearchService``.
            add: Registers the servicer, as the generated ``add_…_to_server`` does.
        """
        self._names.append(full_name)
        add(self._server)

    def started(self, name: str, stop: StopCallback) -> None:
        """Register a part of the service that has just started; stopped in the opposite order."""
        self._lifecycle.started(name, stop)

    def on_drain(self, callback: DrainCallback) -> None:
        """Register what tells open streams to finish; it must return within 2 s."""
        self._drain_callbacks.append(callback)

    async def start(self) -> None:
        """Take calls: health, reflection, SERVING, telemetry, ready file.

        Raises:
            StartError: The ready file cannot be written.
            RuntimeError: The server is not bound.
        """
        if self._binding is None:
            raise RuntimeError("bind before start")
        self._health = HealthServicer(self._names)
        add_health(self._health, self._server)
        if self._settings.reflection:
            names = [*self._names, HEALTH_SERVICE, reflection.SERVICE_NAME]
            pool = DocumentedPool(documented_files())
            reflection.enable_server_reflection(names, self._server, pool)
        await self._server.start()
        self._health.set_serving(serving=True)
        address = self._binding.address
        if self._settings.ready_file is not None:
            write_ready_file(self._settings.ready_file, address)
        log_event(_LOGGER, logging.INFO, "service_started", address=str(address))

    def set_serving(self, serving: bool, service: str = "") -> None:
        """Tell by health whether a service (or, with the empty name, each one) takes calls."""
        if self._health is not None:
            self._health.set_serving(serving, service)

    def request_stop(self, reason: str) -> None:
        """Begin to drain, as a signal does; a second request shortens the grace."""
        if self._stop_requested.is_set():
            self._hurry_requested.set()
        self._stop_reason = self._stop_reason or reason
        self._stop_requested.set()

    async def run(self) -> int:
        """Start, serve until SIGTERM, SIGINT or ``request_stop``, then drain.

        Signals are taken over before the ready file names the address: whoever has seen that file
        may stop the service at once and still gets a drain. They stay taken over until the event
        loop closes, so that a late second signal does not cut the end short.

        Returns:
            Exit code: 0, or 1 where a part failed to stop.

        Raises:
            StartError: The ready file cannot be written.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.request_stop, number.name)
        await self.start()
        await self._stop_requested.wait()
        return await self.drain()

    async def drain(self) -> int:
        """End in order; see the module.

        Returns:
            Exit code: 0, or 1 where a part failed to stop.
        """
        log_event(_LOGGER, logging.INFO, "service_draining", reason=self._stop_reason)
        if self._health is not None:
            self._health.drain()
        for callback in self._drain_callbacks:
            await self._tell(callback)
        await self._stop_server()
        failed = await self._lifecycle.stop_all()
        if self._settings.ready_file is not None and not self._settings.ready_file.is_fifo():
            self._settings.ready_file.unlink(missing_ok=True)
        if self._binding is not None:
            self._binding.release()
        log_event(_LOGGER, logging.INFO, "service_stopped", failed_parts=failed)
        return 1 if failed else 0

    async def _tell(self, callback: DrainCallback) -> None:
        try:
            async with asyncio.timeout(_DRAIN_CALLBACK_SECONDS_MAX):
                await callback()
        except Exception as error:  # noqa: BLE001 - the drain goes on, streams end at the grace
            log_event(_LOGGER, logging.ERROR, "drain_callback_failed", error=error)

    async def _stop_server(self) -> None:
        stopping = asyncio.create_task(self._server.stop(self._settings.drain_seconds))
        hurry = asyncio.create_task(self._hurry_requested.wait())
        await asyncio.wait({stopping, hurry}, return_when=asyncio.FIRST_COMPLETED)
        if not stopping.done():
            # gRPC takes the smaller of two graces.
            await self._server.stop(limits.DRAIN_SECONDS_SECOND_SIGNAL)
        await stopping
        hurry.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await hurry


def run_service(
    name: str,
    serve: Callable[[RuntimeSettings], Awaitable[int]],
    configuration_file: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> int:
    """Run a service's coroutine with settings, logs and telemetry; the whole of a ``main``.

    Args:
        name: Name in logs and traces.
        serve: Builds the service, runs it and returns the exit code. It may raise SettingsError or
            StartError until it takes calls.
        configuration_file: TOML file; None takes the path in SOURCECORPUS_CONFIG, if any.
        environment: Environment, with what the command line said; None takes the process's own.

    Returns:
        The exit code of ``serve``; 2 where the service could not start, after one line on standard
        error.
    """
    try:
        settings = load(RuntimeSettings, file=configuration_file, environment=environment)
        configure_logging(settings.log_level, name)
        return asyncio.run(_with_telemetry(name, settings, serve))
    except (SettingsError, StartError) as error:
        sys.stderr.write(f"{name}: {error}\n")
        return 2


async def _with_telemetry(
    name: str, settings: RuntimeSettings, serve: Callable[[RuntimeSettings], Awaitable[int]]
) -> int:
    # In a thread of its own: the SDK takes a second to load, and calls are taken meanwhile.
    configuring = asyncio.create_task(
        asyncio.to_thread(
            telemetry.configure, settings.telemetry, name, settings.telemetry_endpoint
        )
    )
    configuring.add_done_callback(_tell_telemetry)
    try:
        return await serve(settings)
    finally:
        results: Sequence[telemetry.Telemetry | BaseException] = await asyncio.gather(
            configuring, return_exceptions=True
        )
        if isinstance(results[0], telemetry.Telemetry):
            await asyncio.to_thread(results[0].shutdown)


def _tell_telemetry(configuring: asyncio.Task[telemetry.Telemetry]) -> None:
    error = None if configuring.cancelled() else configuring.exception()
    if error is not None:
        # A missing exporter must not keep tool results from being kept.
        log_event(_LOGGER, logging.ERROR, "telemetry_unavailable", error=error)


def _access(settings: RuntimeSettings) -> AccessPolicy:
    if settings.access == "local":
        return AccessPolicy.local()
    if settings.token_file is None:
        raise SettingsError("token_file", "", "access = tokens needs a token file")
    return AccessPolicy.from_token_file(settings.token_file)


def add_health(servicer: HealthServicer, server: grpc.aio.Server) -> None:
    """Register the health service."""
    from grpc_health.v1 import health_pb2_grpc

    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)


def _milliseconds(seconds: float) -> int:
    return int(seconds * _MILLISECONDS)
