"""Texts generated for a whole site (`llms.txt`): one artifact, its list as stubs.

The address `<site>/llms.txt` is never the key: nothing was fetched from there.
"""

from __future__ import annotations

import re
from typing import Final

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import JsonValue, SourceDraft, SourceRole
from capture_service.tool_families import jobs
from capture_service.tool_families.addresses import is_web_address, key_of
from capture_service.tool_families.call import ToolCall
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.failures import Failure, error_text, failure
from capture_service.tool_families.page.document import FAMILY, MARKDOWN
from capture_service.tool_families.stubs import web_stub
from capture_service.tool_families.values import (
    JsonObject,
    field,
    object_field,
    text_field,
    utf8,
)

_OPERATION: Final = "llmstxt"
_ROW: Final = re.compile(r"^[-*] \[([^\]\n]*)\]\(([^)\s]+)\)(?::[ \t]*([^\n]*))?$", re.MULTILINE)


def is_llmstxt(value: JsonValue) -> bool:
    """Tells a generated text by its members."""
    return isinstance(value, dict) and (
        isinstance(field(object_field(value, "data"), "llmstxt"), str)
        or isinstance(field(value, "llmstxt"), str)
    )


def add_llmstxt(
    collector: DraftCollector, call: ToolCall, value: JsonObject, reason: Failure | None
) -> None:
    """Adds the generated text and a stub for each line of its list.

    Args:
        collector: Receives the drafts.
        call: The call.
        value: Answer of the job; empty where the call failed as a whole.
        reason: Failure of the call as a whole.
    """
    data = object_field(value, "data") or value
    short = text_field(data, "llmstxt")
    content = text_field(data, "llmsfulltxt", "llms_full_txt") or short
    job = jobs.job_id(call, value)
    status = jobs.job_status(value)
    if reason is None and status in jobs.FAILED:
        reason = failure(error_text(field(value, "error")) or f"the job is {status}")
    parent = collector.add(
        SourceDraft(
            uri=jobs.job_key(call, FAMILY, _OPERATION, job),
            family=FAMILY,
            kind=_OPERATION,
            role=SourceRole.ARTIFACT if reason is None else SourceRole.FAILED,
            completeness=_completeness(status, content, reason),
            title=_title(call, short),
            content=None if reason is not None else utf8(content or f"status: {status}\n"),
            content_type="" if reason is not None else MARKDOWN,
            error="" if reason is None else reason.error,
            error_code="" if reason is None else reason.code,
            metadata=jobs.job_facts(call, value, status),
            synthetic=True,
            never_current=reason is not None,
            job_id=job,
        )
    )
    if reason is None:
        _add_rows(collector, short, parent, job)


def _completeness(status: str, content: str, reason: Failure | None) -> Completeness:
    if reason is not None:
        return Completeness.UNSPECIFIED
    if not content:
        return Completeness.UNKNOWN
    return Completeness.WINDOWED if status in jobs.RUNNING else Completeness.FULL


def _title(call: ToolCall, short: str) -> str:
    site = text_field(call.arguments, "url")
    first = short.partition("\n")[0].removeprefix("# ").strip()
    return first or (f"llms.txt of {site}" if site else "")


def _add_rows(collector: DraftCollector, short: str, parent: int | None, job: str) -> None:
    rank = 0
    seen: set[str] = set()
    for match in _ROW.finditer(short):
        title, address, words = match[1], match[2], match[3] or ""
        if not is_web_address(address):
            collector.drop("rows_that_are_no_address")
            continue
        if key_of(address) in seen:
            continue
        seen.add(key_of(address))
        rank += 1
        collector.add(
            web_stub(
                address, FAMILY, parent=parent, rank=rank, title=title, snippet=words, job_id=job
            )
        )
