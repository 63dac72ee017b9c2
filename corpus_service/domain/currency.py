"""Which content of a source is the current one.

Order of the witnesses: a whole content before one of which nobody knows whether it is whole, that
before a part, a known fetch time before an upper bound, a later time before an earlier one; among
equals the one that arrived last. A stale copy from a cache is therefore stored as a version and
never displaces what was fetched after it was made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from corpus_service.domain.vocabulary import Completeness, Instant

GRADE_NONE: Final = 0
GRADE_PART: Final = 1
GRADE_UNKNOWN: Final = 2
GRADE_WHOLE: Final = 3

_PARTS: Final = frozenset({Completeness.WINDOWED, Completeness.TRUNCATED, Completeness.SUMMARISED})


def grade_of(completeness: Completeness) -> int:
    """Return how much a content counts as a witness of its source."""
    if completeness in (Completeness.STUB, Completeness.SHELL):
        return GRADE_NONE
    if completeness in _PARTS:
        return GRADE_PART
    return GRADE_WHOLE if completeness is Completeness.FULL else GRADE_UNKNOWN


@dataclass(frozen=True, slots=True, order=True)
class Claim:
    """A content's claim to be current; greater or equal displaces.

    Attributes:
        grade: One of the grades of this module.
        time_known: The fetch time is known; otherwise ``time`` is an upper bound of it.
        time: Fetch time, or when the call that returned the content ended.
    """

    grade: int
    time_known: bool
    time: Instant


NO_CLAIM: Final = Claim(GRADE_NONE, False, 0)
"""What a source without a current content has."""
