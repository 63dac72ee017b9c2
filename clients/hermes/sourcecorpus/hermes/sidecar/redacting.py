"""Makes an envelope of an event: redacted first, then hashed; nothing else sees the event's bytes."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from capture_service.redaction import RedactionRefused, Redactor, SessionMemory
from capture_service.spool import Content
from sourcecorpus.capture.v1.envelope_pb2 import Envelope
from sourcecorpus.hermes.envelopes import head_of
from sourcecorpus.hermes.sidecar import limits
from sourcecorpus.hermes.sidecar.incoming import Event
from sourcecorpus.hermes.sidecar.store import SpooledEnvelope


@dataclass(frozen=True, slots=True)
class RedactedEvent:
    """An event as it may touch a disk, and what was masked in it, by rule."""

    envelope: SpooledEnvelope
    masks: Mapping[str, int]


class EventRedactor:
    """Redacts events. Safe for several threads."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._lock = threading.Lock()
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._memories: OrderedDict[str, SessionMemory] = OrderedDict()

    def text(self, text: str) -> str:
        """Redact an id or another short text.

        Raises:
            RedactionRefused: It cannot be redacted.
        """
        return self._text(text, Counter())

    def redact(self, event: Event, envelope_id: str, game_id: str) -> RedactedEvent:
        """Redact every free text and all bytes of an event.

        Raises:
            RedactionRefused: The event must be quarantined; nothing of it may be kept.
        """
        try:
            return self._redact(event, envelope_id, game_id)
        except RedactionRefused:
            raise
        except Exception:  # noqa: BLE001 - a defect of a rule must not let anything through
            raise RedactionRefused("REDACTION_FAILED") from None

    def _redact(self, event: Event, envelope_id: str, game_id: str) -> RedactedEvent:
        masks: Counter[str] = Counter()
        memory = self._memory(event.conversation)
        upstream: list[bool] = []

        def run(data: bytes, media_type: str = "") -> bytes:
            if not data:
                return data
            result = self._redactor.redact(
                data, media_type=media_type, game_id=game_id, memory=memory
            )
            masks.update(result.counts)
            upstream.append(result.upstream_masked)
            return result.data

        facts = {name: self._text(value, masks) for name, value in event.texts.items()}
        # Arguments come first: a secret that is named there is known when the result repeats it.
        arguments = run(event.arguments, "application/json")
        error = run(event.error.encode("utf-8", "replace")).decode("utf-8", "replace")
        result = run(event.result, event.result_media_type)
        side_files = [
            (self._text(name, masks), run(data, "text/markdown")) for name, data in event.side_files
        ]
        head = head_of({**facts, **event.numbers, "error": error}, arguments)
        head.envelope_id = envelope_id
        head.game_id = game_id
        head.upstream_masked = any(upstream)
        head.result_media_type = event.result_media_type
        return RedactedEvent(_spooled(Envelope(head=head), result, side_files), dict(masks))

    def _text(self, text: str, masks: Counter[str]) -> str:
        with self._lock:
            known = self._texts.get(text)
        if known is not None or not text:
            return known or text
        result = self._redactor.redact_text(text)
        masks.update(result.counts)
        if result.text == text:
            with self._lock:
                self._texts[text] = text
                if len(self._texts) > limits.REMEMBERED_TEXTS_MAX:
                    self._texts.popitem(last=False)
        return result.text

    def _memory(self, conversation: str) -> SessionMemory | None:
        if not conversation:
            return None
        with self._lock:
            memory = self._memories.setdefault(conversation, SessionMemory())
            self._memories.move_to_end(conversation)
            if len(self._memories) > limits.REMEMBERED_CONVERSATIONS_MAX:
                self._memories.popitem(last=False)
            return memory


def _spooled(
    envelope: Envelope, result: bytes, side_files: list[tuple[str, bytes]]
) -> SpooledEnvelope:
    contents: dict[bytes, Content] = {}

    def named(data: bytes) -> bytes:
        digest = hashlib.sha256(data).digest()
        contents[digest] = Content(digest, data)
        return digest

    if result:
        envelope.result = named(result)
    for name, data in side_files:
        envelope.side_files.add(
            name=name, media_type="text/markdown", data=named(data) if data else b""
        )
    return SpooledEnvelope(
        envelope_id=envelope.head.envelope_id,
        session_id=envelope.head.session_id,
        payload=envelope.SerializeToString(),
        contents=tuple(contents.values()),
    )
