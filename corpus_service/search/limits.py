"""Bounds of searching, each with its unit. Bounds of the wire stand in `sourcecorpus.rpc.limits`."""

from __future__ import annotations

from typing import Final

# Tokens of one phrase; a longer text is searched as several phrases that must all be there.
PHRASE_TOKENS_MAX: Final = 64
# Characters of a run without spaces that is taken for a word; a longer one is a sentence, which a
# relaxed search may take apart.
RUN_CHARACTERS_OF_A_WORD_MAX: Final = 6

# Passages of one search that pages can reach; the reply says when more matched.
RANKED_PASSAGES_MAX: Final = 1_000
# Passages of a relaxed search among which documents that hold every word are looked for.
COVERAGE_PASSAGES_MAX: Final = 64

SNIPPET_CODE_POINTS: Final = 320
# Code points shown before the first highlight of a snippet where there is room.
SNIPPET_LEAD_CODE_POINTS: Final = 60
# Highlights of one passage; further ones are not looked for.
HIGHLIGHTS_MAX: Final = 64
# Words of the explanation, each list.
EXPLAINED_WORDS_MAX: Final = 64
EXPLAINED_WORD_CODE_POINTS_MAX: Final = 256
