"""Full-text search over the passages of one game; what `corpus_service.storage.interface` promises holds here."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, Protocol

from corpus_service.domain.queries import (
    EVERY_PASSAGE,
    Candidate,
    DocumentCounts,
    FacetField,
    PassageFilter,
    Query,
    SearchFilter,
    SearchPosition,
    VersionScan,
    WordUse,
)
from corpus_service.domain.sources import Passage, Snapshot
from corpus_service.limits import VERSIONS_SCANNED_MAX

HEADING_WEIGHT: Final = 3.0
"""Weight of an occurrence in the title or heading column against one in the body."""


class PassageIndex(Protocol):
    """Full-text candidates by BM25 over the chunks of one game.

    The score of a query is the sum over its positive leaves (term, phrase, prefix) of
    ``idf · f·(k1+1) / (f + k1·(1 − b + b·D/avgdl))`` with k1 = 1.2, b = 0.75, f the weighted number
    of occurrences in the chunk, D its number of tokens, avgdl the mean of D over all indexed chunks
    of the game, and ``idf = ln((N − n + 0.5)/(n + 0.5))``, at least 1e-6, n the chunks with the
    leaf. Leaves that occur twice count twice. The formula is SQLite FTS5's bm25(); statistics cover
    all indexed chunks, whatever the filter hides. Column weights: `HEADING_WEIGHT` for heading and
    title, 1 for the body. A phrase or a term lies within one column.

    A leaf that occurs in a chunk although the And around it does not match there, inside an Or, may
    or may not add to the score: backends are free there, and query plans make no such tree.
    """

    def search(
        self,
        game_id: str,
        query: Query,
        narrowing: SearchFilter,
        *,
        limit: int,
        after: SearchPosition | None = None,
        as_of: Snapshot | None = None,
        within: PassageFilter = EVERY_PASSAGE,
        deadline_seconds: float | None = None,
    ) -> Sequence[Candidate]:
        """Returns the best matches behind ``after``: score descending, then row descending.

        So of equal scores what was stored last comes first. ``narrowing`` decides about versions,
        ``within`` about their passages.

        With ``as_of``, matches, scores and order are those of that snapshot.

        Raises:
            Failure: FAILED_PRECONDITION ``SNAPSHOT_CHANGED`` where ``as_of`` is of another epoch.
        """

    def count_matches(
        self, game_id: str, query: Query, *, limit: int, deadline_seconds: float | None = None
    ) -> int:
        """Returns the number of indexed chunks that match, counting no further than ``limit``.

        Filters do not apply: it tells common words from rare ones.
        """

    def count_documents(
        self,
        game_id: str,
        matching: Query | Collection[int],
        narrowing: SearchFilter,
        fields: Sequence[FacetField],
        *,
        passages_max: int,
        as_of: Snapshot | None = None,
        within: PassageFilter = EVERY_PASSAGE,
        deadline_seconds: float | None = None,
    ) -> DocumentCounts:
        """Counts the versions of which some chunk matches, by facts of theirs.

        Args:
            game_id: The game.
            matching: A query, or the numbers of the chunks.
            narrowing: Filter.
            fields: Facts to count by, each once.
            passages_max: Matching chunks to look at, those that were stored last; beyond them the
                counts are ``at_least``.
            as_of: Matches are those of this snapshot.
            within: Filter of passages.
            deadline_seconds: Time left.

        Raises:
            Failure: FAILED_PRECONDITION ``SNAPSHOT_CHANGED`` where ``as_of`` is of another epoch.
        """

    def tokens(
        self, game_id: str, beginning: str, *, limit: int, deadline_seconds: float | None = None
    ) -> Sequence[str]:
        """Returns the tokens of the index that begin with a text, ascending by code point, each once."""

    def known_tokens(
        self, game_id: str, tokens: Collection[str], *, deadline_seconds: float | None = None
    ) -> Sequence[str]:
        """Returns those of some tokens that the index holds, in their order."""

    def counted_tokens(
        self, game_id: str, beginning: str, *, limit: int, deadline_seconds: float | None = None
    ) -> Sequence[tuple[str, int]]:
        """Returns tokens that begin with a text, ascending, with the number of chunks that hold each.

        A hint that tells common words from rare ones: where something was deleted lately the numbers
        may be those from before; `word_uses` tells what is there.
        """

    def word_uses(
        self,
        game_id: str,
        tokens: Collection[str],
        *,
        passages_max: int,
        deadline_seconds: float | None = None,
    ) -> Mapping[str, WordUse]:
        """Returns how current versions use those of some tokens that they hold.

        Args:
            game_id: The game.
            tokens: Tokens, at most `LOOK_UP_IDS_MAX`.
            passages_max: Chunks to look at for each token, those that were stored last.
            deadline_seconds: Time left.
        """

    def passages(self, game_id: str, rows: Collection[int]) -> Mapping[int, Passage]:
        """Returns the chunks with these numbers, in one look-up."""

    def scan_versions(
        self,
        game_id: str,
        query: Query | None,
        narrowing: SearchFilter,
        *,
        first_row: int,
        limit: int,
        look_at: int = VERSIONS_SCANNED_MAX,
        as_of: Snapshot | None = None,
        deadline_seconds: float | None = None,
    ) -> VersionScan:
        """Returns versions in document order, the order in which they were stored.

        Args:
            game_id: The game.
            query: Versions of which some chunk matches; None for all.
            narrowing: Filter.
            first_row: Number of the first version that may be returned, 0 for all.
            limit: Versions to return.
            look_at: Versions that the filter is asked about; none of them may be admitted and others
                be left all the same.
            as_of: Membership is that of this snapshot.
            deadline_seconds: Time left.

        Raises:
            Failure: FAILED_PRECONDITION ``SNAPSHOT_CHANGED`` where ``as_of`` is of another epoch.
        """
