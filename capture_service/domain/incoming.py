"""An envelope as it came over the wire: its bytes in the frames that brought them."""

from __future__ import annotations

import io
from collections import deque
from dataclasses import dataclass, field

from capture_service.domain.envelope import Envelope


@dataclass(slots=True)
class IncomingPart:
    """Bytes of the result or of one side file; ``name`` and ``media_type`` of side files only."""

    name: str = ""
    media_type: str = ""
    frames: deque[bytes] = field(default_factory=deque)

    @property
    def size_bytes(self) -> int:
        """Bytes of all frames."""
        return sum(map(len, self.frames))

    def take(self) -> bytes:
        """Hand the bytes over and keep none of them.

        Frames are given up one by one, so that a large part is never held twice.
        """
        if len(self.frames) <= 1:
            return self.frames.pop() if self.frames else b""
        joined = io.BytesIO()
        while self.frames:
            joined.write(self.frames.popleft())
        return joined.getvalue()


@dataclass(slots=True)
class IncomingEnvelope:
    """Facts and bytes of one envelope, not redacted: it lives in memory alone.

    Attributes:
        facts: The envelope without result and side files.
        result: Bytes of the result.
        side_files: Side files in order.
        size_bytes: Bytes of all parts together.
    """

    facts: Envelope
    result: IncomingPart = field(default_factory=IncomingPart)
    side_files: list[IncomingPart] = field(default_factory=list)
    size_bytes: int = 0

    @property
    def game_name(self) -> str:
        """Id or alias of the game as the envelope names it."""
        return self.facts.game_id


@dataclass(frozen=True, slots=True)
class RejectedEnvelope:
    """An envelope that is wrong in itself; counts as handled."""

    envelope_id: str
    sequence: int
    reason: str
    faulty_field: str = ""
