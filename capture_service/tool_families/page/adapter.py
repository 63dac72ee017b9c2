"""Chooses how a result of the page family is read."""

from __future__ import annotations

from typing import Final

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import JsonValue, SourceDraft, SourceRole
from capture_service.tool_families import jobs
from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.context import AdaptContext
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.failures import Failure, failure_of
from capture_service.tool_families.page import document, extract_job, llmstxt, results
from capture_service.tool_families.values import field, object_field, text_field, texts, utf8
from capture_service.tool_families.web_operations import Operation, operation_of, web_family


class PageFamily:
    """Pages of scrape, extract and `web_extract`, generated site texts, extract jobs."""

    name: Final = document.FAMILY

    def recognises(self, call: ToolCall) -> bool:
        """Tells whether the call belongs to the family."""
        return web_family(call) == self.name

    def adapt(self, call: ToolCall, context: AdaptContext) -> DraftCollector:
        """Makes drafts.

        Raises:
            UnknownShapeError: the result is of no known shape.
        """
        collector = DraftCollector()
        reason = failure_of(call)
        operation = operation_of(call.name)
        value = call.body.value
        if operation is Operation.LLMSTXT or llmstxt.is_llmstxt(value):
            _require_text_or_state(value, reason)
            body = value if isinstance(value, dict) else {}
            llmstxt.add_llmstxt(collector, call, body, reason)
        elif operation is Operation.EXTRACT and _is_extract_job(call, reason):
            body = value if isinstance(value, dict) else {}
            extract_job.add_extract_job(collector, call, body, reason)
        elif reason is not None:
            _add_failures(collector, call, reason)
        elif operation is Operation.EXTRACT and isinstance(value, str) and _asks_for_data(call):
            # Words about structured data, such as a notice, are not the page.
            raise UnknownShapeError
        else:
            _add_pages(collector, call, value)
        return collector


def _require_text_or_state(value: JsonValue, reason: Failure | None) -> None:
    known = isinstance(value, dict) and (llmstxt.is_llmstxt(value) or jobs.job_status(value))
    if reason is None and not known:
        raise UnknownShapeError


def _is_extract_job(call: ToolCall, reason: Failure | None) -> bool:
    value = call.body.value
    if extract_job.is_extract_job(value) and not results.has_page_list(value):
        return not document.is_document(value)
    names_pages = bool(results.asked_addresses(call.arguments))
    return reason is not None and (_asks_for_data(call) or not names_pages)


def _asks_for_data(call: ToolCall) -> bool:
    return field(call.arguments, "prompt", "schema") is not None


def _add_failures(collector: DraftCollector, call: ToolCall, reason: Failure) -> None:
    addresses = results.asked_addresses(call.arguments)
    for address in addresses:
        results.add_failed_page(collector, address, reason)
    if not addresses:
        collector.add(
            SourceDraft(
                uri=call.key(document.FAMILY, call.name.tool or "page"),
                family=document.FAMILY,
                kind="page",
                role=SourceRole.FAILED,
                completeness=Completeness.UNSPECIFIED,
                error=reason.error,
                error_code=reason.code,
                http_status=reason.http_status,
                never_current=True,
            )
        )


def _add_pages(collector: DraftCollector, call: ToolCall, value: JsonValue) -> None:
    addresses = results.asked_addresses(call.arguments)
    first = addresses[0] if addresses else ""
    if isinstance(value, str):
        _add_plain_text(collector, call, value, first)
        return
    if isinstance(value, list):
        value = {"results": value}
    if not isinstance(value, dict):
        raise UnknownShapeError
    inner = field(value, "data")
    if document.is_document(value):
        document.add_document(collector, call, value, first)
    elif isinstance(inner, dict) and document.is_document(inner):
        warning = text_field(value, "warning")
        document.add_document(collector, call, inner, first, warning=warning)
    elif isinstance(inner, list) and inner and all(document.is_document(item) for item in inner):
        for item in inner:
            document.add_document(collector, call, item if isinstance(item, dict) else {}, first)
    elif results.has_page_list(value):
        results.add_page_list(collector, call, value)
    elif results.has_page_list(object_field(value, "data")):
        results.add_page_list(collector, call, object_field(value, "data"))
    else:
        raise UnknownShapeError
    if not len(collector):
        raise UnknownShapeError


def _add_plain_text(collector: DraftCollector, call: ToolCall, content: str, address: str) -> None:
    """A page as bare text, as MCP servers without metadata give it.

    Several formats come joined by empty lines and cannot be told apart; a single one is whole.
    """
    if call.body.broken or not address:
        raise UnknownShapeError
    several_formats = len(texts(field(call.arguments, "formats"))) > 1
    whole = not several_formats and not call.body.remark
    collector.add(
        SourceDraft(
            uri=address,
            family=document.FAMILY,
            kind="page",
            role=SourceRole.DOCUMENT,
            completeness=Completeness.FULL if whole else Completeness.UNKNOWN,
            requested_uri=address,
            content=utf8(content),
            content_type=document.MARKDOWN,
        )
    )
