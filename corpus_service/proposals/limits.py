"""Bounds of proposals, each with its unit."""

from __future__ import annotations

from typing import Final

# Sentences of one answer, and code points of one that are compared.
SENTENCES_MAX: Final = 100
SENTENCE_CODE_POINTS_MAX: Final = 2_000
# Passages that are compared with a sentence, and those of one version among them.
PASSAGES_COMPARED_MAX: Final = 12
PASSAGES_PER_VERSION_MAX: Final = 4
PASSAGES_KEPT_MAX: Final = 256

PROPOSALS_PER_SENTENCE_MAX: Final = 3
EVIDENCE_MAX: Final = 16

# A shared stretch says something from four or five words on. Weights are in characters of a view;
# one of a script without spaces, or a Hangul syllable, carries as much as two or three letters.
STRETCH_WEIGHT_MIN: Final = 20.0
DENSE_CHARACTER_WEIGHT: Final = 2.5
# Characters by which stretches are looked up: the fewest that reach that weight.
BEGINNING_CHARACTERS: Final = 8
# Share of a sentence that its stretches must have together.
OVERLAP_SHARE_MIN: Final = 0.3
# Places of one beginning in a passage that are tried: text that repeats itself must not hold up.
STRETCH_PLACES_MAX: Final = 16

# Share of common pairs of characters (Dice) from which a passage is like the whole sentence.
NEAR_SHARE_MIN: Final = 0.65
# Words that a sentence and a passage share: their number and their share of the sentence's words.
SHARED_WORDS_MIN: Final = 2
SHARED_WORDS_SHARE_MIN: Final = 0.4
# Words of a sentence that are looked for, and places of one word.
WORDS_COMPARED_MAX: Final = 64
# Letters and digits below which a sentence says too little to compare.
COMPARABLE_CHARACTERS_MIN: Final = 4
