"""One captured event in memory, and its frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .copying import encode_json, encode_result
from .limits import ARGUMENTS_BYTES_MAX, ERROR_CHARACTERS_MAX, EVENT_BYTES_MAX, ID_CHARACTERS_MAX
from .lineage import CallIds, Kinship

if TYPE_CHECKING:
    from .page_cache import CachedPage


class EventTooLarge(Exception):  # noqa: N818 - the result is fine, the bound is ours
    """Result and side files together are larger than the capture service takes."""


@dataclass(slots=True)
class CapturedEvent:
    """What one hook call brought. ``result`` is Hermes' own immutable text, or a copy of another value.

    Attributes:
        size_bytes: About how much memory it holds.
        finished_seconds: Unix time of the end of the call.
        refresh: Game and id of the refresh request that it answers; empty for everything else.
    """

    ids: CallIds
    kinship: Kinship
    arguments: Any
    result: Any
    pages: list[CachedPage]
    status: str
    error: str
    duration_milliseconds: int
    finished_seconds: float
    size_bytes: int
    sequence: int = 0
    refresh: dict[str, str] = field(default_factory=dict)

    def frame(self) -> tuple[dict[str, Any], list[bytes]]:
        """Header and body.

        Raises:
            EventTooLarge: ``EVENT_BYTES_MAX`` would be broken.
        """
        arguments = encode_json(self.arguments)
        if len(arguments) > ARGUMENTS_BYTES_MAX:
            arguments = b""
        result = encode_result(self.result)
        pages = [(page.name, page.data) for page in self.pages]
        if len(result) + sum(len(data) for _, data in pages) > EVENT_BYTES_MAX:
            # The window that the result itself holds is worth more than nothing.
            pages = []
            if len(result) > EVENT_BYTES_MAX:
                raise EventTooLarge
        header = {
            "kind": "event",
            "sequence": self.sequence,
            "tool_name": self.ids.tool_name,
            "session_id": self.ids.session_id,
            "task_id": self.ids.task_id,
            "turn_id": self.ids.turn_id,
            "tool_call_id": self.ids.tool_call_id,
            "parent_session_id": self.kinship.parent_session_id,
            "parent_tool_call_id": self.kinship.parent_tool_call_id,
            "run_id": self.kinship.run_id,
            "attempt": self.kinship.attempt,
            "sessions": list(self.kinship.sessions),
            "status": self.status[:ID_CHARACTERS_MAX],
            "error": self.error[:ERROR_CHARACTERS_MAX],
            "duration_milliseconds": self.duration_milliseconds,
            "finished_seconds": self.finished_seconds,
            "result_media_type": "" if isinstance(self.result, str) else "application/json",
            "arguments_bytes": len(arguments),
            "result_bytes": len(result),
            "side_files": [{"name": name, "bytes": len(data)} for name, data in pages],
            **({"refresh": self.refresh} if self.refresh else {}),
        }
        return header, [arguments, result, *(data for _, data in pages)]


@dataclass(slots=True)
class CitedRefs:
    """Refs that the answer of a run named; nothing else of the answer."""

    run_id: str
    sessions: tuple[str, ...]
    refs: tuple[str, ...]
    sequence: int = 0

    @property
    def size_bytes(self) -> int:
        """About how much memory it holds."""
        return sum(map(len, self.refs)) + len(self.run_id)

    def frame(self) -> tuple[dict[str, Any], list[bytes]]:
        """Header and body."""
        header = {
            "kind": "cited",
            "sequence": self.sequence,
            "run_id": self.run_id,
            "sessions": list(self.sessions),
            "refs": list(self.refs),
        }
        return header, []


@dataclass(slots=True)
class LossReport:
    """Events that were given up, by reason; travels in the order of the events, so that it counts once."""

    counts: dict[str, int] = field(default_factory=dict)
    size_bytes: int = 0
    sequence: int = 0

    def frame(self) -> tuple[dict[str, Any], list[bytes]]:
        """Header and body."""
        return {"kind": "loss", "sequence": self.sequence, "counts": self.counts}, []
