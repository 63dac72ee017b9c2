"""The hooks: they copy, number and enqueue, and never raise, wait or change anything.

``post_tool_call`` alone carries results; the other hooks tell which session, turn and outer call a result belongs
to. Newer Hermes drops calls of a callback that is still busy, older Hermes waits for it: both ask for microseconds.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
import types
from typing import Any, Final

from .cited_refs import refs_in
from .copying import CopyTooLarge, copy_json, memory_bytes
from .events import CapturedEvent, CitedRefs
from .limits import FLUSH_SECONDS_MAX
from .lineage import NESTING_TOOLS, CallIds, Kinship, Lineage, identifier
from .page_cache import pages_named_in
from .queue import EventQueue
from .sender import Sender

OWN_TOOL_PREFIX: Final = "corpus_"
CLIENT_NAME: Final = "source-corpus-hermes"
CLIENT_VERSION: Final = "0.1.0"
# Hermes runs a plugin's module again when it looks for plugins anew; what must exist once lives under this name.
_STATE_MODULE: Final = "sourcecorpus_hermes_state"


class Recorder:
    """Takes hook calls of one process. Safe for several threads; one for each process."""

    def __init__(self, default_game: str = "") -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self.refresher: Any = None
        self._begin(default_game)

    def _begin(self, default_game: str) -> None:
        self.lineage = Lineage()
        self.queue = EventQueue()
        self.facts: dict[str, Any] = {
            "client_name": CLIENT_NAME,
            "client_version": CLIENT_VERSION,
            "pid": os.getpid(),
            "default_game": default_game,
        }
        self.sender = Sender(self.queue, self.facts)
        self.last_session_id = ""
        self.hook_faults = 0

    def start(self) -> None:
        """Start the sender, so that the sidecar is there when the first result comes."""
        self.sender.start()

    def post_tool_call(self, **kwargs: Any) -> None:  # noqa: ANN401 - Hermes' own values
        """Take one result."""
        try:
            self._take(kwargs)
        except Exception:  # noqa: BLE001 - a hook must not raise, whatever Hermes passes
            self._count_fault()

    def pre_tool_call(self, **kwargs: Any) -> None:  # noqa: ANN401 - Hermes' own values
        """Note the turn, and a call that may make calls of its own; never answers, so never blocks the call."""
        try:
            ids = CallIds.of(kwargs)
            if ids.tool_name in NESTING_TOOLS:
                self.lineage.call_begins(ids)
            else:
                self.lineage.turn_runs(ids.session_id, ids.turn_id)
        except Exception:  # noqa: BLE001 - see post_tool_call
            self._count_fault()

    def subagent_start(self, **kwargs: Any) -> None:  # noqa: ANN401 - Hermes' own values
        """Note which session a subagent's session works for."""
        try:
            child = identifier(kwargs.get("child_session_id"))
            self.lineage.session_begins(
                child,
                identifier(kwargs.get("parent_session_id")),
                identifier(kwargs.get("parent_turn_id")),
            )
        except Exception:  # noqa: BLE001 - see post_tool_call
            self._count_fault()

    def post_llm_call(self, **kwargs: Any) -> None:  # noqa: ANN401 - Hermes' own values
        """Take the refs of an answer, and nothing else of it."""
        try:
            self._take_refs(kwargs)
        except Exception:  # noqa: BLE001 - see post_tool_call
            self._count_fault()

    def turn_ends(self, **kwargs: Any) -> None:  # noqa: ANN401 - Hermes' own values
        """Wait a bounded moment for what is under way: Hermes may leave by ``os._exit`` right after."""
        try:
            self._note_session(identifier(kwargs.get("session_id")))
            if self.queue.waiting():
                self.sender.flush(FLUSH_SECONDS_MAX)
        except Exception:  # noqa: BLE001 - see post_tool_call
            self._count_fault()

    def session_starts(self, **kwargs: Any) -> None:  # noqa: ANN401 - Hermes' own values
        """Remember the session for ``/game``."""
        try:
            self._note_session(identifier(kwargs.get("session_id")))
        except Exception:  # noqa: BLE001 - see post_tool_call
            self._count_fault()

    def close(self) -> None:
        """For the exit of the interpreter: a tenth of a second at most."""
        try:
            if self._process == os.getpid():
                self.sender.close()
        except Exception:  # noqa: BLE001 - an exit must not fail because of us
            self._count_fault()

    def _take(self, kwargs: dict[str, Any]) -> None:
        finished = time.time()
        ids = CallIds.of(kwargs)
        if self._process != os.getpid():
            self._begin_in_child()
        status = _text(kwargs.get("status"))
        kinship = self.lineage.call_ends(ids, status)
        if kwargs.get("platform") != "subagent":
            self._note_session(ids.session_id)
        if not ids.tool_name or ids.tool_name.startswith(OWN_TOOL_PREFIX):
            return
        result = kwargs.get("result")
        try:
            if not isinstance(result, str):
                result = copy_json(result)
        except CopyTooLarge:
            self.queue.lose("RESULT_TOO_LARGE")
            return
        try:
            arguments = copy_json(kwargs.get("args"))
        except CopyTooLarge:
            arguments = None
        pages = pages_named_in(ids.tool_name, result)
        duration = kwargs.get("duration_ms")
        self.queue.put(
            CapturedEvent(
                ids=ids,
                kinship=kinship,
                arguments=arguments,
                result=result,
                pages=pages,
                status=status,
                error=_text(kwargs.get("error_message")),
                duration_milliseconds=duration if isinstance(duration, int) else 0,
                finished_seconds=finished,
                size_bytes=memory_bytes(arguments)
                + memory_bytes(result)
                + sum(len(page.data) for page in pages),
            )
        )
        self.sender.start()

    def _take_refs(self, kwargs: dict[str, Any]) -> None:
        refs = refs_in(kwargs.get("assistant_response"))
        ids = CallIds.of(kwargs)
        self.lineage.turn_runs(ids.session_id, ids.turn_id)
        if not refs:
            return
        if self._process != os.getpid():
            self._begin_in_child()
        sessions = self.lineage.sessions_of(ids.session_id)
        self.queue.put(CitedRefs(self.lineage.run_of(ids.session_id), sessions, refs))
        self.sender.start()

    def take_dispatched(
        self,
        tool_name: str,
        arguments: dict[str, Any],
        result: Any,  # noqa: ANN401 - Hermes' own values
        *,
        session_id: str,
        began: float,
        refresh: dict[str, str],
    ) -> None:
        """Take a result of a tool that the plugin itself has dispatched: no hook tells it.

        Args:
            tool_name: The tool.
            arguments: Its arguments.
            result: What it returned.
            session_id: Session whose game it is kept for.
            began: Unix time of the call.
            refresh: Request that it answers; may be empty.
        """
        try:
            kept = result if isinstance(result, str) else copy_json(result)
        except CopyTooLarge:
            self.queue.lose("RESULT_TOO_LARGE")
            return
        pages = pages_named_in(tool_name, kept)
        finished = time.time()
        self.queue.put(
            CapturedEvent(
                ids=CallIds(tool_name, session_id),
                kinship=Kinship(sessions=self.lineage.sessions_of(session_id)),
                arguments=arguments,
                result=kept,
                pages=pages,
                status="ok",
                error="",
                duration_milliseconds=int(max(0.0, finished - began) * 1_000),
                finished_seconds=finished,
                size_bytes=memory_bytes(kept) + sum(len(page.data) for page in pages),
                refresh=refresh,
            )
        )
        self.sender.start()

    def _note_session(self, session_id: str) -> None:
        # A subagent's session is not the one that a person types a command in.
        if session_id and len(self.lineage.sessions_of(session_id)) == 1:
            self.last_session_id = session_id

    def _begin_in_child(self) -> None:
        """After a fork the parent's sender and its events stay the parent's."""
        with self._lock:
            if self._process != os.getpid():
                self._begin(self.facts["default_game"])
                self._process = os.getpid()

    def _count_fault(self) -> None:
        self.hook_faults += 1
        self.queue.lose("HOOK_FAULT")


def shared_recorder(default_game: str = "") -> Recorder:
    """The one recorder of this process, however often the plugin's module is run."""
    module = sys.modules.get(_STATE_MODULE)
    if module is None:
        module = types.ModuleType(_STATE_MODULE)
        recorder = Recorder(default_game)
        module.recorder = recorder  # type: ignore[attr-defined]
        if sys.modules.setdefault(_STATE_MODULE, module) is module:
            atexit.register(recorder.close)
        module = sys.modules[_STATE_MODULE]
    shared: Recorder = module.recorder
    if default_game:
        shared.facts["default_game"] = default_game
    return shared


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
