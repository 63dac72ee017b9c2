"""Forms of a word, out of the words that a corpus has: swords for sword, installed for installing.

The index holds words as they stand and nothing beside them, so that a form can never weigh on an
exact word: forms are looked for in a step of their own, behind the exact words. Two words are forms
of one another when a Snowball stemmer of a language brings both to the same stem
(https://snowballstem.org/algorithms/).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from typing import Final

import Stemmer

from corpus_service.domain.queries import Or, Query, Term
from corpus_service.search.characters import is_unspaced
from corpus_service.search.limits import (
    FORMS_OF_A_WORD_MAX,
    STEM_CODE_POINTS_MIN,
    VOCABULARY_WORDS_MAX,
)
from corpus_service.search.units import Unit

Vocabulary = Callable[[str, int], Sequence[str]]
"""Gives words of the corpus that begin with a text, ascending, at most so many."""

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
        near = vocabulary(beginning, VOCABULARY_WORDS_MAX)
        for other, its_stem in zip(near, stemmer.stemWords(list(near)), strict=True):
            if its_stem == stem and other != word and other.isalpha():
                found.setdefault(other)
    nearest = sorted(found, key=lambda other: (abs(len(other) - len(word)), other))
    return tuple(nearest[:FORMS_OF_A_WORD_MAX])


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
