"""The language of a text: by script, then by declaration or character n-grams.

Script decides Japanese, Korean, Chinese and languages that own their script. For the others a trained
model (py3langid, its 4 MB model lies in its wheel) looks at a sample; a declaration decides where the
sample is short or the model unsure.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

from corpus_service.extraction.limits import LANGUAGE_SAMPLE_CHARACTERS

MODEL_SAMPLE_CHARACTERS: Final = 400
"""Letters given to the model: it costs about 0.1 ms for these."""

MODEL_LETTERS_MIN: Final = 24
"""Letters under which the model is not asked."""

MODEL_HALF_SURE: Final = 0.5
"""Probability under which nothing is said where nothing is declared."""

MODEL_SURE: Final = 0.9
"""Probability from which the model outweighs a declaration."""

_WORDS: Final = re.compile(r"[^\W\d_]{2,}")
_NO_LANGUAGE: Final = "zxx"
_ENGLISH: Final = frozenset(
    [
        "the",
        "The",
        "of",
        "and",
        "to",
        "is",
        "that",
        "this",
        "This",
        "for",
        "are",
        "be",
        "with",
        "which",
        "when",
        "from",
        "you",
        "your",
        "it",
    ]
)
_HAN: Final = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_KANA: Final = re.compile("[\u3041-\u30ff]")
_HANGUL: Final = re.compile("[\uac00-\ud7a3\u1100-\u11ff]")
_NON_LATIN: Final = re.compile("[\u0370-\u1dff\u1f00-\u1fff\u3041-\ud7a3\uf900-\ufaff]")
_OWN_SCRIPTS: Final = (
    (re.compile("[\u0370-\u03ff\u1f00-\u1fff]"), "el"),
    (re.compile("[\u0530-\u058f]"), "hy"),
    (re.compile("[\u0590-\u05ff]"), "he"),
    (re.compile("[\u0e00-\u0e7f]"), "th"),
    (re.compile("[\u10a0-\u10ff]"), "ka"),
)
_PRIMARY: Final = re.compile(r"\s*([A-Za-z]{2,3})(?:[-_][A-Za-z0-9_-]*)?\s*(?:,.*)?", re.DOTALL)
# Macrolanguage members and old codes that documents declare.
_CANONICAL: Final = {
    "iw": "he",
    "in": "id",
    "ji": "yi",
    "cmn": "zh",
    "jp": "ja",
    "cn": "zh",
    "kr": "ko",
}


def primary_subtag(tag: str) -> str:
    """Return the lower-case primary subtag of a language tag, or '' if it is none."""
    match = _PRIMARY.fullmatch(tag[:100])
    if match is None:
        return ""
    subtag = match[1].lower()
    return _CANONICAL.get(subtag, subtag)


def language_of(text: str, *declared: str) -> str:
    """Return the primary BCP 47 subtag of a text's language, or ''.

    Args:
        text: normalised text; samples of it are looked at.
        declared: declared tags, the nearest to the content first; empty ones are passed over.
    """
    claims = [subtag for subtag in map(primary_subtag, declared) if subtag]
    claim = claims[0] if claims else ""
    sample = _sample(text)
    words = _WORDS.findall(sample)
    if not sample.isascii() and _NON_LATIN.search(sample):
        by_script = _by_script(sample, sum(map(len, words)))
        if by_script:
            return by_script
    if _is_plainly_english(words):
        return "en"
    letters = " ".join(words)[:MODEL_SAMPLE_CHARACTERS]
    if len(letters) < MODEL_LETTERS_MIN:
        return claim
    found, probability = _model(letters)
    if claim and (probability < MODEL_SURE or len(letters) < MODEL_SAMPLE_CHARACTERS // 3):
        return claim
    if found == _NO_LANGUAGE:
        return claim
    return found if claim or probability >= MODEL_HALF_SURE else ""


def _is_plainly_english(words: list[str]) -> bool:
    """Say whether function words that no other language shares make an eighth of the words."""
    return len(words) >= 40 and 8 * sum(map(_ENGLISH.__contains__, words)) >= len(words)


def _sample(text: str) -> str:
    """Return text from the middle of a long text, whose start is often navigation."""
    size = LANGUAGE_SAMPLE_CHARACTERS
    start = max(0, len(text) // 2 - size // 2)
    return text[start : start + size]


def _by_script(sample: str, letters: int) -> str:
    """Return the language that the script alone decides, or ''; `letters` counts those in words."""
    if not letters:
        return ""
    han, kana, hangul = (len(p.findall(sample)) for p in (_HAN, _KANA, _HANGUL))
    # The shares of the corpus recipe: CJK under 12 % is another language's text that quotes some.
    if han + kana + hangul >= 0.12 * letters:
        if hangul > 0.3 * (han + kana + hangul):
            return "ko"
        return "ja" if kana > 0.08 * (han + kana + hangul) else "zh"
    for pattern, language in _OWN_SCRIPTS:
        if len(pattern.findall(sample)) > 0.3 * letters:
            return language
    return ""


@cache
def _identifier() -> Any:  # noqa: ANN401 -- the library is not typed
    """Load the model on first use (0.5 s with numpy, once per process)."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def preload() -> None:
    """Load the model before a process gives up the right to write files, which loading needs."""
    _identifier()


def _model(words: str) -> tuple[str, float]:
    language, probability = _identifier().classify(words)
    return str(language), float(probability)
