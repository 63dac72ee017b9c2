"""Percent-escapes: what is decoded, what is kept, what is newly encoded.

RFC 3986 section 6.2.2.2 allows to decode the escapes of unreserved characters and nothing else; the
sets of characters that are newly encoded are those of the WHATWG URL Standard, section 1.3.
"""

import re
import string
from typing import Final

UNRESERVED: Final = frozenset(string.ascii_letters + string.digits + "-._~")
"""RFC 3986 section 2.3."""

_HEX_DIGITS: Final = frozenset(string.hexdigits)
_ESCAPE: Final = re.compile("%([0-9A-Fa-f]{2})")
_BARE_PERCENT: Final = re.compile("%(?![0-9A-Fa-f]{2})")
_TOKEN: Final = re.compile("(%[0-9A-Fa-f]{2})|(%)|([^%]+)")

PATH_ENCODED: Final = re.compile('[\x00-\x20"<>^`{}\x7f-\U0010ffff]+')
QUERY_ENCODED: Final = re.compile('[\x00-\x20"<>\x7f-\U0010ffff]+')
FRAGMENT_ENCODED: Final = re.compile('[\x00-\x20"<>`\x7f-\U0010ffff]+')
OPAQUE_ENCODED: Final = re.compile("[\x00-\x20\x7f-\U0010ffff]+")
TOOL_ENCODED: Final = re.compile('[\x00-\x20"#<>\x7f-\U0010ffff]+')


def _normal_spelling(pair: str) -> str:
    character = chr(int(pair, 16))
    return character if character in UNRESERVED else "%" + pair.upper()


_SPELLINGS: Final = {
    first + second: _normal_spelling(first + second)
    for first in string.hexdigits
    for second in string.hexdigits
}


def percent_encode(data: bytes) -> str:
    """Spells every byte as an upper-case escape."""
    return "".join(f"%{byte:02X}" for byte in data)


def _encode_run(match: re.Match[str]) -> str:
    return percent_encode(match[0].encode("utf-8"))


def _respell(match: re.Match[str]) -> str:
    return _SPELLINGS[match[1]]


def normalise(text: str, encoded: re.Pattern[str]) -> str:
    """Encodes what `encoded` matches as UTF-8 and normalises the escapes that are there.

    Unreserved characters are decoded once; every other escape stays, in upper case; a percent sign
    that begins no escape stays bare, as in the WHATWG URL Standard.

    Args:
        text: A component without lone surrogates.
        encoded: Pattern of runs to encode.
    """
    if not text.isascii() or encoded.search(text) is not None:
        text = encoded.sub(_encode_run, text)
    if "%" not in text:
        return text
    if _BARE_PERCENT.search(text) is None:
        return _ESCAPE.sub(_respell, text)
    return _normalise_beside_bare_percent(text)


def _normalise_beside_bare_percent(text: str) -> str:
    """Normalises escapes without letting a decoded digit complete an escape.

    `%%34%31` decoded naively is `%41`, which the next pass would decode again: a hexadecimal digit
    stays escaped while it would stand in the first or second place behind a bare percent sign.
    """
    parts: list[str] = []
    open_escape = False
    for escape, bare, literal in _TOKEN.findall(text):
        if escape:
            spelled = _SPELLINGS[escape[1:]]
            if open_escape and spelled in _HEX_DIGITS:
                spelled = escape.upper()
            parts.append(spelled)
            open_escape = False
        elif bare:
            parts.append(bare)
            open_escape = True
        else:
            parts.append(literal)
            open_escape = open_escape and len(literal) == 1 and literal in _HEX_DIGITS
    return "".join(parts)


def decode(text: str) -> str:
    """Decodes every escape once, for comparison only; bytes that are no UTF-8 become U+FFFD."""
    if "%" not in text:
        return text
    return decode_bytes(text).decode("utf-8", "replace")


def decode_bytes(text: str) -> bytes:
    """Decodes every escape once to bytes (WHATWG URL Standard, 'percent-decode')."""
    pieces = text.encode("utf-8").split(b"%")
    decoded = [pieces[0]]
    for piece in pieces[1:]:
        pair = piece[:2]
        if len(pair) == 2 and all(chr(byte) in _HEX_DIGITS for byte in pair):
            decoded.append(bytes((int(pair, 16),)) + piece[2:])
        else:
            decoded.append(b"%" + piece)
    return b"".join(decoded)


def scalar_values(text: str) -> str:
    """Joins surrogate pairs and replaces lone surrogates by U+FFFD (WHATWG 'USVString')."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
