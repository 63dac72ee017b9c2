"""Bounds of the use cases, each with its unit; those of fields are repeated in the contract."""

from __future__ import annotations

from typing import Final

from sourcecorpus.rpc.limits import MEBIBYTE

# Threads for searches and reads, unless settings say otherwise: as many as a game has readers.
# Calls that wait for one are bounded by the server.
READ_THREADS_DEFAULT: Final = 8

# Games.
GAME_TITLE_CODE_POINTS_MAX: Final = 512
GAME_ALIASES_MAX: Final = 64
GAME_NAME_CODE_POINTS_MAX: Final = 128

# Quotes of one answer; they leave a fourth of a message for everything else in it.
QUOTES_BYTES_MAX: Final = 3 * MEBIBYTE
# Code points of spans that are read together; a larger span is read by itself.
SPANS_TOGETHER_CODE_POINTS_MAX: Final = 1_000_000
