"""Brings drafts into the bounds and invariants that every later stage relies on."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from capture_service.domain.envelope import Completeness, Envelope
from capture_service.domain.sources import Adaptation, Claim, JsonValue, SourceDraft, SourceRole
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.limits import MAXIMUM_CLAIM_CODE_POINTS, MAXIMUM_CLAIMS
from capture_service.tool_families.values import plain, scalar_values
from sourcecorpus.rpc.limits import (
    METADATA_JSON_BYTES_MAX,
    SNIPPET_CODE_POINTS_MAX,
    TITLE_CODE_POINTS_MAX,
    URI_BYTES_MAX,
)

UPSTREAM_MASK: Final = re.compile(
    "«redacted:[^»\n]{0,40}»"
    r"|\b(?:ghp_|gho_|github_pat_|sk-|pk-|AKIA|xox[a-z]-|AIza|hf_|tvly-|fc-|glpat-|eyJ)"
    r"[A-Za-z0-9_-]{0,4}\.\.\.[A-Za-z0-9_-]{4}\b"
)
"""Masks of Hermes 0.19.0: `«redacted:ghp_…»` in files, six and four characters elsewhere."""

_MASKED_FAMILIES: Final = frozenset(("local_file", "http", "shell_command", "code_run"))
_COMPLETENESS_LOST: Final = frozenset(
    (Completeness.TRUNCATED, Completeness.WINDOWED, Completeness.SUMMARISED)
)


def finish(family: str, collector: DraftCollector, envelope: Envelope) -> Adaptation:
    """Returns the adaptation: bounded texts, plain JSON, positions that exist, stubs empty."""
    drops: Counter[str] = Counter(collector.drops)
    positions: dict[int, int] = {}
    finished: list[SourceDraft] = []
    for position, draft in enumerate(collector.drafts):
        uri = scalar_values(draft.uri)
        if not uri.strip() or len(uri.encode("utf-8")) > URI_BYTES_MAX:
            drops["sources_without_usable_address"] += 1
            continue
        parent = draft.parent_position
        positions[position] = len(finished)
        finished.append(
            _finished(
                replace(
                    draft,
                    uri=uri,
                    parent_position=positions.get(parent) if parent is not None else None,
                ),
                envelope,
                drops,
            )
        )
    return Adaptation(family, tuple(finished), dict(drops))


def _finished(draft: SourceDraft, envelope: Envelope, drops: Counter[str]) -> SourceDraft:
    draft = replace(
        draft,
        requested_uri=_address(draft.requested_uri, drops),
        final_uri=_address(draft.final_uri, drops),
        title=_bounded(draft.title, TITLE_CODE_POINTS_MAX, "titles_cut", drops),
        snippet=_bounded(draft.snippet, SNIPPET_CODE_POINTS_MAX, "snippets_cut", drops),
        error=scalar_values(draft.error),
        error_code=scalar_values(draft.error_code)[:TITLE_CODE_POINTS_MAX],
        group=scalar_values(draft.group),
        language=scalar_values(draft.language),
        license_hint=scalar_values(draft.license_hint),
        job_id=scalar_values(draft.job_id),
        rank=max(0, draft.rank),
        order=max(0, draft.order),
        headers={name: scalar_values(value) for name, value in draft.headers.items()},
        claims=_claims(draft.claims, drops),
        metadata=_metadata(_with_envelope_facts(draft, envelope), drops),
    )
    if draft.role is SourceRole.STUB:
        return replace(draft, content=None, content_type="", representations=(), window=None)
    if draft.content is None:
        return replace(draft, content_type="", representations=(), window=None)
    return _with_content_facts(draft, envelope)


def _with_content_facts(draft: SourceDraft, envelope: Envelope) -> SourceDraft:
    masked = draft.upstream_masked or envelope.upstream_masked
    if not masked and draft.family in _MASKED_FAMILIES and draft.content is not None:
        masked = UPSTREAM_MASK.search(draft.content.decode("utf-8", "replace")) is not None
    completeness = draft.completeness
    if envelope.completeness in _COMPLETENESS_LOST and completeness is Completeness.FULL:
        # The client knows of a loss before the adapter saw the result.
        completeness = envelope.completeness
    return replace(draft, upstream_masked=masked, completeness=completeness)


def _with_envelope_facts(draft: SourceDraft, envelope: Envelope) -> Mapping[str, JsonValue]:
    """A nested call has a task and no other id; its parent is found later, by task and time."""
    nested = envelope.task_id and not (
        envelope.session_id or envelope.tool_call_id or envelope.turn_id
    )
    return {**draft.metadata, "nested_call": True} if nested else draft.metadata


def _bounded(text: str, limit: int, reason: str, drops: Counter[str]) -> str:
    if len(text) > limit:
        drops[reason] += 1
        text = text[:limit]
    return text if text.isascii() else scalar_values(text)


def _address(text: str, drops: Counter[str]) -> str:
    text = scalar_values(text)
    if len(text.encode("utf-8")) > URI_BYTES_MAX:
        drops["addresses_too_long"] += 1
        return ""
    return text


def _claims(claims: tuple[Claim, ...], drops: Counter[str]) -> tuple[Claim, ...]:
    kept = [claim for claim in claims if len(claim.value) <= MAXIMUM_CLAIM_CODE_POINTS]
    kept = kept[:MAXIMUM_CLAIMS]
    if len(kept) < len(claims):
        drops["claims_over_limit"] += len(claims) - len(kept)
    return tuple(Claim(claim.name, scalar_values(claim.value)) for claim in kept)


def _metadata(metadata: Mapping[str, JsonValue], drops: Counter[str]) -> dict[str, JsonValue]:
    """Returns strict JSON within the wire's bound; the largest members leave first."""
    kept = {scalar_values(name): plain(value) for name, value in metadata.items()}
    sizes = {name: _size(value) + len(name) * 4 + 8 for name, value in kept.items()}
    while sum(sizes.values()) > METADATA_JSON_BYTES_MAX:
        largest = max(sizes, key=lambda name: sizes[name])
        del sizes[largest], kept[largest]
        drops["metadata_members_too_large"] += 1
    return kept


def _size(value: JsonValue) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8"))
