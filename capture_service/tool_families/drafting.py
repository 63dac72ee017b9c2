"""Collects the drafts of one adaptation, with their parents and with what was left out."""

from __future__ import annotations

from collections import Counter

from capture_service.domain.sources import SourceDraft
from capture_service.tool_families.limits import MAXIMUM_DRAFTS


class DraftCollector:
    """Drafts in order. A parent is named by the position that `add` returned."""

    __slots__ = ("_drafts", "_drops")

    def __init__(self) -> None:
        self._drafts: list[SourceDraft] = []
        self._drops: Counter[str] = Counter()

    def add(self, draft: SourceDraft) -> int | None:
        """Adds a draft and returns its position; None beyond `MAXIMUM_DRAFTS`, which is counted."""
        if len(self._drafts) >= MAXIMUM_DRAFTS:
            self._drops["sources_over_limit"] += 1
            return None
        self._drafts.append(draft)
        return len(self._drafts) - 1

    def drop(self, reason: str, count: int = 1) -> None:
        """Counts something that was made into nothing."""
        if count:
            self._drops[reason] += count

    @property
    def drafts(self) -> tuple[SourceDraft, ...]:
        """What was added."""
        return tuple(self._drafts)

    @property
    def drops(self) -> dict[str, int]:
        """What was left out, by reason."""
        return dict(self._drops)

    def __len__(self) -> int:
        return len(self._drafts)
