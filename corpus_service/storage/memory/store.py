"""`CorpusStore` in memory, for one process and its tests."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from time import time_ns

from corpus_service.domain.lines import cut_lines
from corpus_service.domain.queries import (
    NEWEST_FIRST,
    SourceFilter,
    SourceOrdering,
    SourcePosition,
)
from corpus_service.domain.records import IngestResult
from corpus_service.domain.sources import (
    ContentFacts,
    LineSlice,
    Observation,
    Passage,
    Snapshot,
    Source,
    SpanText,
    Version,
)
from corpus_service.storage.memory import listing, reading
from corpus_service.storage.memory.catalog import MemoryCatalog
from corpus_service.storage.memory.contents import MemoryUpload, VerifiedContent, damaged
from corpus_service.storage.memory.deletion import MemoryDeletion
from corpus_service.storage.memory.documents import MemoryDocuments
from corpus_service.storage.memory.ingest import ingest, is_whole
from corpus_service.storage.memory.passage_index import MemoryPassageIndex, sequence_of
from corpus_service.storage.memory.presented import MemoryPresentedSources
from corpus_service.storage.memory.refreshes import MemoryRefreshes
from corpus_service.storage.memory.runs import MemoryRunLinks
from corpus_service.storage.memory.tables import MemoryGame, MemoryVersion
from corpus_service.storage.memory.transfer import MemoryTransfer
from corpus_service.storage.preparation import PreparedRecord
from sourcecorpus.rpc.failures import Failure, FailureCode


class MemoryStore(
    MemoryCatalog,
    MemoryPassageIndex,
    MemoryDeletion,
    MemoryDocuments,
    MemoryRunLinks,
    MemoryRefreshes,
    MemoryPresentedSources,
    MemoryTransfer,
):
    """Every capability over plain objects behind one lock. Deadlines are met by being small."""

    def __init__(self) -> None:
        super().__init__()
        self._tables: dict[str, MemoryGame] = {}
        self._closed = False

    def close(self) -> None:
        """See `CorpusStore.close`."""
        self._closed = True

    # Writer

    def missing_contents(self, game_id: str, content_hashes: Collection[str]) -> frozenset[str]:
        """See `CaptureWriter.missing_contents`."""
        with self._game(game_id) as game:
            return frozenset(name for name in content_hashes if not is_whole(game, name))

    def extracted_artifacts(
        self, game_id: str, artifact_ids: Collection[str], extractors: Collection[tuple[str, str]]
    ) -> frozenset[str]:
        """See `CaptureWriter.extracted_artifacts`."""
        known = set(extractors)
        with self._game(game_id) as game:
            found = (game.artifacts.get(name) for name in artifact_ids)
            return frozenset(
                artifact.id
                for artifact in found
                if artifact is not None
                and not known.isdisjoint(
                    {artifact.failed_extractor}
                    | {
                        (entry.prepared.extractor, entry.prepared.extractor_version)
                        for entry in artifact.versions
                    }
                )
            )

    def open_for_extraction(self, game_id: str, content_hash: str) -> VerifiedContent:
        """See `CaptureWriter.open_for_extraction`."""
        with self._game(game_id) as game:
            content = game.contents.get(content_hash)
            if content is None:
                raise Failure(FailureCode.NOT_FOUND, "CONTENT_NOT_FOUND", "content_hash")
            return VerifiedContent(content_hash, content)

    def submit(self, game_id: str, record: PreparedRecord) -> Future[IngestResult]:
        """See `CaptureWriter.submit`; done on return."""
        future: Future[IngestResult] = Future()
        with self._game(game_id) as game:
            future.set_result(ingest(game, record))
        return future

    def begin_upload(self, game_id: str, content_hash: str, size_bytes: int) -> MemoryUpload:
        """See `CaptureWriter.begin_upload`."""
        with self._game(game_id) as game:
            return MemoryUpload(game, content_hash, size_bytes, time_ns())

    def drop_uploads(self, game_id: str, *, older_than: int) -> int:
        """See `CaptureWriter.drop_uploads`."""
        with self._game(game_id) as game:
            old = [
                name
                for name, content in game.contents.items()
                if not content.referenced and content.begun_time < older_than
            ]
            for name in old:
                del game.contents[name]
            return len(old)

    # Contents

    def open_content(
        self, game_id: str, content_hash: str, *, deadline_seconds: float | None = None
    ) -> VerifiedContent:
        """See `ContentReader.open_content`."""
        with self._game(game_id) as game:
            content = game.contents.get(content_hash)
            if content is not None and content.readable:
                return VerifiedContent(content_hash, content)
            named = (entry for entry in game.artifacts.values() if entry.readable)
            if content is None and any(entry.content_hash == content_hash for entry in named):
                raise damaged()
            raise Failure(FailureCode.NOT_FOUND, "CONTENT_NOT_FOUND", "content_hash")

    def artifact_content(self, game_id: str, artifact_id: str) -> ContentFacts:
        """See `ContentReader.artifact_content`."""
        with self._game(game_id) as game:
            found = game.artifacts.get(artifact_id)
            if found is None or not found.readable:
                raise Failure(FailureCode.NOT_FOUND, "CONTENT_NOT_FOUND", "artifact_id")
            return ContentFacts(found.content_hash, found.size_bytes, found.content_type)

    def envelope_content(self, game_id: str, envelope_id: str) -> ContentFacts:
        """See `ContentReader.envelope_content`."""
        with self._game(game_id) as game:
            found = game.envelopes.get(envelope_id)
            if found is None or not found.readable or not found.record.result_hash:
                raise Failure(FailureCode.NOT_FOUND, "CONTENT_NOT_FOUND", "envelope_id")
            record = found.record
            content = game.contents.get(record.result_hash)
            if content is None:
                raise damaged()
            return ContentFacts(record.result_hash, content.size_bytes, record.result_media_type)

    # Sources

    def snapshot(self, game_id: str) -> Snapshot:
        """See `SourceReader.snapshot`."""
        with self._game(game_id) as game:
            return Snapshot(game.epoch, game.sequence)

    def get_source(self, game_id: str, source_id: str) -> Source | None:
        """See `SourceReader.get_source`."""
        with self._game(game_id) as game:
            found = game.sources.get(source_id)
            if found is None or not found.readable_observations():
                return None
            return reading.source_model(game, found)

    def find_source(self, game_id: str, canonical_uri: str) -> str:
        """See `SourceReader.find_source`."""
        with self._game(game_id) as game:
            for source in game.sources.values():
                if source.canonical_uri == canonical_uri and source.readable_observations():
                    return source.id
            return ""

    def list_sources(
        self,
        game_id: str,
        narrowing: SourceFilter,
        ordering: SourceOrdering = NEWEST_FIRST,
        *,
        limit: int,
        after: SourcePosition | None = None,
        as_of: Snapshot | None = None,
        deadline_seconds: float | None = None,
    ) -> Sequence[tuple[Source, SourcePosition]]:
        """See `SourceReader.list_sources`."""
        with self._game(game_id) as game:
            return listing.list_sources(
                game,
                narrowing,
                ordering,
                limit=limit,
                after=after,
                sequence=sequence_of(game, as_of),
            )

    def list_versions(
        self,
        game_id: str,
        source_id: str,
        *,
        limit: int,
        after: int = 0,
        as_of: Snapshot | None = None,
    ) -> Sequence[tuple[Version, int]]:
        """See `SourceReader.list_versions`."""
        with self._game(game_id) as game:
            sequence = sequence_of(game, as_of)
            found = sorted(
                (
                    version
                    for version in game.versions.values()
                    if version.artifact.source.id == source_id
                    and version.sequence <= sequence
                    and (not after or version.row < after)
                ),
                key=lambda version: -version.row,
            )
            return [
                (reading.version_model(game, version), version.row) for version in found[:limit]
            ]

    def list_observations(
        self, game_id: str, source_id: str, *, limit: int
    ) -> Sequence[Observation]:
        """See `SourceReader.list_observations`."""
        with self._game(game_id) as game:
            source = game.sources.get(source_id)
            if source is None:
                return []
            shown = source.readable_observations()
            shown.sort(key=lambda entry: (-entry.record.finished_time, -entry.number))
            return [reading.observation_model(game, entry) for entry in shown[:limit]]

    def get_versions(self, game_id: str, version_ids: Collection[str]) -> Mapping[str, Version]:
        """See `SourceReader.get_versions`."""
        with self._game(game_id) as game:
            return {
                name: reading.version_model(game, game.versions[name])
                for name in version_ids
                if name in game.versions
            }

    def deleted_versions(self, game_id: str, version_ids: Collection[str]) -> frozenset[str]:
        """See `SourceReader.deleted_versions`."""
        return frozenset(self.tombstones(game_id, version_ids))

    # Texts

    def read_span(self, game_id: str, version_id: str, start: int, end: int) -> str:
        """See `TextReader.read_span`."""
        with self._game(game_id) as game:
            return _span(_version(game, version_id), start, end).text

    def read_spans(
        self, game_id: str, spans: Collection[tuple[str, int, int]]
    ) -> Mapping[tuple[str, int, int], SpanText]:
        """See `TextReader.read_spans`."""
        with self._game(game_id) as game:
            return {
                span: _span(game.versions[span[0]], span[1], span[2])
                for span in spans
                if span[0] in game.versions
                and 0 <= span[1] <= span[2] <= len(game.versions[span[0]].text)
            }

    def line_numbers(self, game_id: str, version_id: str, start: int, end: int) -> tuple[int, int]:
        """See `TextReader.line_numbers`."""
        with self._game(game_id) as game:
            found = _span(_version(game, version_id), start, end)
            return found.first_line, found.last_line

    def read_lines(
        self,
        game_id: str,
        version_id: str,
        *,
        first_line: int,
        first_line_offset: int = 0,
        max_lines: int,
        max_characters: int,
        deadline_seconds: float | None = None,
    ) -> LineSlice:
        """See `TextReader.read_lines`."""
        with self._game(game_id) as game:
            version = _version(game, version_id)
        lines = version.text.split("\n")
        if not 1 <= first_line <= version.prepared.line_count:
            raise Failure(FailureCode.INVALID_ARGUMENT, "SPAN_OUT_OF_RANGE", "first_line")
        start = sum(len(line) + 1 for line in lines[: first_line - 1]) + first_line_offset
        if start > len(version.text):
            raise Failure(FailureCode.INVALID_ARGUMENT, "SPAN_OUT_OF_RANGE", "first_line_offset")
        found = cut_lines(
            version.text[start:],
            start=start,
            first_line=first_line,
            first_line_offset=first_line_offset,
            reaches_end=True,
            max_lines=max_lines,
            max_characters=max_characters,
        )
        # Objects of this process do not change behind its back.
        return replace(found, proven=True)

    def list_chunks(
        self, game_id: str, version_id: str, *, after_ordinal: int = -1, limit: int
    ) -> Sequence[Passage]:
        """See `TextReader.list_chunks`."""
        with self._game(game_id) as game:
            version = _version(game, version_id)
            ordinals = range(after_ordinal + 1, len(version.chunks))[:limit]
            return [reading.passage_model(version, ordinal) for ordinal in ordinals]

    @contextmanager
    def _game(self, game_id: str) -> Iterator[MemoryGame]:
        with self._lock:
            if self._closed:
                raise Failure(FailureCode.UNAVAILABLE, "DRAINING")
            if game_id not in self._games:
                raise Failure(FailureCode.NOT_FOUND, "UNKNOWN_GAME", "game_id")
            yield self._tables.setdefault(game_id, MemoryGame(game_id, "memory"))


def _version(game: MemoryGame, version_id: str) -> MemoryVersion:
    found = game.versions.get(version_id)
    if found is None:
        raise Failure(FailureCode.NOT_FOUND, "VERSION_NOT_FOUND", "version_id")
    return found


def _span(version: MemoryVersion, start: int, end: int) -> SpanText:
    text = version.text
    if not 0 <= start <= end <= len(text):
        raise Failure(FailureCode.INVALID_ARGUMENT, "SPAN_OUT_OF_RANGE", "span")
    first = text.count("\n", 0, start) + 1
    return SpanText(text[start:end], first, text.count("\n", 0, max(start, end - 1)) + 1)
