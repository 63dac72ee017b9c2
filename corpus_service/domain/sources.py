"""Sources, versions, observations and passages as readers see them.

Everything here has passed the eligibility predicate of `corpus_service.trust`. Spans are half-open
and count Unicode code points of the version's normalised text; lines count from 1 and end at a line
feed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from corpus_service.domain.records import Claim, Representation, Window
from corpus_service.domain.vocabulary import Completeness, Derivation, Instant, SourceRole, Trust


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A state of a game that a page token can name.

    Attributes:
        epoch: Identity of the game's store and of its deletions: changes with every deletion,
            rebuild and restore; a token of another epoch is void.
        sequence: Number of the newest commit; rises with every commit, never falls.
    """

    epoch: str
    sequence: int


@dataclass(frozen=True, slots=True)
class Source:
    """Everything that was observed under one canonical URI; see the contract's Source."""

    source_id: str
    game_id: str
    canonical_uri: str
    original_uri: str
    family: str
    kind: str
    title: str
    trust: Trust
    current_version_id: str
    version_count: int
    observation_count: int
    size_bytes: int
    language: str
    content_type: str
    completeness: Completeness
    fetched_time: Instant | None
    first_observed_time: Instant
    last_observed_time: Instant
    license_hint: str
    extraction_failure: str


@dataclass(frozen=True, slots=True)
class Version:
    """One stored text of a source; see the contract's Version.

    ``original_uri`` is the address to open the original, ``facts_json`` is what
    `corpus_service.domain.text_facts.TextFacts` reads.
    """

    version_id: str
    game_id: str
    source_id: str
    artifact_id: str
    canonical_uri: str
    original_uri: str
    content_hash: str
    text_hash: str
    text_length: int
    line_count: int
    chunk_count: int
    title: str
    family: str
    kind: str
    language: str
    extractor: str
    extractor_version: str
    content_type: str
    size_bytes: int
    completeness: Completeness
    fetched_time: Instant | None
    created_time: Instant
    current: bool
    trust: Trust
    observation_count: int
    synthetic: bool
    repairs: Mapping[str, int]
    facts_json: str


@dataclass(frozen=True, slots=True)
class Observation:
    """One time that a tool returned a source; see the contract's Observation.

    ``parent_inferred``: nobody named the parent; it is the code run of the same task within whose
    time the call ended.
    """

    observation_id: str
    envelope_id: str
    artifact_id: str
    role: SourceRole
    observed_time: Instant
    fetched_time: Instant | None
    run_id: str
    session_id: str
    tool_call_id: str
    tool_name: str
    completeness: Completeness
    window: Window | None
    http_status: int
    error: str
    requested_uri: str
    final_uri: str
    claims: tuple[Claim, ...]
    representations: tuple[Representation, ...]
    metadata_json: str
    rank: int
    derivation: Derivation
    parent_source_id: str
    upstream_masked: bool
    result_hash: str
    extraction_failure: str
    parent_tool_call_id: str
    parent_inferred: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One line, or a part of it: text without its line end, ``offset`` within the version."""

    number: int
    text: str
    offset: int
    partial: bool


@dataclass(frozen=True, slots=True)
class LineSlice:
    """Consecutive lines of a version.

    Attributes:
        lines: The lines; the last one may be partial.
        start: First code point of the slice.
        end: Code point behind the last one; the line feed of a line is inside where another line
            follows.
        next_line: Line where reading goes on, 0 at the end of the text.
        next_line_offset: Code points of that line that were given already.
        proven: The whole text of the version has its hash.
    """

    lines: tuple[Line, ...]
    start: int
    end: int
    next_line: int
    next_line_offset: int
    proven: bool = False


@dataclass(frozen=True, slots=True)
class SpanText:
    """The text of a span and the first and last line that it touches; an empty one touches one."""

    text: str
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class Passage:
    """One chunk of a version with its text: what a search hit is made of.

    ``row`` is the number of the chunk within the game, the second key of keyset paging. Its public id
    comes from ``version_id`` and ``ordinal``; most passages are compared and never shown.
    """

    row: int
    version_id: str
    ordinal: int
    start: int
    end: int
    first_line: int
    heading_path: tuple[str, ...]
    text: str
    token_count: int


@dataclass(frozen=True, slots=True)
class ContentFacts:
    """Names stored bytes: their hash, number and media type ("" where unknown)."""

    content_hash: str
    size_bytes: int
    content_type: str
