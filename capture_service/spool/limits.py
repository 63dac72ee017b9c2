"""Every bound of the spool, with its unit."""

from __future__ import annotations

from typing import Final

KIBIBYTE: Final = 1024
MEBIBYTE: Final = 1024 * KIBIBYTE
GIBIBYTE: Final = 1024 * MEBIBYTE

# The first release with the repair of the WAL-reset corruption (https://sqlite.org/releaselog).
SQLITE_VERSION_FLOOR: Final = 3_051_003
PAGE_BYTES: Final = 8_192
PAGE_CACHE_KIBIBYTES: Final = 4_096
BUSY_TIMEOUT_MILLISECONDS: Final = 5_000
STATEMENT_CACHE_ENTRIES: Final = 200
SQL_TEXT_BYTES_MAX: Final = 64 * KIBIBYTE
# Pages in the write-ahead log after which the writer copies them back: 1,000 × 8 KiB, as SQLite
# counts by default (https://sqlite.org/wal.html#automatic_checkpoint), in larger pages.
CHECKPOINT_PAGES: Final = 1_000
# What stays of the log file after a checkpoint.
JOURNAL_BYTES_KEPT: Final = 16 * MEBIBYTE

# Group commit: a transaction takes the first unit and whatever waits, up to these bounds.
COMMIT_UNITS_MAX: Final = 128
COMMIT_BYTES_MAX: Final = 8 * MEBIBYTE
WRITER_QUEUE_UNITS_MAX: Final = 1_024

# The queue itself; the owner may choose lower or higher ones by setting.
QUEUE_BYTES_MAX_DEFAULT: Final = 2 * GIBIBYTE
QUEUE_ENTRIES_MAX_DEFAULT: Final = 1_000_000
CONTENT_PIECE_BYTES: Final = 1 * MEBIBYTE
ENTRY_CONTENTS_MAX: Final = 100_000
DEAD_LETTERS_LISTED_MAX: Final = 1_000
