"""Reading: sources, their versions, and exact lines of one version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from corpus_service.domain.queries import SourceFilter, SourcePosition
from corpus_service.domain.sources import LineSlice, Observation, Snapshot, Source, Version
from corpus_service.services.failures import invalid, not_found, precondition
from corpus_service.services.reading_selection import (
    LineSelection,
    line_too_long,
    prove_whole_text,
    selected_lines,
    version_moved,
    whole_lines,
)
from corpus_service.services.refs import format_ref, read_ref
from corpus_service.storage.interface import SourceReader, TextReader
from sourcecorpus.identity import canonicalise
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.limits import (
    OBSERVATIONS_SHOWN_MAX,
    READ_CODE_POINTS_MAX,
    URI_BYTES_MAX,
)


class ReadingStore(SourceReader, TextReader, Protocol):
    """What reading needs of a store."""


@dataclass(frozen=True, slots=True)
class SourceLocator:
    """Names a source: exactly one of an id and an address in any spelling."""

    source_id: str = ""
    uri: str = ""


@dataclass(frozen=True, slots=True)
class DocumentLocator:
    """Names a version: exactly one of the fields is set."""

    version_id: str = ""
    source_id: str = ""
    canonical_uri: str = ""
    citation: str = ""


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """Lines of a version with the ref of their span; ``last_line`` is the end of a selection, 0 for none."""

    version: Version
    lines: LineSlice
    ref: str
    last_line: int


class ReadingUseCase:
    """Lists and reads sources. Safe from any thread."""

    def __init__(self, store: ReadingStore) -> None:
        self._store = store

    def list_sources(
        self,
        game_id: str,
        narrowing: SourceFilter,
        *,
        limit: int,
        after: SourcePosition | None,
        as_of: Snapshot,
    ) -> Sequence[tuple[Source, SourcePosition]]:
        """Lists sources, newest observation first; see `SourceReader.list_sources`."""
        return self._store.list_sources(
            game_id,
            narrowing,
            limit=limit,
            after=after,
            as_of=as_of,
            deadline_seconds=deadline.remaining(),
        )

    def get_source(
        self, game_id: str, locator: SourceLocator
    ) -> tuple[Source, Sequence[Observation]]:
        """Returns a source with its newest observations.

        Raises:
            Failure: NOT_FOUND SOURCE_NOT_FOUND.
        """
        source = self._source(game_id, locator)
        observations = self._store.list_observations(
            game_id, source.source_id, limit=OBSERVATIONS_SHOWN_MAX
        )
        return source, observations

    def list_versions(
        self, game_id: str, locator: SourceLocator, *, limit: int, after: int, as_of: Snapshot
    ) -> Sequence[tuple[Version, int]]:
        """Lists versions of a source, newest made first.

        Raises:
            Failure: NOT_FOUND SOURCE_NOT_FOUND.
        """
        source = self._source(game_id, locator)
        return self._store.list_versions(
            game_id, source.source_id, limit=limit, after=after, as_of=as_of
        )

    def get_version(self, game_id: str, version_id: str, field: str = "version_id") -> Version:
        """Returns exactly this version.

        Raises:
            Failure: NOT_FOUND VERSION_NOT_FOUND; FAILED_PRECONDITION VERSION_DELETED.
        """
        if not version_id:
            raise invalid("FIELD_REQUIRED", field)
        version = self._store.get_versions(game_id, (version_id,)).get(version_id)
        if version is not None:
            return version
        if self._store.deleted_versions(game_id, (version_id,)):
            raise precondition("VERSION_DELETED", field)
        raise not_found("VERSION_NOT_FOUND", field)

    def read_document(
        self,
        game_id: str,
        locator: DocumentLocator,
        selection: LineSelection,
        expected_version_id: str = "",
    ) -> DocumentPart:
        """Reads lines of exactly one version; a text that is returned whole is proven by its hash.

        Raises:
            Failure: INVALID_ARGUMENT LOCATOR_REQUIRED, INVALID_REF, REF_CHECK_FAILED, SPAN_OUT_OF_RANGE;
                NOT_FOUND SOURCE_NOT_FOUND, VERSION_NOT_FOUND; FAILED_PRECONDITION VERSION_DELETED;
                ABORTED VERSION_MOVED; OUT_OF_RANGE LINE_OUT_OF_RANGE; RESOURCE_EXHAUSTED LINE_TOO_LONG;
                DATA_LOSS STORED_HASH_MISMATCH with both hashes.
        """
        version, span_start = self._locate(game_id, locator)
        if expected_version_id and version.version_id != expected_version_id:
            raise version_moved(version.version_id)
        selection = selected_lines(selection, version)
        first_line = selection.first_line
        if not first_line:
            first_line = 1
            if span_start:
                first_line, _ = self._store.line_numbers(
                    game_id, version.version_id, span_start, span_start
                )
        if first_line > max(version.line_count, 1):
            raise invalid("SPAN_OUT_OF_RANGE", "first_line", line_count=version.line_count)
        if selection.first_line_offset > version.text_length:
            raise invalid("SPAN_OUT_OF_RANGE", "first_line_offset", text_length=version.text_length)
        lines = self._store.read_lines(
            game_id,
            version.version_id,
            first_line=first_line,
            first_line_offset=selection.first_line_offset,
            max_lines=selection.max_lines,
            max_characters=selection.max_characters,
            deadline_seconds=deadline.remaining(),
        )
        prove_whole_text(version, lines)
        if selection.line_only:
            lines = self._whole_lines(game_id, version, lines)
        ref = format_ref(version.version_id, lines.start, lines.end)
        return DocumentPart(version, lines, ref, selection.last_line)

    def _whole_lines(self, game_id: str, version: Version, lines: LineSlice) -> LineSlice:
        whole = whole_lines(lines)
        if whole is not None:
            return whole
        # The length of the line is worth one more read only where some limit would let it through.
        longest = self._store.read_lines(
            game_id,
            version.version_id,
            first_line=lines.lines[0].number,
            max_lines=1,
            max_characters=READ_CODE_POINTS_MAX,
            deadline_seconds=deadline.remaining(),
        )
        raise line_too_long(longest)

    def _locate(self, game_id: str, locator: DocumentLocator) -> tuple[Version, int]:
        """Returns the version and the first code point that the locator names in it."""
        if locator.version_id:
            return self.get_version(game_id, locator.version_id), 0
        if locator.citation:
            ref = read_ref(locator.citation)
            if isinstance(ref, str):
                raise invalid(ref, "citation")
            version = self.get_version(game_id, ref.version_id, "citation")
            start, end = ref.span or (0, 0)
            if not start <= end <= version.text_length:
                raise invalid("SPAN_OUT_OF_RANGE", "citation", text_length=version.text_length)
            return version, start
        by_uri = SourceLocator(locator.source_id, locator.canonical_uri)
        field = "source_id" if locator.source_id else "canonical_uri"
        source = self._source(game_id, by_uri, uri_field="canonical_uri")
        if not source.current_version_id:
            # Seen, but no text was extracted from it: there is nothing to read lines of.
            raise not_found("VERSION_NOT_FOUND", field)
        return self.get_version(game_id, source.current_version_id, field), 0

    def _source(self, game_id: str, locator: SourceLocator, *, uri_field: str = "uri") -> Source:
        source_id, field = locator.source_id, "source_id"
        if not source_id:
            if not locator.uri:
                raise invalid("LOCATOR_REQUIRED", "locator")
            field = uri_field
            if len(locator.uri.encode("utf-8", "replace")) > URI_BYTES_MAX:
                raise invalid("FIELD_TOO_LARGE", field, limit_bytes=URI_BYTES_MAX)
            source_id = self._store.find_source(game_id, canonicalise(locator.uri).value)
        source = self._store.get_source(game_id, source_id) if source_id else None
        if source is None:
            raise not_found("SOURCE_NOT_FOUND", field)
        return source
