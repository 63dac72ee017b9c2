"""Lists of pages: Hermes' `web_extract`, Tavily extract, Exa contents.

Each address has an entry, a failure, or nothing; what was asked for and has no entry failed too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from capture_service.domain.envelope import Completeness, Derivation
from capture_service.domain.sources import Claim, JsonValue, SourceDraft, SourceRole, Window
from capture_service.tool_families.addresses import key_of
from capture_service.tool_families.call import ToolCall
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.failures import Failure, error_text, failure
from capture_service.tool_families.page import hermes_window, markup
from capture_service.tool_families.page.document import Placement, add_document, is_document
from capture_service.tool_families.page.facts import FIRST_ERROR_STATUS
from capture_service.tool_families.times import read_time
from capture_service.tool_families.values import (
    JsonObject,
    field,
    integer,
    integer_field,
    object_field,
    objects,
    text_field,
    texts,
    utf8,
)

_MARKDOWN: Final = "text/markdown; charset=utf-8"
_TEXT: Final = "text/plain; charset=utf-8"
_JOINED_PIECES: Final = "[...]"


def asked_addresses(arguments: JsonObject) -> list[str]:
    """Returns the addresses in the arguments, in order, once each."""
    found = [*texts(field(arguments, "urls", "url", "ids")), *texts(field(arguments, "uri"))]
    return list(dict.fromkeys(address for address in found if address.strip()))


def has_page_list(value: JsonValue) -> bool:
    """Tells a list of pages by its members."""
    if not isinstance(value, dict) or not isinstance(value.get("results"), list):
        return False
    rows = objects(value["results"])
    known = ("raw_content", "text", "content", "error", "markdown", "html", "id")
    return all(any(name in row for name in known) for row in rows)


def add_page_list(collector: DraftCollector, call: ToolCall, value: JsonObject) -> None:
    """Adds every page and every failure of a list, then what was asked for without an answer."""
    statuses = {
        key_of(text_field(status, "id", "url")): status
        for status in objects(field(value, "statuses"))
    }
    answered: set[str] = set()
    rows = objects(field(value, "results"))
    windowed = sum(
        hermes_window.read_window(text_field(row, "content")) is not None for row in rows
    )
    for row in rows:
        address = text_field(row, "url", "id")
        if not address:
            collector.drop("rows_without_address")
            continue
        answered.add(key_of(address))
        add_page_row(
            collector,
            call,
            row,
            Placement(),
            status=statuses.get(key_of(address)),
            alone=windowed == 1,
        )
    for failed in objects(field(value, "failed_results", "failedResults")):
        address = text_field(failed, "url")
        answered.add(key_of(address))
        add_failed_page(collector, address, failure(error_text(field(failed, "error"))))
    for key, status in statuses.items():
        if key not in answered:
            answered.add(key)
            add_failed_page(collector, text_field(status, "id", "url"), _status_failure(status))
    for address in asked_addresses(call.arguments):
        if key_of(address) not in answered:
            missing = Failure("asked for, but the result has no entry for it", "NO_ENTRY")
            add_failed_page(collector, address, missing)


def add_failed_page(
    collector: DraftCollector,
    address: str,
    reason: Failure,
    placement: Placement | None = None,
) -> int | None:
    """Adds a failed observation of an address, without content."""
    place = placement or Placement()
    return collector.add(
        SourceDraft(
            uri=address,
            family=place.family,
            kind=place.kind,
            role=SourceRole.FAILED,
            completeness=Completeness.UNSPECIFIED,
            requested_uri=address,
            title=place.title,
            http_status=reason.http_status,
            error=reason.error,
            error_code=reason.code,
            parent_position=place.parent,
            rank=place.rank,
            group=place.group,
            order=place.order,
            never_current=True,
            also_stub=place.also_stub,
            snippet=place.snippet,
            job_id=place.job_id,
            metadata=dict(place.metadata),
        )
    )


def add_page_row(
    collector: DraftCollector,
    call: ToolCall,
    row: JsonObject,
    placement: Placement,
    *,
    status: JsonObject | None = None,
    alone: bool = False,
) -> int | None:
    """Adds one page of a list, its subpages as children.

    Args:
        collector: Receives the drafts.
        call: The call.
        row: A row with url, title and one of content, raw_content, text, or a whole document.
        placement: Where the page stands.
        status: What Exa's `statuses` say of the address.
        alone: Whether it is the only windowed page of the result.
    """
    address = text_field(row, "url", "id")
    place = replace(placement, title=placement.title or text_field(row, "title"))
    if is_document(row):
        return add_document(collector, call, row, address, place)
    error = error_text(field(row, "error"))
    refused = status is not None and text_field(status, "status") == "error"
    if error or refused:
        reason = _status_failure(status) if refused and status is not None else failure(error)
        return add_failed_page(collector, address, reason, place)
    draft = _page_draft(call, row, address, place, status=status or {}, alone=alone)
    position = collector.add(draft)
    for order, subpage in enumerate(objects(field(row, "subpages")), 1):
        if position is not None and text_field(subpage, "url", "id"):
            child = Placement(family=place.family, parent=position, order=order)
            add_page_row(collector, call, subpage, child)
    return position


def page_text(row: JsonObject) -> str:
    """Returns the page text of a row: cleaned page (Tavily), text (Exa) or content (Hermes)."""
    return text_field(row, "raw_content", "rawContent") or text_field(row, "text", "content")


def _page_draft(
    call: ToolCall,
    row: JsonObject,
    address: str,
    place: Placement,
    *,
    status: JsonObject,
    alone: bool,
) -> SourceDraft:
    content = page_text(row)
    window = hermes_window.read_window(content) if call.name.full == "web_extract" else None
    cached = text_field(status, "source") == "cached"
    fetched_at = read_time(field(row, "crawlDate", "snapshotAt"))
    draft = SourceDraft(
        uri=address,
        family=place.family,
        kind=place.kind,
        role=SourceRole.DOCUMENT,
        completeness=_completeness(call, row, content),
        requested_uri=address,
        title=place.title,
        content=utf8(content),
        content_type=_TEXT if field(row, "text") is not None else _MARKDOWN,
        fetched_at=fetched_at,
        fetch_time_unknown=cached and fetched_at is None,
        http_status=integer_field(row, "statusCode") or 0,
        parent_position=place.parent,
        rank=place.rank,
        group=place.group,
        order=place.order,
        claims=_claims(row),
        metadata={**place.metadata, **({"cached": True} if cached else {})},
        snippet=place.snippet,
        job_id=place.job_id,
    )
    if not content.strip() or markup.is_shell_notice(content):
        return replace(draft, completeness=Completeness.SHELL, never_current=True)
    return draft if window is None else _with_window(call, draft, window, alone)


def _with_window(
    call: ToolCall, draft: SourceDraft, window: hermes_window.WindowedText, alone: bool
) -> SourceDraft:
    """Prefers the full text in a side file; the window is on record either way."""
    metadata: dict[str, JsonValue] = {
        **draft.metadata,
        "tool_window": {"head": window.head, "tail": window.tail, "total": window.total},
    }
    whole = hermes_window.full_text(window, call.envelope.side_files, alone)
    shown = Window("characters", 1, max(1, window.head), window.total)
    if whole is None:
        return replace(
            draft,
            content=utf8(window.text),
            completeness=Completeness.TRUNCATED,
            derivation=Derivation.PAGE_WINDOW,
            window=shown,
            metadata=metadata,
        )
    # Redaction may have changed the length; a file at the tool's own limit was cut by it.
    cut = len(whole) >= hermes_window.CACHE_FILE_CODE_POINTS and window.total > len(whole)
    return replace(
        draft,
        content=utf8(whole),
        completeness=Completeness.TRUNCATED if cut else Completeness.FULL,
        derivation=Derivation.CACHE_FILE,
        window=shown,
        metadata=metadata,
    )


def _completeness(call: ToolCall, row: JsonObject, content: str) -> Completeness:
    if call.body.remark:
        return Completeness.UNKNOWN
    limit = _character_limit(call.arguments)
    if limit and len(content) >= limit and field(row, "text") is not None:
        return Completeness.TRUNCATED
    pieces = field(call.arguments, "query") and field(call.arguments, "chunks_per_source")
    if pieces and _JOINED_PIECES in content:
        return Completeness.SUMMARISED
    return Completeness.FULL if call.name.full == "web_extract" else Completeness.UNKNOWN


def _character_limit(arguments: JsonObject) -> int:
    """Returns Exa's `maxCharacters`, which cuts without a mark; 0 for none."""
    for options in (arguments, object_field(arguments, "contents")):
        limit = integer(field(field(options, "text"), "maxCharacters"))
        if limit:
            return limit
    return integer_field(arguments, "textMaxCharacters", "maxCharacters") or 0


def _claims(row: JsonObject) -> tuple[Claim, ...]:
    named = (("published", ("publishedDate", "published_date")), ("author", ("author",)))
    found = ((name, text_field(row, *members)) for name, members in named)
    return tuple(Claim(name, value) for name, value in found if value)


def _status_failure(status: JsonObject) -> Failure:
    error = object_field(status, "error")
    code = text_field(error, "tag")
    http_status = integer_field(error, "httpStatusCode") or 0
    words = error_text(field(status, "error")) if not error else ""
    if http_status < FIRST_ERROR_STATUS and not words:
        words = code
    return Failure(words or f"{code} {http_status or ''}".strip() or "failed", code, http_status)
