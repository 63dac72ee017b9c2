"""Texts that a model made of a page: sources beside it, marked synthetic, never its text."""

from __future__ import annotations

from typing import Final

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import JsonValue, SourceDraft, SourceRole
from capture_service.tool_families.addresses import key_of
from capture_service.tool_families.call import ToolCall
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.values import (
    JsonObject,
    field,
    json_text,
    objects,
    text_field,
    utf8,
)

_FAMILY: Final = "gtc_page"


def add_model_texts(
    collector: DraftCollector, call: ToolCall, document: JsonObject, parent: int, address: str
) -> None:
    """Adds the answer about a page and the structured data made of it."""
    page: dict[str, JsonValue] = {"url": key_of(address)}
    answer = field(document, "answer")
    if answer not in (None, "", {}):
        asked = page | _asked(call, ("question", "query"), "question")
        key = call.key(_FAMILY, "answer", asked)
        collector.add(_derived(key, "answer", answer, parent, text_field(asked, "question")))
    data = field(document, "json", "extract")
    if data not in (None, "", {}, []):
        asked = page | _asked(call, ("json", "extract"), "prompt")
        key = call.key(_FAMILY, "scrape", asked)
        collector.add(_derived(key, "extract", data, parent, ""))


def _asked(call: ToolCall, formats: tuple[str, ...], member: str) -> dict[str, JsonValue]:
    for entry in objects(field(call.arguments, "formats")):
        if entry.get("type") in formats:
            asked = entry.get(member) or entry.get("query") or entry.get("schema")
            return {member: asked} if asked else {}
    options = field(call.arguments, "jsonOptions", "extract")
    return {"options": options} if options else {}


def _derived(key: str, kind: str, value: JsonValue, parent: int, title: str) -> SourceDraft:
    # The same bytes as the representation of the page have, so that they are stored once.
    is_text = isinstance(value, str)
    return SourceDraft(
        uri=key,
        family=_FAMILY,
        kind=kind,
        role=SourceRole.DERIVED,
        completeness=Completeness.FULL,
        title=title,
        content=utf8(value if isinstance(value, str) else json_text(value)),
        content_type="text/markdown; charset=utf-8" if is_text else "application/json",
        parent_position=parent,
        synthetic=True,
    )
