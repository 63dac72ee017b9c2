"""Gives the rows of an export out of the tables in memory; the caller holds the game's lock."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Final

from corpus_service.domain.exports import TABLES, Row, TakeRow
from corpus_service.domain.records import CapturedSource
from corpus_service.storage.json_values import (
    claims_json,
    counts_json,
    headers_json,
    window_json,
)
from corpus_service.storage.memory.reading import original_uri
from corpus_service.storage.memory.tables import (
    MemoryGame,
    MemoryObservation,
    MemorySource,
    MemoryVersion,
)
from corpus_service.storage.text_proof import TextFacts, TextProof
from sourcecorpus.rpc.failures import Failure, FailureCode


def export_rows(game: MemoryGame, tables: Collection[str], take: TakeRow) -> None:
    """See `GameTransfer.export_rows`."""
    for table in TABLES:
        if table.name in tables:
            for row in _ROWS[table.name](game):
                take(table.name, row)


def _contents(game: MemoryGame) -> Iterator[Row]:
    shown = {name: content for name, content in game.contents.items() if content.readable}
    named = {artifact.content_hash for artifact in game.artifacts.values() if artifact.readable}
    if not named <= shown.keys():
        raise Failure(FailureCode.DATA_LOSS, "STORED_HASH_MISMATCH", "content_hash")
    for name in sorted(shown):
        yield name, shown[name].size_bytes, shown[name].content_type


def _shown_sources(game: MemoryGame) -> list[MemorySource]:
    found = [source for source in game.sources.values() if source.readable_observations()]
    return sorted(found, key=lambda source: source.row)


def _sources(game: MemoryGame) -> Iterator[Row]:
    for source in _shown_sources(game):
        captured = source.captured
        yield (
            source.id,
            source.canonical_uri,
            original_uri(source),
            captured.family,
            captured.kind,
            source.title,
            source.trust,
            captured.license_hint,
        )


def _artifacts(game: MemoryGame) -> Iterator[Row]:
    for artifact in game.artifacts.values():
        if not artifact.readable:
            continue
        parent = game.artifacts.get(artifact.parent_id)
        yield (
            artifact.id,
            artifact.source.id,
            artifact.source.canonical_uri,
            artifact.content_hash,
            artifact.content_type,
            artifact.size_bytes,
            artifact.family,
            artifact.kind,
            artifact.title,
            artifact.run_id,
            artifact.tool_call_id,
            parent.id if parent is not None and parent.readable else "",
            artifact.license_hint,
            artifact.metadata_json,
            artifact.completeness,
            artifact.grade,
            artifact.trust,
            int(artifact.synthetic),
            artifact.failure,
            *artifact.failed_extractor,
        )


def _ordered(game: MemoryGame) -> list[MemoryVersion]:
    return sorted(game.versions.values(), key=lambda version: version.row)


def _versions(game: MemoryGame) -> Iterator[Row]:
    for version in _ordered(game):
        text = version.prepared
        yield (
            version.id,
            version.artifact.id,
            text.extractor,
            text.extractor_version,
            version.language,
            version.created_time,
            version.sequence,
            text.text_hash,
            text.text_length,
            text.line_count,
            len(version.chunks),
            version.title,
            counts_json(text.repairs),
            text.facts_json,
        )


def _currents(game: MemoryGame) -> Iterator[Row]:
    for source in _shown_sources(game):
        if source.current_artifact is None:
            continue
        claim = source.claim
        yield (
            source.id,
            source.current_artifact.id,
            source.current.id if source.current else "",
            claim.grade,
            int(claim.time_known),
            claim.time,
        )


def _chunks(game: MemoryGame) -> Iterator[Row]:
    for version in _ordered(game):
        text = version.prepared
        proof = TextProof(
            TextFacts(
                version.id, text.text_hash, text.text_length, text.line_count, len(version.chunks)
            )
        )
        for ordinal, chunk in enumerate(version.chunks):
            proof.follows(ordinal, chunk.start, chunk.end, chunk.first_line, chunk.text)
            yield (
                version.id,
                ordinal,
                chunk.start,
                chunk.end,
                chunk.first_line,
                chunk.token_count,
                chunk.heading_path,
                chunk.text,
            )
        if version.chunks and not proof.whole():
            raise Failure(
                FailureCode.DATA_LOSS, "STORED_HASH_MISMATCH", metadata={"version_id": version.id}
            )


def _envelopes(game: MemoryGame) -> Iterator[Row]:
    for name, envelope in game.envelopes.items():
        if not envelope.readable:
            continue
        record = envelope.record
        yield (
            name,
            record.envelope_fingerprint,
            envelope.sequence,
            envelope.committed_time,
            envelope.result.outcome,
            record.tool_name,
            record.capture_session_id,
            record.run_id,
            record.session_id,
            record.parent_session_id,
            record.task_id,
            record.turn_id,
            record.tool_call_id,
            record.parent_tool_call_id,
            record.attempt,
            record.arguments,
            record.result_hash,
            record.result_media_type,
            record.status,
            record.error,
            record.started_time,
            record.finished_time,
            record.received_time,
            record.redaction_rule_set_version,
            record.redaction_key_id,
            counts_json(record.masks),
            int(record.access.authenticated),
            int(record.access.paywalled),
            record.access.robots,
            record.client_name,
            record.client_version,
            record.traceparent,
        )


def _shown_observations(game: MemoryGame) -> list[tuple[MemorySource, MemoryObservation]]:
    """Observations with their sources, in the order in which they were stored."""
    found = [
        (source, entry)
        for source in game.sources.values()
        for entry in source.readable_observations()
    ]
    return sorted(found, key=lambda item: item[1].number)


def _observations(game: MemoryGame) -> Iterator[Row]:
    results = {
        part.observation_id: part
        for envelope in game.envelopes.values()
        for part in envelope.result.sources
    }
    for source, entry in _shown_observations(game):
        result = results[entry.id]
        parent = entry.parent
        yield (
            entry.record.envelope_id,
            entry.position,
            source.id,
            entry.artifact.id if entry.artifact else "",
            result.version_id,
            parent.id if parent is not None and parent.readable_observations() else "",
            result.outcome,
            *_captured(entry.captured, entry.fetched_time),
        )


def _captured(source: CapturedSource, fetched_time: int | None) -> Row:
    return (
        source.role,
        source.completeness,
        source.derivation,
        fetched_time,
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
    )


def _representations(game: MemoryGame) -> Iterator[Row]:
    for _, entry in _shown_observations(game):
        for number, part in enumerate(entry.captured.representations):
            yield (
                entry.record.envelope_id,
                entry.position,
                number,
                part.name,
                part.media_type,
                part.content_hash,
            )


def _run_links(game: MemoryGame) -> Iterator[Row]:
    found = [
        (run, artifact, use, sequence)
        for (run, artifact), (use, sequence) in game.links.items()
        if artifact in game.artifacts and game.artifacts[artifact].readable
    ]
    yield from sorted(found, key=lambda link: (link[3], link[0], link[1]))


def _run_places(game: MemoryGame) -> Iterator[Row]:
    for place, (use, sequence) in sorted(game.run_places.items()):
        yield (*place, use, sequence)


def _tombstones(game: MemoryGame) -> Iterator[Row]:
    for name in sorted(game.tombstones.keys() - game.versions.keys()):
        buried = game.tombstones[name]
        yield (
            name,
            buried.source_id,
            buried.canonical_uri,
            buried.title,
            buried.content_hash,
            buried.fetched_time,
            buried.deleted_time,
            buried.reason,
            buried.note,
        )


_ROWS: Final[dict[str, Callable[[MemoryGame], Iterator[Row]]]] = {
    "contents": _contents,
    "sources": _sources,
    "artifacts": _artifacts,
    "versions": _versions,
    "currents": _currents,
    "chunks": _chunks,
    "envelopes": _envelopes,
    "observations": _observations,
    "representations": _representations,
    "run_links": _run_links,
    "run_places": _run_places,
    "tombstones": _tombstones,
}
