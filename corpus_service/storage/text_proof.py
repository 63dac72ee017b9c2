"""Compares the chunks of a text, one by one, with what its version says about the whole."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextFacts:
    """What a version says about its text; see `corpus_service.domain.sources.Version`."""

    version_id: str
    text_hash: str
    text_length: int
    line_count: int
    chunk_count: int


class TextProof:
    """The chunks of one text so far. Memory is bounded by one chunk."""

    def __init__(self, facts: TextFacts) -> None:
        self.facts = facts
        self._digest = hashlib.sha256()
        self._chunks = 0
        self._length = 0
        self._breaks = 0
        self._last = ""

    def follows(self, ordinal: int, start: int, end: int, first_line: int, text: str) -> bool:
        """Takes the next chunk; returns whether number, span and line are those it must have."""
        fits = (
            ordinal == self._chunks
            and start == self._length
            and end == start + len(text)
            and first_line == self._breaks + 1
            and bool(text)
        )
        self._digest.update(text.encode())
        self._chunks += 1
        self._length = end
        self._breaks += text.count("\n")
        self._last = text[-1:]
        return fits

    def whole(self) -> bool:
        """Returns whether what was taken is the text of the version."""
        facts = self.facts
        lines = self._breaks + (0 if self._last == "\n" else 1)
        return (
            self._chunks == facts.chunk_count
            and self._length == facts.text_length
            and f"sha256:{self._digest.hexdigest()}" == facts.text_hash
            and lines == facts.line_count
        )
