"""Maps: a manifest of addresses and one stub for each, in order. No pages come with them."""

from __future__ import annotations

from typing import Final

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import JsonValue, SourceDraft, SourceRole
from capture_service.tool_families.addresses import is_web_address, key_of
from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.crawl.manifest import CONTENT_TYPE
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.jobs import job_facts
from capture_service.tool_families.stubs import web_stub
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
    listed, repeated = _listed(rows)
    skipped = len(rows) - len(listed) - repeated
    collector.drop("repeated_addresses", repeated)
    collector.drop("rows_without_web_address", skipped)
    lines = [_line(rank, address, row) for rank, (address, row) in enumerate(listed, 1)]
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
    for rank, (address, row) in enumerate(listed, 1):
        collector.add(
            web_stub(
                address,
                "gtc_page",
                parent=parent,
                rank=rank,
                title=text_field(row, "title"),
                snippet=text_field(row, "description"),
            )
        )


def _listed(rows: list[JsonValue]) -> tuple[list[tuple[str, JsonValue]], int]:
    """Returns each web address once with its row, and how many rows repeat one."""
    listed: dict[str, tuple[str, JsonValue]] = {}
    repeated = 0
    for row in rows:
        address = row if isinstance(row, str) else text_field(row, "url", "link")
        if not is_web_address(address):
            continue
        key = key_of(address)
        repeated += key in listed
        listed.setdefault(key, (address, row))
    return list(listed.values()), repeated


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


def _line(rank: int, address: str, row: JsonValue) -> str:
    parts = (f"{rank}.", address, text_field(row, "title"), text_field(row, "description"))
    return " ".join(part.replace("\n", " ") for part in parts if part)
