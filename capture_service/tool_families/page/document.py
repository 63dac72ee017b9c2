"""The document of the Firecrawl family: one page in several formats, with metadata.

The HTTP bodies of v1 and v2, the Python SDK (snake_case, nulls) and MCP servers hand over the same
document; it is told by its members, never by the tool's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as default
from typing import Final

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import (
    Claim,
    JsonValue,
    Representation,
    SourceDraft,
    SourceRole,
)
from capture_service.tool_families.addresses import has_scheme, is_web_address, same_key
from capture_service.tool_families.call import ToolCall
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.limits import MAXIMUM_REMARK_CODE_POINTS
from capture_service.tool_families.page import markup
from capture_service.tool_families.page.completeness import page_completeness
from capture_service.tool_families.page.facts import PageFacts, read_page_facts
from capture_service.tool_families.page.model_made import add_model_texts
from capture_service.tool_families.page.representations import representations_of
from capture_service.tool_families.stubs import web_stub
from capture_service.tool_families.values import (
    JsonObject,
    field,
    integer_field,
    object_field,
    objects,
    text_field,
    texts,
    utf8,
)

FAMILY: Final = "gtc_page"
MARKDOWN: Final = "text/markdown; charset=utf-8"
HTML: Final = "text/html; charset=utf-8"
_CREDENTIAL_HEADERS: Final = frozenset(("authorization", "cookie", "x-api-key", "cookies"))
_PDF: Final = "application/pdf"


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a page stands among the sources of a result."""

    family: str = FAMILY
    kind: str = "page"
    parent: int | None = None
    rank: int = 0
    group: str = ""
    order: int = 0
    job_id: str = ""
    also_stub: bool = False
    title: str = ""
    snippet: str = ""
    metadata: JsonObject = default(default_factory=dict)


def is_document(value: JsonValue | JsonObject) -> bool:
    """Tells a document by its members: a text format, or metadata with page facts."""
    if not isinstance(value, Mapping):
        return False
    if any(isinstance(field(value, name), str) for name in ("markdown", "html", "rawHtml")):
        return True
    metadata = object_field(value, "metadata")
    return field(metadata, "sourceURL", "source_url", "statusCode") is not None


def add_document(
    collector: DraftCollector,
    call: ToolCall,
    document: JsonObject,
    address: str,
    placement: Placement | None = None,
    *,
    warning: str = "",
) -> int | None:
    """Adds the page, its model-made texts, the pages of its actions and its frames.

    Args:
        collector: Receives the drafts.
        call: The call; its arguments tell limits and actions.
        document: The document.
        address: Address that was asked for, or that a list named.
        placement: Where the page stands; alone by default.
        warning: Warning that stood beside the document.

    Returns:
        The position of the page.
    """
    place = placement or Placement()
    warning = warning or text_field(document, "warning")
    page = _page(call, document, address, place, warning=warning)
    position = collector.add(page)
    if position is not None:
        base = page.final_uri or page.uri
        _add_children(collector, call, document, place, position=position, base=base)
    return position


def _page(
    call: ToolCall, document: JsonObject, address: str, place: Placement, *, warning: str
) -> SourceDraft:
    facts = read_page_facts(document)
    key, requested, final = _addresses(facts, address)
    content, content_type = _content(document)
    completeness = page_completeness(call, document, facts, content=content, warning=warning)
    failed = facts.failed or (content == "" and bool(facts.error))
    has_content = bool(content) or not failed
    return SourceDraft(
        uri=key,
        family=place.family,
        kind="pdf" if facts.content_type.startswith(_PDF) else place.kind,
        role=SourceRole.FAILED if failed else SourceRole.DOCUMENT,
        completeness=completeness.value if has_content else Completeness.UNSPECIFIED,
        requested_uri=requested,
        final_uri=final,
        title=facts.title or place.title or text_field(document, "title"),
        content=utf8(content) if has_content else None,
        content_type=content_type if has_content else "",
        window=completeness.window if has_content else None,
        fetched_at=facts.fetched_at,
        fetch_time_unknown=facts.fetch_time_unknown,
        http_status=facts.http_status,
        headers={"content-type": facts.content_type} if facts.content_type else {},
        error=(facts.error or f"status {facts.http_status}") if failed else "",
        error_code=text_field(document, "code"),
        parent_position=place.parent,
        rank=place.rank,
        group=place.group,
        order=place.order,
        claims=_claims(document, facts, key, final),
        representations=_representations(document, content_type) if has_content else (),
        metadata=_metadata(call, document, facts, warning, place),
        license_hint=_license(document),
        language=facts.language,
        snippet=place.snippet,
        never_current=failed or completeness.value is Completeness.SHELL,
        also_stub=place.also_stub and (failed or completeness.value is Completeness.SHELL),
        job_id=place.job_id,
    )


def _addresses(facts: PageFacts, address: str) -> tuple[str, str, str]:
    """Returns the key before canonicalisation, the address asked for, the final address."""
    asked = facts.source_url or address
    if has_scheme(asked):
        return asked, asked, facts.final_url
    for other in (facts.final_url, address):
        if other and has_scheme(other):
            return other, asked, facts.final_url
    return asked, asked, facts.final_url


def _content(document: JsonObject) -> tuple[str, str]:
    markdown = text_field(document, "markdown")
    if markdown.strip():
        return markdown, MARKDOWN
    for name in ("html", "rawHtml"):
        found = text_field(document, name)
        if found.strip():
            return found, HTML
    return markdown, MARKDOWN


def _representations(document: JsonObject, content_type: str) -> tuple[Representation, ...]:
    used = ""
    if content_type == HTML:
        used = "html" if text_field(document, "html").strip() else "rawHtml"
    return representations_of(document, used)


def _claims(document: JsonObject, facts: PageFacts, key: str, final: str) -> tuple[Claim, ...]:
    claims = list(facts.claims)
    if final and not same_key(final, key):
        claims.append(Claim("redirect", final))
    source = text_field(document, "rawHtml") or text_field(document, "html")
    if source:
        claims.extend(markup.markup_claims(source, final or key))
    tracking = object_field(document, "changeTracking")
    claims.extend(
        Claim(name, text_field(tracking, name))
        for name in ("changeStatus", "previousScrapeAt")
        if text_field(tracking, name)
    )
    return tuple(dict.fromkeys(claims))


def _license(document: JsonObject) -> str:
    source = text_field(document, "rawHtml") or text_field(document, "html")
    return markup.license_hint(source) if source else ""


def _metadata(
    call: ToolCall, document: JsonObject, facts: PageFacts, warning: str, place: Placement
) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = dict(place.metadata)
    screenshot = text_field(document, "screenshot")
    entries: dict[str, JsonValue] = {
        "warning": warning,
        "remark": call.body.remark[:MAXIMUM_REMARK_CODE_POINTS],
        "description": facts.description,
        "page_error": "" if facts.failed else facts.error,
        "cached": facts.cached,
        "pages_delivered": facts.pages_delivered,
        "pages_total": facts.pages_total,
        "authenticated": sends_credentials(call.arguments),
        "interacted": bool(field(document, "actions") or call.arguments.get("actions")),
        "screenshot": screenshot if is_web_address(screenshot) else "",
        "image_count": len(texts(field(document, "images"))),
    }
    found.update((name, value) for name, value in entries.items() if value not in ("", 0, False))
    return {name: value for name, value in found.items() if value is not None}


def sends_credentials(arguments: JsonObject) -> bool:
    """Tells whether headers in the arguments carry credentials or cookies."""
    names = {name.lower() for name in object_field(arguments, "headers")}
    return bool(names & _CREDENTIAL_HEADERS)


def _add_children(
    collector: DraftCollector,
    call: ToolCall,
    document: JsonObject,
    place: Placement,
    *,
    position: int,
    base: str,
) -> None:
    add_model_texts(collector, call, document, position, base)
    for scrape in objects(field(object_field(document, "actions"), "scrapes")):
        address = text_field(scrape, "url")
        content = text_field(scrape, "html")
        if not address or not content:
            collector.drop("action_scrapes_without_address_or_text")
            continue
        collector.add(
            SourceDraft(
                uri=address,
                family=place.family,
                kind="page",
                role=SourceRole.DOCUMENT,
                completeness=Completeness.UNKNOWN,
                requested_uri=address,
                content=utf8(content),
                content_type=HTML,
                parent_position=position,
                job_id=place.job_id,
                metadata={"interacted": True},
                http_status=integer_field(scrape, "statusCode") or 0,
            )
        )
    source = text_field(document, "rawHtml") or text_field(document, "html")
    for rank, address in enumerate(markup.frame_addresses(source, base) if source else (), 1):
        collector.add(web_stub(address, place.family, parent=position, rank=rank, group="frames"))
