"""Reads sources, versions and observations, through the views of readable rows alone."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import apsw

from corpus_service.domain.records import Representation
from corpus_service.domain.sources import Observation, Snapshot, Source, Version
from corpus_service.domain.vocabulary import Completeness, Derivation, SourceRole, Trust
from corpus_service.storage.json_values import read_claims, read_window
from corpus_service.storage.sqlite.rows import Row, all_rows
from sourcecorpus.identity.identifiers import observation_id

SOURCE_COLUMNS: Final = (
    "s.id, s.canonical_uri, s.original_uri, s.family, s.kind, s.title, s.trust,"
    " s.current_version_id, s.version_count, s.observation_count, s.size_bytes, s.language,"
    " s.content_type, s.completeness, s.fetched_time, s.first_observed_time,"
    " s.last_observed_time, s.license_hint, s.extraction_failure"
)
_VERSION: Final = (
    "id, source_id, artifact_id, canonical_uri, original_uri, content_hash, text_hash,"
    " text_length, line_count, chunk_count, title, family, kind, language, extractor,"
    " extractor_version, content_type, size_bytes, completeness, fetched_time, created_time,"
    " current, trust, observation_count, synthetic, repairs_json, facts_json"
)
_OBSERVATION: Final = (
    "row, envelope_id, position, artifact_id, role, observed_time, fetched_time, run_id,"
    " session_id, tool_call_id, tool_name, completeness, window_json, http_status, error,"
    " requested_uri, final_uri, claims_json, metadata_json, rank, derivation, parent_source_id,"
    " upstream_masked, result_hash, extraction_failure, parent_tool_call_id, code_source_id"
)


def get_source(connection: apsw.Connection, game_id: str, source_id: str) -> Source | None:
    """See `SourceReader.get_source`."""
    found = connection.execute(
        f"SELECT {SOURCE_COLUMNS} FROM readable_sources AS s WHERE s.id = ?",  # noqa: S608 - constants
        (source_id,),
    ).fetchone()
    return source_of(game_id, found) if found is not None else None


def find_source(connection: apsw.Connection, canonical_uri: str) -> str:
    """See `SourceReader.find_source`."""
    found: str | None = connection.execute(
        "SELECT id FROM readable_sources WHERE canonical_uri = ?", (canonical_uri,)
    ).get
    return found or ""


def list_versions(
    connection: apsw.Connection,
    game_id: str,
    source_id: str,
    *,
    limit: int,
    after: int,
    as_of: Snapshot,
) -> list[tuple[Version, int]]:
    """See `SourceReader.list_versions`."""
    rows = all_rows(
        connection,
        f"SELECT {_VERSION}, row FROM readable_versions"  # noqa: S608 - constants alone
        " WHERE source = (SELECT row FROM readable_sources WHERE id = :source)"
        " AND sequence <= :sequence AND (:after = 0 OR row < :after)"
        " ORDER BY row DESC LIMIT :limit",
        {"source": source_id, "sequence": as_of.sequence, "after": after, "limit": limit},
    )
    return [(_version(game_id, row[:-1]), row[-1]) for row in rows]


def get_versions(
    connection: apsw.Connection, game_id: str, version_ids: Collection[str]
) -> Mapping[str, Version]:
    """See `SourceReader.get_versions`."""
    names = list(version_ids)
    rows = all_rows(
        connection,
        f"SELECT {_VERSION} FROM readable_versions"  # noqa: S608 - constants and marks alone
        f" WHERE id IN ({', '.join('?' * len(names))})",
        names,
    )
    return {row[0]: _version(game_id, row) for row in rows}


def deleted_versions(connection: apsw.Connection, version_ids: Collection[str]) -> frozenset[str]:
    """See `SourceReader.deleted_versions`."""
    names = list(version_ids)
    rows = all_rows(
        connection,
        "SELECT version_id FROM deleted_versions"  # noqa: S608 - marks alone
        f" WHERE version_id IN ({', '.join('?' * len(names))})",
        names,
    )
    return frozenset(row[0] for row in rows)


def list_observations(
    connection: apsw.Connection, source_id: str, *, limit: int
) -> Sequence[Observation]:
    """See `SourceReader.list_observations`."""
    rows = all_rows(
        connection,
        f"SELECT {_OBSERVATION} FROM readable_observations"  # noqa: S608 - constants alone
        " WHERE source = (SELECT row FROM readable_sources WHERE id = ?)"
        " ORDER BY observed_time DESC, row DESC LIMIT ?",
        (source_id, limit),
    )
    others = _representations(connection, [row[0] for row in rows])
    return [_observation(row, others.get(row[0], ())) for row in rows]


def _representations(
    connection: apsw.Connection, observations: Sequence[int]
) -> dict[int, tuple[Representation, ...]]:
    found: dict[int, list[Representation]] = {}
    for observation, name, media_type, content_hash in all_rows(
        connection,
        "SELECT observation, name, media_type, content_hash"  # noqa: S608 - marks alone
        " FROM readable_representations"
        f" WHERE observation IN ({', '.join('?' * len(observations))})"
        " ORDER BY observation, position",
        observations,
    ):
        found.setdefault(observation, []).append(Representation(name, media_type, content_hash))
    return {row: tuple(parts) for row, parts in found.items()}


def source_of(game_id: str, row: Row) -> Source:
    """Makes a source of a row of readable_sources."""
    values = [
        row[0],
        game_id,
        *row[1:6],
        Trust(row[6]),
        *row[7:13],
        Completeness(row[13]),
        *row[14:19],
    ]
    return Source(*values)


def _version(game_id: str, row: Row) -> Version:
    repairs = row[25]
    values = [
        row[0],
        game_id,
        *row[1:18],
        Completeness(row[18]),
        row[19],
        row[20],
        bool(row[21]),
        Trust(row[22]),
        row[23],
        bool(row[24]),
        {} if repairs == "{}" else json.loads(repairs),
        row[26],
    ]
    return Version(*values)


def _observation(row: Row, representations: tuple[Representation, ...]) -> Observation:
    values = [
        observation_id(row[1], row[2]),
        row[1],
        row[3],
        SourceRole(row[4]),
        *row[5:11],
        Completeness(row[11]),
        read_window(row[12]),
        *row[13:17],
        read_claims(row[17]),
        representations,
        row[18],
        row[19],
        Derivation(row[20]),
        row[21] or row[26],
        bool(row[22]),
        *row[23:26],
        not row[21] and bool(row[26]),
    ]
    return Observation(*values)
