"""Private keys: PEM and its relatives, PuTTY, JSON Web Keys, XML keys, and key bodies without markers.

Sources: RFC 7468 (PEM), RFC 4716 (SSH2), RFC 9580 (OpenPGP armour), RFC 7517/7518 (JWK), the PuTTY key file
description, and the DER prefixes of PKCS #1, PKCS #8 and SEC 1 keys.
"""

import re
from typing import Final

from capture_service.redaction.limits import MAX_KEY_BLOCK_BYTES, MAX_VALUE_BYTES
from capture_service.redaction.placeholder import PLACEHOLDER_START
from capture_service.redaction.scan import KEY, Scan

_HEADER_REST: Final = re.compile(
    rb"[ A-Z0-9]{0,16}-{4,5}(?:\\+[rn]|\\+u000[aAdD]|[ \t\r\n\"'+,]|&#10;|<br ?/?>|%0[aAdD]|\x00)*"
)
_REVERSED_TRAIL: Final = re.compile(rb"(?:[ \t\r\n\"'+,>|\\]|[nr](?=\\))*")
"""What belongs to the line after the body, read backwards: white space, quotes, joints and their escapes."""
_LINE_RUN: Final = re.compile(rb"[A-Za-z0-9+/=]{20,}")
_MARK: Final = re.compile(rb"-{4,5} ?(?:END|BEGIN) ?")
_BODY_BYTES: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
_HEADER_LINE: Final = re.compile(
    rb"(?:\A|\n|\\n)[ \t>|]{0,16}[A-Za-z][A-Za-z-]{1,24}: [^\n\\]{0,120}"
)
_BODY_LINES: Final = re.compile(
    rb"(?:(?:[A-Z][A-Za-z-]{2,24}: [^\r\n\\]{0,120}(?:\r?\n|(?:\\+r)?\\+n))|"
    rb"[ \t\"'+>|,#*]{0,24}(?:[A-Za-z0-9+/]{16,}={0,2}|[A-Za-z0-9+/]{1,75}"
    rb"={1,2}|=[A-Za-z0-9+/]{4})[\"',+ \t\\]{0,6}(?:(?:\r?\n|(?:\\+r)?\\*n|"
    rb"%0[aA]|<br ?/?>|[ ])|\Z)|"
    rb"[ \t]{0,8}(?:\r?\n|\\+n)){1,600}"
)
_TAIL_LINE: Final = re.compile(rb"[ \t]{0,24}[A-Za-z0-9+/]{1,76}={0,2}")
_PUTTY_LINES: Final = re.compile(
    rb"[ \t]*\d{1,4}(?:\r?\n|\\r\\n|\\n)(?P<body>(?:[ \t]{0,16}[A-Za-z0-9+/=]{1,76}"
    rb"(?:(?:\r?\n|\\r\\n|\\n)|\Z)){1,200})"
)
_PUTTY_MAC: Final = re.compile(rb"(?:\\n|\n|\A)[ \t]*Private-MAC: *([0-9a-f]{32,64})")
_JWK_MEMBER: Final = re.compile(
    rb"(\\{0,7}\"|')(d|p|q|dp|dq|qi|k)(?:\\{0,7}\"|')\s{0,8}:\s{0,8}(?:\\{0,7}"
    rb"\"|')([A-Za-z0-9_-]{16,4096}={0,2})"
)
_XML_MEMBER: Final = re.compile(
    rb"<(D|P|Q|DP|DQ|InverseQ)>\s{0,40}([A-Za-z0-9+/=\s]{16,4096}?)\s{0,40}</"
)
XML_KEY_STRIDE_BYTES: Final = 1_024
"""Bytes behind a member of an XML key in which other members belong to the same look."""
_RAW_BODY: Final = re.compile(
    rb"[A-Za-z0-9+/]{40,}(?:(?:\r?\n|\\n)[ \t]{0,24}[A-Za-z0-9+/]{16,76}={0,2}){0,600}"
    rb"={0,2}(?:(?:\r?\n|\\n)[ \t]{0,24}[A-Za-z0-9+/]{1,75}={0,2}(?=\s|\"|"
    rb"\\|\Z))?"
)

_VAULT_BODY: Final = re.compile(
    rb"[;\w.-]{0,80}(?:\r?\n|\\n)(?P<body>[ \t]{0,24}[0-9a-f]{2,80}(?:(?:\r?\n|\\n)[ \t]{0,24}[0-9a-f]{2,80}){0,400})"
    rb"(?![0-9A-Za-z])"
)

RAW_KEY_STARTS: Final = (
    b"MIIEpAIBAAKCAQEA",
    b"MIIEpQIBAAKCAQEA",
    b"MIIEowIBAAKCAQEA",
    b"MIIEogIBAAKCAQEA",
    b"MIICXAIBAAKBgQ",
    b"MIICXQIBAAKBgQ",
    b"MIICWwIBAAKBgQ",
    b"MIIJKAIBAAKCAgEA",
    b"MIIJKQIBAAKCAgEA",
    b"MIIJKgIBAAKCAgEA",
    b"MIIG4wIBAAKCAYEA",
    b"MIIG5AIBAAKCAYEA",
    b"MIIEvQIBADANBgkqhkiG9w0BAQ",
    b"MIIEvgIBADANBgkqhkiG9w0BAQ",
    b"MIIEvAIBADANBgkqhkiG9w0BAQ",
    b"MIIJQgIBADANBgkqhkiG9w0BAQ",
    b"MIIJQQIBADANBgkqhkiG9w0BAQ",
    b"MIIJQwIBADANBgkqhkiG9w0BAQ",
    b"MIICdgIBADANBgkqhkiG9w0BAQ",
    b"MIICdwIBADANBgkqhkiG9w0BAQ",
    b"MIICeAIBADANBgkqhkiG9w0BAQ",
    b"MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0w",
    b"MIGHAgEAMBMGByqGSM49",
    b"MHcCAQEEI",
    b"MIGkAgEBBD",
    b"MIG2AgEAMBAGByqGSM49",
    b"MC4CAQAwBQYDK2VwBCIEI",
    b"MC4CAQAwBQYDK2VuBCIEI",
    b"MIIFHDBOBgkqhkiG9w0BBQ0w",
    b"MIIFHzBJBgkqhkiG9w0BBQ0w",
    b"MIIFDjBABgkqhkiG9w0BBQ0w",
    b"MIIFHDBABgkqhkiG9w0BBQ0w",
    b"b3BlbnNzaC1rZXktdjEA",
)
"""First base64 characters of DER-encoded and OpenSSH private keys."""


def confirm_pem(scan: Scan, position: int) -> None:
    """Mask the body behind a private key marker; `position` lies inside the marker line."""
    data = scan.data
    rest = _HEADER_REST.match(data, position, position + 4096)
    if rest is None:
        return
    start = rest.end()
    if data.startswith(PLACEHOLDER_START, start):
        return
    limit = scan.limit(start, min(len(data) - start, MAX_KEY_BLOCK_BYTES))
    mark = _MARK.search(data, start, limit)
    scan.budget.spend((mark.start() if mark else limit) - start + 64)
    if mark is not None:
        end = mark.start()
        if b"BEGIN" in mark.group() or not _is_body(data[start:end]):
            end = _open_end(data, start, mark.start())
    else:
        end = _open_end(data, start, limit)
    trailing = _REVERSED_TRAIL.match(data[max(start, end - MAX_VALUE_BYTES) : end][::-1])
    end -= trailing.end() if trailing else 0
    if end - start >= 40 and _count_body(data[start : start + 400]) >= 40:
        scan.add(start, end, KEY, "private-key")


def _is_body(text: bytes) -> bool:
    """Say whether most of a text is base64 in runs of the length of a line, unlike words."""
    body = text[:MAX_VALUE_BYTES]
    if b": " in body:
        body = _HEADER_LINE.sub(b"", body)
    return sum(map(len, _LINE_RUN.findall(body))) * 10 >= len(body) * 6


def _count_body(text: bytes) -> int:
    return len(text) - len(text.translate(None, _BODY_BYTES))


def _open_end(data: bytes, start: int, limit: int) -> int:
    """End of a key that is cut off: the last line that reads as base64."""
    lines = _BODY_LINES.match(data, start, limit)
    if lines is None:
        return start
    tail = _TAIL_LINE.match(data, lines.end(), limit)
    if tail is not None and tail.end() in (limit, len(data)):
        return tail.end()
    return lines.end()


def confirm_putty(scan: Scan, position: int) -> None:
    """Mask the private lines and the MAC of a PuTTY key file; `position` is behind ``Private-Lines:``."""
    match = _PUTTY_LINES.match(scan.data, position, position + MAX_KEY_BLOCK_BYTES)
    if match is None:
        return
    scan.budget.spend(match.end() - position)
    body = match.group("body").rstrip(b"\r\n")
    start = match.start("body")
    scan.add(start, start + len(body), KEY, "private-key")
    mac = _PUTTY_MAC.match(scan.data, start + len(body), match.end() + 200)
    if mac is not None:
        scan.add(*mac.span(1), KEY, "private-key")


def confirm_vault_file(scan: Scan, position: int) -> None:
    """Mask the body of an Ansible vault, whose password can be guessed without limit; its header ends at `position`."""
    match = _VAULT_BODY.match(scan.data, position, position + MAX_KEY_BLOCK_BYTES)
    if match is None:
        return
    scan.budget.spend(match.end() - position)
    body = match.group("body")
    start = match.end("body") - len(body.lstrip(b" \t"))
    end = match.end("body")
    scan.add(start, end, KEY, "ansible-vault")


def confirm_jwk(scan: Scan, position: int) -> None:
    """Mask the private members of the JSON object around the ``kty`` member at `position`."""
    data = scan.data
    low = max(data.rfind(b"{", max(0, position - 8192), position), position - 8192, 0)
    high = data.find(b"}", position, position + 8192)
    high = high if high >= 0 else min(len(data), position + 8192)
    if scan.already_done("jwk", position, high):
        return
    scan.budget.spend(high - low)
    for match in _JWK_MEMBER.finditer(data, low, high):
        if not scan.touches_placeholder(*match.span(3)):
            scan.add(*match.span(3), KEY, "private-key")


def confirm_xml_key(scan: Scan, position: int) -> None:
    """Mask the private members of an XML RSA key around `position`."""
    low, high = max(0, position - MAX_VALUE_BYTES), position + MAX_VALUE_BYTES
    if scan.already_done("xml-key", position, position + XML_KEY_STRIDE_BYTES):
        return
    scan.budget.spend(high - low)
    for match in _XML_MEMBER.finditer(scan.data, low, high):
        scan.add(*match.span(2), KEY, "private-key")


def confirm_raw_key(scan: Scan, start: int) -> None:
    """Mask a base64 key body that begins with the prefix of a private key structure."""
    if not scan.at_edge(start) or scan.data[start - 1 : start] in (b"+", b"/"):
        return
    match = _RAW_BODY.match(scan.data, start, start + MAX_KEY_BLOCK_BYTES)
    if match is not None:
        scan.budget.spend(match.end() - start)
        scan.add(start, match.end(), KEY, "private-key")
