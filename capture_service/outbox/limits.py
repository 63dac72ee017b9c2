"""Every bound of what the capture service keeps beside the queue, with its unit."""

from __future__ import annotations

from typing import Final

# About 60 bytes a row. Beyond them the oldest go; the corpus' own ledger and index still decide.
LEDGER_ROWS_MAX: Final = 1_000_000
KNOWN_SOURCES_MAX: Final = 1_000_000
REFUSALS_MAX: Final = 10_000
CAPTURE_SESSIONS_MAX: Final = 100_000
SESSION_GAMES_MAX: Final = 100_000
# A pass over the bounds comes after so many stored envelopes.
PRUNE_INTERVAL_ENVELOPES: Final = 10_000
# How often the write-ahead log is cut where nothing waits for the corpus.
LOG_KEEPING_SECONDS: Final = 60.0
