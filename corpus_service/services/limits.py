"""Bounds of the use cases, each with its unit; those of fields are repeated in the contract."""

from __future__ import annotations

from typing import Final

from sourcecorpus.rpc.limits import KIBIBYTE, MEBIBYTE

# Threads for searches and reads, unless settings say otherwise: as many as a game has readers.
# Calls that wait for one are bounded by the server.
READ_THREADS_DEFAULT: Final = 8
# A page of exact search may take two seconds of a thread: such calls have one thread in so many.
FIND_POOL_PARTS: Final = 2

# Games.
GAME_TITLE_CODE_POINTS_MAX: Final = 512
GAME_ALIASES_MAX: Final = 64
GAME_NAME_CODE_POINTS_MAX: Final = 128

# Quotes of one answer; they leave a fourth of a message for everything else in it.
QUOTES_BYTES_MAX: Final = 3 * MEBIBYTE
# Code points of spans that are read together; a larger span is read by itself.
SPANS_TOGETHER_CODE_POINTS_MAX: Final = 1_000_000

# Looking for a quotation in other versions than the one that was asked: versions of the same source
# and of the scope that are looked at for one quotation, code points of different versions that one
# call reads, code points of texts that are kept meanwhile.
ELSEWHERE_SOURCE_VERSIONS_MAX: Final = 32
ELSEWHERE_VERSIONS_MAX: Final = 64
ELSEWHERE_CODE_POINTS_MAX: Final = 8_000_000
QUOTED_TEXTS_CODE_POINTS_MAX: Final = 8_000_000
# The index is asked about the beginning of a long quotation: its rarest words lead to few versions.
ELSEWHERE_LITERAL_CODE_POINTS_MAX: Final = 512
# Phrases of the index that must all stand in one passage, looked at first.
ELSEWHERE_PHRASES_MAX: Final = 2
# Text of the nearest passage that is shown.
NEAREST_CODE_POINTS_MAX: Final = 2_000

# Making a citation of a quotation: text before and behind it, places that are named when several fit.
QUOTE_CONTEXT_CODE_POINTS_MAX: Final = 1_024
QUOTE_CANDIDATES_MAX: Final = 20

# Documents, collections or sections that are named when a locator fits several, and collections whose
# neighbouring documents are named.
LOCATOR_CANDIDATES_MAX: Final = 20
ADJACENT_COLLECTIONS_MAX: Final = 8

# Exports under way: each keeps a copy of the game's rows on the disk.
EXPORTS_MAX: Final = 2
EXPORT_RETRY_SECONDS: Final = 10.0
# Threads for exports and imports: one for each, and one that reads ahead.
TRANSFER_THREADS: Final = 4

# Receipts of nested tool calls: those that wait in one game, their bytes together and each, how long
# they wait, and games that are remembered.
RECEIPTS_PENDING_MAX: Final = 64
RECEIPTS_BYTES_MAX: Final = 2 * MEBIBYTE
RECEIPT_BYTES_MAX: Final = 512 * KIBIBYTE
RECEIPT_NANOSECONDS_MAX: Final = 300 * 1_000_000_000
RECEIPT_GAMES_MAX: Final = 16

# One ref is resolved on the event loop where the text of its version is no longer than this: a thread
# takes more time than to read and prove so much.
RESOLVED_AT_ONCE_CODE_POINTS_MAX: Final = 65_536
