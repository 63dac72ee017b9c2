"""What extraction found is added to the record before it is stored.

A page that is only a frame or a script notice is a shell, whatever the tool said about it; the
addresses of its frames become stubs under it. The corpus never fetches them. Claims and a license
that the document states about itself go to its observation where the tool told none.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import urljoin

from corpus_service.domain.records import CapturedSource, CaptureRecord, Claim
from corpus_service.domain.vocabulary import Completeness, SourceRole
from corpus_service.storage.preparation import PreparedSource
from sourcecorpus.identity import canonicalise
from sourcecorpus.rpc.limits import INGEST_SOURCES_MAX, TITLE_CODE_POINTS_MAX, URI_BYTES_MAX

_WEB: Final = ("http://", "https://")
LICENSE_CLAIM: Final = "rel=license"


def with_findings(
    record: CaptureRecord, prepared: Sequence[PreparedSource]
) -> tuple[CaptureRecord, tuple[PreparedSource, ...]]:
    """Return the record with what was found in its contents, and one entry for each source.

    Stubs stand behind the sources that the record came with, so that the position of none changes.
    """
    if not any(entry.empty_frame or entry.frame_uris or entry.claims for entry in prepared):
        return record, tuple(prepared)
    sources = [_told(source, entry) for source, entry in zip(record.sources, prepared, strict=True)]
    stubs: list[CapturedSource] = []
    for position, entry in enumerate(prepared, start=1):
        if entry.frame_uris:
            stubs += _frames(record, position, entry.frame_uris)
    del stubs[max(0, INGEST_SOURCES_MAX - len(sources)) :]
    entries = (*prepared, *(PreparedSource() for _ in stubs))
    return replace(record, sources=(*sources, *stubs)), entries


def _told(source: CapturedSource, entry: PreparedSource) -> CapturedSource:
    known = set(source.claims)
    new = tuple(claim for claim in entry.claims if claim not in known)
    completeness = Completeness.SHELL if entry.empty_frame else source.completeness
    if not new and completeness is source.completeness:
        return source
    return replace(
        source,
        completeness=completeness,
        claims=(*source.claims, *new),
        license_hint=source.license_hint or _license(new),
    )


def _license(claims: Sequence[Claim]) -> str:
    found = (claim.value for claim in claims if claim.name == LICENSE_CLAIM)
    return next(found, "")[:TITLE_CODE_POINTS_MAX]


def _frames(
    record: CaptureRecord, position: int, frame_uris: Sequence[str]
) -> list[CapturedSource]:
    page = record.sources[position - 1]
    # The tool's adapter may have named some of them.
    named = {part.canonical_uri for part in record.sources if part.parent_position == position}
    base = page.final_uri or page.requested_uri or page.canonical_uri
    found: dict[str, CapturedSource] = {}
    for written in frame_uris:
        address = _resolved(base, written)
        uri = canonicalise(address)
        if (
            not uri.canonicalised
            or not uri.value.startswith(_WEB)
            or uri.value in found
            or uri.value in named
            or len(uri.value.encode()) > URI_BYTES_MAX
        ):
            continue
        found[uri.value] = CapturedSource(
            canonical_uri=uri.value,
            requested_uri=address,
            locator=uri.locator[:TITLE_CODE_POINTS_MAX],
            family=page.family,
            kind="page",
            role=SourceRole.STUB,
            completeness=Completeness.STUB,
            fetch_time_unknown=True,
            parent_position=position,
            order=len(found) + 1,
            metadata_json=json.dumps({"named_by": "frame"}),
        )
    return list(found.values())


def _resolved(base: str, written: str) -> str:
    try:
        return urljoin(base, written)
    except ValueError:
        return written
