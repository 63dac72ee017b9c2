"""Wires the sidecar and runs it."""

from __future__ import annotations

import logging
import logging.handlers
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from capture_service.redaction import (
    CompiledRules,
    ConfigurationError,
    KeyFileError,
    RedactionKey,
    RedactionPolicy,
    Redactor,
    load_configuration,
)
from capture_service.settings import CaptureSettings
from capture_service.spool import DatabaseRefusedError, SpoolFullError
from sourcecorpus.hermes.plugin.lineage import identifier
from sourcecorpus.hermes.plugin.recorder import CLIENT_VERSION
from sourcecorpus.hermes.sidecar import limits
from sourcecorpus.hermes.sidecar.agent_tools import AgentTools
from sourcecorpus.hermes.sidecar.answers import Answers, GameAnswers
from sourcecorpus.hermes.sidecar.connections import Connection
from sourcecorpus.hermes.sidecar.delivery import Delivery
from sourcecorpus.hermes.sidecar.endpoint import AnotherSidecarError, Listener
from sourcecorpus.hermes.sidecar.games import CurrentGame, GameBook
from sourcecorpus.hermes.sidecar.intake import Intake
from sourcecorpus.hermes.sidecar.linking import Linker
from sourcecorpus.hermes.sidecar.redacting import EventRedactor
from sourcecorpus.hermes.sidecar.refreshes import RefreshAnswers
from sourcecorpus.hermes.sidecar.run_links import RunLink
from sourcecorpus.hermes.sidecar.server import Server
from sourcecorpus.hermes.sidecar.services import Services
from sourcecorpus.hermes.sidecar.settings import SidecarSettings
from sourcecorpus.hermes.sidecar.status import StatusAnswers, remove_old_reports
from sourcecorpus.hermes.sidecar.store import SidecarStore
from sourcecorpus.rpc import faults
from sourcecorpus.rpc.logs import JsonFormatter, log_event
from sourcecorpus.rpc.runtime_settings import RuntimeSettings
from sourcecorpus.rpc.settings import load

_LOGGER: Final = logging.getLogger(__name__)
EXIT_OK: Final = 0
EXIT_FAILED: Final = 1


def sidecar_folder(settings: RuntimeSettings) -> Path:
    """Folder of the sidecar's files."""
    return settings.data_dir / "hermes"


def main() -> int:
    """Run the sidecar until it is idle or told to end.

    Returns:
        0 also where another sidecar of this user runs already.

    Raises:
        SettingsError: A setting cannot be used.
    """
    # Everything below is of one user alone, the files that SQLite makes included.
    os.umask(0o077)
    runtime, own, capture = load(RuntimeSettings), load(SidecarSettings), load(CaptureSettings)
    folder = sidecar_folder(runtime)
    try:
        listener = Listener(folder, use_tcp=own.transport == "tcp")
    except AnotherSidecarError:
        return EXIT_OK
    try:
        _log_to(folder, runtime.log_level)
        faults.arm_from_environment()
        try:
            sidecar = Sidecar(listener, runtime, own, capture)
        except (DatabaseRefusedError, SpoolFullError, KeyFileError) as error:
            log_event(_LOGGER, logging.ERROR, "start_refused", error=error)
            return EXIT_FAILED
        sidecar.run()
    finally:
        listener.close()
    return EXIT_OK


class Sidecar:
    """All parts of one sidecar."""

    def __init__(
        self,
        listener: Listener,
        runtime: RuntimeSettings,
        own: SidecarSettings,
        capture: CaptureSettings,
    ) -> None:
        """Open the spool and wire the parts; rules of redaction compile meanwhile.

        Raises:
            DatabaseRefusedError: The spool cannot be used.
            SpoolFullError: There is no space for it.
            SettingsError: A setting cannot be used.
        """
        folder = sidecar_folder(runtime)
        self._compiling = ThreadPoolExecutor(1, "rules")
        self._redactor: Future[EventRedactor] = self._compiling.submit(
            build_redactor, runtime.data_dir, capture.redaction_file
        )
        self._services = Services(runtime)
        self.store = SidecarStore(
            folder / "spool.db", bytes_max=own.spool_bytes_max, wall_milliseconds=wall_milliseconds
        )
        self._games = GameBook(self.store, self._services, time.monotonic)
        self.delivery = Delivery(self.store, self._services.captures)
        self._reports = ThreadPoolExecutor(1, "refresh-reports")
        self._refreshes = RefreshAnswers(self._services, self._current_game, self._reports)
        self.linker = Linker(self.store, self._services.link_run)
        intake = Intake(
            self.store,
            self._games,
            self._redactor.result,
            spooled=self.delivery.notify,
            linked=self.linker.notify,
            refreshed=self._refreshes.captured,
        )
        self._listener = listener
        self._idle_seconds = own.idle_seconds
        self.server = Server(
            listener.socket,
            lambda accepted: Connection(
                accepted, accepts=listener.accepts, intake=lambda: intake, answer=self._answer
            ),
            idle=self._is_idle,
            clock=time.monotonic,
        )
        self._report_folder = folder / "reports"
        self._answers = Answers(self._handlers(folder))

    def _handlers(self, folder: Path) -> dict[str, Callable[[dict[str, Any]], dict[str, Any]]]:
        games = GameAnswers(self._games, self._redactor.result)
        status = StatusAnswers(
            self.store,
            self.delivery,
            self._games,
            facts={
                "pid": os.getpid(),
                "version": CLIENT_VERSION,
                "folder": str(folder),
                "capture_address": self._services.capture_address,
            },
            plugins=self.server.plugins,
            clock=time.monotonic,
            wall_milliseconds=wall_milliseconds,
        )
        return {
            "game": games.game,
            "set_game": games.set_game,
            "status": status.status,
            **self._refreshes.handlers(),
            **AgentTools(self._services, games.current, self._note_consulted).handlers(),
        }

    def _current_game(self, question: dict[str, Any]) -> CurrentGame:
        return GameAnswers(self._games, self._redactor.result).current(question)

    def _note_consulted(self, question: dict[str, Any], game_id: str, ref: str) -> None:
        """Note that a run has read a text; a run that is not known reads all the same."""
        run_id = identifier(question.get("run"))
        if not run_id:
            self.store.count_unwritten(("link_refused", "NO_RUN"))
            return
        link = RunLink(game_id, self._redactor.result().text(run_id), ref, "consulted")
        try:
            self.store.link([link])
        except SpoolFullError as full:
            self.store.count_unwritten(("link_lost", full.reason))
        self.linker.notify()

    def _answer(self, call: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return self._answers(call, arguments)

    def run(self) -> None:
        """Serve until idle or until a signal, then drain."""
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, lambda *_: self.server.stop())
            signal.signal(signal.SIGINT, lambda *_: self.server.stop())
        remove_old_reports(self._report_folder)
        self.delivery.start()
        self.linker.start()
        log_event(_LOGGER, logging.INFO, "sidecar_started", waiting=self.store.waiting())
        try:
            self.server.run()
        finally:
            self.server.close(limits.DRAIN_SECONDS_MAX)
            self.store.write_counters()
            self.linker.stop(limits.DRAIN_SECONDS_MAX / 4)
            self.delivery.stop(limits.DRAIN_SECONDS_MAX / 2)
            self._services.close()
            self.store.close()
            self._reports.shutdown(wait=False, cancel_futures=True)
            self._compiling.shutdown(wait=False)
            log_event(_LOGGER, logging.INFO, "sidecar_ended")

    def _is_idle(self, seconds: float) -> bool:
        """Whether nobody needs the sidecar; with something to send it waits much longer for the service."""
        self.store.write_counters()
        if self._redactor.done() and self._redactor.exception() is not None:
            # Nothing can be kept without redaction; the reason stands in the log.
            return True
        if not self._listener.is_reachable():
            # Somebody removed the folder: nobody can come, and another sidecar may hold the new one.
            return True
        if seconds < self._idle_seconds:
            return False
        waiting = self.store.waiting() or self.store.links_waiting()
        return not waiting or seconds >= limits.IDLE_WITH_QUEUE_SECONDS


def build_redactor(data_folder: Path, redaction_file: Path | None) -> EventRedactor:
    """The redactor with the key and the rules that the capture service uses, so that both mask alike.

    Raises:
        KeyFileError: The key file cannot be used.
        ConfigurationError: The rules cannot be used.
    """
    try:
        configuration = load_configuration(redaction_file) if redaction_file else None
        key = RedactionKey.load_or_create(data_folder / "keys" / "redaction.key")
        policy = RedactionPolicy.build(key, configuration, compiled=CompiledRules.of_user())
        return EventRedactor(Redactor(policy))
    except (KeyFileError, ConfigurationError, OSError, ImportError) as error:
        log_event(_LOGGER, logging.ERROR, "redaction_unusable", error=error)
        raise


def wall_milliseconds() -> int:
    """Unix time in milliseconds."""
    return time.time_ns() // 1_000_000


def _log_to(folder: Path, level: str) -> None:
    """Log to a file of bounded size: nobody sees the standard error of a process that Hermes started."""
    handler = logging.handlers.RotatingFileHandler(
        folder / "sidecar.log",
        maxBytes=limits.LOG_BYTES_MAX,
        backupCount=limits.LOG_FILES_MAX,
        encoding="utf-8",
    )
    handler.setFormatter(JsonFormatter("sidecar"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
