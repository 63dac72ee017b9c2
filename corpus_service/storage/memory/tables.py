"""What the backend in memory keeps of one game."""

from __future__ import annotations

from dataclasses import dataclass, field

from corpus_service.domain.currency import NO_CLAIM, Claim
from corpus_service.domain.deletions import Tombstone
from corpus_service.domain.records import CapturedSource, CaptureRecord, IngestResult
from corpus_service.domain.refreshes import RefreshRequest
from corpus_service.domain.vocabulary import Completeness, Instant, RunUse, Trust
from corpus_service.storage.memory.ranking import IndexedChunk
from corpus_service.storage.preparation import ContentPiece, PreparedChunk, PreparedText


@dataclass(slots=True)
class MemoryContent:
    """Bytes in pieces, compressed as a record brings them."""

    size_bytes: int
    pieces: list[ContentPiece]
    content_type: str = ""
    complete: bool = True
    referenced: bool = False
    readable: bool = False
    damaged: bool = False
    begun_time: Instant = 0


@dataclass(slots=True)
class MemoryVersion:
    """One text; ``row`` is the number of its first chunk."""

    row: int
    id: str
    artifact: MemoryArtifact
    sequence: int
    created_time: Instant
    text: str
    title: str
    language: str
    prepared: PreparedText
    chunks: tuple[PreparedChunk, ...]


@dataclass(slots=True)
class MemoryArtifact:
    """One content under one canonical URI."""

    id: str
    source: MemorySource
    content_hash: str
    content_type: str
    size_bytes: int
    family: str
    kind: str
    completeness: Completeness
    trust: Trust
    grade: int = NO_CLAIM.grade
    synthetic: bool = True
    readable: bool = False
    fetched_time: Instant | None = None
    observation_count: int = 0
    versions: list[MemoryVersion] = field(default_factory=list)
    # Extractor and version that failed last.
    failed_extractor: tuple[str, str] = ("", "")
    # What the first observation said.
    title: str = ""
    run_id: str = ""
    tool_call_id: str = ""
    parent_id: str = ""
    license_hint: str = ""
    metadata_json: str = ""
    failure: str = ""


@dataclass(slots=True)
class MemoryObservation:
    """One readable or hidden observation."""

    id: str
    record: CaptureRecord
    captured: CapturedSource
    artifact: MemoryArtifact | None
    parent: MemorySource | None
    fetched_time: Instant | None
    sequence: int
    readable: bool
    number: int
    position: int


@dataclass(slots=True)
class MemorySource:
    """One canonical URI with its current content."""

    row: int
    id: str
    canonical_uri: str
    captured: CapturedSource
    title: str
    trust: Trust
    artifacts: list[MemoryArtifact] = field(default_factory=list)
    observations: list[MemoryObservation] = field(default_factory=list)
    claim: Claim = NO_CLAIM
    current: MemoryVersion | None = None
    current_artifact: MemoryArtifact | None = None
    # Each change of the current version with the commit that made it.
    currency: list[tuple[int, MemoryVersion]] = field(default_factory=list)

    def readable_observations(self) -> list[MemoryObservation]:
        """The observations in reading paths, in order of their commits."""
        return [entry for entry in self.observations if entry.readable]

    def current_at(self, sequence: int) -> MemoryVersion | None:
        """The version that was current at a commit."""
        found = None
        for since, version in self.currency:
            if since <= sequence:
                found = version
        return found


@dataclass(frozen=True, slots=True)
class MemoryEnvelope:
    """One record with what came of it."""

    record: CaptureRecord
    result: IngestResult
    readable: bool
    sequence: int
    committed_time: Instant


@dataclass(slots=True)
class MemoryGame:
    """Everything of one game."""

    game_id: str
    epoch: str
    sequence: int = 0
    next_chunk: int = 1
    next_observation: int = 1
    contents: dict[str, MemoryContent] = field(default_factory=dict)
    sources: dict[str, MemorySource] = field(default_factory=dict)
    artifacts: dict[str, MemoryArtifact] = field(default_factory=dict)
    versions: dict[str, MemoryVersion] = field(default_factory=dict)
    envelopes: dict[str, MemoryEnvelope] = field(default_factory=dict)
    index: dict[int, IndexedChunk] = field(default_factory=dict)
    chunk_versions: dict[int, MemoryVersion] = field(default_factory=dict)
    # (run, artifact) to use and the commit that brought the link.
    links: dict[tuple[str, str], tuple[RunUse, int]] = field(default_factory=dict)
    # (run, version, start, end) to use and the commit that brought the place.
    run_places: dict[tuple[str, str, int, int], tuple[RunUse, int]] = field(default_factory=dict)
    # Commit to the number of the next chunk after it.
    commits: dict[int, int] = field(default_factory=dict)
    tombstones: dict[str, Tombstone] = field(default_factory=dict)
    refreshes: tuple[RefreshRequest, ...] = ()
