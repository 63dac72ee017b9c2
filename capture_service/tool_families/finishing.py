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

_CUT_TOKEN: Final = re.compile(rb"\.\.\.[A-Za-z0-9_-]{4}")
_MASK_BYTES_BEFORE: Final = 24
"""The longest beginning of a mask has 15 bytes; the character before it decides as well."""

_SURROGATE: Final = re.compile(
    rb"\\+u[dD][89abAB][0-9a-fA-F]{2}(\\+u[dD][c-fC-F][0-9a-fA-F]{2})?"
    rb"|\\+u[dD][c-fC-F][0-9a-fA-F]{2}"
)
"""Escapes of surrogates in JSON, also in JSON within JSON; a pair has the group."""

_REPLACEMENT: Final = "\ufffd".encode()
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
        if not uri.strip():
            drops["sources_without_address"] += 1
            continue
        parent = draft.parent_position
        positions[position] = len(finished)
        finished.append(
            _finished(
                draft,
                envelope,
                drops,
                uri=uri,
                parent=positions.get(parent) if parent is not None else None,
            )
        )
    replaced = _lone_surrogates(envelope, finished)
    if replaced:
        drops["lone_surrogates_replaced"] += replaced
    return Adaptation(family, tuple(finished), dict(drops))


def _lone_surrogates(envelope: Envelope, drafts: list[SourceDraft]) -> int:
    """Count the halves of characters that no UTF-8 can hold, where a content shows them replaced."""
    if b"\\ud" not in envelope.result and b"\\uD" not in envelope.result:
        return 0
    if not any(draft.content and _REPLACEMENT in draft.content for draft in drafts):
        return 0
    return sum(match[1] is None for match in _SURROGATE.finditer(envelope.result))


def _finished(
    draft: SourceDraft,
    envelope: Envelope,
    drops: Counter[str],
    *,
    uri: str,
    parent: int | None,
) -> SourceDraft:
    empty = draft.role is SourceRole.STUB or draft.content is None
    return replace(
        draft,
        uri=uri,
        parent_position=parent,
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
        content=None if empty else draft.content,
        content_type="" if empty else draft.content_type,
        representations=() if empty else draft.representations,
        window=None if empty else draft.window,
        completeness=draft.completeness if empty else _completeness(draft, envelope),
        upstream_masked=not empty and _is_upstream_masked(draft, envelope),
    )


def _completeness(draft: SourceDraft, envelope: Envelope) -> Completeness:
    """The client may know of a loss that came before the adapter saw the result."""
    if draft.completeness is Completeness.FULL and envelope.completeness in _COMPLETENESS_LOST:
        return envelope.completeness
    return draft.completeness


def _is_upstream_masked(draft: SourceDraft, envelope: Envelope) -> bool:
    if draft.upstream_masked or envelope.upstream_masked:
        return True
    content = draft.content
    return (
        draft.family in _MASKED_FAMILIES and content is not None and _holds_upstream_mask(content)
    )


def _holds_upstream_mask(content: bytes) -> bool:
    # Each mask holds one of two fixed strings; only what stands around one is decoded.
    if b"\xc2\xabredacted:" in content:
        return UPSTREAM_MASK.search(content.decode("utf-8", "replace")) is not None
    for match in _CUT_TOKEN.finditer(content):
        around = content[max(0, match.start() - _MASK_BYTES_BEFORE) : match.end() + 4]
        if UPSTREAM_MASK.search(around.decode("utf-8", "replace")) is not None:
            return True
    return False


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
