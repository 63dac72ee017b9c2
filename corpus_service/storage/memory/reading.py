"""Read models of the tables in memory."""

from __future__ import annotations

import json
from collections.abc import Sequence

from corpus_service.domain.queries import FacetField, PassageFilter, SearchFilter
from corpus_service.domain.records import CaptureRecord
from corpus_service.domain.sources import Observation, Passage, Source, Version
from corpus_service.domain.vocabulary import CODE_FAMILY, JOB_FAMILY, Completeness, VersionScope
from corpus_service.search.exact_view import fold_title
from corpus_service.search.speakers import speaks
from corpus_service.storage.memory.ingest import host_of
from corpus_service.storage.memory.tables import (
    MemoryGame,
    MemoryObservation,
    MemorySource,
    MemoryVersion,
)
from sourcecorpus.identity.identifiers import source_id


def original_uri(source: MemorySource) -> str:
    """Address to open the original."""
    captured = source.captured
    return captured.final_uri or captured.requested_uri or captured.canonical_uri


def source_model(game: MemoryGame, source: MemorySource) -> Source:
    """A source as readers see it."""
    shown = source.readable_observations()
    artifact = source.current_artifact
    fetched = [entry.fetched_time for entry in shown if entry.fetched_time is not None]
    captured = source.captured
    return Source(
        source_id=source.id,
        game_id=game.game_id,
        canonical_uri=source.canonical_uri,
        original_uri=original_uri(source),
        family=captured.family,
        kind=captured.kind,
        title=source.title,
        trust=artifact.trust if artifact else source.trust,
        current_version_id=source.current.id if source.current else "",
        version_count=sum(len(entry.versions) for entry in source.artifacts),
        observation_count=len(shown),
        size_bytes=artifact.size_bytes if artifact else 0,
        language=source.current.language if source.current else "",
        content_type=artifact.content_type if artifact else "",
        completeness=artifact.completeness if artifact else Completeness.UNSPECIFIED,
        fetched_time=max(fetched) if fetched else None,
        first_observed_time=min(entry.record.finished_time for entry in shown),
        last_observed_time=max(entry.record.finished_time for entry in shown),
        license_hint=captured.license_hint,
        extraction_failure=artifact.failure if artifact and not source.current else "",
    )


def version_model(game: MemoryGame, version: MemoryVersion) -> Version:
    """A version as readers see it."""
    artifact, text = version.artifact, version.prepared
    source = artifact.source
    return Version(
        version_id=version.id,
        game_id=game.game_id,
        source_id=source.id,
        artifact_id=artifact.id,
        canonical_uri=source.canonical_uri,
        original_uri=original_uri(source),
        content_hash=artifact.content_hash,
        text_hash=text.text_hash,
        text_length=len(version.text),
        line_count=text.line_count,
        chunk_count=len(version.chunks),
        title=version.title,
        family=artifact.family,
        kind=artifact.kind,
        language=version.language,
        extractor=text.extractor,
        extractor_version=text.extractor_version,
        content_type=artifact.content_type,
        size_bytes=artifact.size_bytes,
        completeness=artifact.completeness,
        fetched_time=artifact.fetched_time,
        created_time=version.created_time,
        current=source.current is version,
        trust=artifact.trust,
        observation_count=artifact.observation_count,
        synthetic=artifact.synthetic,
        repairs=dict(text.repairs),
        facts_json=text.facts_json,
    )


def observation_model(game: MemoryGame, entry: MemoryObservation) -> Observation:
    """An observation as readers see it."""
    record, captured = entry.record, entry.captured
    code = _code_source(game, record)
    failure = entry.artifact.failure if entry.artifact and not entry.artifact.versions else ""
    return Observation(
        observation_id=entry.id,
        envelope_id=record.envelope_id,
        artifact_id=entry.artifact.id if entry.artifact else "",
        role=captured.role,
        observed_time=record.finished_time,
        fetched_time=entry.fetched_time,
        run_id=record.run_id,
        session_id=record.session_id,
        tool_call_id=record.tool_call_id,
        tool_name=record.tool_name,
        completeness=captured.completeness,
        window=captured.window,
        http_status=captured.http_status,
        error=captured.error,
        requested_uri=captured.requested_uri,
        final_uri=captured.final_uri,
        claims=captured.claims,
        representations=captured.representations,
        metadata_json=captured.metadata_json,
        rank=captured.rank,
        derivation=captured.derivation,
        parent_source_id=entry.parent.id if entry.parent else code,
        upstream_masked=captured.upstream_masked,
        result_hash=record.result_hash,
        extraction_failure=failure,
        parent_tool_call_id=record.parent_tool_call_id,
        parent_inferred=entry.parent is None and bool(code),
    )


def _code_source(game: MemoryGame, record: CaptureRecord) -> str:
    """The one code run of the same task within whose time a nested call ended, else ""."""
    if not record.task_id or record.session_id or record.tool_call_id:
        return ""
    found = [
        source_id(game.game_id, run.sources[0].canonical_uri)
        for run in (entry.record for entry in game.envelopes.values() if entry.readable)
        if run.sources
        and run.task_id == record.task_id
        and run.tool_call_id
        and record.parent_tool_call_id in ("", run.tool_call_id)
        and run.started_time is not None
        and run.started_time <= record.finished_time <= run.finished_time
        and run.sources[0].family == CODE_FAMILY
    ]
    return found[0] if len(found) == 1 else ""


def passage_model(version: MemoryVersion, ordinal: int) -> Passage:
    """A chunk with its text."""
    chunk = version.chunks[ordinal]
    return Passage(
        row=version.row + ordinal,
        version_id=version.id,
        ordinal=ordinal,
        start=chunk.start,
        end=chunk.end,
        first_line=chunk.first_line,
        heading_path=tuple(json.loads(chunk.heading_path)),
        text=chunk.text,
        token_count=chunk.token_count,
    )


def facet_values(version: MemoryVersion, fields: Sequence[FacetField]) -> list[str]:
    """Facts of a version by which it is counted."""
    artifact = version.artifact
    known = {
        FacetField.FAMILY: artifact.family,
        FacetField.HOST: host_of(artifact.source.canonical_uri),
        FacetField.KIND: artifact.kind,
        FacetField.LANGUAGE: version.language,
    }
    return [known[field] for field in fields]


def version_fits(
    game: MemoryGame, version: MemoryVersion, narrowing: SearchFilter, sequence: int
) -> bool:
    """Whether a search sees a version."""
    artifact = version.artifact
    source = artifact.source
    if (
        narrowing.version_scope is VersionScope.LATEST
        and source.current_at(sequence) is not version
    ):
        return False
    media_type = artifact.content_type.partition(";")[0].strip().lower()
    for values, value in (
        (narrowing.families, artifact.family),
        (narrowing.kinds, artifact.kind),
        (narrowing.hosts, host_of(source.canonical_uri)),
        (narrowing.languages, version.language),
        (narrowing.content_types, media_type),
        (narrowing.trust, artifact.trust),
    ):
        if values and value not in values:
            return False
    if narrowing.titles and fold_title(version.title) not in narrowing.titles:
        return False
    if narrowing.collections and not _listed(source, narrowing.collections, sequence):
        return False
    prefixes, runs, fetched = narrowing.uri_prefixes, narrowing.run_ids, artifact.fetched_time
    after, before = narrowing.fetched_after, narrowing.fetched_before
    return (
        (not prefixes or source.canonical_uri.startswith(prefixes))
        and (not runs or any(linked(game, run, artifact.id, sequence) for run in runs))
        and (after is None or (fetched is not None and fetched >= after))
        and (before is None or (fetched is not None and fetched < before))
    )


def _listed(source: MemorySource, collections: tuple[str, ...], sequence: int) -> bool:
    """Whether a job with one of these ids or folded titles listed a source."""
    return any(
        job.captured.family == JOB_FAMILY
        and bool(job.readable_observations())
        and (job.id in collections or fold_title(job.title) in collections)
        for entry in source.readable_observations()
        if entry.sequence <= sequence and (job := entry.parent) is not None
    )


def passage_fits(version: MemoryVersion, row: int, within: PassageFilter) -> bool:
    """Whether a search sees a passage of a version that it sees."""
    chunk = version.chunks[row - version.row]
    headings = {fold_title(heading) for heading in json.loads(chunk.heading_path)}
    begins_line = chunk.start == 0 or version.text[chunk.start - 1] == "\n"
    return (not within.sections or not headings.isdisjoint(within.sections)) and (
        not within.speakers or speaks(chunk.text, within.speakers, begins_line=begins_line)
    )


def linked(game: MemoryGame, run_id: str, artifact: str, sequence: int) -> bool:
    """Whether a run was linked with an artifact at a commit."""
    link = game.links.get((run_id, artifact))
    return link is not None and link[1] <= sequence
