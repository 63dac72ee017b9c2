"""What jobs of one service have in common: id, state, and the words that describe them."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qs, urlsplit

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import JsonValue
from capture_service.tool_families.call import ToolCall
from capture_service.tool_families.values import JsonObject, field, text_field

RUNNING: Final = frozenset(("started", "pending", "queued", "processing", "scraping", "running"))
FAILED: Final = frozenset(("failed", "error", "cancelled", "canceled"))
_JOB_IN_PATH: Final = re.compile(r"/([A-Za-z0-9][A-Za-z0-9_-]{7,127})/?\Z")


def job_id(call: ToolCall, value: JsonObject) -> str:
    """Returns the id of a job: from the arguments, the body, or the last path part of `next`."""
    named = text_field(call.arguments, "id", "job_id", "jobId", "crawl_id", "request_id")
    named = named or text_field(value, "id", "job_id", "jobId")
    if named:
        return named
    for address in (text_field(call.arguments, "next"), text_field(value, "next")):
        found = _JOB_IN_PATH.search(urlsplit_path(address))
        if found is not None:
            return found[1]
    return ""


def job_status(value: JsonObject) -> str:
    """Returns the state as the service names it; an answer with an id alone says "started"."""
    status = text_field(value, "status").lower()
    if status:
        return status
    return "started" if text_field(value, "id", "job_id", "jobId") else ""


def job_key(call: ToolCall, family: str, operation: str, job: str) -> str:
    """Returns the `tool:` URI of a job, which is made of its id alone so that answers join."""
    if job:
        return call.key(family, operation, {"job_id": job})
    return call.key(family, operation)


def pending_completeness(status: str) -> Completeness:
    """Returns the completeness of an answer that has no result yet, or that is final."""
    return Completeness.UNKNOWN if status in RUNNING else Completeness.FULL


def skipped_rows(address: str) -> int | None:
    """Returns `skip` out of the address of a further page, None where it tells none."""
    try:
        values = parse_qs(urlsplit(address).query).get("skip", [])
    except ValueError:
        return None
    digits = values[0] if values else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


def urlsplit_path(address: str) -> str:
    """Returns the path of an address, "" for what has none."""
    try:
        return urlsplit(address).path
    except ValueError:
        return ""


def job_facts(call: ToolCall, value: JsonObject, status: str) -> dict[str, JsonValue]:
    """Returns state, seed, options and warnings of a job for its metadata."""
    facts: dict[str, JsonValue] = {"job_status": status} if status else {}
    seed = text_field(call.arguments, "url") or text_field(value, "base_url", "baseUrl")
    if seed:
        facts["seed_url"] = seed
    for name in ("warning", "warnings", "replacement"):
        found = field(value, name)
        if found not in (None, "", []):
            facts[name] = found
    return facts
