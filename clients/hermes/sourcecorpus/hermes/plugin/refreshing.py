"""Carries out refresh requests with Hermes' own tools, between turns, on a thread of its own.

Hermes calls no hook for a tool that a plugin dispatches, so the result is given to the recorder here. The tool
decides what may be fetched: robots, logins and paywalls are its business, and its refusals are passed on.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from .connection import SidecarAbsent, ask
from .hermes_facts import refreshes_are_wanted
from .limits import COMMAND_SECONDS_MAX, REFRESH_PAUSE_SECONDS, REFRESH_POLL_SECONDS

if TYPE_CHECKING:
    from .recorder import Recorder

PAGE_TOOL: Final = "web_extract"
_WEB: Final = re.compile(r"https?://", re.IGNORECASE)
# What tools and services write about pages that they may not or cannot read, in the order of preference.
_REFUSALS: Final = (
    ("DECLINED", re.compile(r"^\s*blocked", re.IGNORECASE)),
    ("ROBOTS", re.compile(r"robots", re.IGNORECASE)),
    ("PAYWALL", re.compile(r"paywall|\b402\b|subscri", re.IGNORECASE)),
    ("LOGIN", re.compile(r"\b40[13]\b|log ?in|sign ?in|unauthori[sz]ed|forbidden", re.IGNORECASE)),
    ("GONE", re.compile(r"\b404\b|\b410\b|not found|\bgone\b", re.IGNORECASE)),
)
_UNKNOWN_TOOL: Final = re.compile(
    r"unknown tool|tool not found|not available|disabled", re.IGNORECASE
)


class Refresher:
    """Asks for requests after turns and now and then. Never raises, never holds up a turn."""

    def __init__(
        self,
        recorder: Recorder,
        context: Any,  # noqa: ANN401 - Hermes' object
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """Wire it; the thread starts with the first turn's end."""
        self._recorder = recorder
        self._context = context
        self._pause = pause
        self._wake = threading.Event()
        self._lock = threading.Lock()
        self._started = False

    def use(self, context: Any) -> None:  # noqa: ANN401 - Hermes' object
        """Dispatch tools through this context from now on."""
        self._context = context

    def turn_ends(self, **_kwargs: Any) -> None:  # noqa: ANN401 - Hermes' own values
        """Look for requests soon; a session is known from now on."""
        if not hasattr(self._context, "dispatch_tool"):
            return
        with self._lock:
            if not self._started:
                self._started = True
                threading.Thread(
                    target=self._run, name="source-corpus-refresh", daemon=True
                ).start()
        self._wake.set()

    def _run(self) -> None:
        while True:
            self._wake.wait(REFRESH_POLL_SECONDS)
            self._pause(REFRESH_PAUSE_SECONDS)
            self._wake.clear()
            try:
                self.refresh()
            except Exception:  # noqa: BLE001 - a fault of a foreign tool ends one round, not the thread
                self._recorder.queue.lose("REFRESH_FAULT")

    def refresh(self) -> int:
        """Carry out the requests that wait for the game of the newest session.

        Returns:
            Number of requests that were carried out or refused.
        """
        session_id = self._recorder.last_session_id
        question = {
            "sessions": list(self._recorder.lineage.sessions_of(session_id)),
            "default_game": self._recorder.facts["default_game"],
        }
        try:
            answer = ask("take_refreshes", question, COMMAND_SECONDS_MAX)
        except SidecarAbsent:
            return 0
        requests = answer.get("requests")
        waiting = (
            [item for item in requests if isinstance(item, dict)]
            if isinstance(requests, list)
            else []
        )
        for request in waiting:
            refusal = self._carry_out(request, session_id)
            if refusal:
                self._refuse(request, refusal)
        return len(waiting)

    def _carry_out(self, request: dict[str, Any], session_id: str) -> str:
        """Fetch one source again; gives the reason where it was not captured."""
        uri = str(request.get("uri") or "")
        if not refreshes_are_wanted():
            return "DECLINED"
        if not _WEB.match(uri):
            return "NOT_REFRESHABLE"
        arguments = {"urls": [uri]}
        began = time.time()
        try:
            result = self._context.dispatch_tool(PAGE_TOOL, arguments)
        except Exception:  # noqa: BLE001 - a tool may raise whatever it likes
            return "FAILED"
        refusal = refusal_of(result)
        named = {name: str(request.get(name) or "") for name in ("game_id", "request_id")}
        self._recorder.take_dispatched(
            PAGE_TOOL,
            arguments,
            result,
            session_id=session_id,
            began=began,
            refresh={} if refusal else named,
        )
        return refusal

    def _refuse(self, request: dict[str, Any], refusal: str) -> None:
        facts = {name: request.get(name) for name in ("game_id", "request_id")}
        try:
            ask("refuse_refresh", {**facts, "refusal": refusal}, COMMAND_SECONDS_MAX)
        except SidecarAbsent:
            # The lease runs out, and somebody else gets the request.
            return


def shared_refresher(recorder: Recorder, context: Any) -> Refresher:  # noqa: ANN401 - Hermes' object
    """The one refresher of a recorder, however often the plugin's module is run."""
    if recorder.refresher is None:
        recorder.refresher = Refresher(recorder, context)
    refresher: Refresher = recorder.refresher
    refresher.use(context)
    return refresher


def refusal_of(result: object) -> str:
    """Why a page tool's result holds no page; "" where it holds one."""
    try:
        document = json.loads(result) if isinstance(result, str) else result
    except (ValueError, RecursionError):
        return "FAILED"
    if not isinstance(document, dict):
        return "FAILED"
    pages = document.get("results")
    page = (
        pages[0] if isinstance(pages, list) and pages and isinstance(pages[0], dict) else document
    )
    fault = page.get("error") or (document.get("error") if page is not document else None)
    if not fault:
        return "" if page is not document else "FAILED"
    text = str(fault)[:4_096]
    if page is document and _UNKNOWN_TOOL.search(text):
        return "TOOL_MISSING"
    return next((reason for reason, words in _REFUSALS if words.search(text)), "FAILED")
