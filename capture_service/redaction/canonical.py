"""Canonical spelling of a secret: the bytes that the placeholder is made from.

One secret must have one placeholder however it was spelled, so escapes of URLs, JSON and HTML are undone and
line breaks, zero-width characters and string joints are removed before the keyed hash.
"""

import html
import re
from typing import Final

ZERO_WIDTH: Final = rb"(?:\xe2\x80[\x8b-\x8f]|\xe2\x81\xa0|\xef\xbb\xbf|\xc2\xad)"
ANSI: Final = rb"(?:\x1b|\\+u001[bB]|\\+x1[bB]|\\+033|\\+e)\[[0-9;]{0,16}[mK]"

_SLOW = re.compile(rb"[\\%&\s\x1b\"'`]|[\xc2\xe2\xef]")
_BREAK = re.compile(
    ANSI
    + rb"|"
    + ZERO_WIDTH
    + rb"|[\"'`]\s{0,8}[+.]\s{0,8}[\"'`]|=?\r?\n[ \t]*|(?:\\+[rn])+[ \t]*|\\(?=\Z)"
)
_JSON = re.compile(rb"\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\"'/\\]))")
_PERCENT = re.compile(rb"%(?:25)*([0-9a-fA-F]{2})")


def _json_unescape(match: re.Match[bytes]) -> bytes:
    digits = match.group(1) or match.group(2)
    if digits is None:
        return match.group(3)
    return chr(int(digits, 16)).encode("utf-8", "surrogatepass")


def _entity_unescape(value: bytes) -> bytes:
    text = value.decode("utf-8", "surrogateescape")
    return html.unescape(text).encode(
        "utf-8", "surrogatepass" if _has_surrogate(text) else "strict"
    )


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def canonical_secret(value: bytes) -> bytes:
    """Return the canonical bytes of a secret as it stands in a document."""
    if _SLOW.search(value) is None:
        return value
    value = _BREAK.sub(b"", value)
    value = _JSON.sub(_json_unescape, value)
    if b"&" in value and b";" in value:
        value = _entity_unescape(value) if value.isascii() else value
    if b"%" in value:
        value = _PERCENT.sub(lambda match: bytes([int(match.group(1), 16)]), value)
    return value.strip()
