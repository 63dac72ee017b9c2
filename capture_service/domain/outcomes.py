"""What became of an envelope and of each of its sources."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field


class Outcome(enum.Enum):
    """What the capture service did with an envelope. Names equal those of the contract."""

    STORED = 1
    OBSERVED_AGAIN = 2
    NEW_VERSION = 3
    IGNORED = 4
    PAUSED = 5
    NO_GAME = 6
    UNKNOWN_GAME = 7
    OVER_QUOTA = 8
    QUARANTINED = 9
    REJECTED = 10
    DUPLICATE_ENVELOPE = 11


@dataclass(frozen=True, slots=True)
class SourceOutcome:
    """What became of one source: STORED, OBSERVED_AGAIN or NEW_VERSION."""

    canonical_uri: str
    source_id: str
    artifact_id: str
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvelopeOutcome:
    """What became of one envelope; ``reason`` and ``faulty_field`` never hold payload text."""

    envelope_id: str
    outcome: Outcome
    sequence: int = 0
    reason: str = ""
    faulty_field: str = ""
    game_id: str = ""
    sources: tuple[SourceOutcome, ...] = ()
    source_count: int = 0
    masks: Mapping[str, int] = field(default_factory=dict)
    drops: Mapping[str, int] = field(default_factory=dict)
