"""Bounds of presentation records, each with its unit."""

from __future__ import annotations

from typing import Final

RECORDS_MAX: Final = 128
TITLE_CODE_POINTS_MAX: Final = 512
EXCERPT_CODE_POINTS_MAX: Final = 1_600
RANGES_MAX: Final = 128

# Addresses beyond this length are refused by some programs that would open them.
SAFE_URL_CHARACTERS_MAX: Final = 2_048
# A fragment that names a place is short; a long one carries data.
SAFE_FRAGMENT_CHARACTERS_MAX: Final = 128
