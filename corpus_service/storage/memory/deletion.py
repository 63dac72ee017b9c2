"""The deleting side of the store in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace

from corpus_service.domain.currency import NO_CLAIM, Claim
from corpus_service.domain.deletions import Deletion, DeletionResult, Tombstone
from corpus_service.limits import RELATED_SOURCES_SHOWN_MAX
from corpus_service.storage.memory.tables import (
    MemoryArtifact,
    MemoryGame,
    MemoryObservation,
    MemorySource,
    MemoryVersion,
)
from sourcecorpus.rpc.failures import Failure, FailureCode


class MemoryDeletion(ABC):
    """`SourceDeleter` over tables in memory."""

    @abstractmethod
    def _game(self, game_id: str) -> AbstractContextManager[MemoryGame]:
        """Give the tables of a game to one caller at a time."""

    def delete_source(
        self, game_id: str, deletion: Deletion, *, deadline_seconds: float | None = None
    ) -> DeletionResult:
        """See `SourceDeleter.delete_source`."""
        del deadline_seconds
        with self._game(game_id) as game:
            return _Deletion(game, deletion).run()

    def stored_source(self, game_id: str, canonical_uri: str) -> str:
        """See `SourceDeleter.stored_source`."""
        with self._game(game_id) as game:
            found = (entry for entry in game.sources.values())
            return next((entry.id for entry in found if entry.canonical_uri == canonical_uri), "")

    def tombstones(self, game_id: str, version_ids: Collection[str]) -> Mapping[str, Tombstone]:
        """See `SourceDeleter.tombstones`."""
        with self._game(game_id) as game:
            return {
                name: game.tombstones[name]
                for name in version_ids
                if name in game.tombstones and name not in game.versions
            }


class _Deletion:
    def __init__(self, game: MemoryGame, deletion: Deletion) -> None:
        self._game = game
        self._deletion = deletion

    def run(self) -> DeletionResult:
        game, source = self._game, self._source()
        artifact = self._artifact(source)
        kept = [entry for entry in source.readable_observations() if entry.artifact is not artifact]
        whole = artifact is None or not kept
        artifacts = list(source.artifacts) if whole or artifact is None else [artifact]
        observations = [
            entry for entry in source.observations if whole or entry.artifact is artifact
        ]
        versions = [version for entry in artifacts for version in entry.versions]
        versions.sort(key=lambda version: version.row)
        for version in versions:
            self._bury(version)
        envelopes = self._clear_envelopes(observations)
        for entry in artifacts:
            self._remove_artifact(entry)
        gone = {entry.id for entry in observations}
        source.observations = [entry for entry in source.observations if entry.id not in gone]
        if whole:
            del game.sources[source.id]
            game.refreshes = tuple(
                request for request in game.refreshes if request.source_id != source.id
            )
            for other in game.sources.values():
                for child in other.observations:
                    child.parent = None if child.parent is source else child.parent
        else:
            _recompute(source, game.sequence + 1)
        sizes = self._drop_contents(artifacts, observations, envelopes)
        self._commit()
        return DeletionResult(
            source.id,
            whole,
            tuple(version.id for version in versions),
            len(artifacts),
            len(observations),
            sum(len(version.chunks) for version in versions),
            sum(len(version.text) for version in versions),
            len(sizes),
            sum(sizes),
            len(envelopes),
            "" if whole or source.current is None else source.current.id,
            self._related(source, set(envelopes)),
        )

    def _source(self) -> MemorySource:
        wanted = self._deletion
        source = self._game.sources.get(wanted.source_id)
        buried = self._game.tombstones.get(wanted.version_id)
        gone = buried is not None and wanted.version_id not in self._game.versions
        if gone and buried is not None and buried.source_id == wanted.source_id:
            raise Failure(FailureCode.FAILED_PRECONDITION, "VERSION_DELETED", "version_id")
        if source is None:
            raise Failure(FailureCode.NOT_FOUND, "SOURCE_NOT_FOUND", "source_id")
        return source

    def _artifact(self, source: MemorySource) -> MemoryArtifact | None:
        if not self._deletion.version_id:
            return None
        version = self._game.versions.get(self._deletion.version_id)
        if version is None or version.artifact.source is not source:
            raise Failure(FailureCode.NOT_FOUND, "VERSION_NOT_FOUND", "version_id")
        return version.artifact

    def _bury(self, version: MemoryVersion) -> None:
        deletion, game = self._deletion, self._game
        names = deletion.reason.keeps_names
        game.tombstones[version.id] = Tombstone(
            version.id,
            deletion.source_id,
            version.artifact.source.canonical_uri if names else "",
            version.title if names else "",
            version.artifact.content_hash,
            version.artifact.fetched_time,
            deletion.deleted_time,
            deletion.reason,
            deletion.note,
        )
        del game.versions[version.id]
        for row in range(version.row, version.row + len(version.chunks)):
            game.index.pop(row, None)
            game.chunk_versions.pop(row, None)

    def _remove_artifact(self, artifact: MemoryArtifact) -> None:
        game = self._game
        del game.artifacts[artifact.id]
        artifact.source.artifacts.remove(artifact)
        game.links = {key: link for key, link in game.links.items() if key[1] != artifact.id}
        texts = {version.id for version in artifact.versions}
        game.run_places = {
            place: use for place, use in game.run_places.items() if place[1] not in texts
        }

    def _clear_envelopes(self, observations: list[MemoryObservation]) -> dict[str, str]:
        """Empty the envelopes of observations; returns them with what their result was."""
        game = self._game
        gone = {entry.id for entry in observations}
        found = {
            entry.record.envelope_id: game.envelopes[entry.record.envelope_id].record.result_hash
            for entry in observations
        }
        for name in found:
            before = game.envelopes[name]
            emptied = replace(before.record, arguments=b"", result_hash="", error="")
            left = [entry for entry in self._of_envelope(name) if entry.id not in gone]
            for entry in left:
                entry.record = emptied
            sources = tuple(
                part for part in before.result.sources if part.observation_id not in gone
            )
            readable = any(entry.readable for entry in left)
            game.envelopes[name] = replace(
                before,
                record=emptied,
                result=replace(before.result, sources=sources),
                readable=readable,
            )
        return found

    def _of_envelope(self, envelope_id: str) -> list[MemoryObservation]:
        return [
            entry
            for source in self._game.sources.values()
            for entry in source.observations
            if entry.record.envelope_id == envelope_id
        ]

    def _drop_contents(
        self,
        artifacts: list[MemoryArtifact],
        observations: list[MemoryObservation],
        envelopes: dict[str, str],
    ) -> list[int]:
        game = self._game
        hashes = {entry.content_hash for entry in artifacts} | set(envelopes.values())
        for entry in observations:
            hashes.update(part.content_hash for part in entry.captured.representations)
        held, shown = self._references()
        sizes = []
        for name in hashes & game.contents.keys():
            game.contents[name].readable = name in shown
            if name not in held:
                sizes.append(game.contents.pop(name).size_bytes)
        return sizes

    def _references(self) -> tuple[set[str], set[str]]:
        """Contents that something refers to, and those that something readable refers to."""
        held: set[str] = set()
        shown: set[str] = set()
        for artifact in self._game.artifacts.values():
            (shown if artifact.readable else held).add(artifact.content_hash)
        for envelope in self._game.envelopes.values():
            (shown if envelope.readable else held).add(envelope.record.result_hash)
        for source in self._game.sources.values():
            for entry in source.observations:
                for part in entry.captured.representations:
                    (shown if entry.readable else held).add(part.content_hash)
        return held | shown, shown

    def _related(self, source: MemorySource, envelopes: set[str]) -> tuple[str, ...]:
        found = [
            other
            for other in self._game.sources.values()
            if other is not source
            and other.readable_observations()
            and any(entry.record.envelope_id in envelopes for entry in other.observations)
        ]
        found.sort(key=lambda other: other.row)
        return tuple(other.id for other in found[:RELATED_SOURCES_SHOWN_MAX])

    def _commit(self) -> None:
        game = self._game
        game.sequence += 1
        game.commits[game.sequence] = game.next_chunk
        name, _, number = game.epoch.rpartition(".")
        game.epoch = f"{name or game.epoch}.{int(number) + 1 if name else 1}"


def _recompute(source: MemorySource, sequence: int) -> None:
    """Choose the current content anew where it is gone; the best claim of what is left."""
    left = {artifact.id for artifact in source.artifacts}
    source.currency = [entry for entry in source.currency if entry[1].artifact.id in left]
    if source.current_artifact is not None and source.current_artifact.id in left:
        return
    source.claim, source.current, source.current_artifact = NO_CLAIM, None, None
    shown = sorted(
        source.readable_observations(),
        key=lambda entry: (entry.record.finished_time, entry.number),
    )
    source.title = shown[-1].captured.title
    source.captured = replace(source.captured, license_hint="")
    best: tuple[bool, Claim, int] | None = None
    for entry in shown:
        artifact = entry.artifact
        if artifact is None or entry.captured.never_current or artifact.grade <= NO_CLAIM.grade:
            continue
        time = entry.record.finished_time if entry.fetched_time is None else entry.fetched_time
        claim = Claim(artifact.grade, entry.fetched_time is not None, time)
        key = (bool(artifact.versions), claim, entry.number)
        if best is not None and key < best:
            continue
        best = key
        version = artifact.versions[-1] if artifact.versions else None
        source.claim, source.current, source.current_artifact = claim, version, artifact
        source.captured, source.trust = entry.captured, artifact.trust
        source.title = (version.title if version else "") or entry.captured.title
    if source.current is not None:
        source.currency.append((sequence, source.current))
