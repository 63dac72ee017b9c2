"""Builds the tables of a game in memory out of the rows of an import."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from corpus_service.domain.currency import Claim
from corpus_service.domain.deletions import DeletionReason, Tombstone
from corpus_service.domain.exports import Row
from corpus_service.domain.records import (
    AccessFacts,
    CapturedSource,
    CaptureRecord,
    IngestedSource,
    IngestResult,
    Representation,
)
from corpus_service.domain.vocabulary import (
    Completeness,
    IngestStatus,
    Outcome,
    RunUse,
    SourceRole,
    ToolStatus,
    Trust,
)
from corpus_service.storage.import_faults import row_invalid, row_repeated
from corpus_service.storage.memory.captured_rows import read_captured
from corpus_service.storage.memory.import_texts import TextImport
from corpus_service.storage.memory.tables import (
    MemoryArtifact,
    MemoryContent,
    MemoryEnvelope,
    MemoryGame,
    MemoryObservation,
    MemorySource,
    MemoryVersion,
)
from corpus_service.storage.preparation import PreparedText
from sourcecorpus.identity.identifiers import observation_id


class RowImport:
    """The tables so far."""

    def __init__(self, game: MemoryGame) -> None:
        self.game: Final = game
        self.texts: Final = TextImport(game)
        self._observations: dict[str, MemoryObservation] = {}
        self._newest: MemoryObservation | None = None
        self._takers: Final[dict[str, Callable[[Row], None]]] = {
            "contents": self._take_content,
            "sources": self._take_source,
            "artifacts": self._take_artifact,
            "versions": self._take_version,
            "currents": self._take_current,
            "chunks": self.texts.add,
            "envelopes": self._take_envelope,
            "observations": self._take_observation,
            "representations": self._take_representation,
            "run_links": self._take_link,
            "run_places": self._take_place,
            "tombstones": self._take_tombstone,
        }

    def add(self, table: str, row: Row) -> None:
        """Takes one row; see `GameImport.add`."""
        self._takers[table](row)

    def _take_content(self, row: Row) -> None:
        content_hash, size, content_type = row
        if content_hash in self.game.contents:
            raise row_repeated("contents")
        self.game.contents[content_hash] = MemoryContent(
            size, [], content_type, referenced=True, readable=True
        )

    def _take_source(self, row: Row) -> None:
        name, uri, original, family, kind, title, trust, license_hint = row
        if name in self.game.sources:
            raise row_repeated("sources")
        captured = CapturedSource(
            canonical_uri=uri,
            family=family,
            kind=kind,
            role=SourceRole.DOCUMENT,
            final_uri=original,
            title=title,
            license_hint=license_hint,
        )
        number = len(self.game.sources) + 1
        self.game.sources[name] = MemorySource(number, name, uri, captured, title, Trust(trust))

    def _take_artifact(self, row: Row) -> None:
        source = self.game.sources.get(row[1])
        if source is None:
            raise row_invalid("artifacts")
        if row[0] in self.game.artifacts:
            raise row_repeated("artifacts")
        made = MemoryArtifact(
            id=row[0],
            source=source,
            content_hash=row[3],
            content_type=row[4],
            size_bytes=row[5],
            family=row[6],
            kind=row[7],
            title=row[8],
            run_id=row[9],
            tool_call_id=row[10],
            parent_id=row[11],
            license_hint=row[12],
            metadata_json=row[13],
            completeness=Completeness(row[14]),
            grade=row[15],
            trust=Trust(row[16]),
            synthetic=bool(row[17]),
            failure=row[18],
            failed_extractor=(row[19], row[20]),
        )
        source.artifacts.append(made)
        self.game.artifacts[made.id] = made

    def _take_version(self, row: Row) -> None:
        name, artifact_id, extractor, extractor_version, language, created, sequence = row[:7]
        text_hash, length, lines, chunk_count, title, repairs, facts = row[7:]
        game = self.game
        artifact = game.artifacts.get(artifact_id)
        if artifact is None:
            raise row_invalid("versions")
        if name in game.versions:
            raise row_repeated("versions")
        text = PreparedText(
            extractor=extractor,
            extractor_version=extractor_version,
            text_hash=text_hash,
            text_length=length,
            line_count=lines,
            chunks=(),
            title=title,
            language=language,
            repairs=json.loads(repairs),
            facts_json=facts,
        )
        made = MemoryVersion(
            game.next_chunk, name, artifact, sequence, created, "", title, language, text, ()
        )
        game.next_chunk += max(1, chunk_count)
        game.versions[name] = made
        artifact.versions.append(made)
        self.texts.expect(name, chunk_count)

    def _take_current(self, row: Row) -> None:
        source_id, artifact_id, version_id, grade, known, time = row
        source = self.game.sources.get(source_id)
        artifact = self.game.artifacts.get(artifact_id)
        version = self.game.versions.get(version_id)
        if (
            source is None
            or artifact is None
            or artifact.source is not source
            or source.current_artifact is not None
            or (version_id and (version is None or version.artifact is not artifact))
        ):
            raise row_invalid("currents")
        source.claim = Claim(grade, bool(known), time)
        source.current, source.current_artifact = version, artifact
        if version is not None:
            source.currency.append((self.game.sequence, version))

    def _take_envelope(self, row: Row) -> None:
        name = row[0]
        if name in self.game.envelopes:
            raise row_repeated("envelopes")
        record = CaptureRecord(
            game_id=self.game.game_id,
            envelope_id=name,
            envelope_fingerprint=row[1],
            tool_name=row[5],
            capture_session_id=row[6],
            run_id=row[7],
            session_id=row[8],
            parent_session_id=row[9],
            task_id=row[10],
            turn_id=row[11],
            tool_call_id=row[12],
            parent_tool_call_id=row[13],
            attempt=row[14],
            arguments=row[15],
            result_hash=row[16],
            result_media_type=row[17],
            status=ToolStatus(row[18]),
            error=row[19],
            started_time=row[20],
            finished_time=row[21],
            received_time=row[22],
            redaction_rule_set_version=row[23],
            redaction_key_id=row[24],
            masks=json.loads(row[25]),
            access=AccessFacts(bool(row[26]), bool(row[27]), row[28]),
            client_name=row[29],
            client_version=row[30],
            traceparent=row[31],
        )
        result = IngestResult(name, IngestStatus.COMMITTED, Outcome(row[4]))
        self.game.envelopes[name] = MemoryEnvelope(record, result, True, row[2], row[3])

    def _take_observation(self, row: Row) -> None:
        envelope_id, position, source_id, artifact_id, version_id, parent_id, outcome = row[:7]
        game = self.game
        envelope, source = game.envelopes.get(envelope_id), game.sources.get(source_id)
        artifact = game.artifacts.get(artifact_id)
        version, parent = game.versions.get(version_id), game.sources.get(parent_id)
        if (
            envelope is None
            or source is None
            or artifact is None
            or artifact.source is not source
            or (version_id and (version is None or version.artifact is not artifact))
            or (parent_id and parent is None)
        ):
            raise row_invalid("observations")
        name = observation_id(envelope_id, position)
        self._in_order(envelope, position)
        captured = read_captured(source.canonical_uri, artifact.content_hash, row[7:])
        fetched = captured.fetched_time
        observation = MemoryObservation(
            name,
            envelope.record,
            captured,
            artifact,
            parent,
            fetched,
            envelope.sequence,
            True,
            game.next_observation,
            position,
        )
        game.next_observation += 1
        source.observations.append(observation)
        self._observations[name] = self._newest = observation
        artifact.readable = True
        artifact.observation_count += 1
        if fetched is not None:
            artifact.fetched_time = max(fetched, artifact.fetched_time or fetched)
        part = IngestedSource(
            source.canonical_uri,
            source_id,
            artifact_id,
            version_id,
            name,
            Outcome(outcome),
            artifact.failure,
        )
        parts = (*envelope.result.sources, part)
        game.envelopes[envelope_id] = replace(
            envelope, result=replace(envelope.result, sources=parts)
        )

    def _in_order(self, envelope: MemoryEnvelope, position: int) -> None:
        """Refuses an observation that is there, or whose envelope has ended."""
        newest = self._newest
        if newest is not None and newest.record is envelope.record:
            if position <= newest.position:
                raise row_repeated("observations")
        elif envelope.result.sources:
            raise row_invalid("observations")

    def _take_representation(self, row: Row) -> None:
        envelope_id, position, number, name, media_type, content_hash = row
        entry = self._observations.get(observation_id(envelope_id, position))
        if entry is None:
            raise row_invalid("representations")
        known = entry.captured.representations
        if number < len(known):
            raise row_repeated("representations")
        part = Representation(name, media_type, content_hash)
        entry.captured = replace(entry.captured, representations=(*known, part))

    def _take_link(self, row: Row) -> None:
        run_id, artifact_id, use, sequence = row
        if artifact_id not in self.game.artifacts:
            raise row_invalid("run_links")
        if (run_id, artifact_id) in self.game.links:
            raise row_repeated("run_links")
        self.game.links[(run_id, artifact_id)] = (RunUse(use), sequence)

    def _take_place(self, row: Row) -> None:
        run_id, version_id, start, end, use, sequence = row
        version = self.game.versions.get(version_id)
        if version is None or not 0 <= start <= end <= version.prepared.text_length:
            raise row_invalid("run_places")
        place = (run_id, version_id, start, end)
        if place in self.game.run_places:
            raise row_repeated("run_places")
        self.game.run_places[place] = (RunUse(use), sequence)

    def _take_tombstone(self, row: Row) -> None:
        version_id, source_id, uri, title, content_hash, fetched, deleted, reason, note = row
        if version_id in self.game.versions:
            raise row_invalid("tombstones")
        if version_id in self.game.tombstones:
            raise row_repeated("tombstones")
        self.game.tombstones[version_id] = Tombstone(
            version_id,
            source_id,
            uri,
            title,
            content_hash,
            fetched,
            deleted,
            DeletionReason(reason),
            note,
        )
