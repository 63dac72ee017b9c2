"""Comparing the texts of two versions: all that differs in lines, some of it in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpus_service.differences import (
    LineChange,
    WordChange,
    changed_lines,
    changed_words,
)
from corpus_service.domain.sources import Version
from corpus_service.services.locating import Locating, ReadingStore
from corpus_service.services.quoted_texts import read_whole_text
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import (
    DIFF_TEXT_CODE_POINTS_MAX,
    DIFF_WORD_CHANGES_MAX,
    DIFF_WORDS_CODE_POINTS_MAX,
)


@dataclass(frozen=True, slots=True)
class Differences:
    """Two versions with their texts and what differs between them, in text order."""

    base: Version
    version: Version
    base_text: str
    text: str
    changes: Sequence[LineChange]


@dataclass(frozen=True, slots=True)
class WordDifferences:
    """Spans within the texts of two versions; ``complete`` where none is left out."""

    changes: Sequence[WordChange] = ()
    complete: bool = False


class DifferencesUseCase:
    """Compares versions. Safe from any thread."""

    def __init__(self, store: ReadingStore) -> None:
        self._store = store
        self._locating = Locating(store)

    def compare(self, game_id: str, base_version_id: str, version_id: str) -> Differences:
        """Compares two versions line by line; both texts are proven by their hashes.

        Raises:
            Failure: INVALID_ARGUMENT FIELD_REQUIRED; NOT_FOUND VERSION_NOT_FOUND;
                FAILED_PRECONDITION VERSION_DELETED; RESOURCE_EXHAUSTED TEXT_TOO_LONG with ``limit`` and
                ``text_length``; DATA_LOSS STORED_HASH_MISMATCH; DEADLINE_EXCEEDED.
        """
        base = self._comparable(game_id, base_version_id, "base_version_id")
        version = self._comparable(game_id, version_id, "version_id")
        if base.text_hash == version.text_hash:
            return Differences(base, version, "", "", ())
        base_text = read_whole_text(self._store, game_id, base)
        deadline.require_time()
        text = read_whole_text(self._store, game_id, version)
        deadline.require_time()
        return Differences(base, version, base_text, text, changed_lines(base_text, text))

    def _comparable(self, game_id: str, version_id: str, field: str) -> Version:
        version = self._locating.version(game_id, version_id, field)
        if version.text_length > DIFF_TEXT_CODE_POINTS_MAX:
            raise Failure(
                FailureCode.RESOURCE_EXHAUSTED,
                "TEXT_TOO_LONG",
                field,
                metadata={
                    "limit": str(DIFF_TEXT_CODE_POINTS_MAX),
                    "text_length": str(version.text_length),
                },
            )
        return version


def words_of(differences: Differences, change: LineChange) -> WordDifferences:
    """Compares the words of replaced lines, where both sides are short enough for it."""
    sides = (change.span, change.new_span)
    if any(not 0 < end - start <= DIFF_WORDS_CODE_POINTS_MAX for start, end in sides):
        return WordDifferences()
    start, new_start = change.span[0], change.new_span[0]
    found = changed_words(
        differences.base_text[slice(*change.span)], differences.text[slice(*change.new_span)]
    )
    shown = [
        WordChange(
            (start + words.span[0], start + words.span[1]),
            (new_start + words.new_span[0], new_start + words.new_span[1]),
        )
        for words in found[:DIFF_WORD_CHANGES_MAX]
    ]
    return WordDifferences(shown, len(shown) == len(found))
