"""Takes one record into the tables in memory; the caller holds the game's lock."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

from corpus_service.domain.currency import Claim, grade_of
from corpus_service.domain.records import (
    CapturedSource,
    CaptureRecord,
    IngestedSource,
    IngestResult,
)
from corpus_service.domain.vocabulary import (
    IngestStatus,
    Instant,
    Outcome,
    RunUse,
    SourceRole,
    Trust,
)
from corpus_service.storage.memory.ranking import IndexedChunk, tokens_of
from corpus_service.storage.memory.tables import (
    MemoryArtifact,
    MemoryContent,
    MemoryEnvelope,
    MemoryGame,
    MemoryObservation,
    MemorySource,
    MemoryVersion,
)
from corpus_service.storage.preparation import PreparedRecord, PreparedSource, PreparedText
from corpus_service.trust import Verdict, judge, trust_of
from sourcecorpus.identity.identifiers import artifact_id, observation_id, source_id, version_id


def ingest(game: MemoryGame, prepared: PreparedRecord) -> IngestResult:
    """Store one record: all of it, or nothing and why."""
    record = prepared.record
    known = game.envelopes.get(record.envelope_id)
    if known is not None:
        if known.record.envelope_fingerprint == record.envelope_fingerprint:
            return replace(known.result, status=IngestStatus.DUPLICATE)
        return IngestResult(
            record.envelope_id,
            IngestStatus.REJECTED,
            Outcome.REJECTED,
            reason="ENVELOPE_ID_REUSED",
            faulty_field="envelope_id",
        )
    if record.probe:
        result = IngestResult(record.envelope_id, IngestStatus.COMMITTED, Outcome.STORED)
        _commit(game, prepared, result, readable=False)
        return result
    missing = _missing(game, prepared)
    if missing:
        return IngestResult(
            record.envelope_id, IngestStatus.NEED_CONTENT, missing_content_hashes=missing
        )
    return _RecordIngest(game, prepared).run()


def _commit(
    game: MemoryGame, prepared: PreparedRecord, result: IngestResult, *, readable: bool
) -> None:
    game.sequence += 1
    game.commits[game.sequence] = game.next_chunk
    game.envelopes[result.envelope_id] = MemoryEnvelope(
        prepared.record, result, readable, game.sequence, prepared.committed_time
    )


def _missing(game: MemoryGame, prepared: PreparedRecord) -> tuple[str, ...]:
    given = {content.content_hash for content in prepared.contents}
    return tuple(
        name
        for name in references(prepared.record)
        if name not in given and (name in prepared.unread_contents or not is_whole(game, name))
    )


def is_whole(game: MemoryGame, content_hash: str) -> bool:
    """Whether the bytes are there and nobody has found them damaged."""
    content = game.contents.get(content_hash)
    return content is not None and content.complete and not content.damaged


def references(record: CaptureRecord) -> dict[str, str]:
    """Every hash that a record names with its media type."""
    found: dict[str, str] = {}
    for source in record.sources:
        if source.content_hash:
            found.setdefault(source.content_hash, source.content_type)
        for part in source.representations:
            found.setdefault(part.content_hash, part.media_type)
    if record.result_hash:
        found.setdefault(record.result_hash, record.result_media_type)
    return found


class _RecordIngest:
    def __init__(self, game: MemoryGame, prepared: PreparedRecord) -> None:
        self._game = game
        self._prepared = prepared
        self._record = prepared.record
        self._sequence = game.sequence + 1

    def run(self) -> IngestResult:
        record = self._record
        verdicts = [
            self._judge(source, prepared)
            for source, prepared in zip(record.sources, self._prepared.sources, strict=True)
        ]
        self._keep_contents(verdicts)
        sources = [self._source(captured) for captured in record.sources]
        results = tuple(
            self._observe(position, sources, verdict) for position, verdict in enumerate(verdicts)
        )
        outcomes = {result.outcome for result in results}
        outcome = next(
            (found for found in (Outcome.STORED, Outcome.NEW_VERSION) if found in outcomes),
            Outcome.OBSERVED_AGAIN if outcomes else Outcome.STORED,
        )
        result = IngestResult(record.envelope_id, IngestStatus.COMMITTED, outcome, sources=results)
        _commit(self._game, self._prepared, result, readable=Verdict.READABLE in verdicts)
        return result

    def _judge(self, source: CapturedSource, prepared: PreparedSource) -> Verdict:
        unchanged = not source.content_hash and self._earlier(source) is not None
        return judge(
            probe=False,
            role=source.role,
            completeness=source.completeness,
            http_status=source.http_status,
            has_content=bool(source.content_hash) or unchanged,
            empty_frame=prepared.empty_frame,
            unchanged=unchanged,
        )

    def _earlier(self, source: CapturedSource) -> MemoryArtifact | None:
        if not source.repeats_earlier_content:
            return None
        known = self._game.sources.get(source_id(self._game.game_id, source.canonical_uri))
        if known is None:
            return None
        session = self._record.session_id
        of_session = [
            entry
            for entry in known.readable_observations()
            if session and entry.record.session_id == session
        ]
        if of_session:
            newest = max(of_session, key=lambda entry: (entry.record.finished_time, entry.number))
            return newest.artifact
        return known.current_artifact

    def _keep_contents(self, verdicts: list[Verdict]) -> None:
        record = self._record
        given = {content.content_hash: content for content in self._prepared.contents}
        shown: set[str] = set()
        for source, verdict in zip(record.sources, verdicts, strict=True):
            if verdict is Verdict.READABLE:
                shown.update(part.content_hash for part in source.representations)
                shown.update({source.content_hash, record.result_hash} - {""})
        for name, content_type in references(record).items():
            content = self._game.contents.get(name)
            if content is None or not is_whole(self._game, name):
                came = given[name]
                content = MemoryContent(came.size_bytes, list(came.pieces))
                self._game.contents[name] = content
            content.referenced = True
            content.readable = content.readable or name in shown
            content.content_type = content.content_type or content_type

    def _source(self, captured: CapturedSource) -> tuple[MemorySource, bool]:
        name = source_id(self._game.game_id, captured.canonical_uri)
        known = self._game.sources.get(name)
        if known is not None:
            return known, False
        row = max((source.row for source in self._game.sources.values()), default=0) + 1
        made = MemorySource(
            row, name, captured.canonical_uri, captured, captured.title, _trust(captured)
        )
        self._game.sources[name] = made
        return made, True

    def _observe(
        self, position: int, sources: list[tuple[MemorySource, bool]], verdict: Verdict
    ) -> IngestedSource:
        captured = self._record.sources[position]
        prepared = self._prepared.sources[position]
        source, is_new = sources[position]
        outcome = Outcome.STORED if is_new else Outcome.OBSERVED_AGAIN
        artifact = self._earlier(captured)
        if captured.content_hash:
            artifact, made = self._artifact(source, captured)
            if made and not is_new:
                outcome = Outcome.NEW_VERSION
        version = None
        fetched = captured.fetched_time
        if fetched is None and not captured.fetch_time_unknown:
            fetched = self._record.finished_time
        parent = captured.parent_position - 1
        name = observation_id(self._record.envelope_id, position)
        source.observations.append(
            MemoryObservation(
                name,
                self._record,
                captured,
                artifact,
                sources[parent][0] if 0 <= parent < len(sources) else None,
                fetched,
                self._sequence,
                verdict is Verdict.READABLE,
                self._game.next_observation,
                position,
            )
        )
        self._game.next_observation += 1
        if artifact is not None and (prepared.text is not None or prepared.extraction_failure):
            artifact.failure = prepared.extraction_failure
            artifact.failed_extractor = (
                prepared.failed_extractor,
                prepared.failed_extractor_version,
            )
        if artifact is not None and verdict is Verdict.READABLE:
            self._show(artifact, captured, fetched)
            version = self._version(artifact, captured, prepared.text)
            self._make_current(source, artifact, version, captured, fetched)
            self._link(artifact, captured.role)
        return IngestedSource(
            captured.canonical_uri,
            source.id,
            artifact.id if artifact else "",
            version.id if version else "",
            name,
            outcome,
            prepared.extraction_failure,
        )

    def _artifact(
        self, source: MemorySource, captured: CapturedSource
    ) -> tuple[MemoryArtifact, bool]:
        name = artifact_id(self._game.game_id, captured.canonical_uri, captured.content_hash)
        known = self._game.artifacts.get(name)
        if known is not None:
            return known, False
        made = MemoryArtifact(
            name,
            source,
            captured.content_hash,
            captured.content_type,
            self._game.contents[captured.content_hash].size_bytes,
            captured.family,
            captured.kind,
            captured.completeness,
            _trust(captured),
            title=captured.title,
            run_id=self._record.run_id,
            tool_call_id=self._record.tool_call_id,
            parent_id=self._parent_id(captured.parent_position - 1),
            license_hint=captured.license_hint,
            metadata_json=captured.metadata_json,
        )
        source.artifacts.append(made)
        self._game.artifacts[name] = made
        return made, True

    def _parent_id(self, parent: int) -> str:
        if not 0 <= parent < len(self._record.sources):
            return ""
        source = self._record.sources[parent]
        if not source.content_hash:
            return ""
        return artifact_id(self._game.game_id, source.canonical_uri, source.content_hash)

    @staticmethod
    def _show(artifact: MemoryArtifact, captured: CapturedSource, fetched: Instant | None) -> None:
        artifact.readable = True
        artifact.observation_count += 1
        if fetched is not None:
            artifact.fetched_time = max(fetched, artifact.fetched_time or fetched)
        if not captured.content_hash:
            return
        grade = grade_of(captured.completeness)
        if grade > artifact.grade:
            artifact.grade, artifact.completeness = grade, captured.completeness
        if not captured.synthetic and captured.role is not SourceRole.DERIVED:
            if artifact.synthetic:
                artifact.trust = _trust(captured)
            artifact.synthetic = False

    def _version(
        self, artifact: MemoryArtifact, captured: CapturedSource, text: PreparedText | None
    ) -> MemoryVersion | None:
        if text is None:
            return artifact.versions[-1] if artifact.versions else None
        name = version_id(artifact.id, text.extractor, text.extractor_version)
        known = self._game.versions.get(name)
        if known is not None:
            return known
        game = self._game
        chunks = tuple(text.chunks)
        made = MemoryVersion(
            game.next_chunk,
            name,
            artifact,
            self._sequence,
            self._prepared.committed_time,
            "".join(chunk.text for chunk in chunks),
            captured.title or text.title,
            text.language or captured.language,
            text,
            chunks,
        )
        for ordinal, chunk in enumerate(chunks):
            game.chunk_versions[made.row + ordinal] = made
            if chunk.prepared_text:
                game.index[made.row + ordinal] = IndexedChunk(
                    tokens_of(chunk.prepared_heading), tokens_of(chunk.prepared_text)
                )
        game.next_chunk += max(1, len(chunks))
        game.versions[name] = made
        artifact.versions.append(made)
        return made

    def _make_current(
        self,
        source: MemorySource,
        artifact: MemoryArtifact,
        version: MemoryVersion | None,
        captured: CapturedSource,
        fetched: Instant | None,
    ) -> None:
        time = self._record.finished_time if fetched is None else fetched
        claim = Claim(artifact.grade, fetched is not None, time)
        first_text = version is not None and source.current is None
        hides_text = version is None and source.current is not None
        wins = claim.grade > 0 and (first_text or (claim >= source.claim and not hides_text))
        if captured.never_current or not wins:
            if not source.title or source.current_artifact is None:
                source.title = captured.title or source.title
            return
        source.claim, source.current_artifact = claim, artifact
        source.trust = artifact.trust
        license_hint = captured.license_hint or source.captured.license_hint
        source.captured = replace(captured, license_hint=license_hint)
        source.title = (version.title if version else "") or captured.title or source.title
        if version is not None and version is not source.current:
            source.current = version
            source.currency.append((self._sequence, version))

    def _link(self, artifact: MemoryArtifact, role: SourceRole) -> None:
        if not self._record.run_id:
            return
        use = RunUse.DISCOVERED if role is SourceRole.ARTIFACT else RunUse.CONSULTED
        key = (self._record.run_id, artifact.id)
        before = self._game.links.get(key)
        if before is None:
            self._game.links[key] = (use, self._sequence)
        elif use > before[0]:
            self._game.links[key] = (use, before[1])


def host_of(canonical_uri: str) -> str:
    """The host of a canonical URI."""
    try:
        return urlsplit(canonical_uri).hostname or ""
    except ValueError:
        return ""


def _trust(captured: CapturedSource) -> Trust:
    return trust_of(
        role=captured.role, canonical_uri=captured.canonical_uri, synthetic=captured.synthetic
    )
