"""Suggestions: how a text may go on, and what may have been meant, in words that the corpus has.

A word is suggested only where a current version that readers see holds it now: deleted words, words of
superseded versions and of hidden captures are none.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from corpus_service.domain.queries import Term, WordUse
from corpus_service.search.limits import (
    COMMON_WORD_PASSAGES_MAX,
    COMPLETION_CODE_POINTS_MIN,
    COMPLETION_WORDS_MAX,
    CORRECTED_WORDS_MAX,
    CORRECTIONS_OF_A_WORD_MAX,
    KNOWN_WORD_PASSAGES_MAX,
    NEIGHBOURS_MAX,
    WORD_PASSAGES_MAX,
)
from corpus_service.search.query import parse_query
from corpus_service.search.snippets import find_highlights
from corpus_service.search.spelling import TypedWord, neighbours, typed_words
from corpus_service.services.collected_hits import GameVocabulary
from corpus_service.services.failures import invalid
from corpus_service.storage.passage_interface import PassageIndex
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.limits import SUGGESTED_TEXT_CODE_POINTS_MAX


class SuggestionKind(enum.IntEnum):
    """Why a word is suggested; numbers as in the contract."""

    COMPLETION = 1
    CORRECTION = 2


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A word of the corpus in place of a typed one.

    Attributes:
        kind: Why.
        word: The word as a passage writes it.
        text: The text with the word in place.
        start: First code point of the typed word.
        end: Code point behind it.
        documents: Current versions that hold the word.
        at_least: Not every passage was looked at.
    """

    kind: SuggestionKind
    word: str
    text: str
    start: int
    end: int
    documents: int
    at_least: bool


@dataclass(frozen=True, slots=True)
class _Place:
    """A word of a text that is to be replaced, and why."""

    text: str
    word: TypedWord
    kind: SuggestionKind

    def filled(self, written: str, use: WordUse) -> Suggestion:
        start, end = self.word.start, self.word.end
        return Suggestion(
            kind=self.kind,
            word=written,
            text=f"{self.text[:start]}{written}{self.text[end:]}",
            start=start,
            end=end,
            documents=use.documents,
            at_least=use.at_least,
        )


class SuggestTermsUseCase:
    """Suggests words. Safe from any thread; the deadline of the call bounds the store's work."""

    def __init__(self, store: PassageIndex) -> None:
        self._store = store

    def suggest(self, game_id: str, text: str, limit: int) -> list[Suggestion]:
        """Suggests completions of the last word, then corrections of words that nothing holds.

        Args:
            game_id: Canonical game id.
            text: What was typed so far; the last word is completed where nothing stands behind it.
            limit: Suggestions to return.

        Raises:
            Failure: INVALID_ARGUMENT QUERY_TOO_LONG, what the store raises.
        """
        if len(text) > SUGGESTED_TEXT_CODE_POINTS_MAX:
            raise invalid("QUERY_TOO_LONG", "text", limit=SUGGESTED_TEXT_CODE_POINTS_MAX)
        words = typed_words(text)
        if not words:
            # The game must exist all the same.
            self._store.known_tokens(game_id, [], deadline_seconds=deadline.remaining())
            return []
        found: list[Suggestion] = []
        last = words[-1]
        if last.end == len(text) and len(last.token) >= COMPLETION_CODE_POINTS_MIN:
            found = self._completions(game_id, text, last, limit)
            if found:
                words = words[:-1]
        for word, others in self._corrections(game_id, words):
            place = _Place(text, word, SuggestionKind.CORRECTION)
            found += self._shown(game_id, place, others, CORRECTIONS_OF_A_WORD_MAX)
        return found[:limit]

    def corrected(self, game_id: str, text: str) -> str:
        """Returns a query with words that nothing holds replaced by the likeliest ones; "" for none."""
        found: list[Suggestion] = []
        for word, others in self._corrections(game_id, typed_words(text)):
            place = _Place(text, word, SuggestionKind.CORRECTION)
            found += self._shown(game_id, place, others, 1)
        corrected = text
        for suggestion in sorted(found, key=lambda one: -one.start):
            corrected = (
                f"{corrected[: suggestion.start]}{suggestion.word}{corrected[suggestion.end :]}"
            )
        return corrected if found else ""

    def _completions(
        self, game_id: str, text: str, word: TypedWord, limit: int
    ) -> list[Suggestion]:
        counted = self._store.counted_tokens(
            game_id, word.token, limit=COMPLETION_WORDS_MAX, deadline_seconds=deadline.remaining()
        )
        most_first = sorted(
            (entry for entry in counted if entry[0] != word.token and entry[0].isalnum()),
            key=lambda entry: (-entry[1], entry[0]),
        )
        # Some of them may be in deleted or superseded texts alone.
        tokens = [token for token, _ in most_first[: 2 * limit]]
        uses = self._uses(game_id, tokens)
        ordered = {token: uses[token] for token in tokens if token in uses}
        place = _Place(text, word, SuggestionKind.COMPLETION)
        return self._shown(game_id, place, ordered, limit)

    def _corrections(
        self, game_id: str, words: Sequence[TypedWord]
    ) -> list[tuple[TypedWord, Mapping[str, WordUse]]]:
        """Returns words that no current version holds, each with the neighbours that one holds."""
        correctable = [word for word in words if word.correctable][:CORRECTED_WORDS_MAX]
        known = self._known(game_id, {word.token for word in correctable})
        vocabulary = GameVocabulary(self._store, game_id)
        found: list[tuple[TypedWord, Mapping[str, WordUse]]] = []
        for word in correctable:
            if word.token in known:
                continue
            near = neighbours(word.token, vocabulary)
            uses = self._uses(game_id, list(near)[:NEIGHBOURS_MAX])
            weights = {token: self._weight(game_id, token, use) for token, use in uses.items()}
            likeliest = sorted(uses, key=lambda token: (near[token], -weights[token], token))
            if likeliest:
                found.append((word, {token: uses[token] for token in likeliest}))
        return found

    def _weight(self, game_id: str, token: str, use: WordUse) -> int:
        """Tells common words apart: of those, documents were counted in some passages alone."""
        if not use.at_least:
            return use.documents
        return self._store.count_matches(
            game_id,
            Term(token),
            limit=COMMON_WORD_PASSAGES_MAX,
            deadline_seconds=deadline.remaining(),
        )

    def _known(self, game_id: str, tokens: Collection[str]) -> Collection[str]:
        """Returns those of some words that a current version holds; mostly the newest passages do."""
        some = self._uses(game_id, tokens, KNOWN_WORD_PASSAGES_MAX)
        rest = [token for token in tokens if token not in some]
        return {*some, *self._uses(game_id, rest)}

    def _uses(
        self, game_id: str, tokens: Collection[str], passages_max: int = WORD_PASSAGES_MAX
    ) -> Mapping[str, WordUse]:
        if not tokens:
            return {}
        return self._store.word_uses(
            game_id, tokens, passages_max=passages_max, deadline_seconds=deadline.remaining()
        )

    def _shown(
        self,
        game_id: str,
        place: _Place,
        uses: Mapping[str, WordUse],
        limit: int,
    ) -> list[Suggestion]:
        """Writes the first of some words as the passages write them."""
        first = list(uses.items())[:limit]
        if not first:
            return []
        passages = self._store.passages(game_id, [use.row for _, use in first])
        found = []
        for token, use in first:
            passage = passages.get(use.row)
            if passage is None:
                # A deletion since the look-up took it along.
                continue
            places = find_highlights(passage.text, parse_query(token).required)
            # A word of a title or a heading alone is shown folded.
            written = passage.text[slice(*places[0][0])] if places else token
            found.append(place.filled(written, use))
        return found
