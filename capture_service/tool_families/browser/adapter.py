"""Snapshots of the open page. A snapshot does not name its page: the last navigation does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import JsonValue, SourceDraft, SourceRole
from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.context import AdaptContext
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.failures import failure_of
from capture_service.tool_families.values import field, integer_field, text_field, utf8

FAMILY: Final = "browser_page"
SNAPSHOT_LIMIT: Final = 15_000
"""Characters at which Hermes 0.19.0 cuts a snapshot."""

_NAVIGATING: Final = frozenset(("browser_navigate", "browser_back", "browser_navigate_back"))
_SNAPSHOT_TOOLS: Final = frozenset(("browser_snapshot",)) | _NAVIGATING
_OPEN_PAGE: Final = "browser_open_page"
_CUT: Final = re.compile(r"\[?\.\.\.[^\n]{0,40}\btruncated\b|\[TRUNCATED\]", re.IGNORECASE)
_PLAYWRIGHT_URL: Final = re.compile(r"^- Page URL: (\S+)$", re.MULTILINE)
_PLAYWRIGHT_TITLE: Final = re.compile(r"^- Page Title: ([^\n]*)$", re.MULTILINE)
_PLAYWRIGHT_SNAPSHOT: Final = re.compile(
    r"^- Page Snapshot:?[^\n]*\n```(?:yaml)?\n(.*?)\n```", re.MULTILINE | re.DOTALL
)


class BrowserFamily:
    """Navigations and snapshots of Hermes' browser and of Playwright's MCP server."""

    name: Final = FAMILY

    def recognises(self, call: ToolCall) -> bool:
        """Tells whether the tool shows a page; clicks and key presses alone are no sources."""
        return call.name.tool in _SNAPSHOT_TOOLS

    def adapt(self, call: ToolCall, context: AdaptContext) -> DraftCollector:
        """Makes the one draft.

        Raises:
            UnknownShapeError: the result is of no known shape.
        """
        collector = DraftCollector()
        asked = text_field(call.arguments, "url")
        reason = failure_of(call)
        if reason is not None:
            collector.add(
                SourceDraft(
                    uri=asked or _key_without_page(call),
                    family=FAMILY,
                    kind="page",
                    role=SourceRole.FAILED,
                    completeness=Completeness.UNSPECIFIED,
                    requested_uri=asked,
                    error=reason.error,
                    error_code=reason.code,
                    never_current=True,
                )
            )
            return collector
        shown = _shown(call.body.value)
        if shown is None:
            raise UnknownShapeError
        address = shown.address or asked
        if address:
            context.memory.remember(call.conversation, _OPEN_PAGE, address)
        else:
            address = context.memory.recall(call.conversation, _OPEN_PAGE)
        collector.add(_page(call, shown, asked or address, address))
        return collector


@dataclass(frozen=True, slots=True)
class _Shown:
    snapshot: str
    address: str
    title: str
    element_count: int = 0


def _shown(value: JsonValue) -> _Shown | None:
    if isinstance(value, str):
        found = _PLAYWRIGHT_SNAPSHOT.search(value)
        if found is None:
            return None
        url, title = _PLAYWRIGHT_URL.search(value), _PLAYWRIGHT_TITLE.search(value)
        return _Shown(found[1], url[1] if url else "", title[1] if title else "")
    snapshot = field(value, "snapshot")
    if not isinstance(snapshot, str):
        return None
    count = integer_field(value, "element_count") or 0
    return _Shown(snapshot, text_field(value, "url"), text_field(value, "title"), count)


def _page(call: ToolCall, shown: _Shown, asked: str, address: str) -> SourceDraft:
    snapshot, count = shown.snapshot, shown.element_count
    summarised = bool(text_field(call.arguments, "user_task"))
    completeness = Completeness.UNKNOWN
    if summarised:
        completeness = Completeness.SUMMARISED
    elif len(snapshot) >= SNAPSHOT_LIMIT or _CUT.search(snapshot[-200:]):
        completeness = Completeness.TRUNCATED
    metadata: dict[str, JsonValue] = {"interacted": True}
    if count:
        metadata["element_count"] = count
    return SourceDraft(
        uri=asked or _key_without_page(call),
        family=FAMILY,
        kind="page",
        role=SourceRole.DERIVED if summarised else SourceRole.DOCUMENT,
        completeness=completeness,
        requested_uri=asked,
        final_uri=address if address != asked else "",
        title=shown.title,
        content=utf8(snapshot),
        content_type="text/plain; charset=utf-8",
        synthetic=summarised,
        metadata=metadata,
    )


def _key_without_page(call: ToolCall) -> str:
    return call.key(FAMILY, call.name.tool, {**call.arguments, "task": call.conversation})
