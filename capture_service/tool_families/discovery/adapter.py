"""Searches and answers: one discovery artifact, one source for each address that it names."""

from __future__ import annotations

from typing import Final

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import Claim, JsonValue, SourceDraft, SourceRole
from capture_service.tool_families.addresses import is_web_address, key_of
from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.context import AdaptContext
from capture_service.tool_families.discovery import listing
from capture_service.tool_families.discovery.hits import Hit, named_objects, read_hits
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.failures import Failure, failure_of
from capture_service.tool_families.page.document import Placement, is_document
from capture_service.tool_families.page.facts import read_page_facts
from capture_service.tool_families.page.results import add_failed_page, add_page_row
from capture_service.tool_families.stubs import web_stub
from capture_service.tool_families.values import (
    field,
    json_text,
    object_field,
    objects,
    text_field,
    utf8,
)
from capture_service.tool_families.web_operations import (
    DISCOVERY,
    Operation,
    operation_of,
    web_family,
)

_PAGE_FAMILY: Final = "gtc_page"


class DiscoveryFamily:
    """Results of search and answer tools."""

    name: Final = DISCOVERY

    def recognises(self, call: ToolCall) -> bool:
        """Tells whether the call belongs to the family."""
        return web_family(call) == self.name

    def adapt(self, call: ToolCall, context: AdaptContext) -> DraftCollector:
        """Makes drafts.

        Raises:
            UnknownShapeError: the result is of no known shape.
        """
        collector = DraftCollector()
        reason = failure_of(call)
        if reason is not None:
            _add_failure(collector, call, reason)
            return collector
        value = call.body.value
        answered = _answered(value)
        operation = operation_of(call.name)
        if answered is not None:
            _add_answer(collector, call, answered)
        elif operation is Operation.ANSWER and isinstance(value, str) and not call.body.broken:
            _add_answer(collector, call, {"answer": value})
        else:
            _add_search(collector, call, value)
        return collector


def _answered(value: JsonValue) -> dict[str, JsonValue] | None:
    """Returns the object that holds an answer without a list of results, bare or under `data`."""
    for holder in (value, field(value, "data")):
        if (
            isinstance(holder, dict)
            and field(holder, "answer") is not None
            and "results" not in holder
        ):
            return holder
    return None


def _add_failure(collector: DraftCollector, call: ToolCall, reason: Failure) -> None:
    is_answer = operation_of(call.name) is Operation.ANSWER
    operation = "answer" if is_answer else "search"
    collector.add(
        SourceDraft(
            uri=call.key(DISCOVERY, operation),
            family=DISCOVERY,
            kind=operation,
            role=SourceRole.FAILED,
            completeness=Completeness.UNSPECIFIED,
            title=_query(call, None),
            http_status=reason.http_status,
            error=reason.error,
            error_code=reason.code,
            never_current=True,
        )
    )


def _add_search(collector: DraftCollector, call: ToolCall, value: JsonValue) -> None:
    hits = read_hits(value)
    if hits is None or (isinstance(value, list) and not all(hit.address for hit in hits)):
        raise UnknownShapeError
    query = _query(call, value)
    answer = _model_text(value)
    metadata: dict[str, JsonValue] = {"query": query, "hits": len(hits)}
    warning = text_field(value, "warning")
    if warning:
        metadata["warning"] = warning
    if answer:
        metadata["holds_model_answer"] = True
    parent = collector.add(
        SourceDraft(
            uri=call.key(DISCOVERY, "search"),
            family=DISCOVERY,
            kind="search",
            role=SourceRole.ARTIFACT,
            completeness=Completeness.UNKNOWN if call.body.remark else Completeness.FULL,
            title=query,
            content=utf8(listing.search_text(query, call.arguments, hits, answer)),
            content_type=listing.CONTENT_TYPE,
            metadata=metadata,
        )
    )
    _add_hits(collector, call, value, hits, parent)


def _add_answer(collector: DraftCollector, call: ToolCall, value: dict[str, JsonValue]) -> None:
    answer = field(value, "answer")
    words = answer if isinstance(answer, str) else json_text(answer, indent=2)
    hits = read_hits({"citations": [*named_objects(field(value, "citations", "sources"))]}) or []
    question = _query(call, value)
    parent = collector.add(
        SourceDraft(
            uri=call.key(DISCOVERY, "answer"),
            family=DISCOVERY,
            kind="answer",
            role=SourceRole.ARTIFACT,
            completeness=Completeness.UNKNOWN if call.body.remark else Completeness.FULL,
            title=question,
            content=utf8(listing.answer_text(question, words, hits)),
            content_type=listing.CONTENT_TYPE,
            synthetic=True,
            metadata={"query": question, "hits": len(hits)},
        )
    )
    _add_hits(collector, call, value, hits, parent)


def _add_hits(
    collector: DraftCollector,
    call: ToolCall,
    value: JsonValue,
    hits: list[Hit],
    parent: int | None,
) -> None:
    supports = _supported_fields(value)
    seen: set[str] = set()
    statuses = {
        key_of(text_field(status, "id")): status for status in objects(field(value, "statuses"))
    }
    for hit in hits:
        if not is_web_address(hit.address):
            collector.drop("rows_without_web_address")
            continue
        key = key_of(hit.address)
        seen.add(key)
        place = Placement(
            family=_PAGE_FAMILY,
            kind=hit.kind,
            parent=parent,
            rank=hit.rank,
            group=hit.group,
            also_stub=True,
            title=hit.title,
            snippet=hit.snippet,
            metadata=_hit_metadata(hit, supports.get(key, (hit.address, []))[1]),
        )
        _add_hit(collector, call, hit, place, statuses.get(key))
    cited = ((key, *entry) for key, entry in supports.items() if key not in seen)
    for rank, (_, address, paths) in enumerate(cited, len(hits) + 1):
        place = Placement(
            family=_PAGE_FAMILY, parent=parent, rank=rank, metadata={"supports": [*paths]}
        )
        collector.add(_stub(address, place, ()))


def _add_hit(
    collector: DraftCollector,
    call: ToolCall,
    hit: Hit,
    place: Placement,
    status: dict[str, JsonValue] | None,
) -> None:
    row = hit.row
    facts = read_page_facts(row)
    if is_document(row) and _has_text(row):
        add_page_row(collector, call, row, place)
    elif facts.error or facts.failed:
        reason = Failure(facts.error or f"status {facts.http_status}", "", facts.http_status)
        add_failed_page(collector, hit.address, reason, place)
    elif text_field(row, "raw_content", "text"):
        add_page_row(collector, call, row, place, status=status)
    else:
        claims = [
            Claim(name, text_field(row, *members))
            for name, members in (
                ("date", ("date",)),
                ("published", ("publishedDate", "published_date")),
                ("author", ("author",)),
            )
            if text_field(row, *members)
        ]
        collector.add(_stub(hit.address, place, tuple(claims)))


def _has_text(row: dict[str, JsonValue] | object) -> bool:
    return isinstance(row, dict) and any(
        text_field(row, name).strip() for name in ("markdown", "html", "rawHtml")
    )


def _stub(address: str, place: Placement, claims: tuple[Claim, ...]) -> SourceDraft:
    return web_stub(
        address,
        place.family,
        parent=place.parent,
        rank=place.rank,
        kind=place.kind,
        group=place.group,
        title=place.title,
        snippet=place.snippet,
        claims=claims,
        metadata=dict(place.metadata),
    )


def _hit_metadata(hit: Hit, supports: list[JsonValue]) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    if supports:
        found["supports"] = supports
    for name, member in (
        ("image_url", "imageUrl"),
        ("date_claim", "date"),
        ("category", "category"),
        ("published_claim", "publishedDate"),
        ("author", "author"),
    ):
        words = text_field(hit.row, member)
        if words and words != hit.address:
            found[name] = words
    return found


def _supported_fields(value: JsonValue) -> dict[str, tuple[str, list[JsonValue]]]:
    """Returns address and supported fields of the citations of a synthesised output, by key."""
    found: dict[str, tuple[str, list[JsonValue]]] = {}
    for ground in objects(field(object_field(value, "output"), "grounding")):
        for citation in objects(field(ground, "citations")):
            address = text_field(citation, "url")
            if is_web_address(address):
                entry = found.setdefault(key_of(address), (address, []))
                entry[1].append(text_field(ground, "field"))
    return found


def _model_text(value: JsonValue) -> str:
    """Returns the answer that a model made of the hits, "" for none."""
    answer = field(value, "answer") or field(object_field(value, "output"), "content")
    if answer in (None, "", {}, []):
        return ""
    return answer if isinstance(answer, str) else json_text(answer, indent=2)


def _query(call: ToolCall, value: JsonValue) -> str:
    asked = text_field(call.arguments, "query", "q", "question", "search_query", "prompt")
    return asked or text_field(value, "query")
