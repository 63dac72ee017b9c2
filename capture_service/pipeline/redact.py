"""The first stage: everything that a client sent is redacted before anything else looks at it."""

from __future__ import annotations

import io
import re
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Generic

from capture_service.domain.envelope import AccessFacts, Envelope, SideFile
from capture_service.domain.incoming import IncomingEnvelope, IncomingPart
from capture_service.pipeline import limits
from capture_service.pipeline.ports import Memory, Redactor

_TRACEPARENT: Final = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SHORT_FIELDS: Final = (
    "envelope_id",
    "tool_name",
    "run_id",
    "session_id",
    "parent_session_id",
    "task_id",
    "turn_id",
    "tool_call_id",
    "parent_tool_call_id",
    "result_media_type",
    "client_name",
    "client_version",
)


class QuarantineError(Exception):
    """Redaction refused the envelope; nothing of its content may be kept.

    Attributes:
        reason: One UPPER_SNAKE word, never text of the payload.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Redacted:
    """A redacted envelope and what was masked in it, by rule."""

    envelope: Envelope
    masks: dict[str, int]
    masked_from_memory: bool


@dataclass(slots=True)
class _Work(Generic[Memory]):
    """The redaction of one envelope."""

    redactor: Redactor[Memory]
    game_id: str
    memory: Memory | None
    masks: Counter[str]
    upstream_masked: bool = False

    def redact(self, data: bytes, media_type: str) -> bytes:
        """Redact bytes that are at hand."""
        if not data:
            return data
        result = self.redactor.redact(
            data, media_type=media_type, game_id=self.game_id, memory=self.memory
        )
        self.masks.update(result.counts)
        self.upstream_masked = self.upstream_masked or result.upstream_masked
        return result.data

    def redact_part(self, part: IncomingPart, media_type: str) -> bytes:
        """Redact a result or side file; a large one frame by frame, so that it is held once."""
        if part.size_bytes <= limits.STREAMED_REDACTION_BYTES:
            return self.redact(part.take(), media_type)
        stream = self.redactor.stream(
            media_type=media_type, game_id=self.game_id, memory=self.memory
        )
        redacted = io.BytesIO()
        while part.frames:
            redacted.write(stream.feed(part.frames.popleft()))
        rest = stream.finish()
        redacted.write(rest.data)
        self.masks.update(rest.counts)
        self.upstream_masked = self.upstream_masked or rest.upstream_masked
        return redacted.getvalue()


class RedactionStage(Generic[Memory]):
    """Redacts envelopes. Safe for several threads."""

    def __init__(
        self,
        redactor: Redactor[Memory],
        *,
        new_memory: Callable[[], Memory],
        refusal: type[Exception],
        memory_rule: str,
    ) -> None:
        """Wire the stage.

        Args:
            redactor: Does the work.
            new_memory: Makes the memory of the secrets of one conversation.
            memory_rule: Rule under which masks of remembered secrets are counted.
            refusal: Error by which the redactor refuses; its ``reason`` is the quarantine's.
        """
        self._redactor = redactor
        self._new_memory = new_memory
        self._refusal = refusal
        self._memory_rule = memory_rule
        self._memories: OrderedDict[str, Memory] = OrderedDict()
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def run(self, incoming: IncomingEnvelope, game_id: str) -> Redacted:
        """Redact every free text and all bytes of an envelope, which keeps none of its bytes.

        Raises:
            QuarantineError: Redaction refused, or failed in a way that nobody foresaw: then the
                reason is REDACTION_FAILED and the error's own text goes nowhere.
        """
        try:
            return self._run(incoming, game_id)
        except self._refusal as error:
            raise QuarantineError(str(getattr(error, "reason", "REDACTION_FAILED"))) from None
        except Exception:  # noqa: BLE001 - a defect of a rule must not let anything through
            raise QuarantineError("REDACTION_FAILED") from None

    def text(self, text: str) -> str:
        """Redact a short text that stands alone, such as an id.

        Raises:
            QuarantineError: See ``run``.
        """
        try:
            return self._text(text, Counter())
        except self._refusal as error:
            raise QuarantineError(str(getattr(error, "reason", "REDACTION_FAILED"))) from None

    def _run(self, incoming: IncomingEnvelope, game_id: str) -> Redacted:
        facts = incoming.facts
        memory = self._memory(facts.session_id or facts.task_id)
        masks: Counter[str] = Counter()
        work = _Work(self._redactor, game_id, memory, masks)
        # Arguments come first: a secret that is named there is known when the result repeats it.
        arguments = work.redact(facts.arguments, "application/json")
        error = work.redact(facts.error.encode("utf-8", "replace"), "text/plain")
        result = work.redact_part(incoming.result, facts.result_media_type)
        side_files = tuple(
            SideFile(
                self._text(part.name, masks),
                self._text(part.media_type, masks),
                work.redact_part(part, part.media_type),
            )
            for part in incoming.side_files
        )
        short: dict[str, Any] = {
            name: self._text(getattr(facts, name), masks) for name in _SHORT_FIELDS
        }
        redacted = replace(
            facts,
            **short,
            arguments=arguments,
            result=result,
            error=error.decode("utf-8", "replace"),
            side_files=side_files,
            access=_known_access(facts.access),
            traceparent=_known_traceparent(facts.traceparent),
            upstream_masked=facts.upstream_masked or work.upstream_masked,
            redacted=True,
        )
        return Redacted(redacted, dict(masks), self._memory_rule in masks)

    def _text(self, text: str, masks: Counter[str]) -> str:
        """Redact a short text; unchanged ones are remembered, because ids and names repeat."""
        if not text or _UUID.fullmatch(text):
            return text
        with self._lock:
            known = self._texts.get(text)
        if known is not None:
            return known
        result = self._redactor.redact(text.encode("utf-8", "replace"))
        masks.update(result.counts)
        redacted = result.data.decode("utf-8", "replace")
        if redacted == text and len(text) <= limits.REMEMBERED_TEXT_CHARACTERS_MAX:
            with self._lock:
                self._texts[text] = redacted
                if len(self._texts) > limits.REMEMBERED_TEXTS_MAX:
                    self._texts.popitem(last=False)
        return redacted

    def _memory(self, conversation: str) -> Memory | None:
        if not conversation:
            return None
        with self._lock:
            memory = self._memories.get(conversation)
            if memory is None:
                memory = self._new_memory()
                self._memories[conversation] = memory
            self._memories.move_to_end(conversation)
            if len(self._memories) > limits.REMEMBERED_CONVERSATIONS_MAX:
                self._memories.popitem(last=False)
            return memory


def _known_access(access: AccessFacts) -> AccessFacts:
    """Robots is one of two words; anything else is free text and goes."""
    robots = access.robots if access.robots in {"allowed", "blocked"} else ""
    return replace(access, robots=robots)


def _known_traceparent(text: str) -> str:
    return text if _TRACEPARENT.fullmatch(text) else ""
