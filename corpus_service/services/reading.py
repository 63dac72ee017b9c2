"""Reading: sources, their versions, and exact lines of one version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from corpus_service.domain.documents import Place
from corpus_service.domain.queries import SourceFilter, SourceOrdering, SourcePosition
from corpus_service.domain.sources import LineSlice, Observation, Snapshot, Source, Version
from corpus_service.services.failures import invalid, not_found
from corpus_service.services.limits import ADJACENT_COLLECTIONS_MAX
from corpus_service.services.locating import (
    DocumentLocator,
    Located,
    Locating,
    ReadingStore,
    SourceLocator,
)
from corpus_service.services.reading_selection import (
    LineSelection,
    line_too_long,
    selected_lines,
    version_moved,
    whole_lines,
)
from corpus_service.services.refs import format_ref
from corpus_service.services.sections import section_lines
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.limits import (
    OBSERVATIONS_SHOWN_MAX,
    READ_CODE_POINTS_MAX,
)


@dataclass(frozen=True, slots=True)
class DocumentRequest:
    """What to read.

    Attributes:
        locator: Names the version.
        selection: Which lines of it.
        expected_version_id: The version that the locator must name; "" for any.
        collection_id: Collection to go on in behind the end of the document; "" for none.
        with_adjacent: Name the documents before and behind it.
    """

    locator: DocumentLocator
    selection: LineSelection
    expected_version_id: str = ""
    collection_id: str = ""
    with_adjacent: bool = False


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """Lines of a version.

    Attributes:
        version: The version.
        lines: The lines.
        ref: Ref of their span.
        last_line: End of the selection, 0 for none.
        place: Where the document stands in the collection that is read.
        adjacent: Where it stands in every collection that has it, where that was asked for.
    """

    version: Version
    lines: LineSlice
    ref: str
    last_line: int
    place: Place | None = None
    adjacent: Sequence[Place] = ()


class ReadingUseCase:
    """Lists and reads sources. Safe from any thread."""

    def __init__(self, store: ReadingStore) -> None:
        self._store = store
        self._locating = Locating(store)

    def list_sources(
        self,
        game_id: str,
        narrowing: SourceFilter,
        ordering: SourceOrdering,
        *,
        limit: int,
        after: SourcePosition | None,
        as_of: Snapshot,
    ) -> Sequence[tuple[Source, SourcePosition]]:
        """Lists sources in an order; see `SourceReader.list_sources`."""
        return self._store.list_sources(
            game_id,
            narrowing,
            ordering,
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
        source = self._locating.source(game_id, locator)
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
        source = self._locating.source(game_id, locator)
        return self._store.list_versions(
            game_id, source.source_id, limit=limit, after=after, as_of=as_of
        )

    def get_version(self, game_id: str, version_id: str) -> Version:
        """Returns exactly this version; see `Locating.version`."""
        return self._locating.version(game_id, version_id)

    def read_document(self, game_id: str, request: DocumentRequest) -> DocumentPart:
        """Reads lines of exactly one version; its text is proven by its hash.

        Raises:
            Failure: What `Locating.document` raises; INVALID_ARGUMENT SPAN_OUT_OF_RANGE;
                NOT_FOUND SECTION_NOT_FOUND, COLLECTION_NOT_FOUND; FAILED_PRECONDITION
                AMBIGUOUS_LOCATOR; ABORTED VERSION_MOVED; OUT_OF_RANGE LINE_OUT_OF_RANGE;
                RESOURCE_EXHAUSTED LINE_TOO_LONG; DATA_LOSS STORED_HASH_MISMATCH with both hashes.
        """
        located = self._locating.document(game_id, request.locator)
        version = located.version
        if request.expected_version_id and version.version_id != request.expected_version_id:
            raise version_moved(version.version_id)
        selection = self._selected(game_id, located, request.selection)
        lines = self._store.read_lines(
            game_id,
            version.version_id,
            first_line=selection.first_line,
            first_line_offset=selection.first_line_offset,
            max_lines=selection.max_lines,
            max_characters=selection.max_characters,
            deadline_seconds=deadline.remaining(),
        )
        if selection.line_only:
            lines = self._whole_lines(game_id, version, lines)
        ref = format_ref(version.version_id, lines.start, lines.end)
        place, adjacent = self._places(game_id, located, request)
        return DocumentPart(version, lines, ref, selection.last_line, place, adjacent)

    def _selected(self, game_id: str, located: Located, selection: LineSelection) -> LineSelection:
        """Returns a selection that has a first line, within the bounds of the version."""
        version = located.version
        if selection.section is not None:
            first, last = section_lines(
                self._store.list_headings(game_id, version.version_id),
                selection.section.headings,
                version.line_count,
                selection.section.field,
            )
            selection = replace(selection, section=None, first_line=first, last_line=last)
        selection = selected_lines(selection, version)
        first_line = selection.first_line
        if not first_line:
            first_line = 1
            if located.span_start and not selection.whole:
                start = located.span_start
                first_line, _ = self._store.line_numbers(game_id, version.version_id, start, start)
        if first_line > max(version.line_count, 1):
            raise invalid("SPAN_OUT_OF_RANGE", "first_line", line_count=version.line_count)
        if selection.first_line_offset > version.text_length:
            raise invalid("SPAN_OUT_OF_RANGE", "first_line_offset", text_length=version.text_length)
        return replace(selection, first_line=first_line)

    def _places(
        self, game_id: str, located: Located, request: DocumentRequest
    ) -> tuple[Place | None, Sequence[Place]]:
        source_id = located.version.source_id
        place: Place | None = None
        adjacent: Sequence[Place] = ()
        if collection_id := located.collection_id or request.collection_id:
            place = self._store.place(game_id, source_id, collection_id)
            if place is None:
                field = "collection" if located.collection_id else "in_collection"
                raise not_found("COLLECTION_NOT_FOUND", field)
        if request.with_adjacent:
            adjacent = self._store.places(game_id, source_id, limit=ADJACENT_COLLECTIONS_MAX)
        return place, adjacent

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
