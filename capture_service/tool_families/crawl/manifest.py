"""Writes manifests of jobs as stable text: what changes from answer to answer stays out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from capture_service.tool_families.page.facts import read_page_facts
from capture_service.tool_families.values import JsonObject, text_field

CONTENT_TYPE: Final = "text/plain; charset=utf-8"


def manifest_text(
    operation: str, job: str, facts: JsonObject, total: int, lines: Sequence[str]
) -> str:
    """Returns operation, job, seed, state and the list, one line each."""
    head = [f"{operation} {job}".strip()]
    for name, member in (("seed", "seed_url"), ("status", "job_status"), ("error", "job_error")):
        words = text_field(facts, member)
        if words:
            head.append(f"{name}: {words}")
    if total:
        head.append(f"pages: {total}")
    body = ["", *lines] if lines else []
    return "\n".join([*head, *body]) + "\n"


def page_line(order: int, page: JsonObject) -> str:
    """Returns order, address, status and title of a page."""
    facts = read_page_facts(page)
    address = facts.source_url or facts.final_url or text_field(page, "url")
    status = str(facts.http_status) if facts.http_status else ""
    title = facts.title or text_field(page, "title")
    return " ".join(part for part in (f"{order}.", address, status, title) if part)
