"""Forms of a word, out of the words that a corpus has: swords for sword, installed for installing.

The index holds words as they stand and nothing beside them, so that a form can never weigh on an
exact word: forms are looked for in a step of their own, behind the exact words. Two words are forms
of one another when a Snowball stemmer of a language brings both to the same stem
(https://snowballstem.org/algorithms/).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from typing import Final, Protocol

import Stemmer

from corpus_service.domain.queries import Or, Query, Term
from corpus_service.search.characters import is_unspaced
from corpus_service.search.limits import (
    FORMS_OF_A_WORD_MAX,
    STEM_CODE_POINTS_MIN,
    VOCABULARY_WORDS_MAX,
)
from corpus_service.search.units import Unit


class Vocabulary(Protocol):
    """The words of a corpus."""

    def tokens(self, beginning: str, limit: int) -> Sequence[str]:
        """Returns words that begin with a text, ascending, at most so many."""

    def known_tokens(self, words: Sequence[str]) -> Sequence[str]:
        """Returns those of some words that the corpus has."""


# Snowball's name for each primary language subtag.
_ALGORITHMS: Final = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "ne": "nepali", "nl": "dutch", "no": "norwegian", "nb": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil",
    "tr": "turkish",
}  # fmt: skip
# The language of a word whose script one language of these mostly uses.
_BY_SCRIPT: Final = (
    (re.compile("[a-z]"), "en"),
    (re.compile("[\u0430-\u044f\u0451]"), "ru"),
    (re.compile("[\u03b1-\u03c9]"), "el"),
    (re.compile("[\u0621-\u064a]"), "ar"),
    (re.compile("[\u0561-\u0587]"), "hy"),
)
# Endings of English words behind a stem or a part of one; those that give another stem fall away.
_ENGLISH_ENDINGS: Final = (
    "", "s", "es", "d", "ed", "ing", "er", "ers", "or", "ors", "e", "y", "ies", "ied", "ying", "ly",
    "ily", "al", "ally", "ment", "ments", "ion", "ions", "ation", "ations", "ive", "able", "ness",
    "iness", "ier", "iest", "est", "ful", "less", "ize", "ized", "ise", "ised", "ity", "ities",
)  # fmt: skip
_ENGLISH_DOUBLING: Final = ("", "s", "ed", "ing", "er", "ers", "ation", "ations", "ment", "ments")
_NEVER_DOUBLED: Final = "aeiouyhwxq"
_thread: Final = threading.local()


def with_forms(
    units: Sequence[Unit], languages: Sequence[str], vocabulary: Vocabulary
) -> tuple[Unit, ...]:
    """Makes units that also find the other forms of their words.

    Args:
        units: Words and phrases; phrases, beginnings and words of other scripts stay as they are.
        languages: Primary subtags whose rules hold; empty for the one that the script suggests.
        vocabulary: Words of the corpus.

    Returns:
        The units in their order; equal to ``units`` where no word has another form.
    """
    return tuple(_with_forms(unit, languages, vocabulary) for unit in units)


def forms_of(word: str, languages: Sequence[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Returns other forms of a folded word that the corpus has, nearest in length first."""
    found: dict[str, None] = {}
    for language in languages or _language_of(word):
        algorithm = _ALGORITHMS.get(language)
        if algorithm is None:
            continue
        stemmer = _stemmer(algorithm)
        stem = stemmer.stemWord(word)
        beginning = _common(word, stem)
        if len(beginning) < STEM_CODE_POINTS_MIN:
            continue
        near: Sequence[str]
        if language == "en":
            near = _same_stem(stemmer, stem, _english_forms(beginning))
            found.update(dict.fromkeys(vocabulary.known_tokens(near)))
        else:
            near = vocabulary.tokens(beginning, VOCABULARY_WORDS_MAX)
            found.update(dict.fromkeys(_same_stem(stemmer, stem, near)))
    found.pop(word, None)
    nearest = sorted(found, key=lambda other: (abs(len(other) - len(word)), other))
    return tuple(nearest[:FORMS_OF_A_WORD_MAX])


def _english_forms(beginning: str) -> list[str]:
    """Writes what may stand in the corpus for an English word, so that it need not be leafed through."""
    if beginning[-1] == "i" and len(beginning) > STEM_CODE_POINTS_MIN:
        # The stem of study is studi.
        beginning = beginning[:-1]
    forms = [beginning + ending for ending in _ENGLISH_ENDINGS]
    if beginning[-1] not in _NEVER_DOUBLED:
        forms += [beginning + beginning[-1] + ending for ending in _ENGLISH_DOUBLING]
    return forms


def _same_stem(stemmer: Stemmer.Stemmer, stem: str, words: Sequence[str]) -> list[str]:
    stems = stemmer.stemWords(list(words))
    return [word for word, its in zip(words, stems, strict=True) if its == stem and word.isalpha()]


def may_have_forms(unit: Unit) -> bool:
    """Whether a unit is one word of letters in a script with spaces."""
    query = unit.query
    return isinstance(query, Term) and query.token.isalpha() and not is_unspaced(query.token[0])


def _with_forms(unit: Unit, languages: Sequence[str], vocabulary: Vocabulary) -> Unit:
    if not may_have_forms(unit) or not isinstance(unit.query, Term):
        return unit
    word = unit.query.token
    forms = forms_of(word, languages, vocabulary)
    if not forms:
        return unit
    query: Query = Or((unit.query, *(Term(form) for form in forms)))
    # The longest first: an expression takes the first alternative that fits.
    written = sorted((word, *forms), key=len, reverse=True)
    return Unit(
        shown=unit.shown,
        query=query,
        pattern=f"(?:{'|'.join(map(re.escape, written))})",
        forms=forms,
    )


def _language_of(word: str) -> tuple[str, ...]:
    for letters, language in _BY_SCRIPT:
        if letters.match(word):
            return (language,)
    return ()


def _common(first: str, second: str) -> str:
    size = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        size += 1
    return first[:size]


def _stemmer(algorithm: str) -> Stemmer.Stemmer:
    """One stemmer for each thread: they keep a cache that is not safe to share."""
    known: dict[str, Stemmer.Stemmer] = _thread.__dict__
    found = known.get(algorithm)
    if found is None:
        found = known[algorithm] = Stemmer.Stemmer(algorithm)
    return found
