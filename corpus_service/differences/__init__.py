"""Differences of texts: lines and words that were inserted, deleted or replaced; bounded work, pure."""

from __future__ import annotations

from corpus_service.differences.sequences import Region
from corpus_service.differences.texts import (
    LineChange,
    WordChange,
    changed_lines,
    changed_words,
)

__all__ = ["LineChange", "Region", "WordChange", "changed_lines", "changed_words"]
