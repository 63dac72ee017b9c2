"""Bounds of searching, each with its unit. Bounds of the wire stand in `sourcecorpus.rpc.limits`."""

from __future__ import annotations

from typing import Final

# Tokens of one phrase; a longer text is searched as several phrases that must all be there.
PHRASE_TOKENS_MAX: Final = 64
# Characters of a run without spaces that is taken for a word; a longer one is a sentence, which a
# relaxed search may take apart.
RUN_CHARACTERS_OF_A_WORD_MAX: Final = 6

# Beginnings of words in one query: each one joins the lists of all its words before anything is
# found.
QUERY_PREFIXES_MAX: Final = 8

# Words and phrases of a query of which some may do although others were found with all of them.
FILLING_UNITS_MIN: Final = 3
# Other forms of the words are looked for where fewer hits have the words themselves.
FORMS_BELOW_HITS: Final = 5
FORMS_OF_A_WORD_MAX: Final = 16
# Words of the index that are looked at for the forms of one word, and the shortest stem whose
# words are looked through.
VOCABULARY_WORDS_MAX: Final = 128
STEM_CODE_POINTS_MIN: Final = 3

# Passages of one search that pages can reach; the reply says when more matched.
RANKED_PASSAGES_MAX: Final = 1_000
# Passages of a relaxed search among which documents that hold every word are looked for.
COVERAGE_PASSAGES_MAX: Final = 32
# Best passages of a search among which those with the words side by side come first.
CLOSENESS_PASSAGES_MAX: Final = 20
# Occurrences in one passage that are looked at for it: of a word, and about so many of all words.
CLOSENESS_OCCURRENCES_MAX: Final = 16
CLOSENESS_OCCURRENCES_OF_ALL: Final = 96
# Pages that are remembered, and the hits of one: with their passages about 20 KB for ten.
KNOWN_PAGES_MAX: Final = 256
KNOWN_PAGE_HITS_MAX: Final = 20

# Matching passages of one game whose documents are counted, and values shown of one field.
FACET_PASSAGES_MAX: Final = 50_000
FACET_VALUES_MAX: Final = 50

# Suggestions. Words of the index that begin as the last word does, and the fewest letters it needs.
COMPLETION_WORDS_MAX: Final = 4_096
COMPLETION_CODE_POINTS_MIN: Final = 2
# Words of a text that are corrected, and how long they are: shorter ones have too many neighbours,
# of longer ones each letter costs more than fifty look-ups.
CORRECTED_WORDS_MAX: Final = 8
CORRECTED_CODE_POINTS_MIN: Final = 4
CORRECTED_CODE_POINTS_MAX: Final = 20
# Words that differ by two letters are looked for from this length on, among so many words that
# begin with the same letters.
TWO_ERRORS_CODE_POINTS_MIN: Final = 7
TWO_ERRORS_COMMON_BEGINNING: Final = 3
TWO_ERRORS_WORDS_MAX: Final = 512
# Neighbours of a word of which it is looked up whether the corpus still has them; suggestions for it.
NEIGHBOURS_MAX: Final = 32
CORRECTIONS_OF_A_WORD_MAX: Final = 3
# Passages of a suggested word in which documents are counted, and passages of a typed word that
# are looked at first: mostly one of them is of a current version.
WORD_PASSAGES_MAX: Final = 256
KNOWN_WORD_PASSAGES_MAX: Final = 16
# Passages that are counted to tell which of two common words is the more common one.
COMMON_WORD_PASSAGES_MAX: Final = 100_000

SNIPPET_CODE_POINTS: Final = 320
# Code points shown before the first highlight of a snippet where there is room.
SNIPPET_LEAD_CODE_POINTS: Final = 60
# Highlights of one passage; further ones are not looked for.
HIGHLIGHTS_MAX: Final = 64
# Words of the explanation, each list.
EXPLAINED_WORDS_MAX: Final = 64
EXPLAINED_WORD_CODE_POINTS_MAX: Final = 256

# Exact search.
FIND_QUERY_CODE_POINTS_MAX: Final = 512
FIND_CONTEXT_TERMS_MAX: Final = 8
# Lines above and below a match within which a context term counts.
FIND_CONTEXT_LINES: Final = 3
# Memory of one compiled pattern, in bytes; a larger one is refused.
PATTERN_PROGRAM_BYTES_MAX: Final = 4 * 1_048_576
# Instructions of one compiled pattern: a letter takes one, any character 12, any letter 1,200.
PATTERN_INSTRUCTIONS_MAX: Final = 16_384
# Text that is folded and matched at a time, in code points. The time is looked at between two blocks,
# and only between two blocks may other threads be sure to run.
FIND_BLOCK_CODE_POINTS_MIN: Final = 1_024
FIND_BLOCK_CODE_POINTS_MAX: Final = 65_536
FIND_BLOCK_OF_LINES_CODE_POINTS: Final = 8_192
# Code points times instructions of a block of an expression. RE2 was measured at up to 5 ns for a byte
# and an instruction.
FIND_BLOCK_WORK: Final = 16_000_000
# Bytes times instructions of one line: 25 s at the worst, a tenth of a second as a rule.
FIND_LINE_WORK_MAX: Final = 5_000_000_000
MATCHES_OF_A_LINE_MAX: Final = 64
# Work of one page of exact search; whichever bound is met first ends the page, and the next one
# goes on there.
FIND_DOCUMENTS_SCANNED_MAX: Final = 4_096
FIND_CODE_POINTS_SCANNED_MAX: Final = 16_000_000
FIND_SECONDS_MAX: Final = 2.0
# Share of the time left of a call that a page may use.
FIND_DEADLINE_SHARE: Final = 0.5
FIND_MATCHING_LINES_MAX: Final = 500
FIND_LINE_CODE_POINTS_MAX: Final = 2_000
FIND_PAGE_CODE_POINTS_MAX: Final = 200_000
# Matching lines at most this far apart stand in one passage.
FIND_PASSAGE_GAP_LINES: Final = 2
# Versions asked of the store at a time.
FIND_BATCH_VERSIONS: Final = 64
