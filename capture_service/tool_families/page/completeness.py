"""How much of a page a document holds, told by facts: status, limits, warnings, notices."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import JsonValue, Window
from capture_service.tool_families.call import ToolCall
from capture_service.tool_families.page import markup
from capture_service.tool_families.page.facts import PageFacts
from capture_service.tool_families.values import (
    JsonObject,
    field,
    integer_field,
    objects,
    text_field,
)

_PARTIAL: Final = re.compile(
    r"\b(?:partial|incomplete|truncated|shortened|cut off|trimmed)\b", re.IGNORECASE
)
_MODEL_INPUT_ONLY: Final = re.compile(r"\bextraction content would have used more tokens\b")


@dataclass(frozen=True, slots=True)
class PageCompleteness:
    """The completeness, and the window where a part is stated."""

    value: Completeness
    window: Window | None = None


def page_completeness(
    call: ToolCall, document: JsonObject, facts: PageFacts, *, content: str, warning: str
) -> PageCompleteness:
    """Decides the completeness of a page.

    Full only if: a status that is known, a text, no warning that says partial, no page limit
    reached, no actions. Error pages are full when their text is: they are marked as failed.
    """
    if not facts.failed and _is_shell(document, content):
        return PageCompleteness(Completeness.SHELL)
    if facts.pages_total > facts.pages_delivered > 0:
        window = Window("pages", 1, facts.pages_delivered, facts.pages_total)
        return PageCompleteness(Completeness.WINDOWED, window)
    doubts = (
        _says_partial(warning),
        bool(call.body.remark),
        not text_field(document, "markdown").strip() and markup.is_empty_page(content),
        bool(field(document, "actions") or call.arguments.get("actions")),
        _page_limit_reached(call.arguments, facts),
        not facts.http_status,
    )
    return PageCompleteness(Completeness.UNKNOWN if any(doubts) else Completeness.FULL)


def _says_partial(warning: str) -> bool:
    return _PARTIAL.search(warning) is not None and _MODEL_INPUT_ONLY.search(warning) is None


def _is_shell(document: JsonObject, content: str) -> bool:
    if text_field(document, "markdown").strip():
        return markup.is_shell_notice(content)
    return not content.strip() or markup.is_shell_page(content)


def _page_limit_reached(arguments: JsonObject, facts: PageFacts) -> bool:
    """A limit that equals the pages delivered may have cut, where no total says otherwise."""
    if facts.pages_total or not facts.pages_delivered:
        return False
    limits: list[JsonValue] = [arguments.get("maxPages"), arguments.get("max_pages")]
    limits.extend(
        integer_field(parser, "maxPages") for parser in objects(field(arguments, "parsers"))
    )
    return any(
        isinstance(limit, int) and facts.pages_delivered >= limit for limit in limits if limit
    )
