"""Extract jobs: data that a model made of several pages, under the key of the job."""

from __future__ import annotations

from typing import Final

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import JsonValue, SourceDraft, SourceRole
from capture_service.tool_families import jobs
from capture_service.tool_families.addresses import is_web_address, key_of
from capture_service.tool_families.call import ToolCall
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.failures import Failure, error_text, failure
from capture_service.tool_families.page.document import FAMILY, Placement
from capture_service.tool_families.page.results import add_failed_page
from capture_service.tool_families.stubs import web_stub
from capture_service.tool_families.values import JsonObject, field, json_text, texts, utf8

_OPERATION: Final = "extract"
_KIND: Final = "extract"


def is_extract_job(value: JsonValue) -> bool:
    """Tells an answer of an extract job: a state, or an id with the trace of addresses."""
    if not isinstance(value, dict):
        return False
    has_state = isinstance(value.get("status"), str)
    return has_state or (bool(jobs.job_status(value)) and "results" not in value)


def add_extract_job(
    collector: DraftCollector, call: ToolCall, value: JsonObject, reason: Failure | None
) -> None:
    """Adds the job, and as stubs the addresses that support its fields.

    Args:
        collector: Receives the drafts.
        call: The call.
        value: Answer of the job; empty where the call failed as a whole.
        reason: Failure of the call as a whole.
    """
    job = jobs.job_id(call, value)
    status = jobs.job_status(value)
    data = field(value, "data")
    has_data = data not in (None, "", [], {})
    if reason is None and status in jobs.FAILED:
        reason = failure(error_text(field(value, "error")) or f"the job is {status}")
    parent = collector.add(
        SourceDraft(
            uri=jobs.job_key(call, FAMILY, _OPERATION, job),
            family=FAMILY,
            kind=_KIND,
            role=SourceRole.ARTIFACT if reason is None else SourceRole.FAILED,
            completeness=_completeness(status, has_data, reason),
            content=_content(data, status) if reason is None else None,
            content_type="application/json" if reason is None else "",
            error="" if reason is None else reason.error,
            error_code="" if reason is None else reason.code,
            metadata=jobs.job_facts(call, value, status),
            synthetic=True,
            never_current=reason is not None,
            job_id=job,
        )
    )
    _add_supports(collector, value, parent, job)
    for address in texts(field(value, "invalidURLs")):
        refused = Failure("the service refused the address", "INVALID_URL")
        add_failed_page(collector, address, refused, Placement(parent=parent, job_id=job))


def _completeness(status: str, has_data: bool, reason: Failure | None) -> Completeness:
    if reason is not None:
        return Completeness.UNSPECIFIED
    if not has_data:
        return jobs.pending_completeness(status)
    return Completeness.WINDOWED if status in jobs.RUNNING else Completeness.FULL


def _content(data: JsonValue, status: str) -> bytes:
    if data in (None, "", [], {}) and status in jobs.RUNNING:
        return utf8(json_text({"status": status}, indent=2))
    return utf8(json_text(data, indent=2))


def _add_supports(
    collector: DraftCollector, value: JsonObject, parent: int | None, job: str
) -> None:
    supported: dict[str, tuple[str, list[JsonValue]]] = {}
    sources = field(value, "sources")
    if isinstance(sources, dict):
        for path, addresses in sources.items():
            for address in texts(addresses):
                if not is_web_address(address):
                    collector.drop("sources_that_are_no_address")
                    continue
                supported.setdefault(key_of(address), (address, []))[1].append(path)
    for rank, (address, paths) in enumerate(supported.values(), 1):
        collector.add(
            web_stub(
                address, FAMILY, parent=parent, rank=rank, metadata={"supports": paths}, job_id=job
            )
        )
