"""BM25 over prepared texts, straight from the contract of `PassageIndex`."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from corpus_service.domain.queries import And, Not, Or, Phrase, Prefix, Query, Term
from corpus_service.storage.passage_interface import HEADING_WEIGHT

K1: Final = 1.2
B: Final = 0.75
IDF_MIN: Final = 1e-6

Leaf: TypeAlias = Term | Phrase | Prefix


def tokens_of(prepared: str) -> list[str]:
    """Cut a prepared text: runs of letters, numbers and private characters."""
    found: list[str] = []
    run: list[str] = []
    for character in prepared:
        category = unicodedata.category(character)
        if category[0] in "LN" or category == "Co":
            run.append(character)
        elif run:
            found.append("".join(run))
            run = []
    if run:
        found.append("".join(run))
    return found


@dataclass(slots=True)
class IndexedChunk:
    """Tokens of one chunk, heading and body apart: a leaf lies within one of them."""

    heading: list[str]
    body: list[str]
    counts: dict[Leaf, tuple[int, int]] = field(default_factory=dict)

    @property
    def length(self) -> int:
        """Tokens of both columns."""
        return len(self.heading) + len(self.body)

    def count(self, leaf: Leaf) -> tuple[int, int]:
        """Occurrences of a leaf in heading and body."""
        known = self.counts.get(leaf)
        if known is None:
            known = self.counts[leaf] = (_count(self.heading, leaf), _count(self.body, leaf))
        return known

    def matches(self, query: Query) -> bool:
        """Whether the chunk matches a query."""
        if isinstance(query, And):
            return all(self.matches(part) for part in query.parts)
        if isinstance(query, Or):
            return any(self.matches(part) for part in query.parts)
        if isinstance(query, Not):
            return self.matches(query.wanted) and not self.matches(query.unwanted)
        return any(self.count(query))


def ranked(chunks: Mapping[int, IndexedChunk], query: Query) -> list[tuple[float, int]]:
    """Return (score, row) of every match, best first, of equal scores the greatest row first."""
    if not chunks:
        return []
    average = sum(chunk.length for chunk in chunks.values()) / len(chunks)
    leaves = _leaves(query)
    weights = [
        _idf(len(chunks), sum(any(chunk.count(leaf)) for chunk in chunks.values()))
        for leaf in leaves
    ]
    found: list[tuple[float, int]] = []
    for row, chunk in chunks.items():
        if chunk.matches(query):
            score = 0.0
            for leaf, weight in zip(leaves, weights, strict=True):
                heading, body = chunk.count(leaf)
                frequency = heading * HEADING_WEIGHT + body
                norm = K1 * (1 - B + B * chunk.length / average)
                score += weight * (frequency * (K1 + 1.0)) / (frequency + norm)
            found.append((score, row))
    found.sort(key=lambda entry: (-entry[0], -entry[1]))
    return found


def _idf(chunks: int, matching: int) -> float:
    return max(math.log((chunks - matching + 0.5) / (matching + 0.5)), IDF_MIN)


def _leaves(query: Query) -> list[Leaf]:
    if isinstance(query, (And, Or)):
        return [leaf for part in query.parts for leaf in _leaves(part)]
    if isinstance(query, Not):
        return _leaves(query.wanted)
    return [query]


def _count(tokens: Sequence[str], leaf: Leaf) -> int:
    wanted = (leaf.token,) if isinstance(leaf, Term) else leaf.tokens
    last = len(wanted) - 1
    begun = isinstance(leaf, Prefix)
    return sum(
        all(
            tokens[start + offset].startswith(token)
            if begun and offset == last
            else tokens[start + offset] == token
            for offset, token in enumerate(wanted)
        )
        for start in range(len(tokens) - last)
    )
