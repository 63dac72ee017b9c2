"""Chooses how a result of the crawl family is read."""

from __future__ import annotations

from typing import Final

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import JsonValue, SourceDraft, SourceRole
from capture_service.tool_families import jobs
from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.context import AdaptContext
from capture_service.tool_families.crawl import agent, site_map, status
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.failures import Failure, failure_of
from capture_service.tool_families.web_operations import (
    CRAWL,
    Operation,
    has_job_pages,
    operation_of,
    web_family,
)


class CrawlFamily:
    """Jobs over many pages, and maps of sites."""

    name: Final = CRAWL

    def recognises(self, call: ToolCall) -> bool:
        """Tells whether the call belongs to the family."""
        return web_family(call) == self.name

    def adapt(self, call: ToolCall, context: AdaptContext) -> DraftCollector:
        """Makes drafts.

        Raises:
            UnknownShapeError: the result is of no known shape.
        """
        collector = DraftCollector()
        operation = operation_of(call.name)
        value = call.body.value
        reason = failure_of(call)
        if operation is Operation.AGENT and not has_job_pages(value):
            agent.add_agent(collector, call, value if isinstance(value, dict) else {}, reason)
        elif reason is not None:
            _add_failure(collector, call, operation, reason)
        elif operation is Operation.MAP:
            site_map.add_map(collector, call, value)
        else:
            _add_crawl(collector, call, operation, value)
        return collector


def _add_crawl(
    collector: DraftCollector, call: ToolCall, operation: Operation, value: JsonValue
) -> None:
    name = "batch_scrape" if operation is Operation.BATCH_SCRAPE else "crawl"
    if not isinstance(value, dict):
        raise UnknownShapeError
    inner = value.get("data")
    if isinstance(inner, dict) and has_job_pages(inner):
        value = inner
    if status.is_error_list(value):
        status.add_error_list(collector, call, name, value)
    elif (
        jobs.job_status(value)
        or isinstance(value.get("results"), list)
        or isinstance(value.get("data"), list)
    ):
        status.add_crawl(collector, call, name, value)
    else:
        raise UnknownShapeError


def _add_failure(
    collector: DraftCollector, call: ToolCall, operation: Operation, reason: Failure
) -> None:
    value = call.body.value
    body = value if isinstance(value, dict) else {}
    name = operation.value or "crawl"
    job = jobs.job_id(call, body)
    state = jobs.job_status(body)
    collector.add(
        SourceDraft(
            uri=jobs.job_key(call, CRAWL, name, job),
            family=CRAWL,
            kind="crawl" if operation is Operation.BATCH_SCRAPE else name,
            role=SourceRole.FAILED,
            completeness=Completeness.UNSPECIFIED,
            error=reason.error,
            error_code=reason.code,
            http_status=reason.http_status,
            metadata=jobs.job_facts(call, body, state),
            never_current=True,
            job_id=job,
        )
    )
