"""Presentation records: made of immutable facts, so that no newer version relabels an old one. Pure."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from corpus_service.domain.run_links import RunSource
from corpus_service.domain.vocabulary import RunUse, Trust
from corpus_service.presentation.limits import (
    EXCERPT_CODE_POINTS_MAX,
    RANGES_MAX,
    TITLE_CODE_POINTS_MAX,
)
from corpus_service.presentation.safe_urls import safe_url

LineRange = tuple[int, int]
# Joiners stay: emoji and several scripts need them.
_JOINERS: Final = "\u200c\u200d"
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_ID_HEX_DIGITS: Final = 32


@dataclass(frozen=True, slots=True)
class PresentationRecord:
    """See the contract's PresentationRecord; ``version_id`` is the version that the run met."""

    record_id: str
    title: str
    kind: str
    family: str
    state: RunUse
    excerpt: str
    source_id: str
    version_id: str
    ref: str
    safe_url: str
    ranges: tuple[LineRange, ...]
    ranges_truncated: bool
    trust: Trust


def make_record(
    source: RunSource, *, ref: str, excerpt: str, ranges: Iterable[LineRange]
) -> PresentationRecord:
    """Makes the record of one content.

    Args:
        source: What the run used; its version is the one that the run met.
        ref: What to open.
        excerpt: What was delivered, cut here. A body that was never delivered is not shown.
        ranges: Lines of places, in any order.
    """
    shown, truncated = bounded_ranges(ranges)
    delivered = source.use >= RunUse.CONSULTED
    return PresentationRecord(
        record_id=record_id(source.artifact_id, source.version_id),
        title=shown_title(source.title),
        kind=source.kind,
        family=source.family,
        state=source.use,
        excerpt=excerpt[:EXCERPT_CODE_POINTS_MAX] if delivered else "",
        source_id=source.source_id,
        version_id=source.version_id,
        ref=ref,
        safe_url=safe_url(source.canonical_uri),
        ranges=shown,
        ranges_truncated=truncated or source.places_cut,
        trust=source.trust,
    )


def record_id(artifact_id: str, version_id: str) -> str:
    """Returns the id of a record. Titles are no part of it: two documents may share one."""
    facts = json.dumps([version_id, artifact_id], separators=(",", ":"))
    return "source-" + hashlib.sha256(facts.encode()).hexdigest()[:_ID_HEX_DIGITS]


def shown_title(title: str) -> str:
    """Returns a title as one line without control, format and direction characters."""
    plain = "".join(
        " " if character.isspace() else character
        for character in title
        if character.isspace()
        or character in _JOINERS
        or unicodedata.category(character) not in _HIDDEN
    )
    return " ".join(plain.split())[:TITLE_CODE_POINTS_MAX].rstrip()


def bounded_ranges(ranges: Iterable[LineRange]) -> tuple[tuple[LineRange, ...], bool]:
    """Returns valid ranges in order, each once, and whether there are more than `RANGES_MAX`.

    A range that begins before line 1 or ends before it begins names nothing and is left out.
    """
    valid = sorted({(first, last) for first, last in ranges if 1 <= first <= last})
    return tuple(valid[:RANGES_MAX]), len(valid) > RANGES_MAX
