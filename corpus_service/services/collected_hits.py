"""What one page of a search gathers on its way: passages, hits, words of the game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from corpus_service.domain.queries import Candidate
from corpus_service.domain.sources import Passage
from corpus_service.search.view import View, view_of
from corpus_service.storage.passage_interface import PassageIndex
from sourcecorpus.rpc import deadline


@dataclass(frozen=True, slots=True)
class LookedInto:
    """Passages that were looked into for one page, each asked of the store once."""

    store: PassageIndex
    game_id: str
    known: dict[int, Passage] = field(default_factory=dict)
    views: dict[int, View] = field(default_factory=dict)

    def passages(self, rows: Collection[int]) -> Mapping[int, Passage]:
        """Returns passages by their rows, others among them."""
        missing = [row for row in rows if row not in self.known]
        if missing:
            self.known.update(self.store.passages(self.game_id, missing))
        return self.known

    def view(self, passage: Passage) -> View:
        """Returns the view of a passage's text, made once."""
        found = self.views.get(passage.row)
        if found is None:
            found = self.views[passage.row] = view_of(passage.text)
        return found


@dataclass(frozen=True, slots=True)
class Step:
    """How a hit was found.

    Attributes:
        stage: Number of the stage of the plan; hits of a search never fall back to an earlier one.
        relaxed: It need not hold every word.
    """

    stage: int = 0
    relaxed: bool = False


@dataclass(slots=True)
class CollectedHits:
    """The hits of one page on the way, each row once, each version up to its share of all pages.

    ``steps`` say how the hits of ``chosen`` were found.
    """

    delivered: frozenset[int]
    shares: Counter[str]
    per_document: int
    wanted: int
    looked: LookedInto
    chosen: list[Candidate] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    @property
    def missing(self) -> int:
        """Hits that are still wanted."""
        return self.wanted - len(self.chosen)

    def fitting(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Returns the best candidates that may be given, as many as are missing."""
        shares = self.shares.copy()
        fitting: list[Candidate] = []
        for candidate in candidates:
            if candidate.row in self.delivered:
                continue
            if shares[candidate.version_id] >= self.per_document:
                continue
            shares[candidate.version_id] += 1
            fitting.append(candidate)
            if len(fitting) == self.missing:
                break
        return fitting

    def take(self, found: Sequence[Candidate], step: Step) -> None:
        """Adds hits of a step."""
        self.chosen += found
        self.steps += [step] * len(found)
        self.delivered = self.delivered.union(candidate.row for candidate in found)
        self.shares.update(candidate.version_id for candidate in found)


@dataclass(frozen=True, slots=True)
class GameVocabulary:
    """The words of one game, within the deadline of the call."""

    store: PassageIndex
    game_id: str

    def tokens(self, beginning: str, limit: int) -> Sequence[str]:
        """See `Vocabulary.tokens`."""
        return self.store.tokens(
            self.game_id, beginning, limit=limit, deadline_seconds=deadline.remaining()
        )

    def known_tokens(self, words: Sequence[str]) -> Sequence[str]:
        """See `Vocabulary.known_tokens`."""
        return self.store.known_tokens(self.game_id, words, deadline_seconds=deadline.remaining())
