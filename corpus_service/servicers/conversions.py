"""Domain values as messages of the contract, and back where both directions exist."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from corpus_service.domain.deletions import Tombstone
from corpus_service.domain.games import Game
from corpus_service.domain.sources import Line, Observation, Source, Version
from corpus_service.domain.text_facts import TextFacts
from corpus_service.domain.vocabulary import Instant
from corpus_service.search.limits import EXPLAINED_WORD_CODE_POINTS_MAX, EXPLAINED_WORDS_MAX
from corpus_service.services.citations import Citation, CitationFailure, Resolved, cautions_of
from corpus_service.services.refs import format_ref
from corpus_service.services.search import Explanation, Hit
from sourcecorpus.capture.v1 import envelope_pb2
from sourcecorpus.corpus.v1 import (
    capture_record_pb2,
    citation_pb2,
    citation_service_pb2,
    deletion_pb2,
    game_pb2,
    search_service_pb2,
    source_pb2,
    source_service_pb2,
)
from sourcecorpus.identity.identifiers import chunk_id


def timestamp(instant: Instant | None) -> Timestamp | None:
    """Returns the time as a message; None leaves a field absent."""
    if instant is None:
        return None
    seconds, nanos = divmod(instant, 1_000_000_000)
    return Timestamp(seconds=seconds, nanos=nanos)


def game_message(game: Game) -> game_pb2.Game:
    """Returns a game as a message."""
    return game_pb2.Game(
        game_id=game.game_id,
        title=game.title,
        aliases=game.aliases,
        paused=game.paused,
        created_time=timestamp(game.created_time),
    )


def game_of(message: game_pb2.Game) -> Game:
    """Reads a game; the time of its making is for the service to say."""
    return Game(
        game_id=message.game_id,
        title=message.title,
        aliases=tuple(message.aliases),
        paused=message.paused,
    )


def source_message(source: Source) -> source_pb2.Source:
    """Returns a source as a message."""
    return source_pb2.Source(
        source_id=source.source_id,
        game_id=source.game_id,
        canonical_uri=source.canonical_uri,
        original_uri=source.original_uri,
        family=source.family,
        kind=source.kind,
        title=source.title,
        trust=source_pb2.Trust.ValueType(source.trust),
        current_version_id=source.current_version_id,
        version_count=source.version_count,
        observation_count=source.observation_count,
        size_bytes=source.size_bytes,
        language=source.language,
        content_type=source.content_type,
        completeness=envelope_pb2.Completeness.ValueType(source.completeness),
        fetched_time=timestamp(source.fetched_time),
        first_observed_time=timestamp(source.first_observed_time),
        last_observed_time=timestamp(source.last_observed_time),
        license_hint=source.license_hint,
        extraction_failure=source.extraction_failure,
    )


def version_message(version: Version, *, with_extraction: bool = False) -> source_pb2.Version:
    """Returns a version as a message.

    What extraction found may take `TEXT_CLAIMS_BYTES_MAX` bytes: too much for every citation of a batch.
    """
    return source_pb2.Version(
        version_id=version.version_id,
        game_id=version.game_id,
        source_id=version.source_id,
        artifact_id=version.artifact_id,
        canonical_uri=version.canonical_uri,
        content_hash=version.content_hash,
        text_hash=version.text_hash,
        text_length=version.text_length,
        line_count=version.line_count,
        chunk_count=version.chunk_count,
        title=version.title,
        family=version.family,
        kind=version.kind,
        language=version.language,
        extractor=version.extractor,
        extractor_version=version.extractor_version,
        content_type=version.content_type,
        size_bytes=version.size_bytes,
        completeness=envelope_pb2.Completeness.ValueType(version.completeness),
        fetched_time=timestamp(version.fetched_time),
        created_time=timestamp(version.created_time),
        current=version.current,
        trust=source_pb2.Trust.ValueType(version.trust),
        observation_count=version.observation_count,
        synthetic=version.synthetic,
        repairs=version.repairs,
        extraction=extraction_message(version) if with_extraction else None,
    )


def extraction_message(version: Version) -> source_pb2.Extraction:
    """Returns what extraction found beside the text."""
    facts = TextFacts.from_json(version.facts_json)
    return source_pb2.Extraction(
        charset=facts.charset,
        charset_reason=facts.charset_reason,
        charset_confidence=facts.charset_confidence,
        flags=facts.flags,
        quality=facts.quality,
        claims=[
            capture_record_pb2.Claim(name=claim.name, value=claim.value) for claim in facts.claims
        ],
        frame_uris=facts.frame_uris,
    )


def observation_message(observation: Observation) -> source_pb2.Observation:
    """Returns an observation as a message."""
    window = None
    if observation.window is not None:
        window = capture_record_pb2.Window(
            unit=observation.window.unit,
            start=observation.window.start,
            end=observation.window.end,
            total=observation.window.total,
        )
    return source_pb2.Observation(
        observation_id=observation.observation_id,
        envelope_id=observation.envelope_id,
        artifact_id=observation.artifact_id,
        role=capture_record_pb2.SourceRole.ValueType(observation.role),
        observed_time=timestamp(observation.observed_time),
        fetched_time=timestamp(observation.fetched_time),
        run_id=observation.run_id,
        session_id=observation.session_id,
        tool_call_id=observation.tool_call_id,
        tool_name=observation.tool_name,
        completeness=envelope_pb2.Completeness.ValueType(observation.completeness),
        window=window,
        http_status=observation.http_status,
        error=observation.error,
        requested_uri=observation.requested_uri,
        final_uri=observation.final_uri,
        claims=[
            capture_record_pb2.Claim(name=claim.name, value=claim.value)
            for claim in observation.claims
        ],
        representations=[
            capture_record_pb2.Representation(
                name=representation.name,
                media_type=representation.media_type,
                content_hash=representation.content_hash,
            )
            for representation in observation.representations
        ],
        metadata_json=observation.metadata_json,
        rank=observation.rank,
        derivation=envelope_pb2.Derivation.ValueType(observation.derivation),
        parent_source_id=observation.parent_source_id,
        upstream_masked=observation.upstream_masked,
        result_hash=observation.result_hash,
        extraction_failure=observation.extraction_failure,
        parent_inferred=observation.parent_inferred,
        parent_tool_call_id=observation.parent_tool_call_id,
    )


def line_messages(lines: Sequence[Line]) -> list[source_service_pb2.Line]:
    """Returns lines as messages."""
    return [
        source_service_pb2.Line(
            number=line.number, text=line.text, offset=line.offset, partial=line.partial
        )
        for line in lines
    ]


def resolved_response(
    results: Sequence[Resolved],
) -> citation_service_pb2.ResolveCitationsResponse:
    """Returns the results of refs; the facts of a version are made once for all of them.

    Results are built inside the response: a message that is put into another one is copied.
    """
    response = citation_service_pb2.ResolveCitationsResponse()
    versions: dict[str, source_pb2.Version] = {}
    for resolved in results:
        found = resolved.result
        if isinstance(found, CitationFailure):
            failure = citation_service_pb2.CitationFailure(
                reason=found.reason,
                field=found.field,
                tombstone=tombstone_message(found.tombstone),
            )
            response.results.add(ref=resolved.ref, failure=failure)
            continue
        name = found.version.version_id
        facts = versions.get(name)
        if facts is None:
            facts = versions[name] = version_message(found.version)
        fields: Any = _citation_fields(found, facts)
        response.results.add(ref=resolved.ref, citation=fields)
    return response


def tombstone_message(tombstone: Tombstone | None) -> citation_pb2.Tombstone | None:
    """Returns what is known of a deleted version as a message; None leaves a field absent."""
    if tombstone is None:
        return None
    return citation_pb2.Tombstone(
        version_id=tombstone.version_id,
        source_id=tombstone.source_id,
        canonical_uri=tombstone.canonical_uri,
        title=tombstone.title,
        content_hash=tombstone.content_hash,
        fetched_time=timestamp(tombstone.fetched_time),
        deleted_time=timestamp(tombstone.deleted_time),
        reason=deletion_pb2.DeletionReason.ValueType(tombstone.reason),
        note=tombstone.note,
    )


def citation_message(citation: Citation) -> citation_pb2.Citation:
    """Returns a citation as a message."""
    return citation_pb2.Citation(**_citation_fields(citation, version_message(citation.version)))


def _citation_fields(citation: Citation, facts: source_pb2.Version) -> dict[str, Any]:
    """The fields of a citation; inner messages are fields too, which costs half of what messages do."""
    version = citation.version
    cautions = cautions_of(version)
    return {
        "ref": citation.ref,
        "game_id": version.game_id,
        "version_id": version.version_id,
        "span": {"start": citation.start, "end": citation.end},
        "lines": {"first": citation.first_line, "last": citation.last_line},
        "quote": citation.quote,
        "quote_cut": citation.quote_cut,
        "quote_hash": citation.quote_hash,
        "version": facts,
        "source_id": version.source_id,
        "title": version.title,
        "original_uri": version.original_uri,
        "fetched_time": timestamp(version.fetched_time),
        "superseded": not version.current,
        "safe_to_cite": not {"SYNTHETIC", "DISCOVERY"}.intersection(cautions),
        "cautions": cautions,
    }


def hit_message(hit: Hit) -> search_service_pb2.SearchHit:
    """Returns a hit as a message."""
    passage, version, snippet = hit.passage, hit.version, hit.snippet
    start = passage.start + snippet.start
    return search_service_pb2.SearchHit(
        source_id=version.source_id,
        version_id=version.version_id,
        chunk_id=chunk_id(passage.version_id, passage.ordinal),
        title=version.title,
        heading_path=passage.heading_path,
        family=version.family,
        kind=version.kind,
        trust=source_pb2.Trust.ValueType(version.trust),
        canonical_uri=version.canonical_uri,
        original_uri=version.original_uri,
        fetched_time=timestamp(version.fetched_time),
        score=hit.score,
        snippet=snippet.text,
        highlights=[citation_pb2.Span(start=first, end=end) for first, end in snippet.highlights],
        snippet_span=citation_pb2.Span(start=start, end=start + len(snippet.text)),
        chunk_span=citation_pb2.Span(start=passage.start, end=passage.end),
        ref=format_ref(version.version_id, passage.start, passage.end),
        language=version.language,
        superseded=not version.current,
        game_id=version.game_id,
        missing_terms=_shown(hit.missing),
    )


def explanation_message(explanation: Explanation) -> search_service_pb2.QueryExplanation:
    """Returns how a query was read as a message; long words and lists are cut."""
    return search_service_pb2.QueryExplanation(
        terms=_shown(explanation.terms),
        excluded=_shown(explanation.excluded),
        dropped=_shown(explanation.dropped),
        relaxed=explanation.relaxed,
        empty_reason=explanation.empty_reason,
        candidate_limit=explanation.candidate_limit,
        suggested_query=explanation.suggested_query,
    )


def _shown(words: Sequence[str]) -> list[str]:
    return [word[:EXPLAINED_WORD_CODE_POINTS_MAX] for word in words[:EXPLAINED_WORDS_MAX]]
