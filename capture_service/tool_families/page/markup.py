"""Claims, license and frames in a page's markup. Nothing here is a parser: a bounded search."""

from __future__ import annotations

import html
import re
from typing import Final

from capture_service.domain.sources import Claim
from capture_service.tool_families.addresses import is_web_address, resolved
from capture_service.tool_families.limits import (
    MAXIMUM_CLAIM_CODE_POINTS,
    MAXIMUM_CLAIMS,
    MAXIMUM_MARKUP_SCANNED,
    MAXIMUM_MARKUP_TAIL_SCANNED,
    MAXIMUM_SHELL_NOTICE_CODE_POINTS,
)

_LINK: Final = re.compile(r"<(?:link|a)\b([^<>]{0,4000})>", re.IGNORECASE)
_META: Final = re.compile(r"<meta\b([^<>]{0,4000})>", re.IGNORECASE)
_FRAME: Final = re.compile(r"<i?frame\b([^<>]{0,4000})>", re.IGNORECASE)
_FRAMESET: Final = re.compile(r"<frameset\b", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(
    r"""([a-z-]{1,40})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE
)
_LICENSE_NAME: Final = re.compile(
    r"\bCC[ -](?:BY(?:-(?:NC|SA|ND))*|0)(?:[ -]\d\.\d)?(?! ?\w)|\bGFDL\b|\bMIT License\b"
)
_LICENSE_WORDS: Final = ("CC", "GFDL", "MIT License")
_LICENSE_HOST: Final = "creativecommons.org/"
_LICENSE_ADDRESS: Final = re.compile(
    r"creativecommons\.org/(?:licenses/([a-z-]{2,11})/(\d\.\d)|publicdomain/zero)", re.IGNORECASE
)
_FRAME_SIGN: Final = re.compile(
    r"<(?:i?frame|script|noscript)\b|<meta\b[^<>]{0,4000}\brefresh\b"
    r"""|<[a-z][a-z-]{0,40}\b[^<>]{0,4000}\bid\s*=\s*["']?(?:root|app|__next|__nuxt)\b|<app-root\b""",
    re.IGNORECASE,
)
"""What stands in a page whose text comes from elsewhere: frames, scripts, a refresh, an empty root."""
_PIECE: Final = re.compile(
    r"<(script|style|noscript|template|title)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)|<[^<>]*>|(?P<text>[^<]+|<)",
    re.IGNORECASE | re.DOTALL,
)
_SHELL_NOTICE: Final = re.compile(
    r"\b(?:enable|requires?|without|turn on|activate) (?:java ?script|JS\b)"
    r"|java ?script (?:is|must be|has been) (?:required|disabled|enabled|not enabled)"
    r"|\bjust a moment\.\.\.|\bchecking your browser\b|\bverify(?:ing)? you are (?:a )?human\b"
    r"|\bbitte aktivieren Sie JavaScript|JavaScriptを有効|启用 ?JavaScript",
    re.IGNORECASE,
)


def markup_claims(markup: str, base: str) -> tuple[Claim, ...]:
    """Returns what a page's links claim: `rel=canonical`, `hreflang`, `license`, `og:url`."""
    head = markup[:MAXIMUM_MARKUP_SCANNED]
    claims: list[Claim] = []
    for match in _LINK.finditer(head):
        claims.extend(_link_claims(_attributes(match[1]), base))
    for match in _META.finditer(head):
        attributes = _attributes(match[1])
        if attributes.get("property", "").lower() == "og:url" and attributes.get("content"):
            claims.append(Claim("og:url", attributes["content"]))
    short = (claim for claim in claims if len(claim.value) <= MAXIMUM_CLAIM_CODE_POINTS)
    return tuple(dict.fromkeys(short))[:MAXIMUM_CLAIMS]


def license_hint(markup: str) -> str:
    """Returns the license that a page names, such as "CC BY-SA 4.0"; "" for none."""
    tail = markup[max(MAXIMUM_MARKUP_SCANNED, len(markup) - MAXIMUM_MARKUP_TAIL_SCANNED) :]
    for part in (markup[:MAXIMUM_MARKUP_SCANNED], tail):
        # Both patterns try every position; most pages hold none of the plain words.
        named = None
        if any(word in part for word in _LICENSE_WORDS):
            named = _LICENSE_NAME.search(part)
        if named is not None:
            return named[0]
        address = None
        if _LICENSE_HOST in part.lower():
            address = _LICENSE_ADDRESS.search(part)
        if address is not None:
            code = (address[1] or "").upper()
            return f"CC {code} {address[2]}" if code else "CC0"
    return ""


def frame_addresses(markup: str, base: str) -> list[str]:
    """Returns the web addresses of frames of a page that consists of them, in order, once each."""
    head = markup[:MAXIMUM_MARKUP_SCANNED]
    if _FRAMESET.search(head) is None and visible_text(head, 1):
        return []
    found = (
        resolved(base, _attributes(match[1]).get("src", "")) for match in _FRAME.finditer(head)
    )
    return list(dict.fromkeys(address for address in found if is_web_address(address)))


def is_shell_page(markup: str) -> bool:
    """Tells a page that stands in place of another: a frameset, an empty root, a notice.

    A page that is only empty is none: nothing in it says that its text comes from elsewhere.
    """
    if len(markup) > MAXIMUM_MARKUP_SCANNED:
        return _FRAMESET.search(markup, 0, MAXIMUM_MARKUP_SCANNED) is not None
    if _FRAMESET.search(markup) is not None:
        return True
    shown = visible_text(markup, MAXIMUM_SHELL_NOTICE_CODE_POINTS)
    return is_shell_notice(shown) if shown else _FRAME_SIGN.search(markup) is not None


def is_empty_page(markup: str) -> bool:
    """Tells a page without any text: whether the page is meant to be empty cannot be known."""
    return len(markup) <= MAXIMUM_MARKUP_SCANNED and not visible_text(markup, 1)


def visible_text(markup: str, limit: int) -> str:
    """Returns what stands between the tags of markup, spaces collapsed.

    Args:
        markup: The markup.
        limit: Code points after which no more is read.
    """
    shown: list[str] = []
    length = 0
    for piece in _PIECE.finditer(markup):
        words = (piece["text"] or "").split()
        shown += words
        length += sum(map(len, words)) + len(words)
        if length > limit:
            break
    return html.unescape(" ".join(shown))


def is_shell_notice(shown: str) -> bool:
    """Tells whether a page's text is short and asks for scripts or for proof of being human."""
    short = len(shown) <= MAXIMUM_SHELL_NOTICE_CODE_POINTS
    return short and _SHELL_NOTICE.search(shown) is not None


def _link_claims(attributes: dict[str, str], base: str) -> list[Claim]:
    relation = attributes.get("rel", "").lower().split()
    target = attributes.get("href", "")
    if not relation or not target:
        return []
    address = resolved(base, target)
    claims = []
    if "canonical" in relation:
        claims.append(Claim("rel=canonical", address))
    if "license" in relation:
        claims.append(Claim("rel=license", address))
    if "alternate" in relation and attributes.get("hreflang"):
        claims.append(Claim("hreflang", f"{attributes['hreflang']} {address}"))
    return claims


def _attributes(text: str) -> dict[str, str]:
    return {
        match[1].lower(): html.unescape(match[2] or match[3] or match[4] or "")
        for match in _ATTRIBUTE.finditer(text)
    }
