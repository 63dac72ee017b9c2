"""Crawls and batch scrapes: one parent per job id, its pages as children in order."""

from __future__ import annotations

from typing import Final

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import JsonValue, SourceDraft, SourceRole, Window
from capture_service.tool_families import jobs
from capture_service.tool_families.call import ToolCall
from capture_service.tool_families.crawl.manifest import CONTENT_TYPE, manifest_text, page_line
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.failures import Failure, error_text
from capture_service.tool_families.page.document import Placement, add_document, is_document
from capture_service.tool_families.page.results import add_failed_page, add_page_row
from capture_service.tool_families.values import (
    JsonObject,
    field,
    integer_field,
    objects,
    text_field,
    texts,
    utf8,
)
from capture_service.tool_families.web_operations import CRAWL

ROBOTS_CODE: Final = "ROBOTS_BLOCKED"


def add_crawl(collector: DraftCollector, call: ToolCall, operation: str, value: JsonObject) -> None:
    """Adds the job with a manifest and its pages.

    Args:
        collector: Receives the drafts.
        call: The call.
        operation: "crawl" or "batch_scrape".
        value: Receipt, status, merged result, or Tavily's answer in one piece.
    """
    job = jobs.job_id(call, value)
    status = jobs.job_status(value)
    pages = objects(field(value, "data"))
    rows = objects(field(value, "results"))
    skipped = _skipped(call, value, len(pages))
    total = integer_field(value, "total") or 0
    first = (skipped or 0) + 1
    listed = [page_line(first + index, page) for index, page in enumerate(pages or rows)]
    facts = jobs.job_facts(call, value, status)
    failed_words = error_text(field(value, "error"))
    if failed_words:
        facts["job_error"] = failed_words
    window = None
    if pages and total:
        window = Window("pages", first, first + len(pages) - 1, total)
    parent = collector.add(
        SourceDraft(
            uri=jobs.job_key(call, CRAWL, operation, job),
            family=CRAWL,
            kind="crawl",
            role=SourceRole.ARTIFACT,
            completeness=_completeness(call, value, status, first - 1 + len(pages)),
            title=text_field(facts, "seed_url"),
            content=utf8(manifest_text(operation, job, facts, total, listed)),
            content_type=CONTENT_TYPE,
            window=window,
            metadata={**facts, "pages_total": total} if total else facts,
            job_id=job,
        )
    )
    for index, page in enumerate(pages):
        place = Placement(parent=parent, order=first + index, job_id=job)
        if is_document(page):
            add_document(collector, call, page, text_field(page, "url"), place)
        else:
            collector.drop("pages_of_unknown_shape")
    for index, row in enumerate(rows, 1):
        add_page_row(collector, call, row, Placement(parent=parent, order=index, job_id=job))
    for address in texts(field(value, "invalidURLs")):
        refused = Failure("the service refused the address", "INVALID_URL")
        add_failed_page(collector, address, refused, Placement(parent=parent, job_id=job))


def is_error_list(value: JsonValue) -> bool:
    """Tells the answer that names failed and refused pages."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("errors"), list)
        and field(value, "robotsBlocked") is not None
    )


def add_error_list(
    collector: DraftCollector, call: ToolCall, operation: str, value: JsonObject
) -> None:
    """Adds failed and refused pages under their job.

    The list hangs under the job's own key, but must not become its current manifest.
    """
    job = jobs.job_id(call, value)
    errors = objects(field(value, "errors"))
    blocked = texts(field(value, "robotsBlocked"))
    lines = [
        f"{text_field(row, 'url')}: {text_field(row, 'code')} {error_text(row.get('error'))}"
        for row in errors
    ]
    lines += [f"{address}: refused by robots.txt" for address in blocked]
    parent = collector.add(
        SourceDraft(
            uri=jobs.job_key(call, CRAWL, operation, job),
            family=CRAWL,
            kind="crawl",
            role=SourceRole.ARTIFACT,
            completeness=Completeness.FULL,
            content=utf8(manifest_text("errors of " + operation, job, {}, 0, lines)),
            content_type=CONTENT_TYPE,
            metadata={"part": "errors", "errors": len(errors), "robots_blocked": len(blocked)},
            never_current=True,
            job_id=job,
        )
    )
    place = Placement(parent=parent, job_id=job)
    for row in errors:
        reason = Failure(error_text(row.get("error")) or "failed", text_field(row, "code"))
        add_failed_page(collector, text_field(row, "url"), reason, place)
    refused = Placement(
        parent=parent, job_id=job, metadata={"reason": "robots", "robots": "disallowed"}
    )
    for address in blocked:
        reason = Failure("refused by robots.txt of the site", ROBOTS_CODE)
        add_failed_page(collector, address, reason, refused)


def _skipped(call: ToolCall, value: JsonObject, count: int) -> int | None:
    """Returns how many pages came before these.

    The address of this answer tells it; else the address of the next one minus what is here.
    """
    asked = jobs.skipped_rows(text_field(call.arguments, "next", "url"))
    if asked is None:
        asked = integer_field(call.arguments, "skip")
    if asked is None:
        following = jobs.skipped_rows(text_field(value, "next"))
        asked = following - count if following is not None and following >= count else None
    return asked


def _completeness(call: ToolCall, value: JsonObject, status: str, pages_known: int) -> Completeness:
    """Full only at a final status, without a next answer, with as many pages as are declared."""
    if "results" in value and not status:
        return Completeness.UNKNOWN
    if status in ("started", "pending", "queued") or (
        status in jobs.RUNNING and not field(value, "data")
    ):
        return Completeness.UNKNOWN
    declared = max(integer_field(value, "completed") or 0, integer_field(value, "total") or 0)
    if (
        status != "completed"
        or text_field(value, "next")
        or pages_known < declared
        or call.body.remark
    ):
        return Completeness.WINDOWED
    return Completeness.FULL
