"""Decoding of base64 and hexadecimal values, bounded."""

import base64
import binascii
import re
from typing import Final

from capture_service.redaction.limits import MAX_DECODED_BYTES
from capture_service.redaction.verdicts import remembered

_BASE64: Final = re.compile(rb"[A-Za-z0-9+/_-]+={0,2}")
_PRINTABLE: Final = (
    frozenset(range(0x20, 0x7F)) | frozenset(b"\t\r\n\x1b") | frozenset(range(0x80, 0x100))
)


def decode_base64(value: bytes) -> bytes | None:
    """Decode standard or URL-safe base64 with or without padding; None when it is none or too long."""
    if len(value) > MAX_DECODED_BYTES or _BASE64.fullmatch(value) is None:
        return None
    body = value.rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
    if len(body) % 4 == 1:
        body = body[:-1]
    try:
        return base64.b64decode(body + b"=" * (-len(body) % 4))
    except binascii.Error:
        return None


def mostly_printable(data: bytes) -> bool:
    """Say whether nearly all bytes are printable, as in text and unlike in images."""
    if not data:
        return False
    odd = sum(byte not in _PRINTABLE or byte >= 0x80 for byte in data[:2048])
    return odd * 20 <= len(data[:2048])


@remembered
def decodes_to_credentials(value: bytes) -> bool:
    """Say whether base64 decodes to ``user:password`` as in RFC 7617."""
    if not 8 <= len(value) <= 1024:
        return False
    decoded = decode_base64(value)
    return (
        decoded is not None
        and b":" in decoded[1:]
        and mostly_printable(decoded)
        and b" " not in decoded
    )
