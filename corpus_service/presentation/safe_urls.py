"""Addresses that may be shown and opened: no secrets, no scripts, no files. Pure."""

from __future__ import annotations

from typing import Final
from urllib.parse import SplitResult, unquote_plus, urlsplit

from corpus_service.presentation.limits import (
    SAFE_FRAGMENT_CHARACTERS_MAX,
    SAFE_URL_CHARACTERS_MAX,
)

_SHOWN_PARAMETERS: Final = frozenset(
    {"title", "oldid", "diff", "id", "page", "p", "doc", "document_id", "lang", "section"}
)
_SCHEMES: Final = ("http", "https")


def safe_url(address: str) -> str:
    """Returns an address without what it need not show; "" where none of it is safe.

    Kept of the query are parameters that choose a page, in their order and spelling; whatever else
    it has may be a secret. A fragment goes where it holds ``=`` or is long. Refused are schemes but
    http and https, user names and passwords, white space, control characters, and what is longer
    than `SAFE_URL_CHARACTERS_MAX` afterwards.
    """
    if not address.isprintable() or any(map(str.isspace, address)) or "\\" in address:
        return ""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in _SCHEMES or not parts.hostname or "@" in parts.netloc or port == 0:
        return ""
    shown = SplitResult(
        parts.scheme, parts.netloc, parts.path, _shown(parts.query), _fragment(parts.fragment)
    ).geturl()
    return shown if len(shown) <= SAFE_URL_CHARACTERS_MAX else ""


def _shown(query: str) -> str:
    return "&".join(
        pair
        for pair in query.split("&")
        if unquote_plus(pair.partition("=")[0]) in _SHOWN_PARAMETERS
    )


def _fragment(fragment: str) -> str:
    decoded = unquote_plus(fragment)
    carries = "=" in decoded or len(fragment) > SAFE_FRAGMENT_CHARACTERS_MAX
    return "" if carries else fragment
