"""Values on their way into columns."""

from __future__ import annotations

from urllib.parse import urlsplit


def media_type_of(content_type: str) -> str:
    """The media type without parameters, lower-case."""
    return content_type.partition(";")[0].strip().lower()


def host_of(canonical_uri: str) -> str:
    """The host of a canonical URI, without port; "" for files, tools and what does not parse."""
    try:
        return urlsplit(canonical_uri).hostname or ""
    except ValueError:
        return ""
