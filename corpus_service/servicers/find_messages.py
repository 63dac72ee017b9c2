"""FindText: request and page as messages of the contract."""

from __future__ import annotations

from corpus_service.servicers.conversions import version_message
from corpus_service.servicers.filters import require_game, search_filter
from corpus_service.services.failures import invalid
from corpus_service.services.find_text import FindRequest, FoundDocument
from corpus_service.services.found_lines import FoundLine, FoundPassage
from corpus_service.services.refs import format_ref
from sourcecorpus.corpus.v1 import citation_pb2, search_service_pb2
from sourcecorpus.rpc.limits import FILTER_VALUES_MAX, FIND_PAGE_SIZE_DEFAULT, FIND_PAGE_SIZE_MAX
from sourcecorpus.rpc.page_tokens import page_size


def find_request(message: search_service_pb2.FindTextRequest) -> FindRequest:
    """Reads a request.

    Raises:
        Failure: INVALID_ARGUMENT with the field.
    """
    game_id = require_game(message.game_id)
    if message.match_mode not in search_service_pb2.MatchMode.values():
        raise invalid("FIELD_INVALID", "match_mode")
    for field, values in (("speakers", message.speakers), ("sections", message.sections)):
        if len(values) > FILTER_VALUES_MAX:
            raise invalid("FIELD_TOO_MANY_VALUES", field, limit=FILTER_VALUES_MAX)
    return FindRequest(
        game_id=game_id,
        query=message.query,
        regex=message.match_mode == search_service_pb2.MATCH_MODE_REGEX,
        narrowing=search_filter(message.filter),
        context_terms=tuple(message.context_terms),
        speakers=tuple(message.speakers),
        page_size=page_size(message.page_size, FIND_PAGE_SIZE_DEFAULT, FIND_PAGE_SIZE_MAX),
        sections=tuple(message.sections),
    )


def result_kind(request: FindRequest) -> search_service_pb2.FindResultKind.ValueType:
    """Tells what the answers to a request hold."""
    if request.query:
        return search_service_pb2.FIND_RESULT_KIND_TEXT_MATCHES
    if request.speakers:
        return search_service_pb2.FIND_RESULT_KIND_SPOKEN_LINES
    if request.sections:
        return search_service_pb2.FIND_RESULT_KIND_SECTIONS
    return search_service_pb2.FIND_RESULT_KIND_DOCUMENTS


def document_message(document: FoundDocument) -> search_service_pb2.FoundDocument:
    """Returns a document as a message."""
    version = document.version
    return search_service_pb2.FoundDocument(
        version=version_message(version),
        original_uri=version.original_uri,
        passages=[_passage(version.version_id, passage) for passage in document.passages],
        title_matched=document.title_matched,
        continues=document.continues,
    )


def _passage(version_id: str, passage: FoundPassage) -> search_service_pb2.FoundPassage:
    return search_service_pb2.FoundPassage(
        lines=[_line(line) for line in passage.lines],
        span=citation_pb2.Span(start=passage.start, end=passage.end),
        ref=format_ref(version_id, passage.start, passage.end),
    )


def _line(line: FoundLine) -> search_service_pb2.FoundLine:
    return search_service_pb2.FoundLine(
        number=line.number,
        role=search_service_pb2.FoundLineRole.ValueType(line.role),
        text=line.text,
        offset=line.offset,
        partial=line.partial,
        matches=[citation_pb2.Span(start=start, end=end) for start, end in line.matches],
        speaker=line.speaker,
    )
