"""Bounds of comparing texts."""

from __future__ import annotations

from typing import Final

# Steps of one comparison: items that are visited and compared. About a second of work at most.
LINE_STEPS_MAX: Final = 1_000_000
WORD_STEPS_MAX: Final = 100_000
# Insertions and deletions that are looked for one by one between two anchors; memory grows with the
# square of their number: some 4 MB.
EDITS_MAX: Final = 1_000
