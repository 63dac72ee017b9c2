"""Captured sources out of rows of an export."""

from __future__ import annotations

import json

from corpus_service.domain.exports import Row
from corpus_service.domain.records import CapturedSource
from corpus_service.domain.vocabulary import Completeness, Derivation, SourceRole
from corpus_service.storage.json_values import read_claims, read_window


def read_captured(uri: str, content_hash: str, row: Row) -> CapturedSource:
    """Returns the source of an observation; ``row`` has the columns of the table behind ``outcome``."""
    repeats = bool(row[32])
    return CapturedSource(
        canonical_uri=uri,
        content_hash="" if repeats else content_hash,
        role=SourceRole(row[0]),
        completeness=Completeness(row[1]),
        derivation=Derivation(row[2]),
        fetched_time=row[3],
        fetch_time_unknown=bool(row[4]),
        family=row[5],
        kind=row[6],
        title=row[7],
        content_type=row[8],
        requested_uri=row[9],
        final_uri=row[10],
        canonicalised=bool(row[11]),
        locator=row[12],
        window=read_window(row[13]),
        http_status=row[14],
        headers=json.loads(row[15]) if row[15] else {},
        error=row[16],
        error_code=row[17],
        rank=row[18],
        group=row[19],
        order=row[20],
        claims=read_claims(row[21]),
        metadata_json=row[22],
        license_hint=row[23],
        language=row[24],
        synthetic=bool(row[25]),
        shape_unknown=bool(row[26]),
        snippet=row[27],
        never_current=bool(row[28]),
        also_stub=bool(row[29]),
        upstream_masked=bool(row[30]),
        job_id=row[31],
        repeats_earlier_content=repeats,
    )
