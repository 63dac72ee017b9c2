"""Addresses in results: which ones are links, and which of two spellings are one key."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urljoin

from sourcecorpus.identity import canonicalise
from sourcecorpus.rpc.limits import URI_BYTES_MAX

_WEB: Final = re.compile(r"https?://[^\s/?#]", re.IGNORECASE)
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def is_web_address(address: str) -> bool:
    """Tells whether this is an absolute http or https address of bounded length."""
    return _WEB.match(address) is not None and len(address) <= URI_BYTES_MAX


def has_scheme(address: str) -> bool:
    """Tells whether the address begins with a scheme, as far as can be seen from its letters."""
    return _SCHEME.match(address) is not None and "." not in address.partition(":")[0]


def same_key(one: str, other: str) -> bool:
    """Tells whether two spellings have one canonical URI."""
    return one == other or canonicalise(one).value == canonicalise(other).value


def key_of(address: str) -> str:
    """Returns the canonical URI, for comparison only."""
    return canonicalise(address).value


def resolved(base: str, reference: str) -> str:
    """Resolves a reference against the address of its page; "" where that fails."""
    try:
        return urljoin(base, reference.strip())
    except ValueError:
        return ""
