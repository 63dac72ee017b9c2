"""Finding the extent of a value behind an operator: quoted at any depth of escaping, or bare."""

import re
from typing import Final, NamedTuple

from capture_service.redaction.limits import MAX_NESTED_KEYS, MAX_VALUE_BYTES
from capture_service.redaction.placeholder import PLACEHOLDER_START
from capture_service.redaction.scan import Scan

_QUOTE_START: Final = re.compile(
    rb"(?:[bBrRuUfFN@$]{0,2})(?P<slashes>\\{0,15})(?P<quote>\"{3}|'{3}|[\"'`]"
    rb"|&quot;|&#34;|&#39;|&apos;|\\u0022|%22|\xe2\x80\x9c|\xe2\x80\x98|\xc2\xab(?: |"
    rb"\xc2\xa0|\xe2\x80\xaf)?|\xe3\x80\x8c|\xe3\x80\x8e)"
)
_BARE: Final = re.compile(rb"(?:[^\s\"'<>`\\\x00-\x1f\x7f-\xff]++|\\(?![nrt\"'\\ux0]))+")
_SEPARATOR: Final = re.compile(
    rb"[;,&|?](?=\s|\Z|[;,&|]|\{|\"|'|[A-Za-z_][A-Za-z0-9_. -]{0,40}[=:])|"
    rb"&amp;|\)(?=[.,;:)\s]|\Z)|[}\]](?=[,;}\]\s]|\Z)|"
    rb"%(?:25)*26|\\+u0026|\x1b"
)
_TRAILING: Final = b".,;:!?"
_OPERATORS: Final = re.compile(rb"[=:]")
_CLOSING: Final = {
    b"&quot;": b"&quot;",
    b"&#34;": b"&#34;",
    b"&#39;": b"&#39;",
    b"&apos;": b"&apos;",
    b"\\u0022": b"\\u0022",
    b"%22": b"%22",
    b"\xc2\xab": b"\xc2\xbb",
    b"\xc2\xab ": b" \xc2\xbb",
    b"\xc2\xab\xc2\xa0": b"\xc2\xa0\xc2\xbb",
    b"\xc2\xab\xe2\x80\xaf": b"\xe2\x80\xaf\xc2\xbb",
    b"\xe3\x80\x8c": b"\xe3\x80\x8d",
    b"\xe3\x80\x8e": b"\xe3\x80\x8f",
    b"\xe2\x80\x9c": b"\xe2\x80\x9d",
    b"\xe2\x80\x98": b"\xe2\x80\x99",
}


class Value(NamedTuple):
    """Extent of a value.

    Attributes:
        start: Offset of its first byte.
        end: Offset behind its last byte.
        quoted: Whether quotes enclose it.
        template: Whether its prefix or quote makes it a template with substitutions.
    """

    start: int
    end: int
    quoted: bool
    template: bool = False


def quoted_value(scan: Scan, position: int) -> Value | None:
    """Return the quoted value that opens at `position`, or None when no quote stands there."""
    data = scan.data
    opening = _QUOTE_START.match(data, position)
    if opening is None:
        return None
    quote = opening.group("quote")
    start = opening.end()
    limit = min(len(data), start + MAX_VALUE_BYTES)
    template = quote == b"`" or data[position : position + 1] in (b"f", b"F", b"$")
    if quote in _CLOSING or len(quote) == 3:
        end = data.find(_CLOSING.get(quote, quote), start, limit)
        scan.budget.spend((end if end >= 0 else limit) - start + 16)
        return Value(start, end, True, template) if end >= 0 else None
    slashes = len(opening.group("slashes"))
    end = _closing_quote(data, start, limit, quote, slashes)
    scan.budget.spend((end if end >= 0 else limit) - start + 16)
    if end < 0:
        return None
    return Value(start, end, True, template)


def _closing_quote(data: bytes, start: int, limit: int, quote: bytes, slashes: int) -> int:
    """Return the offset of the end of the value, or -1.

    A quote at escape depth d carries 2^d - 1 backslashes; more of them belong to the value, fewer close an
    outer string.
    """
    period = 2 * (slashes + 1)
    position = start
    for _ in range(64):
        found = data.find(quote, position, limit)
        if found < 0:
            return -1
        run = found
        while run > start and data[run - 1] == 0x5C:
            run -= 1
        count = found - run
        if count < slashes:
            return run
        if count % period == slashes:
            return found - slashes
        position = found + 1
    return -1


def bare_value(scan: Scan, position: int) -> Value:
    """Return the unquoted value at `position`: up to white space, a quote, or a separator before another name."""
    data = scan.data
    limit = position + MAX_VALUE_BYTES
    if scan.opaque and data.startswith(PLACEHOLDER_START, position):
        limit = position + len(PLACEHOLDER_START)
    run = _BARE.match(data, position, limit)
    if run is None:
        return Value(position, position, False)
    end = run.end()
    if end - position > 3:
        cut = _SEPARATOR.search(data, position + 1, end)
        if cut is not None:
            end = cut.start()
    scan.budget.spend(end - position + 16)
    while (
        end > position
        and data[end - 1 : end] in (b".", b",", b";", b":", b"!", b"?")
        and _ends_sentence(data, end)
    ):
        end -= 1
    if end > position and data[end - 1] == 0x29 and b"(" not in data[position:end]:
        end -= 1
    return Value(position, end, False)


def _ends_sentence(data: bytes, end: int) -> bool:
    return data[end - 1 : end] != b"!" or data[end - 2 : end - 1].isalpha()


def nested_keys(value: bytes) -> bool:
    """Say whether a bare value holds so many operators that it is masked as a whole."""
    return len(value) > 24 and len(_OPERATORS.findall(value)) > MAX_NESTED_KEYS
