"""Closed vocabularies of the corpus. Numbers and names equal those of the contract."""

from __future__ import annotations

import enum
from typing import Final, TypeAlias

Instant: TypeAlias = int
"""A time in nanoseconds since 1970-01-01T00:00:00Z; what ``Timestamp.ToNanoseconds`` returns."""


CODE_FAMILY: Final = "code_run"
"""Family of the calls that make further calls: their results hang under the run's source."""

JOB_FAMILY: Final = "crawl_job"
"""Family of the jobs that list pages: what they fetched hangs under the job's source, in order."""


class Completeness(enum.IntEnum):
    """How much of what was asked for a content holds."""

    UNSPECIFIED = 0
    FULL = 1
    WINDOWED = 2
    TRUNCATED = 3
    SUMMARISED = 4
    STUB = 5
    SHELL = 6
    UNKNOWN = 7


class Derivation(enum.IntEnum):
    """How a content was derived from what the tool returned."""

    UNSPECIFIED = 0
    AS_RETURNED = 1
    NUMBERED_LINES = 2
    STDOUT = 3
    PAGE_WINDOW = 4
    CACHE_FILE = 5


class ToolStatus(enum.IntEnum):
    """What the hook reported about the call; it says nothing about the success of a fetch."""

    UNSPECIFIED = 0
    OK = 1
    ERROR = 2
    BLOCKED = 3
    TIMEOUT = 4
    CANCELLED = 5


class SourceRole(enum.IntEnum):
    """What a captured source is within its envelope."""

    UNSPECIFIED = 0
    ARTIFACT = 1
    DOCUMENT = 2
    STUB = 3
    FAILED = 4
    DERIVED = 5


class Trust(enum.IntEnum):
    """How far a source may be trusted as a witness."""

    UNSPECIFIED = 0
    FETCHED = 1
    LOCAL = 2
    DISCOVERY = 3
    SYNTHETIC = 4


class RunUse(enum.IntEnum):
    """What a run did with an artifact; a stored use only rises."""

    DISCOVERED = 1
    CONSULTED = 2
    CITED = 3


class Outcome(enum.IntEnum):
    """What became of a record or of one of its sources."""

    STORED = 1
    OBSERVED_AGAIN = 2
    NEW_VERSION = 3
    PAUSED = 5
    UNKNOWN_GAME = 7
    OVER_QUOTA = 8
    QUARANTINED = 9
    REJECTED = 10
    DUPLICATE_ENVELOPE = 11


class IngestStatus(enum.IntEnum):
    """What became of a record on its way into the store."""

    COMMITTED = 1
    DUPLICATE = 2
    NEED_CONTENT = 3
    REJECTED = 4
    RETRY_LATER = 5


class VersionScope(enum.IntEnum):
    """Which versions a search sees."""

    LATEST = 1
    ALL = 2
