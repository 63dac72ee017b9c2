"""Messages of ReadDocument: the request as values, and the answer with its continuation."""

from __future__ import annotations

from corpus_service.servicers.conversions import line_messages, version_message
from corpus_service.services.failures import invalid
from corpus_service.services.reading import DocumentLocator, DocumentPart
from corpus_service.services.reading_selection import LinesAround, LineSelection, require_range
from sourcecorpus.corpus.v1 import citation_pb2, reading_pb2, source_service_pb2
from sourcecorpus.rpc.limits import (
    READ_AROUND_LINES_DEFAULT,
    READ_AROUND_LINES_MAX,
    READ_CODE_POINTS_DEFAULT,
    READ_CODE_POINTS_MAX,
    READ_LINES_DEFAULT,
    READ_LINES_MAX,
)


def document_locator(request: source_service_pb2.ReadDocumentRequest) -> DocumentLocator:
    """Reads the locator."""
    return DocumentLocator(
        version_id=request.version_id,
        source_id=request.source_id,
        canonical_uri=request.canonical_uri,
        citation=request.citation,
    )


def line_selection(request: source_service_pb2.ReadDocumentRequest) -> LineSelection:
    """Reads the selection and its limits.

    Raises:
        Failure: INVALID_ARGUMENT FIELDS_CONFLICT, SPAN_OUT_OF_RANGE.
    """
    first, last, around = request.first_line, 0, None
    if request.WhichOneof("selection") and first:
        raise invalid("FIELDS_CONFLICT", "first_line")
    if request.first_line_offset and (request.HasField("around") or request.line_only):
        raise invalid("FIELDS_CONFLICT", "first_line_offset")
    if request.HasField("range"):
        first, last = request.range.first, request.range.last
        require_range(first, last)
    if request.HasField("around"):
        around = _around(request.around)
    return LineSelection(
        first_line=first,
        first_line_offset=request.first_line_offset,
        max_lines=min(request.max_lines or READ_LINES_DEFAULT, READ_LINES_MAX),
        max_characters=min(request.max_chars or READ_CODE_POINTS_DEFAULT, READ_CODE_POINTS_MAX),
        last_line=last,
        around=around,
        line_only=request.line_only,
    )


def document_message(
    request: source_service_pb2.ReadDocumentRequest, part: DocumentPart
) -> source_service_pb2.ReadDocumentResponse:
    """Returns the answer; its continuation is bound to the version that was read."""
    lines = part.lines
    response = source_service_pb2.ReadDocumentResponse(
        version=version_message(part.version),
        lines=line_messages(lines),
        span=citation_pb2.Span(start=lines.start, end=lines.end),
        ref=part.ref,
    )
    if not lines.next_line or (part.last_line and lines.next_line > part.last_line):
        return response
    following = source_service_pb2.ReadDocumentRequest(
        game_id=request.game_id,
        version_id=part.version.version_id,
        first_line_offset=lines.next_line_offset,
        max_lines=request.max_lines,
        max_chars=request.max_chars,
        line_only=request.line_only,
    )
    if part.last_line:
        following.range.first, following.range.last = lines.next_line, part.last_line
    else:
        following.first_line = lines.next_line
    response.continuation.CopyFrom(following)
    return response


def _around(around: reading_pb2.LinesAround) -> LinesAround:
    before = around.before if around.HasField("before") else READ_AROUND_LINES_DEFAULT
    after = around.after if around.HasField("after") else READ_AROUND_LINES_DEFAULT
    return LinesAround(
        around.line, min(before, READ_AROUND_LINES_MAX), min(after, READ_AROUND_LINES_MAX)
    )
