"""The third stage: drafts of sources get canonical URIs, content hashes and ids."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp

from capture_service.domain.envelope import Envelope
from capture_service.domain.prepared import PreparedContent, PreparedSource
from capture_service.domain.sources import JsonValue, SourceDraft
from capture_service.pipeline.texts import bounded_text, valid_text
from sourcecorpus.corpus.v1 import capture_record_pb2 as pb
from sourcecorpus.identity import artifact_id, canonicalise, source_id
from sourcecorpus.rpc.limits import (
    METADATA_JSON_BYTES_MAX,
    SNIPPET_CODE_POINTS_MAX,
    TITLE_CODE_POINTS_MAX,
    URI_BYTES_MAX,
)

_UINT32_MAX: Final = 2**32 - 1
_UINT64_MAX: Final = 2**64 - 1
_URI_BYTES_KEPT: Final = 8_192


class ContentSet:
    """The distinct contents of one envelope, each hashed once."""

    def __init__(self) -> None:
        self._by_digest: dict[bytes, PreparedContent] = {}
        self._of_object: dict[int, tuple[bytes, bytes]] = {}

    def add(self, data: bytes) -> bytes:
        """Add bytes; returns the 32 bytes of their SHA-256."""
        known = self._of_object.get(id(data))
        if known is not None:
            return known[0]
        digest = hashlib.sha256(data).digest()
        # The object is kept beside its digest, so that its identity stays its own.
        self._of_object[id(data)] = (digest, data)
        self._by_digest.setdefault(digest, PreparedContent(digest, data))
        return digest

    def keep_only(self, digests: frozenset[bytes]) -> tuple[PreparedContent, ...]:
        """The contents among some digests, in the order in which they were added."""
        return tuple(content for digest, content in self._by_digest.items() if digest in digests)


@dataclass(frozen=True, slots=True)
class Identified:
    """Sources with their identity; both tuples have the same order and length."""

    prepared: tuple[PreparedSource, ...]
    messages: tuple[pb.CapturedSource, ...]
    drops: Mapping[str, int] = field(default_factory=dict)


def hash_text(digest: bytes) -> str:
    """``sha256:<64 hex>`` of a digest."""
    return f"sha256:{digest.hex()}"


def identify(
    game_id: str,
    envelope: Envelope,
    drafts: Sequence[SourceDraft],
    contents: ContentSet,
    observed_at: datetime,
) -> Identified:
    """Give each draft its identity.

    Args:
        game_id: Canonical game id.
        envelope: The redacted envelope.
        drafts: At most ``INGEST_SOURCES_MAX`` drafts; the caller bounds them.
        contents: Receives the contents.
        observed_at: When the call ended; the fetch time of drafts that know no better.
    """
    drops: Counter[str] = Counter()
    prepared: list[PreparedSource] = []
    messages: list[pb.CapturedSource] = []
    for draft in drafts:
        message = _message(envelope, draft, contents, observed_at, drops)
        digest = contents.add(draft.content) if draft.content is not None else None
        content_hash = hash_text(digest) if digest is not None else ""
        message.content_hash = content_hash
        uri = message.canonical_uri
        messages.append(message)
        prepared.append(
            PreparedSource(
                canonical_uri=uri,
                source_id=source_id(game_id, uri),
                artifact_id=artifact_id(game_id, uri, content_hash) if content_hash else "",
                content_digest=digest,
            )
        )
    return Identified(tuple(prepared), tuple(messages), dict(drops))


def _message(
    envelope: Envelope,
    draft: SourceDraft,
    contents: ContentSet,
    observed_at: datetime,
    drops: Counter[str],
) -> pb.CapturedSource:
    canonical = canonicalise(valid_text(draft.uri))
    uri, canonicalised = canonical.value, canonical.canonicalised
    if len(uri.encode("utf-8")) > URI_BYTES_MAX:
        uri, canonicalised = _shortened(uri), False
        drops["uri_too_long"] += 1
    message = pb.CapturedSource(
        canonical_uri=uri,
        canonicalised=canonicalised,
        locator=bounded_text(canonical.locator, TITLE_CODE_POINTS_MAX),
        requested_uri=_address(draft.requested_uri or draft.uri),
        final_uri=_address(draft.final_uri),
        family=draft.family,
        kind=draft.kind,
        role=pb.SourceRole.ValueType(draft.role.value),
        title=bounded_text(draft.title, TITLE_CODE_POINTS_MAX),
        content_type=bounded_text(draft.content_type, 255),
        completeness=draft.completeness.value,  # type: ignore[arg-type]
        derivation=draft.derivation.value,  # type: ignore[arg-type]
        fetch_time_unknown=draft.fetch_time_unknown,
        http_status=_unsigned(draft.http_status, _UINT32_MAX),
        headers={valid_text(name): valid_text(value) for name, value in draft.headers.items()},
        error=bounded_text(draft.error, SNIPPET_CODE_POINTS_MAX),
        error_code=bounded_text(draft.error_code, TITLE_CODE_POINTS_MAX),
        rank=_unsigned(draft.rank, _UINT32_MAX),
        group=bounded_text(draft.group, TITLE_CODE_POINTS_MAX),
        order=_unsigned(draft.order, _UINT32_MAX),
        metadata_json=_metadata(draft.metadata, drops),
        license_hint=bounded_text(draft.license_hint, TITLE_CODE_POINTS_MAX),
        language=bounded_text(draft.language, 35),
        synthetic=draft.synthetic,
        shape_unknown=draft.shape_unknown,
        snippet=bounded_text(draft.snippet, SNIPPET_CODE_POINTS_MAX),
        never_current=draft.never_current,
        also_stub=draft.also_stub,
        upstream_masked=draft.upstream_masked or envelope.upstream_masked,
        job_id=bounded_text(draft.job_id, TITLE_CODE_POINTS_MAX),
        repeats_earlier_content=draft.repeats_earlier_content,
    )
    _add_structures(message, draft, contents)
    fetched_at = draft.fetched_at or (None if draft.fetch_time_unknown else observed_at)
    if fetched_at is not None:
        message.fetched_time.CopyFrom(timestamp(fetched_at))
    return message


def _add_structures(message: pb.CapturedSource, draft: SourceDraft, contents: ContentSet) -> None:
    if draft.window is not None:
        message.window.CopyFrom(
            pb.Window(
                unit=draft.window.unit,
                start=_unsigned(draft.window.start, _UINT64_MAX),
                end=_unsigned(draft.window.end, _UINT64_MAX),
                total=_unsigned(draft.window.total, _UINT64_MAX),
            )
        )
    if draft.parent_position is not None:
        message.parent_position = draft.parent_position + 1
    for claim in draft.claims:
        message.claims.add(
            name=valid_text(claim.name), value=bounded_text(claim.value, URI_BYTES_MAX // 4)
        )
    for representation in draft.representations:
        message.representations.add(
            name=valid_text(representation.name),
            media_type=bounded_text(representation.media_type, 255),
            content_hash=hash_text(contents.add(representation.data)),
        )


def timestamp(moment: datetime) -> Timestamp:
    """Protobuf form of a timezone-aware moment."""
    message = Timestamp()
    message.FromDatetime(moment)
    return message


def _address(text: str) -> str:
    return text if not text else bounded_text(text, URI_BYTES_MAX // 4)


def _shortened(uri: str) -> str:
    """A key for an address beyond the bound: its beginning and the hash of the whole."""
    data = uri.encode("utf-8")
    beginning = data[:_URI_BYTES_KEPT].decode("utf-8", "ignore")
    return f"{beginning}…{hash_text(hashlib.sha256(data).digest())}"


def _unsigned(number: int, most: int) -> int:
    return min(max(number, 0), most)


def _metadata(metadata: Mapping[str, JsonValue], drops: Counter[str]) -> str:
    if not metadata:
        return ""
    text = valid_text(json.dumps(metadata, ensure_ascii=False, sort_keys=True))
    if len(text.encode("utf-8")) > METADATA_JSON_BYTES_MAX:
        drops["metadata_too_large"] += 1
        return ""
    return text
