"""The sources that a tool result yields: the output of a tool-family adapter.

A draft names addresses as they were asked for; the identify stage turns them into canonical URIs
and hashes. Contents are bytes: an adapter that takes text out of JSON encodes it as UTF-8 with
U+FFFD in place of lone surrogates; nothing is lost by that, because the whole redacted result is
kept beside it.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from capture_service.domain.envelope import Completeness, Derivation

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"


class SourceRole(enum.Enum):
    """What a source is within its envelope. Names equal those of the contract."""

    ARTIFACT = 1
    DOCUMENT = 2
    STUB = 3
    FAILED = 4
    DERIVED = 5


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that a source or a tool says about the source; never a key."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Representation:
    """Another representation of the same source beside its content, such as rawHtml."""

    name: str
    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Window:
    """The part of the whole that a content holds; both ends count from 1 and are included.

    ``unit`` is "lines", "characters", "bytes", "pages" or "items"; ``total`` 0 means not declared.
    """

    unit: str
    start: int
    end: int
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDraft:
    """One observation of one source, before it has an identity.

    Attributes:
        uri: Address that is the key before canonicalisation: a URL as it was asked for, a ``file:``
            URI
            made from a path alias, or a ``tool:`` URI.
        content: Bytes of the content; None where there is none (stub, failed without a text).
        parent_position: 0-based position of the parent among the drafts of the envelope, None for
            none. fetched_at: True fetch time where known. None with ``fetch_time_unknown`` false
            means the call's
            own end is the fetch time.
        metadata: Further facts; JSON values only.
        drops: Things left out by reason, counted.
    """

    uri: str
    family: str
    kind: str
    role: SourceRole
    completeness: Completeness
    requested_uri: str = ""
    final_uri: str = ""
    title: str = ""
    content: bytes | None = None
    content_type: str = ""
    window: Window | None = None
    derivation: Derivation = Derivation.AS_RETURNED
    fetched_at: datetime | None = None
    fetch_time_unknown: bool = False
    http_status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    error: str = ""
    error_code: str = ""
    parent_position: int | None = None
    rank: int = 0
    group: str = ""
    order: int = 0
    claims: tuple[Claim, ...] = ()
    representations: tuple[Representation, ...] = ()
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)
    license_hint: str = ""
    language: str = ""
    synthetic: bool = False
    shape_unknown: bool = False
    snippet: str = ""
    never_current: bool = False
    also_stub: bool = False
    upstream_masked: bool = False
    job_id: str = ""
    repeats_earlier_content: bool = False


@dataclass(frozen=True, slots=True)
class Adaptation:
    """What an adapter made of an envelope.

    ``family`` "" means that no family captures this tool: the envelope is IGNORED and counted by
    tool name.
    """

    family: str
    drafts: tuple[SourceDraft, ...] = ()
    drops: Mapping[str, int] = field(default_factory=dict)
