"""The only place that wires the capture service together."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from capture_service.allocator import give_freed_memory_back
from capture_service.delivery.corpus_ingest import CorpusIngest
from capture_service.delivery.sender import Sender
from capture_service.domain.envelope import Envelope
from capture_service.domain.sources import Adaptation
from capture_service.games.corpus_games import CorpusGames
from capture_service.games.directory import GameDirectory
from capture_service.instance_lock import FolderInUseError, InstanceLock
from capture_service.intake.intake import CaptureIntake
from capture_service.intake.memory_budget import MemoryBudget
from capture_service.intake.session_queries import SessionQueries
from capture_service.measurements import OUTBOX
from capture_service.outbox.log_keeping import keep_log_short
from capture_service.outbox.store import OutboxStore
from capture_service.pipeline.limits import WORKER_THREADS
from capture_service.pipeline.pipeline import CapturePipeline
from capture_service.pipeline.record import RedactionPolicy as RecordedPolicy
from capture_service.pipeline.redact import RedactionStage
from capture_service.redaction import (
    CompiledRules,
    ConfigurationError,
    KeyFileError,
    RedactionKey,
    RedactionPolicy,
    RedactionRefused,
    Redactor,
    SessionMemory,
    load_configuration,
)
from capture_service.refresh.corpus_refreshes import CorpusRefreshes
from capture_service.refresh.watching import RefreshWatching, WatchTimes
from capture_service.servicers.capture_servicer import CaptureServicer
from capture_service.servicers.stream_parts import StreamTimes
from capture_service.settings import CaptureSettings
from capture_service.spool import DatabaseRefusedError, QueueLimits, SpoolFullError, refusing
from capture_service.tool_families import AdaptContext, ToolFamilies
from sourcecorpus.capture.v1 import capture_service_pb2_grpc
from sourcecorpus.identity import InvalidAliasError, PathAliases
from sourcecorpus.rpc import faults
from sourcecorpus.rpc.binding import StartError
from sourcecorpus.rpc.channels import Identity, open_channel
from sourcecorpus.rpc.logs import log_event
from sourcecorpus.rpc.runtime_settings import RuntimeSettings
from sourcecorpus.rpc.server import ServiceServer
from sourcecorpus.rpc.settings import SettingsError

SERVICE_NAME: Final = "sourcecorpus.capture.v1.CaptureService"
MEMORY_RULE: Final = "seen-before"
"""Rule under which the redactor counts what a conversation has shown before."""
HEALTH_INTERVAL_SECONDS: Final = 5.0
_LOGGER: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _BoundFamilies:
    """Tool families together with the policy of this installation."""

    families: ToolFamilies
    context: AdaptContext

    def adapt(self, envelope: Envelope) -> Adaptation:
        """Adapt one envelope."""
        return self.families.adapt(envelope, self.context)


async def serve(settings: CaptureSettings, runtime: RuntimeSettings) -> int:
    """Run the service until it is told to stop.

    Returns:
        The exit code.

    Raises:
        SettingsError: A setting cannot be used.
        StartError: The address, the data folder or a file in it cannot be used.
    """
    armed = _armed_fault_point()
    give_freed_memory_back()
    server = ServiceServer(runtime)
    server.bind(runtime.capture_address)
    if armed:
        log_event(_LOGGER, logging.WARNING, "fault_point_armed", point=armed)
    await add_capture_service(server, settings, runtime)
    return await server.run()


async def add_capture_service(
    server: ServiceServer,
    settings: CaptureSettings,
    runtime: RuntimeSettings,
    *,
    policy: RedactionPolicy | None = None,
    times: StreamTimes | None = None,
    watch_times: WatchTimes | None = None,
) -> CaptureServicer:
    """Build the service on a bound server: sinks start first.

    Args:
        server: Bound and not started.
        settings: Settings of the service.
        runtime: Shared settings.
        policy: A policy that is compiled already; by default that of the installation.
        times: How long streams wait, for tests.
        watch_times: How long watchers of refresh requests wait, for tests.

    Raises:
        SettingsError: A setting cannot be used.
        StartError: The data folder or a file in it cannot be used.
    """
    folder = runtime.data_dir / "capture"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = InstanceLock(folder / "lock")
        server.started("data folder", _blocking(lock.release))
        pipeline = _pipeline(settings, policy or _policy(settings, runtime.data_dir))
        store = OutboxStore(
            folder / "capture.db",
            QueueLimits(settings.outbox_bytes_max, settings.outbox_entries_max),
            _wall_milliseconds,
        )
    except FolderInUseError:
        raise StartError(f"{folder}: in use by another capture service") from None
    except (DatabaseRefusedError, KeyFileError) as error:
        raise StartError(f"{folder}: {error}") from None
    except SpoolFullError:
        raise StartError(f"{folder}: the disk is full") from None
    except OSError as error:
        raise StartError(f"{error.filename or folder}: {error.strerror}") from None
    server.started("outbox", _blocking(store.close))
    channel = open_channel(runtime.corpus_address, Identity.from_settings(runtime))
    server.started("channel to the corpus", channel.close)
    _run_beside(server, "log keeping", keep_log_short(store, folder / "capture.db"))
    try:
        return await _add_parts(server, pipeline, store, channel, times, watch_times=watch_times)
    except DatabaseRefusedError as error:
        raise StartError(f"{folder}: {error}") from None


async def _add_parts(
    server: ServiceServer,
    pipeline: CapturePipeline[SessionMemory],
    store: OutboxStore,
    channel: Any,  # noqa: ANN401 - grpc.aio.Channel, whose types are incomplete
    times: StreamTimes | None,
    *,
    watch_times: WatchTimes | None,
) -> CaptureServicer:
    executor = ThreadPoolExecutor(WORKER_THREADS, thread_name_prefix="pipeline")
    server.started("workers", _blocking(partial(executor.shutdown, wait=True)))
    sender = Sender(
        store,
        CorpusIngest(channel),
        monotonic_seconds=time.monotonic,
        random_part=random.Random().random,  # noqa: S311 - jitter, not a secret
    )
    directory = GameDirectory(
        CorpusGames(channel),
        store,
        monotonic_seconds=time.monotonic,
        wall_milliseconds=_wall_milliseconds,
        refreshed=sender.notify,
    )
    with refusing():
        await directory.start()
        OUTBOX.add((await store.totals()).entries)
    intake = CaptureIntake(store, pipeline, directory, executor, queued=sender.notify)
    sender.on_settled(intake.room_made)
    servicer = CaptureServicer(
        intake,
        directory,
        SessionQueries(store),
        MemoryBudget(),
        RefreshWatching(CorpusRefreshes(channel), watch_times),
        wall_milliseconds=_wall_milliseconds,
        times=times,
    )
    _run_beside(server, "sender", sender.run())
    _run_beside(server, "game directory", directory.run())
    _run_beside(server, "health", _watch_health(server, store))
    server.on_drain(servicer.drain)
    server.add_service(
        SERVICE_NAME,
        partial(capture_service_pb2_grpc.add_CaptureServiceServicer_to_server, servicer),
    )
    return servicer


def _policy(settings: CaptureSettings, data_folder: Path) -> RedactionPolicy:
    try:
        configuration = (
            load_configuration(settings.redaction_file) if settings.redaction_file else None
        )
    except ConfigurationError as error:
        raise SettingsError("redaction_file", str(settings.redaction_file), str(error)) from None
    key = RedactionKey.load_or_create(data_folder / "keys" / "redaction.key")
    return RedactionPolicy.build(key, configuration, compiled=CompiledRules.of_user())


def _pipeline(settings: CaptureSettings, policy: RedactionPolicy) -> CapturePipeline[SessionMemory]:
    try:
        aliases = PathAliases(_aliases(settings.path_aliases), home=settings.home_folder)
    except InvalidAliasError as error:
        raise SettingsError("path_aliases", "", str(error)) from None
    context = AdaptContext(path_aliases=aliases, keep_binary_bodies=settings.keep_binary_bodies)
    return CapturePipeline(
        RedactionStage(
            Redactor(policy),
            new_memory=SessionMemory,
            refusal=RedactionRefused,
            memory_rule=MEMORY_RULE,
        ),
        _BoundFamilies(ToolFamilies(), context),
        RecordedPolicy(policy.rule_set_version, policy.key_id),
        lambda: datetime.now(UTC),
    )


def _aliases(entries: tuple[str, ...]) -> dict[str, str]:
    aliases: dict[str, str] = {}
    for entry in entries:
        alias, separator, folder = entry.partition("=")
        if not separator:
            raise SettingsError("path_aliases", "", "expected alias=/absolute/folder")
        aliases[alias.strip()] = folder.strip()
    return aliases


def _armed_fault_point() -> str:
    try:
        return faults.arm_from_environment()
    except faults.FaultPlanError as error:
        raise SettingsError(faults.FAULT_POINT_VARIABLE, "environment", str(error)) from None


async def _watch_health(server: ServiceServer, store: OutboxStore) -> None:
    """Tell by health when the outbox takes nothing any more."""
    while True:
        await asyncio.sleep(HEALTH_INTERVAL_SECONDS)
        server.set_serving(store.alive, SERVICE_NAME)


def _run_beside(server: ServiceServer, name: str, activity: Coroutine[Any, Any, None]) -> None:
    task = asyncio.create_task(activity, name=name)

    def tell(ended: asyncio.Task[None]) -> None:
        error = None if ended.cancelled() else ended.exception()
        if error is not None:
            log_event(_LOGGER, logging.ERROR, "activity_failed", error=error, part=name)
            server.request_stop("activity_failed")

    async def stop() -> None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    task.add_done_callback(tell)
    server.started(name, stop)


def _blocking(function: Any) -> Any:  # noqa: ANN401 - any callable without arguments
    async def stop() -> None:
        await asyncio.to_thread(function)

    return stop


def _wall_milliseconds() -> int:
    return time.time_ns() // 1_000_000
