"""The other formats of a document, kept beside its text and never part of it."""

from __future__ import annotations

from typing import Final

from capture_service.domain.sources import JsonValue, Representation
from capture_service.tool_families.values import (
    JsonObject,
    field,
    json_text,
    object_field,
    utf8,
    without,
)

_JSON: Final = "application/json"
_HTML: Final = "text/html; charset=utf-8"
_TEXT: Final = "text/plain; charset=utf-8"
_FORMATS: Final = (
    ("html", _HTML),
    ("rawHtml", _HTML),
    ("links", _JSON),
    ("images", _JSON),
    ("json", _JSON),
    ("extract", _JSON),
    ("summary", _TEXT),
    ("answer", _TEXT),
    ("highlights", _TEXT),
    ("attributes", _JSON),
    ("changeTracking", _JSON),
    ("actions", _JSON),
    ("branding", _JSON),
    ("product", _JSON),
    ("menu", _JSON),
    ("pages", _JSON),
    ("blocks", _JSON),
)
VOLATILE_METADATA: Final = (
    "scrapeId",
    "creditsUsed",
    "proxyUsed",
    "concurrencyLimited",
    "concurrencyQueueDurationMs",
    "timezone",
    "cacheState",
    "cachedAt",
    "requestId",
)
"""Members of metadata that change from call to call (facts of the call, not of the page)."""


def representations_of(document: JsonObject, used_as_text: str) -> tuple[Representation, ...]:
    """Returns the formats that a document holds beside its text, each content once.

    Args:
        document: The document.
        used_as_text: Name of the format that already is the content, "" for Markdown.
    """
    found: list[Representation] = []
    values: list[JsonValue] = []
    for name, media_type in _FORMATS:
        value = field(document, name)
        if name == used_as_text or value in (None, "", [], {}) or value in values:
            continue
        values.append(value)
        found.append(_representation(name, media_type, value))
    metadata = without(object_field(document, "metadata"), VOLATILE_METADATA)
    if metadata:
        found.append(_representation("metadata", _JSON, metadata))
    return tuple(found)


def _representation(name: str, media_type: str, value: JsonValue) -> Representation:
    if isinstance(value, str):
        return Representation(name, _TEXT if media_type == _JSON else media_type, utf8(value))
    return Representation(name, _JSON, utf8(json_text(value)))
