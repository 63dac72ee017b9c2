"""Rows of observations: every fact of a captured source, each time that a tool returned it."""

from __future__ import annotations

from typing import Final

import apsw

from corpus_service.domain.records import CapturedSource, CaptureRecord
from corpus_service.storage.json_values import claims_json, headers_json, window_json

_COLUMNS: Final = (
    "row, envelope, position, source, artifact, version, sequence, verdict, outcome,"
    " parent_source, role, completeness, derivation, observed_time, fetched_time,"
    " fetch_time_unknown, family, kind, title, content_type, requested_uri, final_uri,"
    " canonicalised, locator, window_json, http_status, headers_json, error, error_code, rank,"
    " list_group, list_order, claims_json, metadata_json, license_hint, language, synthetic,"
    " shape_unknown, snippet, never_current, also_stub, upstream_masked, job_id,"
    " repeats_earlier_content"
)
_INSERT: Final = (
    f"INSERT INTO observations ({_COLUMNS})"  # noqa: S608 - constants alone
    f" VALUES ({', '.join('?' * (_COLUMNS.count(',') + 1))})"
)


def fetched_time_of(source: CapturedSource, record: CaptureRecord) -> int | None:
    """The true fetch time: as stated, else the end of the call, else None where it is unknown."""
    if source.fetched_time is not None:
        return source.fetched_time
    return None if source.fetch_time_unknown else record.finished_time


def insert_observation(
    connection: apsw.Connection,
    keys: tuple[object, ...],
    source: CapturedSource,
    record: CaptureRecord,
) -> None:
    """Insert one observation; ``keys`` are the columns from row to parent_source."""
    connection.execute(
        _INSERT,
        (
            *keys,
            source.role,
            source.completeness,
            source.derivation,
            record.finished_time,
            fetched_time_of(source, record),
            int(source.fetch_time_unknown),
            source.family,
            source.kind,
            source.title,
            source.content_type,
            source.requested_uri,
            source.final_uri,
            int(source.canonicalised),
            source.locator,
            window_json(source.window),
            source.http_status,
            headers_json(source.headers),
            source.error,
            source.error_code,
            source.rank,
            source.group,
            source.order,
            claims_json(source.claims),
            source.metadata_json,
            source.license_hint,
            source.language,
            int(source.synthetic),
            int(source.shape_unknown),
            source.snippet,
            int(source.never_current),
            int(source.also_stub),
            int(source.upstream_masked),
            source.job_id,
            int(source.repeats_earlier_content),
        ),
    )
    if source.representations:
        connection.executemany(
            "INSERT INTO representations (observation, position, name, media_type, content_hash)"
            " VALUES (?, ?, ?, ?, ?)",
            (
                (keys[0], position, part.name, part.media_type, part.content_hash)
                for position, part in enumerate(source.representations)
            ),
        )
