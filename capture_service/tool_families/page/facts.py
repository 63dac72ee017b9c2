"""Page facts out of a document's metadata, which any page may fill with anything."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from capture_service.domain.sources import Claim
from capture_service.tool_families.failures import error_text
from capture_service.tool_families.limits import (
    MAXIMUM_CLAIM_CODE_POINTS,
    MAXIMUM_ERROR_CODE_POINTS,
)
from capture_service.tool_families.times import read_time
from capture_service.tool_families.values import (
    JsonObject,
    field,
    integer_field,
    object_field,
    text_field,
)

FIRST_ERROR_STATUS: Final = 400
_LARGEST_STATUS: Final = 999
_CLAIMS: Final = (
    ("og:url", ("ogUrl", "og:url")),
    ("published", ("publishedTime", "article:published_time", "publishedDate")),
    ("modified", ("modifiedTime", "article:modified_time")),
    ("author", ("author", "article:author")),
)


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What metadata says of a page.

    Attributes:
        source_url: The address as asked, exactly as it was typed.
        final_url: Where the engine ended.
        http_status: Status of the last hop, 0 for unknown.
        error: Error of the page.
        failed: Whether status or error say that this is not the page.
        fetched_at: Time of the fetch where a cache tells it.
        fetch_time_unknown: Served from a cache that does not tell when it was filled.
        cached: Whether it came from a cache; None where no cache was consulted.
        pages_delivered: Pages of a PDF in the text, 0 for unknown.
        pages_total: Pages of the PDF, 0 for unknown.
        language: Primary subtag.
    """

    source_url: str
    final_url: str
    http_status: int
    error: str
    failed: bool
    title: str
    description: str
    language: str
    content_type: str
    fetched_at: datetime | None
    fetch_time_unknown: bool
    cached: bool | None
    pages_delivered: int
    pages_total: int
    claims: tuple[Claim, ...]


def read_page_facts(document: JsonObject) -> PageFacts:
    """Reads the metadata of a document, in either spelling."""
    metadata = object_field(document, "metadata")
    status = integer_field(metadata, "statusCode") or 0
    if not 0 <= status <= _LARGEST_STATUS:
        status = 0
    error = error_text(field(metadata, "error"))[:MAXIMUM_ERROR_CODE_POINTS]
    error = error or error_text(field(document, "error"))[:MAXIMUM_ERROR_CODE_POINTS]
    fetched_at = read_time(field(metadata, "cachedAt"))
    state = text_field(metadata, "cacheState").lower()
    cached = {"hit": True, "miss": False}.get(state)
    return PageFacts(
        source_url=text_field(metadata, "sourceURL", "source_url"),
        final_url=text_field(metadata, "url"),
        http_status=status,
        error=error,
        failed=status >= FIRST_ERROR_STATUS or bool(error),
        title=text_field(metadata, "title", "ogTitle", "og:title"),
        description=text_field(metadata, "description"),
        language=primary_subtag(text_field(metadata, "language")),
        content_type=text_field(metadata, "contentType").strip().lower(),
        fetched_at=fetched_at,
        fetch_time_unknown=cached is True and fetched_at is None,
        cached=cached if cached is not None else (fetched_at is not None or None),
        pages_delivered=integer_field(metadata, "numPages") or 0,
        pages_total=integer_field(metadata, "totalPages") or 0,
        claims=_claims(metadata),
    )


def primary_subtag(tag: str) -> str:
    """Returns the language of a tag (RFC 5646 section 2.2.1), "" for what is none."""
    subtag = tag.strip().replace("_", "-").partition("-")[0].lower()
    return subtag if subtag.isascii() and subtag.isalpha() and 2 <= len(subtag) <= 8 else ""


def _claims(metadata: JsonObject) -> tuple[Claim, ...]:
    found = ((name, text_field(metadata, *members)) for name, members in _CLAIMS)
    return tuple(
        Claim(name, value) for name, value in found if 0 < len(value) <= MAXIMUM_CLAIM_CODE_POINTS
    )
