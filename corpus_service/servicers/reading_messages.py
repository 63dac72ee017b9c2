"""Messages of ReadDocument: the request as values, and the answer with its continuation."""

from __future__ import annotations

from collections.abc import Sequence

from corpus_service.domain.documents import Document, Place
from corpus_service.domain.sources import Line
from corpus_service.servicers.conversions import line_messages, version_message
from corpus_service.services.failures import invalid
from corpus_service.services.locating import DocumentLocator
from corpus_service.services.reading import DocumentPart, DocumentRequest
from corpus_service.services.reading_selection import (
    LinesAround,
    LineSelection,
    SectionSelection,
    require_range,
)
from sourcecorpus.corpus.v1 import citation_pb2, reading_pb2, source_service_pb2
from sourcecorpus.rpc.limits import (
    FILTER_VALUE_CODE_POINTS_MAX,
    READ_AROUND_LINES_DEFAULT,
    READ_AROUND_LINES_MAX,
    READ_CODE_POINTS_DEFAULT,
    READ_CODE_POINTS_MAX,
    READ_DELIVERED_RANGES_MAX,
    READ_DELIVERED_VERSIONS_MAX,
    READ_HEADINGS_MAX,
    READ_LINES_DEFAULT,
    READ_LINES_MAX,
)


def document_request(request: source_service_pb2.ReadDocumentRequest) -> DocumentRequest:
    """Reads a request.

    Raises:
        Failure: INVALID_ARGUMENT FIELDS_CONFLICT, FIELD_REQUIRED, FIELD_VALUE_EMPTY, FIELD_TOO_LARGE,
            FIELD_TOO_MANY_VALUES, SPAN_OUT_OF_RANGE.
    """
    _check_delivered(request)
    return DocumentRequest(
        locator=_locator(request),
        selection=_selection(request),
        expected_version_id=request.expected_version_id,
        collection_id=request.in_collection,
        with_adjacent=request.with_adjacent,
    )


def _locator(request: source_service_pb2.ReadDocumentRequest) -> DocumentLocator:
    if request.HasField("section"):
        return DocumentLocator(
            version_id=request.section.version_id,
            source_id=request.section.source_id,
            canonical_uri=request.section.canonical_uri,
        )
    return DocumentLocator(
        version_id=request.version_id,
        source_id=request.source_id,
        canonical_uri=request.canonical_uri,
        citation=request.citation,
        title=request.title,
        collection=request.collection,
    )


def _selection(request: source_service_pb2.ReadDocumentRequest) -> LineSelection:
    first, last, around = request.first_line, 0, None
    selection = request.WhichOneof("selection")
    by_section = request.HasField("section")
    if selection and by_section:
        raise invalid("FIELDS_CONFLICT", selection)
    if first and (selection or by_section):
        raise invalid("FIELDS_CONFLICT", "first_line")
    if request.first_line_offset and (
        by_section or selection in {"around", "in_section", "document"} or request.line_only
    ):
        raise invalid("FIELDS_CONFLICT", "first_line_offset")
    if request.in_collection and (by_section or selection in {"around", "in_section", "range"}):
        raise invalid("FIELDS_CONFLICT", "in_collection")
    if request.HasField("range"):
        first, last = request.range.first, request.range.last
        require_range(first, last)
    if request.HasField("around"):
        around = _around(request.around)
    section: SectionSelection | None = None
    if by_section:
        section = _headings(request.section.section.headings, "section.section.headings")
    if request.HasField("in_section"):
        section = _headings(request.in_section.headings, "in_section.headings")
    return LineSelection(
        first_line=first,
        first_line_offset=request.first_line_offset,
        max_lines=min(request.max_lines or READ_LINES_DEFAULT, READ_LINES_MAX),
        max_characters=min(request.max_chars or READ_CODE_POINTS_DEFAULT, READ_CODE_POINTS_MAX),
        last_line=last,
        around=around,
        whole=selection == "document",
        section=section,
        line_only=request.line_only,
    )


def document_message(
    request: source_service_pb2.ReadDocumentRequest, part: DocumentPart
) -> source_service_pb2.ReadDocumentResponse:
    """Returns the answer; its continuation is bound to the version that was read."""
    lines = part.lines
    shown, omitted = _without_delivered(request, part)
    response = source_service_pb2.ReadDocumentResponse(
        version=version_message(part.version),
        lines=line_messages(shown),
        span=citation_pb2.Span(start=lines.start, end=lines.end),
        ref=part.ref,
        omitted=omitted,
        integrity=reading_pb2.TextIntegrity(
            text_hash=part.version.text_hash, verified=lines.proven
        ),
        adjacent=[_place_message(place) for place in part.adjacent],
    )
    if part.place is not None:
        response.place.CopyFrom(_place_message(part.place))
    following = _following(request, part)
    if following is not None:
        response.continuation.CopyFrom(following)
    return response


def _following(
    request: source_service_pb2.ReadDocumentRequest, part: DocumentPart
) -> source_service_pb2.ReadDocumentRequest | None:
    """The request that goes on behind a part, None where nothing follows."""
    lines, place = part.lines, part.place
    following = source_service_pb2.ReadDocumentRequest(
        game_id=request.game_id,
        max_lines=request.max_lines,
        max_chars=request.max_chars,
        line_only=request.line_only,
        with_adjacent=request.with_adjacent,
        already_delivered=request.already_delivered,
        in_collection=place.collection.collection_id if place else "",
    )
    if lines.next_line and not (part.last_line and lines.next_line > part.last_line):
        following.version_id = part.version.version_id
        following.first_line_offset = lines.next_line_offset
        if part.last_line:
            following.range.first, following.range.last = lines.next_line, part.last_line
        else:
            following.first_line = lines.next_line
        return following
    if place is None or place.following is None or part.last_line:
        return None
    following.version_id = place.following.version_id
    return following


def _without_delivered(
    request: source_service_pb2.ReadDocumentRequest, part: DocumentPart
) -> tuple[list[Line], list[citation_pb2.LineRange]]:
    """The lines that the caller does not have, and ranges of those that it has."""
    ranges = [
        (entry.first, entry.last)
        for delivered in request.already_delivered
        if delivered.version_id == part.version.version_id
        for entry in delivered.ranges
    ]
    lines = part.lines
    # A first line that the page begins inside of is there in part, like one that goes on.
    began = request.first_line_offset
    shown: list[Line] = []
    omitted: list[citation_pb2.LineRange] = []
    for position, line in enumerate(lines.lines):
        whole = not line.partial and not (began and position == 0)
        if not whole or not any(first <= line.number <= last for first, last in ranges):
            shown.append(line)
        elif omitted and omitted[-1].last == line.number - 1:
            omitted[-1].last = line.number
        else:
            omitted.append(citation_pb2.LineRange(first=line.number, last=line.number))
    return shown, omitted


def _check_delivered(request: source_service_pb2.ReadDocumentRequest) -> None:
    delivered = request.already_delivered
    if len(delivered) > READ_DELIVERED_VERSIONS_MAX:
        raise invalid(
            "FIELD_TOO_MANY_VALUES", "already_delivered", limit=READ_DELIVERED_VERSIONS_MAX
        )
    for number, entry in enumerate(delivered):
        field = f"already_delivered[{number}]"
        if not entry.version_id:
            raise invalid("FIELD_REQUIRED", f"{field}.version_id")
        if len(entry.ranges) > READ_DELIVERED_RANGES_MAX:
            raise invalid(
                "FIELD_TOO_MANY_VALUES", f"{field}.ranges", limit=READ_DELIVERED_RANGES_MAX
            )
        for place, lines in enumerate(entry.ranges):
            if not 1 <= lines.first <= lines.last:
                raise invalid("SPAN_OUT_OF_RANGE", f"{field}.ranges[{place}]")


def _headings(headings: Sequence[str], field: str) -> SectionSelection:
    if not headings:
        raise invalid("FIELD_REQUIRED", field)
    if len(headings) > READ_HEADINGS_MAX:
        raise invalid("FIELD_TOO_MANY_VALUES", field, limit=READ_HEADINGS_MAX)
    for number, heading in enumerate(headings):
        if not heading.strip():
            raise invalid("FIELD_VALUE_EMPTY", f"{field}[{number}]")
        if len(heading) > FILTER_VALUE_CODE_POINTS_MAX:
            raise invalid(
                "FIELD_TOO_LARGE", f"{field}[{number}]", limit=FILTER_VALUE_CODE_POINTS_MAX
            )
    return SectionSelection(tuple(headings), field)


def _place_message(place: Place) -> reading_pb2.CollectionPlace:
    return reading_pb2.CollectionPlace(
        collection=reading_pb2.Collection(
            collection_id=place.collection.collection_id,
            title=place.collection.title,
            document_count=place.collection.document_count,
        ),
        previous=_neighbour(place.previous),
        next=_neighbour(place.following),
    )


def _neighbour(document: Document | None) -> reading_pb2.NeighbourDocument | None:
    if document is None:
        return None
    return reading_pb2.NeighbourDocument(
        source_id=document.source_id, version_id=document.version_id, title=document.title
    )


def _around(around: reading_pb2.LinesAround) -> LinesAround:
    before = around.before if around.HasField("before") else READ_AROUND_LINES_DEFAULT
    after = around.after if around.HasField("after") else READ_AROUND_LINES_DEFAULT
    return LinesAround(
        around.line, min(before, READ_AROUND_LINES_MAX), min(after, READ_AROUND_LINES_MAX)
    )
