"""One response as a source: URL, status, safe headers, body, redirects, completeness."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from capture_service.domain.envelope import Completeness, Derivation
from capture_service.domain.sources import Claim, JsonValue, SourceDraft, SourceRole, Window
from capture_service.tool_families.addresses import key_of, resolved, same_key
from capture_service.tool_families.call import ToolCall
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.http.bodies import Body, media_type
from capture_service.tool_families.page import markup
from capture_service.tool_families.page.facts import primary_subtag
from capture_service.tool_families.stubs import web_stub

FAMILY: Final = "http"
_FIRST_ERROR: Final = 400
_PARTIAL_CONTENT: Final = 206
_NOT_MODIFIED: Final = 304
_LINK_CANONICAL: Final = re.compile(r'<([^>]*)>\s*;[^,]*\brel="?canonical"?', re.IGNORECASE)
_RANGE: Final = re.compile(r"bytes (\d{1,15})-(\d{1,15})/(\d{1,15}|\*)")
_SAFE_METHODS: Final = frozenset(("GET", "HEAD"))


@dataclass(frozen=True, slots=True)
class Exchange:
    """What is known of one request and its response.

    Attributes:
        address: Address asked for.
        method: HTTP method.
        status: Status of the last hop, 0 for unknown.
        headers: Safe headers of the last hop.
        locations: `Location` of each redirect, in order, as they came.
        body: The body, None where it is not in the result.
        completeness: Completeness of the body as far as the tool's output tells.
        sent: Data that was sent with the request.
    """

    address: str
    body: Body | None
    completeness: Completeness
    method: str = "GET"
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    locations: Sequence[str] = ()
    final: str = ""
    window: Window | None = None
    derivation: Derivation = Derivation.AS_RETURNED
    error: str = ""
    error_code: str = ""
    sent: Sequence[str] = ()
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)


def add_exchange(collector: DraftCollector, call: ToolCall, exchange: Exchange) -> None:
    """Adds the source of an exchange and, of a page that consists of frames, their addresses."""
    draft = observation(call, exchange)
    position = collector.add(draft)
    source = _markup(exchange.body)
    if not source or position is None:
        return
    base = draft.final_uri or exchange.address
    for rank, address in enumerate(markup.frame_addresses(source, base), 1):
        collector.add(web_stub(address, FAMILY, parent=position, rank=rank, group="frames"))


def observation(call: ToolCall, exchange: Exchange) -> SourceDraft:
    """Returns the source of an exchange.

    What was sent with another method than GET or HEAD is part of what was asked for, so such a
    response is kept under a `tool:` URI of method, address and data, not as the page.
    """
    failed = exchange.status >= _FIRST_ERROR or bool(exchange.error)
    body = exchange.body
    if body is not None and body.content == b"":
        # Nothing was sent (204, 304) or nothing was printed: an observation, no empty document.
        body = None
        exchange = replace(exchange, body=None)
    content = body.content if body is not None else None
    hops = _hops(exchange)
    final = exchange.final or (hops[-1] if hops else "")
    base = final or exchange.address
    is_page = exchange.method in _SAFE_METHODS
    completeness, window = _completeness(exchange)
    unfollowed = 300 <= exchange.status < _FIRST_ERROR
    return SourceDraft(
        uri=exchange.address if is_page else _key_of_request(call, exchange),
        family=FAMILY,
        kind=_kind(body) if is_page else "response",
        role=_role(exchange, failed=failed, is_page=is_page),
        completeness=completeness,
        requested_uri=exchange.address,
        final_uri=final,
        content=content,
        content_type=body.content_type if body is not None else "",
        window=window,
        derivation=exchange.derivation,
        http_status=exchange.status,
        headers=exchange.headers,
        error=exchange.error,
        error_code=exchange.error_code,
        claims=_claims(exchange, hops, base),
        license_hint=markup.license_hint(_markup(body)),
        language=primary_subtag(exchange.headers.get("content-language", "").partition(",")[0]),
        never_current=failed or unfollowed or completeness is Completeness.SHELL,
        metadata=_metadata(exchange),
        repeats_earlier_content=exchange.status == _NOT_MODIFIED,
    )


def _kind(body: Body | None) -> str:
    declared = media_type(body.content_type) if body is not None else ""
    if declared.startswith("image/"):
        return "image"
    if body is not None and not body.textual:
        return "pdf" if declared == "application/pdf" else "file"
    is_data = declared.endswith(("json", "xml", "yaml", "csv", "toml"))
    return "data" if is_data and declared != "application/xhtml+xml" else "page"


def _role(exchange: Exchange, *, failed: bool, is_page: bool) -> SourceRole:
    if failed:
        return SourceRole.FAILED
    body = exchange.body
    if body is None or (not body.textual and body.content is None):
        return SourceRole.STUB
    return SourceRole.DOCUMENT if is_page else SourceRole.ARTIFACT


def _completeness(exchange: Exchange) -> tuple[Completeness, Window | None]:
    body = exchange.body
    if body is None or body.content is None:
        failed = bool(exchange.error) or exchange.status >= _FIRST_ERROR
        return (Completeness.UNSPECIFIED if failed else Completeness.STUB), None
    if exchange.completeness is Completeness.FULL:
        part = _RANGE.match(exchange.headers.get("content-range", ""))
        if exchange.status == _PARTIAL_CONTENT or part is not None:
            window = None
            if part is not None:
                total = int(part[3]) if part[3] != "*" else 0
                window = Window("bytes", int(part[1]) + 1, int(part[2]) + 1, total)
            return Completeness.WINDOWED, window
        source = _markup(body)
        if source and markup.is_shell_page(source):
            return Completeness.SHELL, None
        if source and markup.is_empty_page(source):
            return Completeness.UNKNOWN, None
    return exchange.completeness, exchange.window


def _markup(body: Body | None) -> str:
    if body is None or body.content is None or media_type(body.content_type) != "text/html":
        return ""
    return body.content.decode("utf-8", "replace")


def _hops(exchange: Exchange) -> list[str]:
    """Returns the absolute address behind each redirect."""
    hops: list[str] = []
    base = exchange.address
    for location in exchange.locations:
        base = resolved(base, location)
        if not base:
            break
        hops.append(base)
    return hops


def _claims(exchange: Exchange, hops: Sequence[str], base: str) -> tuple[Claim, ...]:
    claims = [Claim("redirect", hop) for hop in hops]
    if exchange.final and not hops and not same_key(exchange.final, exchange.address):
        claims.append(Claim("redirect", exchange.final))
    pending = exchange.headers.get("location", "")
    if pending and 300 <= exchange.status < _FIRST_ERROR:
        claims.append(Claim("redirect", resolved(base, pending)))
    canonical = _LINK_CANONICAL.search(exchange.headers.get("link", ""))
    if canonical is not None:
        claims.append(Claim("rel=canonical", resolved(base, canonical[1])))
    if exchange.headers.get("last-modified"):
        claims.append(Claim("modified", exchange.headers["last-modified"]))
    source = _markup(exchange.body)
    if source:
        claims.extend(markup.markup_claims(source, base))
    return tuple(dict.fromkeys(claim for claim in claims if claim.value))


def _metadata(exchange: Exchange) -> dict[str, JsonValue]:
    found = dict(exchange.metadata)
    if exchange.method != "GET":
        found["method"] = exchange.method
    if exchange.body is not None:
        found.update(exchange.body.facts)
    return found


def _key_of_request(call: ToolCall, exchange: Exchange) -> str:
    asked: dict[str, JsonValue] = {"url": key_of(exchange.address)}
    if exchange.sent:
        asked["data"] = [*exchange.sent]
    return call.key(FAMILY, exchange.method.lower(), asked)
