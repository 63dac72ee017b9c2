"""Research agents: what a model wrote, and the addresses that it names as its sources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import JsonValue, SourceDraft, SourceRole
from capture_service.tool_families import jobs
from capture_service.tool_families.addresses import is_web_address, key_of
from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.failures import Failure, error_text, failure
from capture_service.tool_families.limits import MAXIMUM_ADDRESS_DEPTH
from capture_service.tool_families.stubs import web_stub
from capture_service.tool_families.values import (
    JsonObject,
    field,
    json_text,
    object_field,
    text_field,
    utf8,
)
from capture_service.tool_families.web_operations import CRAWL

_OPERATION: Final = "agent"


def add_agent(
    collector: DraftCollector, call: ToolCall, value: JsonObject, reason: Failure | None
) -> None:
    """Adds the job and a stub for each address that stands as a value in its data.

    Args:
        collector: Receives the drafts.
        call: The call.
        value: Receipt or status; empty where the call failed as a whole.
        reason: Failure of the call as a whole.

    Raises:
        UnknownShapeError: the result is of no known shape.
    """
    job = jobs.job_id(call, value) or text_field(value, "request_id", "requestId")
    status = jobs.job_status(value)
    partial = field(value, "partial")
    data = _data(value) if partial is None else partial
    if reason is None and status in jobs.FAILED:
        reason = failure(error_text(field(value, "error")) or f"the job is {status}")
    if reason is None and not status and data is None:
        raise UnknownShapeError
    has_data = data not in (None, "", [], {})
    kept = has_data or reason is None
    parent = collector.add(
        SourceDraft(
            uri=jobs.job_key(call, CRAWL, _OPERATION, job),
            family=CRAWL,
            kind=_OPERATION,
            role=SourceRole.ARTIFACT if reason is None else SourceRole.FAILED,
            completeness=_completeness(status, reason, has_data=has_data, partial=partial),
            title=text_field(call.arguments, "prompt", "query", "input"),
            content=_content(data, status) if kept else None,
            content_type="text/markdown; charset=utf-8"
            if isinstance(data, str)
            else "application/json",
            error="" if reason is None else reason.error,
            error_code=text_field(value, "stopReason") or ("" if reason is None else reason.code),
            metadata=jobs.job_facts(call, value, status),
            synthetic=True,
            never_current=reason is not None,
            job_id=job,
        )
    )
    _add_addresses(collector, [data, field(value, "sources")], parent, job)


def _data(value: JsonObject) -> JsonValue:
    """Returns the result: data, a chat message, a report, or deep research's analysis."""
    data = field(value, "data")
    analysis = field(object_field(value, "data"), "finalAnalysis")
    if analysis is not None:
        return analysis
    if data not in (None, [], {}):
        return data
    return field(value, "message", "content", "report", "output")


def _completeness(
    status: str, reason: Failure | None, *, has_data: bool, partial: JsonValue
) -> Completeness:
    if not has_data:
        if reason is not None:
            return Completeness.UNSPECIFIED
        return jobs.pending_completeness(status)
    running = status in jobs.RUNNING or status in jobs.FAILED
    return Completeness.WINDOWED if running or partial is not None else Completeness.FULL


def _content(data: JsonValue, status: str) -> bytes:
    if data is None:
        return utf8(json_text({"status": status}, indent=2))
    return utf8(data if isinstance(data, str) else json_text(data, indent=2))


def _add_addresses(
    collector: DraftCollector, values: list[JsonValue], parent: int | None, job: str
) -> None:
    seen: set[str] = set()
    for value in values:
        for address, title in _addresses(value, "", 0):
            key = key_of(address)
            if key in seen:
                continue
            seen.add(key)
            collector.add(
                web_stub(
                    address, "gtc_page", parent=parent, rank=len(seen), title=title, job_id=job
                )
            )


def _addresses(value: JsonValue, title: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yields values that are an address as a whole, in order; an address in prose is none."""
    if depth > MAXIMUM_ADDRESS_DEPTH:
        return
    if isinstance(value, str):
        if is_web_address(value) and not any(mark.isspace() for mark in value):
            yield value, title
    elif isinstance(value, list):
        for item in value:
            yield from _addresses(item, "", depth + 1)
    elif isinstance(value, dict):
        own_title = text_field(value, "title") if "url" in value else ""
        for item in value.values():
            yield from _addresses(item, own_title, depth + 1)
