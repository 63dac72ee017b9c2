"""Bounds of quotations, each with its unit."""

from __future__ import annotations

from typing import Final

# A quotation with ellipses: shorter pieces stand in too many places to prove anything, and pieces
# further apart were hardly said together.
PIECE_CHARACTERS_MIN: Final = 12
PIECE_GAP_CODE_POINTS_MAX: Final = 2_000
# Pieces of one quotation.
QUOTE_PIECES_MAX: Final = 32
# Places of pieces that are tried for one quotation in one text: texts that repeat themselves must
# not hold up a call.
PIECE_PLACES_MAX: Final = 10_000
# Full case folding makes at most three characters of one (Unicode, CaseFolding.txt).
FOLDING_GROWTH_MAX: Final = 3
# Places that begin or end inside a folded character, passed over in one search.
FOLDED_PLACES_MAX: Final = 10_000

# Places of one quotation that are told apart when one of them is to be chosen.
QUOTE_PLACES_MAX: Final = 1_000

# Looking for the nearest passage: samples taken of a quotation, characters of a sample in scripts
# with spaces and without, places of a sample that are looked at.
SAMPLES_MAX: Final = 8
SAMPLE_CHARACTERS: Final = 10
WIDE_SAMPLE_CHARACTERS: Final = 4
SAMPLE_PLACES_MAX: Final = 4
# Passages that are compared in full, and characters of a quotation they are compared with.
NEAR_PASSAGES_MAX: Final = 4
NEAR_QUOTE_CHARACTERS_MAX: Final = 4_000
# Below this share of common pairs of characters a passage is not near.
NEAR_SIMILARITY_MIN: Final = 0.4
