"""Bounds of the corpus service's own inner workings, each with its unit.

Bounds of the wire stand in `sourcecorpus.rpc.limits`.
"""

from __future__ import annotations

from typing import Final

from sourcecorpus.rpc.limits import KIBIBYTE, MEBIBYTE

# Contents are cut so that a damaged or ranged read touches one piece at a time.
CONTENT_PIECE_BYTES: Final = 256 * KIBIBYTE
# Contents up to this size are verified and served from one decompression.
CONTENT_BUFFERED_BYTES_MAX: Final = 4 * MEBIBYTE

# Writer of a game.
WRITER_QUEUE_RECORDS_MAX: Final = 512
WRITER_QUEUE_BYTES_MAX: Final = 64 * MEBIBYTE
GROUP_COMMIT_RECORDS_MAX: Final = 128
GROUP_COMMIT_BYTES_MAX: Final = 8 * MEBIBYTE
WRITER_RETRY_SECONDS: Final = 0.25
DISK_FULL_RETRY_SECONDS: Final = 5.0
STORE_RETRY_SECONDS: Final = 5.0
CHUNKS_PER_STATEMENT: Final = 256

# Games that are open at the same time, each with one writer and a few readers.
OPEN_GAMES_MAX: Final = 16
READERS_PER_GAME_MAX: Final = 4
READER_WAIT_SECONDS: Final = 5.0
CLOSE_WAIT_SECONDS: Final = 5.0

# SQLite. Page caches of all open games together stay at 16 * (4 * 2 + 4) = 192 MiB at the most.
READER_PAGE_CACHE_KIBIBYTES: Final = 2 * 1024
WRITER_PAGE_CACHE_KIBIBYTES: Final = 4 * 1024
PAGE_BYTES: Final = 8 * KIBIBYTE
BUSY_TIMEOUT_MILLISECONDS: Final = 5_000
# Tails of 7 to 15 ms were measured at SQLite's default of 1,000 pages.
WAL_AUTOCHECKPOINT_PAGES: Final = 4_000
WAL_SIZE_BYTES_MAX: Final = 64 * MEBIBYTE
# Words and phrases of a game of which the number of matches is remembered.
LEAF_COUNTS_KEPT_MAX: Final = 8_192
STATEMENT_CACHE_SIZE: Final = 200
# How often work past its deadline is interrupted until it ends.
INTERRUPT_AGAIN_SECONDS: Final = 0.01

# Deleted words are merged out of the index in steps, so that captures are written in between.
PURGE_PAGES_PER_STEP: Final = 2_000
DELETED_VERSIONS_SHOWN_MAX: Final = 100
RELATED_SOURCES_SHOWN_MAX: Final = 20
DELETION_NOTE_CODE_POINTS_MAX: Final = 200

# Rows, or KiB of stored bytes, of an import that are committed together.
IMPORT_COMMIT_ROWS: Final = 8_192

# Refresh requests.
REFRESH_REASON_CODE_POINTS_MAX: Final = 200
REFRESH_RETRY_SECONDS: Final = 60.0

# Look-ups inside the store. Texts of few chunks are scanned, others searched by halves.
LOOK_UP_IDS_MAX: Final = 1_000
CHUNKS_SCANNED_MAX: Final = 24
# Versions that one scan in document order asks the filter about: some 0.1 s.
VERSIONS_SCANNED_MAX: Final = 4_096

# Texts with more chunks are prepared while they are written, so that they are not held twice.
TEXT_CHUNKS_HELD_MAX: Final = 2_000
# About 256 KiB of text that is held two more times for a moment.
CHUNKS_PREPARED_TOGETHER: Final = 256
# Claims of one document: they travel with its version and its observation.
TEXT_CLAIMS_BYTES_MAX: Final = 16 * KIBIBYTE

# Records of a batch that are prepared before they are queued; smaller portions make more commits,
# each of which writes out the full-text index, larger ones let the writer wait.
RECORDS_PREPARED_TOGETHER: Final = 16

# Processes that make texts. Larger contents are read by the service itself, chunk by chunk.
PREPARATION_WORKERS_MAX: Final = 8
PREPARATION_JOB_BYTES_MAX: Final = 1 * MEBIBYTE
PREPARATION_SECONDS_MAX: Final = 60.0

# Texts that are proven by their hash before a span of them is cited: code points of one, texts that a
# connection remembers. Reading and hashing 4,000,000 code points takes some 20 ms.
PROVEN_TEXT_CODE_POINTS_MAX: Final = 4_000_000
PROVEN_TEXTS_MAX: Final = 100_000
