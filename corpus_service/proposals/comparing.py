"""Compares a sentence of an answer with a stored passage. Pure.

What is found is evidence for a proposal. It is no verdict: a passage may share most words of a
sentence and say the opposite.
"""

from __future__ import annotations

import enum
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from corpus_service.proposals.limits import (
    COMPARABLE_CHARACTERS_MIN,
    EVIDENCE_MAX,
    NEAR_SHARE_MIN,
    OVERLAP_SHARE_MIN,
    SHARED_WORDS_MIN,
    SHARED_WORDS_SHARE_MIN,
    WORDS_COMPARED_MAX,
)
from corpus_service.proposals.sentences import Span, split_sentences
from corpus_service.proposals.stretches import StretchIndex
from corpus_service.quotes import Quote, QuotedText, find_nearest
from corpus_service.quotes.characters import WIDE
from corpus_service.quotes.view import QuoteView
from corpus_service.search.stop_words import STOP_WORDS

_WORD: Final = re.compile(f"[{WIDE}]+|(?:(?![{WIDE}_])\\w)+")
_WIDE_RUN: Final = re.compile(f"[{WIDE}]+")
_LETTER: Final = re.compile(r"[^\W_]")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS: Final = re.compile(r",(?=\d{3}(?!\d))")
# Addresses and refs of an answer name sources; they are not what it says.
_NAMES: Final = re.compile(
    r"https?://[^\s)>\]]+|\bv(?:er)?-[0-9a-z]{20}(?:#[0-9]+-[0-9]+(?:-[a-z]{2})?)?"
)
_PASSAGE_SENTENCES_MAX: Final = 1_000


class Grade(enum.IntEnum):
    """How a passage meets a sentence; smaller stands first. See the contract's ProposalGrade."""

    OVERLAP = 1
    NEAR = 2
    LEXICAL = 3


@dataclass(frozen=True, slots=True)
class Shared:
    """The same, or alike, in both: a span of the sentence and one of the passage."""

    sentence: Span
    passage: Span


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a passage has of a sentence.

    Attributes:
        grade: How they meet.
        share: 0 to 1; see the contract's CitationProposal.
        span: The sentences of the passage that hold the evidence.
        evidence: At most `EVIDENCE_MAX`, in the order of the sentence.
        numbers_differ: The sentence has a number that ``span`` has not.
    """

    grade: Grade
    share: float
    span: Span
    evidence: tuple[Shared, ...]
    numbers_differ: bool


class ComparedSentence:
    """A sentence, prepared once for all passages. Spans count from its first code point."""

    __slots__ = ("numbers", "quote", "text", "view", "words")

    def __init__(self, text: str) -> None:
        # Blanks keep every other character at its place.
        self.text = _NAMES.sub(lambda match: " " * len(match[0]), text)
        self.quote = Quote(self.text)
        self.view = QuoteView(self.text)
        self.words = dict(_words(self.view.text))
        self.numbers = _numbers(self.text)

    @property
    def comparable(self) -> bool:
        """Whether there is enough to compare."""
        return bool(self.words) and len(_LETTER.findall(self.text)) >= COMPARABLE_CHARACTERS_MIN


class ComparedPassage:
    """A passage, prepared once for all sentences. Spans count from its first code point."""

    __slots__ = ("_index", "_quoted", "_sentences", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._quoted = QuotedText(text)
        self._index = StretchIndex(self._quoted.view.text)
        self._sentences = split_sentences(text, limit=_PASSAGE_SENTENCES_MAX)

    def compare(self, sentence: ComparedSentence) -> Comparison | None:
        """Returns the best that the passage has of a sentence; None where that says nothing."""
        return self._overlap(sentence) or self._near(sentence) or self._lexical(sentence)

    def _overlap(self, sentence: ComparedSentence) -> Comparison | None:
        stretches = self._index.shared_with(sentence.view.text)
        shared = sum(stretch.length for stretch in stretches)
        share = shared / max(len(sentence.quote.view), 1)
        if share < OVERLAP_SHARE_MIN:
            return None
        evidence = [
            Shared(
                sentence.view.span(stretch.here, stretch.here + stretch.length),
                self._quoted.view.span(stretch.there, stretch.there + stretch.length),
            )
            for stretch in stretches
        ]
        return self._comparison(Grade.OVERLAP, share, sentence, evidence)

    def _near(self, sentence: ComparedSentence) -> Comparison | None:
        near = find_nearest(self._quoted, sentence.quote)
        if near is None or near.similarity < NEAR_SHARE_MIN:
            return None
        evidence = [Shared((0, len(sentence.text)), (near.start, near.end))]
        return self._comparison(Grade.NEAR, near.similarity, sentence, evidence)

    def _lexical(self, sentence: ComparedSentence) -> Comparison | None:
        """Takes the sentence of the passage that has most of the words; the first of equals."""
        view = self._quoted.view
        words = [(word, place) for word, place in _words(view.text) if word in sentence.words]
        best: dict[str, Span] = {}
        for start, end in self._sentences:
            here: dict[str, Span] = {}
            for word, place in words:
                span = view.span(*place)
                if start <= span[0] and span[1] <= end:
                    here.setdefault(word, span)
            if len(here) > len(best):
                best = here
        share = len(best) / max(len(sentence.words), 1)
        if len(best) < SHARED_WORDS_MIN or share < SHARED_WORDS_SHARE_MIN:
            return None
        evidence = [
            Shared(sentence.view.span(*place), best[word])
            for word, place in sentence.words.items()
            if word in best
        ]
        return self._comparison(Grade.LEXICAL, share, sentence, evidence)

    def _comparison(
        self, grade: Grade, share: float, sentence: ComparedSentence, evidence: list[Shared]
    ) -> Comparison:
        first = min(shared.passage[0] for shared in evidence)
        last = max(shared.passage[1] for shared in evidence)
        touched = [span for span in self._sentences if span[0] < last and span[1] > first]
        span = (
            min([first, *(start for start, _ in touched)]),
            max([last, *(end for _, end in touched)]),
        )
        return Comparison(
            grade=grade,
            share=min(round(share, 3), 1.0),
            span=span,
            evidence=tuple(evidence[:EVIDENCE_MAX]),
            numbers_differ=not sentence.numbers <= _numbers(self.text[span[0] : span[1]]),
        )


def _words(view: str) -> Iterator[tuple[str, Span]]:
    """Yields words that carry a subject, with their places; runs without spaces as pairs."""
    for match in _WORD.finditer(view):
        start, end = match.span()
        if _WIDE_RUN.match(match[0]):
            for at in range(start, max(end - 1, start + 1)):
                pair = view[at : min(at + 2, end)]
                if all(map(str.isalnum, pair)):
                    yield pair, (at, at + len(pair))
        elif match[0] not in STOP_WORDS:
            yield match[0], (start, end)


def _numbers(text: str) -> frozenset[str]:
    plain = unicodedata.normalize("NFKC", text)
    return frozenset(_THOUSANDS.sub("", number) for number in _NUMBER.findall(plain))


def search_words(sentence: ComparedSentence) -> str:
    """Returns what a search is asked for a sentence: its words, without any syntax of queries."""
    runs: dict[str, None] = {}
    for match in _WORD.finditer(sentence.view.text):
        if match[0] not in STOP_WORDS:
            runs[match[0]] = None
    return " ".join(list(runs)[:WORDS_COMPARED_MAX])
