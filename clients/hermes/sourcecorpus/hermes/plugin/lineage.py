"""Which session, run and outer call a tool call belongs to. Bookkeeping in memory, nothing else.

Hermes gives every id as opaque text and leaves out what it does not know. What is inferred here goes into fields
that Hermes itself never fills (parent session, outer call, run), so that a reader can tell both apart.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from .limits import ID_CHARACTERS_MAX, LINEAGE_DEPTH_MAX, REMEMBERED_MAX

NESTING_TOOLS: Final = frozenset({"execute_code"})
_RUN: Final = re.compile(r"run_[0-9a-f]{32}")
_TURN_SUFFIX: Final = re.compile(r":[0-9a-f]{8}")

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class CallIds:
    """Ids of one call as Hermes gave them; empty where it gave none."""

    tool_name: str = ""
    session_id: str = ""
    task_id: str = ""
    turn_id: str = ""
    tool_call_id: str = ""

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> CallIds:
        """Read the ids of a hook's keyword arguments; what is no text counts as absent."""
        return cls(*(identifier(arguments.get(name)) for name in cls.__slots__))


@dataclass(frozen=True, slots=True)
class Kinship:
    """What a call belongs to.

    Attributes:
        sessions: Sessions whose game the call may take, nearest first.
        parent_session_id: Session that caused this one, or that a nested call runs in.
        parent_tool_call_id: Outer call of a nested call.
        run_id: Run of the API server, where the session is named after it; otherwise the turn, which is what one
            answer of Hermes comes from. A subagent works for the run of its parent.
        attempt: 2 and more for a result that comes after the same call was reported as timed out.
    """

    sessions: tuple[str, ...] = ()
    parent_session_id: str = ""
    parent_tool_call_id: str = ""
    run_id: str = ""
    attempt: int = 1


class _Remembered(OrderedDict[Key, Value], Generic[Key, Value]):
    """A mapping that forgets what was put in first beyond ``REMEMBERED_MAX`` entries."""

    def put(self, key: Key, value: Value) -> None:
        self[key] = value
        self.move_to_end(key)
        if len(self) > REMEMBERED_MAX:
            self.popitem(last=False)


class Lineage:
    """Remembers sessions, tasks and open calls of one process. Safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._parents: _Remembered[str, str] = _Remembered()
        self._task_sessions: _Remembered[str, str] = _Remembered()
        self._turns: _Remembered[str, str] = _Remembered()
        self._delegated_runs: _Remembered[str, str] = _Remembered()
        self._open_calls: _Remembered[tuple[str, str], str] = _Remembered()
        self._timed_out: _Remembered[CallIds, int] = _Remembered()

    def session_begins(self, child: str, parent: str, parent_turn: str = "") -> None:
        """Note that a session works for another one, and in which turn of it."""
        if child and parent and child != parent:
            with self._lock:
                self._parents.put(child, parent)
                if parent_turn:
                    self._turns.put(parent, parent_turn)
                if run := self._run_of(parent):
                    self._delegated_runs.put(child, run)

    def turn_runs(self, session_id: str, turn_id: str) -> None:
        """Note which turn a session is in."""
        if session_id and turn_id:
            with self._lock:
                self._turns.put(session_id, turn_id)

    def run_of(self, session_id: str) -> str:
        """The run that a session works for now; empty where nothing is known."""
        with self._lock:
            return self._run_of(session_id) if session_id else ""

    def call_begins(self, ids: CallIds) -> None:
        """Note that a call runs that may make calls of its own."""
        with self._lock:
            if ids.task_id and ids.session_id:
                self._task_sessions.put(ids.task_id, ids.session_id)
            if ids.session_id and ids.turn_id:
                self._turns.put(ids.session_id, ids.turn_id)
            if ids.tool_name in NESTING_TOOLS and ids.task_id and ids.tool_call_id:
                self._open_calls.put((ids.task_id, ids.tool_call_id), ids.session_id)

    def call_ends(self, ids: CallIds, status: str) -> Kinship:
        """Tell what a call belongs to that has just ended."""
        with self._lock:
            self._open_calls.pop((ids.task_id, ids.tool_call_id), None)
            attempt = self._attempt(ids, status)
            if not ids.session_id:
                return self._nested(ids, attempt)
            if ids.task_id:
                self._task_sessions.put(ids.task_id, ids.session_id)
            if ids.turn_id:
                self._turns.put(ids.session_id, ids.turn_id)
            earlier = _session_at_turn_start(ids)
            if earlier and earlier != ids.session_id and ids.session_id not in self._parents:
                # Hermes names the session anew when it compresses a conversation, within a turn.
                self._parents.put(ids.session_id, earlier)
            return Kinship(
                sessions=self._chain(ids.session_id),
                parent_session_id=self._parents.get(ids.session_id, ""),
                run_id=self._run_of(ids.session_id),
                attempt=attempt,
            )

    def sessions_of(self, session_id: str) -> tuple[str, ...]:
        """A session and those that it works for, nearest first."""
        with self._lock:
            return self._chain(session_id) if session_id else ()

    def session_of_task(self, task_id: str) -> str:
        """The session that a task was last seen in; empty where it was never seen."""
        with self._lock:
            return self._task_sessions.get(task_id, "")

    def _nested(self, ids: CallIds, attempt: int) -> Kinship:
        outer = [key for key in self._open_calls if key[0] == ids.task_id] if ids.task_id else []
        session = self._open_calls[outer[-1]] if outer else ""
        session = session or self._task_sessions.get(ids.task_id, "")
        return Kinship(
            sessions=self._chain(session) if session else (),
            parent_session_id=session,
            # Two outer calls of one task at once: the session is sure, the call is not.
            parent_tool_call_id=outer[0][1] if len(outer) == 1 else "",
            run_id=self._run_of(session) if session else "",
            attempt=attempt,
        )

    def _chain(self, session: str) -> tuple[str, ...]:
        chain = [session]
        while len(chain) < LINEAGE_DEPTH_MAX:
            parent = self._parents.get(chain[-1], "")
            if not parent or parent in chain:
                break
            chain.append(parent)
        return tuple(chain)

    def _run_of(self, session_id: str) -> str:
        """The API server names the session and the task after the run, unless the client chose a session.

        Otherwise the turn that a subagent was started in, because the answer that a person reads is given there; a
        session's own turn where it is nobody's subagent.
        """
        chain = self._chain(session_id)
        for session in chain:
            if _RUN.fullmatch(session):
                return session
        for session in chain:
            if session in self._delegated_runs:
                return self._delegated_runs[session]
        return self._turns.get(session_id, "")

    def _attempt(self, ids: CallIds, status: str) -> int:
        if not ids.tool_call_id:
            return 1
        attempt = self._timed_out.pop(ids, 0) + 1
        if status == "timeout":
            self._timed_out.put(ids, attempt)
        return attempt


def identifier(value: object) -> str:
    """An id as text; what is no text, or longer than the contract allows, counts as absent."""
    if not isinstance(value, str) or len(value) > ID_CHARACTERS_MAX:
        return ""
    return value if value.isascii() or len(value.encode("utf-8", "replace")) <= 256 else ""


def _session_at_turn_start(ids: CallIds) -> str:
    """The session that a turn began with; a turn's id is ``<session>:<task>:<8 hex>``."""
    head, suffix = ids.turn_id[:-9], ids.turn_id[-9:]
    tail = f":{ids.task_id}"
    if not ids.task_id or not _TURN_SUFFIX.fullmatch(suffix) or not head.endswith(tail):
        return ""
    return head.removesuffix(tail)
