"""An event as a plugin sent it, read from a frame; not redacted, so it lives in memory alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sourcecorpus.hermes.envelopes import TEXT_FIELDS, number_of, text_of
from sourcecorpus.hermes.plugin.cited_refs import refs_in
from sourcecorpus.hermes.plugin.frames import FrameError
from sourcecorpus.hermes.plugin.limits import CITED_REFS_MAX, LINEAGE_DEPTH_MAX, SIDE_FILES_MAX
from sourcecorpus.hermes.plugin.lineage import identifier

if TYPE_CHECKING:
    from collections.abc import Mapping

_NUMBERS = ("attempt", "finished_seconds", "duration_milliseconds")


@dataclass(frozen=True, slots=True)
class Event:
    """One tool call and what it returned.

    Attributes:
        sequence: Number within the plugin's process.
        sessions: Sessions whose game the event may take, nearest first.
        texts: Ids and names by field of the envelope's head, and the status.
        numbers: Attempt and times.
        refresh: Game and id of the refresh request that it answers; empty for everything else.
    """

    sequence: int
    sessions: tuple[str, ...]
    texts: Mapping[str, str]
    numbers: Mapping[str, float]
    error: str
    arguments: bytes
    result: bytes
    result_media_type: str
    side_files: tuple[tuple[str, bytes], ...]
    refresh: tuple[str, str] = ("", "")

    @property
    def conversation(self) -> str:
        """What the secrets of a conversation are remembered under."""
        return self.sessions[0] if self.sessions else self.texts.get("task_id", "")


def sequence_of(header: Mapping[str, Any]) -> int:
    """Number of a frame.

    Raises:
        FrameError: It has none.
    """
    sequence = header.get("sequence")
    if isinstance(sequence, bool) or not isinstance(sequence, int) or sequence < 1:
        raise FrameError("a frame has no number")
    return sequence


def read_event(header: Mapping[str, Any], body: bytes, client: Mapping[str, str]) -> Event:
    """Read an event from its frame.

    Args:
        header: The header.
        body: Arguments, result and side files, one behind the other.
        client: ``client_name`` and ``client_version`` of the connection.

    Raises:
        FrameError: A length is missing or does not fit the body, or there is no tool name.
    """
    lengths = [_length(header, "arguments_bytes"), _length(header, "result_bytes")]
    named = header.get("side_files")
    if not isinstance(named, list) or len(named) > SIDE_FILES_MAX:
        raise FrameError("a frame has wrong side files")
    lengths += [_length(file, "bytes") for file in named]
    if sum(lengths) != len(body):
        raise FrameError("the lengths of a frame do not fit its body")
    parts, start = [], 0
    for length in lengths:
        parts.append(body[start : start + length])
        start += length
    texts = {name: identifier(header.get(name)) for name in TEXT_FIELDS} | dict(client)
    texts["status"] = identifier(header.get("status"))
    if not texts["tool_name"]:
        raise FrameError("a frame names no tool")
    sessions = header.get("sessions")
    return Event(
        sequence=sequence_of(header),
        sessions=session_ids(sessions),
        texts=texts,
        numbers={name: number_of(header, name) for name in _NUMBERS},
        error=text_of(header, "error"),
        arguments=parts[0],
        result=parts[1],
        result_media_type=text_of(header, "result_media_type"),
        side_files=tuple(
            (text_of(file, "name"), data)
            for file, data in zip(named, parts[2:], strict=True)
            if text_of(file, "name")
        ),
        refresh=_refresh(header.get("refresh")),
    )


def _refresh(value: object) -> tuple[str, str]:
    if not isinstance(value, dict):
        return "", ""
    return identifier(value.get("game_id")), identifier(value.get("request_id"))


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """Refs that the answer of a run named."""

    run_id: str
    sessions: tuple[str, ...]
    refs: tuple[str, ...]


def read_cited(header: Mapping[str, Any]) -> CitedAnswer:
    """Read the refs of an answer from their frame.

    Raises:
        FrameError: There are no refs, too many, or something else than refs.
    """
    refs = header.get("refs")
    if not isinstance(refs, list) or not 0 < len(refs) <= CITED_REFS_MAX:
        raise FrameError("a frame has wrong refs")
    # Only what is nothing but a ref: words of an answer cannot come in by this way.
    if any(refs_in(ref) != (ref,) for ref in refs):
        raise FrameError("a frame has something else than refs")
    return CitedAnswer(
        run_id=identifier(header.get("run_id")),
        sessions=session_ids(header.get("sessions")),
        refs=tuple(refs),
    )


def session_ids(value: object) -> tuple[str, ...]:
    """Session ids of a JSON value, at most ``LINEAGE_DEPTH_MAX``."""
    if not isinstance(value, list):
        return ()
    return tuple(filter(None, map(identifier, value[:LINEAGE_DEPTH_MAX])))


def _length(header: object, name: str) -> int:
    value = header.get(name) if isinstance(header, dict) else None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise FrameError("a frame states no length")
    return value
