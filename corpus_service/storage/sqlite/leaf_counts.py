"""How many chunks each word or phrase matches: remembered, and brought up to date with new chunks.

Within an epoch an index only grows, so a number that was counted once needs the new chunks alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias
from weakref import WeakKeyDictionary

import apsw

from corpus_service.domain.queries import Phrase, Prefix, Term
from corpus_service.limits import LEAF_COUNTS_KEPT_MAX
from corpus_service.storage.sqlite.match_expressions import match_expression

Leaf: TypeAlias = Term | Phrase | Prefix


@dataclass(frozen=True, slots=True)
class IndexState:
    """A state of the index of one game: chunks with numbers below ``next_chunk``.

    ``whole`` says that it is the present state: the index holds nothing else.
    """

    epoch: str
    next_chunk: int
    whole: bool


class LeafCounts:
    """Counts of one game, shared by its connections; safe from any thread."""

    def __init__(self) -> None:
        self._known: dict[Leaf, tuple[IndexState, int]] = {}

    def count(self, connection: apsw.Connection, leaf: Leaf, state: IndexState) -> int:
        """Returns the number of chunks that a leaf matches in a state."""
        known = self._known.get(leaf)
        if known is None or known[0].epoch != state.epoch or known[0].next_chunk > state.next_chunk:
            counted = _count(connection, leaf, state)
            if known is not None and not state.whole:
                # A page of an earlier search must not displace what newer ones use.
                return counted
        else:
            before, counted = known
            if before.next_chunk == state.next_chunk:
                return counted
            counted += _count_between(connection, leaf, before.next_chunk, state.next_chunk)
        if len(self._known) >= LEAF_COUNTS_KEPT_MAX:
            self._known.clear()
        self._known[leaf] = (state, counted)
        return counted


_OF_CONNECTION: WeakKeyDictionary[apsw.Connection, LeafCounts] = WeakKeyDictionary()


def share_counts(connection: apsw.Connection, counts: LeafCounts) -> None:
    """Give a connection the counts of its game."""
    _OF_CONNECTION[connection] = counts


def count_matching(connection: apsw.Connection, leaf: Leaf, state: IndexState) -> int:
    """Return the number of chunks that a leaf matches; see `LeafCounts.count`."""
    return _OF_CONNECTION.setdefault(connection, LeafCounts()).count(connection, leaf, state)


def _count(connection: apsw.Connection, leaf: Leaf, state: IndexState) -> int:
    if state.whole and isinstance(leaf, Term):
        # The vocabulary tells it in about half the time that matching takes.
        known = connection.execute(
            "SELECT doc FROM temp.token_counts WHERE term = ?", (leaf.token,)
        ).get
        return int(known or 0)
    return _count_between(connection, leaf, 0, state.next_chunk)


def _count_between(connection: apsw.Connection, leaf: Leaf, first: int, behind: int) -> int:
    matching: int = connection.execute(
        "SELECT count(*) FROM passage_index"
        " WHERE passage_index MATCH ? AND passage_index.rowid >= ? AND passage_index.rowid < ?",
        (match_expression(leaf), first, behind),
    ).get
    return matching
