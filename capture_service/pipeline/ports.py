"""What the pipeline needs from redaction and tool families."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeVar

from capture_service.domain.envelope import Envelope
from capture_service.domain.sources import Adaptation

Memory = TypeVar("Memory")
Memory_contra = TypeVar("Memory_contra", contravariant=True)


class RedactedBytes(Protocol):
    """Result of a redaction."""

    @property
    def data(self) -> bytes:
        """The redacted bytes, or the rest of them at the end of a stream."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Masks by rule."""

    @property
    def upstream_masked(self) -> bool:
        """Whether somebody before us has masked something."""


class RedactingStream(Protocol):
    """Redacts one message that comes in pieces."""

    def feed(self, chunk: bytes) -> bytes:
        """Take the next bytes; returns those that are safe to pass on."""

    def finish(self) -> RedactedBytes:
        """The rest of the message and what was masked in all of it."""


class Redactor(Protocol[Memory_contra]):
    """Redacts bytes; raises the error of ``RedactionStage.refusals`` where it cannot."""

    def redact(
        self,
        data: bytes,
        *,
        media_type: str = "",
        game_id: str = "",
        memory: Memory_contra | None = None,
    ) -> RedactedBytes:
        """Redact the bytes of one message."""

    def stream(
        self, *, media_type: str = "", game_id: str = "", memory: Memory_contra | None = None
    ) -> RedactingStream:
        """A redactor for one large message; its output equals that of one pass."""


class Families(Protocol):
    """Takes the sources out of a redacted envelope."""

    def adapt(self, envelope: Envelope) -> Adaptation:
        """Adapt one envelope; an empty family means that the tool is not captured."""
