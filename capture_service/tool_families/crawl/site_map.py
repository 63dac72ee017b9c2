"""Maps: a manifest of addresses and one stub for each, in order. No pages come with them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import JsonValue, SourceDraft, SourceRole
from capture_service.tool_families.addresses import is_web_address, key_of
from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.crawl.manifest import CONTENT_TYPE
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.jobs import job_facts
from capture_service.tool_families.values import field, integer_field, text_field, utf8
from capture_service.tool_families.web_operations import CRAWL

_OPERATION: Final = "map"


def read_links(value: JsonValue) -> list[JsonValue] | None:
    """Returns the rows of a map: `links`, Tavily's `results`, or a bare list; None for none."""
    rows = value if isinstance(value, list) else field(value, "links")
    if rows is None:
        rows = field(value, "results")
    if rows is None:
        data = field(value, "data")
        rows = data if isinstance(data, list) else field(data, "links")
    return rows if isinstance(rows, list) else None


def add_map(collector: DraftCollector, call: ToolCall, value: JsonValue) -> None:
    """Adds the manifest and its stubs.

    Raises:
        UnknownShapeError: the result is of no known shape.
    """
    rows = read_links(value)
    if rows is None:
        raise UnknownShapeError
    facts = job_facts(call, value if isinstance(value, dict) else {}, "")
    # The manifest is placed before its stubs, so the rows are read before it is written.
    stubs: list[SourceDraft] = []
    lines: list[str] = []
    seen: set[str] = set()
    skipped = 0
    for row in rows:
        address = row if isinstance(row, str) else text_field(row, "url", "link")
        if not is_web_address(address):
            skipped += 1
            continue
        key = key_of(address)
        if key in seen:
            collector.drop("repeated_addresses")
            continue
        seen.add(key)
        stub = _stub(address, row, len(stubs) + 1)
        stubs.append(stub)
        lines.append(_line(stub))
    collector.drop("rows_without_web_address", skipped)
    parent = collector.add(
        SourceDraft(
            uri=call.key(CRAWL, _OPERATION),
            family=CRAWL,
            kind="map",
            role=SourceRole.ARTIFACT,
            completeness=_completeness(call, len(rows)),
            title=text_field(facts, "seed_url"),
            content=utf8("\n".join([_head(call), "", *lines]) + "\n"),
            content_type=CONTENT_TYPE,
            metadata={**facts, "links": len(rows), "skipped": skipped},
        )
    )
    for stub in stubs:
        collector.add(replace(stub, parent_position=parent))


def _completeness(call: ToolCall, count: int) -> Completeness:
    """A list as long as its limit may be cut; a map declares no total."""
    limit = integer_field(call.arguments, "limit", "max_results")
    if call.body.remark or (limit is not None and count >= limit):
        return Completeness.UNKNOWN
    return Completeness.FULL


def _head(call: ToolCall) -> str:
    search = text_field(call.arguments, "search")
    head = f"map {text_field(call.arguments, 'url')}".strip()
    return f"{head}\nsearch: {search}" if search else head


def _stub(address: str, row: JsonValue, rank: int) -> SourceDraft:
    return SourceDraft(
        uri=address,
        family="gtc_page",
        kind="page",
        role=SourceRole.STUB,
        completeness=Completeness.STUB,
        requested_uri=address,
        title=text_field(row, "title"),
        rank=rank,
        snippet=text_field(row, "description"),
    )


def _line(stub: SourceDraft) -> str:
    parts = (f"{stub.rank}.", stub.uri, stub.title, stub.snippet)
    return " ".join(part.replace("\n", " ") for part in parts if part)
