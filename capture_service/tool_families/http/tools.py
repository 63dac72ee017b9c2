"""HTTP tools that return status, headers and body, and MCP fetch tools that return text."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from capture_service.domain.envelope import Completeness, Derivation
from capture_service.domain.sources import JsonValue, Window
from capture_service.tool_families.addresses import resolved
from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.context import AdaptContext
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.failures import Failure
from capture_service.tool_families.http.bodies import Body, byte_body, media_type, text_body
from capture_service.tool_families.http.observation import Exchange, add_exchange
from capture_service.tool_families.http.responses import safe_headers
from capture_service.tool_families.page.document import sends_credentials
from capture_service.tool_families.page.results import asked_addresses
from capture_service.tool_families.values import (
    JsonObject,
    field,
    integer_field,
    json_text,
    object_field,
    objects,
    text,
    text_field,
    texts,
)
from capture_service.tool_families.web_operations import has_http_response

_CONTENTS_OF: Final = re.compile(
    r"(?:Content type (?P<type>\S*) cannot be simplified to markdown, but here is the raw content:"
    r"\n)?Contents of (?P<url>\S+):\n"
)
_MORE: Final = re.compile(
    r"\n{0,2}<error>(?:Content truncated\.[^<]*start_index of (\d+)[^<]*|No more content[^<]*)</error>\s*\Z"
)


def add_failed_fetch(collector: DraftCollector, call: ToolCall, reason: Failure) -> None:
    """Adds a failed observation of every address asked for.

    Raises:
        UnknownShapeError: the arguments name no address.
    """
    addresses = asked_addresses(call.arguments)
    if not addresses:
        raise UnknownShapeError
    for address in addresses:
        exchange = Exchange(
            address=address,
            body=None,
            completeness=Completeness.UNSPECIFIED,
            method=_method(call),
            status=reason.http_status,
            error=reason.error,
            error_code=reason.code,
            sent=_sent(call),
        )
        add_exchange(collector, call, exchange)


def add_tool_response(collector: DraftCollector, call: ToolCall, context: AdaptContext) -> None:
    """Adds the response of an HTTP tool.

    Raises:
        UnknownShapeError: the result is of no known shape.
    """
    value = call.body.value
    addresses = asked_addresses(call.arguments)
    if isinstance(value, str) or (call.body.text and not has_http_response(value)):
        # A body that is JSON is a body, unless it is a response with status and headers.
        content = call.body.text or str(value)
        address = addresses[0] if addresses else ""
        add_exchange(collector, call, _fetched_text(call, context, address, content))
        return
    for row in [value] if isinstance(value, dict) else objects(value):
        add_exchange(collector, call, _response(call, context, addresses, row))
    if not len(collector):
        raise UnknownShapeError


def _fetched_text(call: ToolCall, context: AdaptContext, address: str, content: str) -> Exchange:
    """The reference fetch server of MCP: a line with the address, the text, a note when cut."""
    head = _CONTENTS_OF.match(content)
    address = address or (head["url"] if head is not None else "")
    if call.body.broken or not address:
        raise UnknownShapeError
    body = content[head.end() :] if head is not None else content
    more = _MORE.search(body)
    start = integer_field(call.arguments, "start_index") or 0
    window = None
    completeness = Completeness.FULL if head is not None else Completeness.UNKNOWN
    if more is not None:
        body = body[: more.start()]
    if more is not None or start:
        completeness = Completeness.WINDOWED
        window = Window("characters", start + 1, start + max(1, len(body)))
    declared = media_type(head["type"] or "") if head is not None else ""
    simplified = head is not None and not head["type"] and call.arguments.get("raw") is not True
    kind = "text/markdown" if simplified else declared
    return Exchange(
        address=address,
        body=text_body(kind, body, keep_binary=context.keep_binary_bodies),
        completeness=completeness,
        window=window,
        derivation=Derivation.PAGE_WINDOW if window else Derivation.AS_RETURNED,
        metadata={"simplified_by_tool": True} if simplified else {},
    )


def _response(
    call: ToolCall, context: AdaptContext, addresses: list[str], row: JsonObject
) -> Exchange:
    inner = object_field(row, "response") or row
    status = integer_field(inner, "statusCode", "http_status", "status", "code") or 0
    final = text_field(inner, "final_url", "finalUrl", "url") or text_field(row, "url")
    address = addresses[0] if len(addresses) == 1 else text_field(row, "requested_url") or final
    address = address or (addresses[0] if addresses else "")
    headers = safe_headers(_header_texts(field(inner, "headers", "response_headers")))
    body = _body(inner, media_type(headers.get("content-type", "")), context)
    if not address or (body is None and not status):
        raise UnknownShapeError
    truncated = field(inner, "truncated", "is_truncated", "body_truncated") is True
    facts: dict[str, JsonValue] = {}
    if sends_credentials(call.arguments):
        facts["authenticated"] = True
    return Exchange(
        address=address,
        body=body,
        completeness=Completeness.TRUNCATED if truncated else Completeness.FULL,
        method=_method(call),
        status=status if 100 <= status <= 599 else 0,
        headers=headers,
        locations=_locations(inner, address),
        final=final,
        sent=_sent(call),
        metadata=facts,
    )


def _body(inner: JsonObject, declared: str, context: AdaptContext) -> Body | None:
    keep = context.keep_binary_bodies
    encoded = text_field(inner, "body_base64", "bodyBase64")
    body = field(inner, "body", "text", "content", "data", "json")
    marked = text_field(inner, "encoding", "body_encoding") == "base64"
    if marked or field(inner, "isBase64", "isBase64Encoded") is True:
        encoded = encoded or text(body)
    if encoded:
        try:
            return byte_body(declared, base64.b64decode(encoded, validate=True), keep_binary=keep)
        except (binascii.Error, ValueError):
            return text_body(declared, encoded, keep_binary=keep)
    if body is None:
        return None
    if isinstance(body, str):
        return text_body(declared, body, keep_binary=keep)
    return text_body(declared or "application/json", json_text(body), keep_binary=keep)


def _header_texts(value: JsonValue) -> dict[str, str]:
    """Returns headers that came as an object or as a list of pairs."""
    if isinstance(value, dict):
        return {name: text(entry) for name, entry in value.items()}
    named = {text_field(row, "name", "key"): text_field(row, "value") for row in objects(value)}
    return {name: words for name, words in named.items() if name}


def _locations(inner: JsonObject, address: str) -> list[str]:
    """Returns the addresses of a redirect chain that came as a list of texts or objects."""
    chain = field(inner, "redirects", "history", "redirect_chain")
    found = texts(chain) if not isinstance(chain, str) else []
    found += [text_field(row, "location") or text_field(row, "url") for row in objects(chain)]
    return [hop for hop in found if hop and resolved(address, hop) != address]


def _method(call: ToolCall) -> str:
    return (text_field(call.arguments, "method") or "GET").upper()


def _sent(call: ToolCall) -> list[str]:
    body: JsonValue = field(call.arguments, "body", "data", "json", "form")
    if body is None:
        return []
    return [body if isinstance(body, str) else json_text(body)]
