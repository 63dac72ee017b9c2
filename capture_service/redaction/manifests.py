"""Objects whose kind says that their values are secrets: Kubernetes secrets, passwords that Terraform made.

Sources: the API reference of Kubernetes (Secret, v1), the state format of Terraform and its provider `random`.
"""

import re
from typing import Final

from capture_service.redaction.judge import is_placeholder
from capture_service.redaction.limits import MAX_MANIFEST_BYTES, MAX_STATE_BYTES
from capture_service.redaction.names import words
from capture_service.redaction.scan import NAMED, STRUCTURED, Scan

KINDS: Final = (
    rb"\n[ ]{0,8}kind: Secret[ ]{0,2}\r?\n",
    rb"\Akind: Secret[ ]{0,2}\r?\n",
    rb"\x22kind\x22:\s{0,2}\x22Secret\x22",
)
GENERATED: Final = (rb"\x22random_(?:password|string|bytes)\x22",)

_OPEN_NAMES: Final = words(
    "username user login host hostname port database dbname db namespace region name endpoint ca.crt tls.crt email"
)
"""Members of a secret that are none themselves."""
_KIND_LINE: Final = re.compile(rb"(?:\A|\n)([ ]{0,8})kind: Secret[ ]{0,2}\r?\n\Z")
_LINE: Final = re.compile(rb"([ ]{0,64})([^\n]{0,8192})(?:\n|\Z)")
_SECTION: Final = re.compile(rb"(?:string)?data:\s*", re.IGNORECASE)
_MEMBER: Final = re.compile(
    rb"[\"']?([\w.-]{1,253})[\"']?:[ ]{1,4}[\"']?([^\s\"'|>][^\s\"']{3,8000})[\"']?\s*"
)
_JSON_DATA: Final = re.compile(rb"\"(?:data|stringData)\"\s{0,4}:\s{0,4}\{([^{}]{0,8000})\}")
_JSON_KIND: Final = re.compile(rb"\"kind\"\s{0,4}:")
_JSON_MEMBER: Final = re.compile(rb"\"([\w.-]{1,253})\"\s{0,4}:\s{0,4}\"([^\"\\\s]{4,8000})(?=\")")
_RESULT: Final = re.compile(
    rb"\"(?:result|bcrypt_hash|base64)\"\s{0,4}:\s{0,4}\"([^\"\\\r\n]{4,512})(?=\")"
)


def confirm_manifest(scan: Scan, position: int) -> None:
    """Mask the values of a Kubernetes secret whose line or member ``kind`` ends at `position`."""
    data = scan.data
    kind = _KIND_LINE.search(data, max(0, position - 32), position)
    low, high = max(0, position - MAX_MANIFEST_BYTES), position + MAX_MANIFEST_BYTES
    if scan.already_done("manifest", position, high):
        return
    scan.budget.spend(high - low)
    if kind is None:
        _mask_json(scan, low, position, high)
        return
    indent = len(kind.group(1))
    start = kind.start(1)
    while start > low:
        before = data.rfind(b"\n", low, start - 1) + 1
        if before <= low or not _belongs(data, before, indent):
            break
        start = before
    _mask_lines(scan, start, min(high, len(data)), indent)


def _belongs(data: bytes, start: int, indent: int) -> bool:
    line = _LINE.match(data, start)
    assert line is not None
    text = line.group(2)
    if not text.strip():
        return True
    return len(line.group(1)) >= indent and not text.startswith(b"---")


def _mask_lines(scan: Scan, position: int, limit: int, indent: int) -> None:
    """Mask the members of the sections `data` and `stringData` of one object."""
    inside = False
    while position < limit and _belongs(scan.data, position, indent):
        line = _LINE.match(scan.data, position)
        assert line is not None
        if len(line.group(1)) == indent and line.group(2).strip():
            inside = _SECTION.fullmatch(line.group(2)) is not None
        elif inside and (member := _MEMBER.fullmatch(line.group(2))):
            _mask(scan, member.group(1), line.start(2) + member.start(2), member.group(2))
        if line.end() == position:
            return
        position = line.end()


def _mask_json(scan: Scan, low: int, position: int, high: int) -> None:
    """Mask the members of the nearest object `data` that no other ``kind`` stands before."""
    data = scan.data
    begin = low
    for other in _JSON_KIND.finditer(data, low, max(low, position - 16)):
        begin = other.end()
    following = _JSON_KIND.search(data, position, high)
    end = following.start() if following else high
    for section in _JSON_DATA.finditer(data, begin, end):
        for member in _JSON_MEMBER.finditer(data, section.start(1), section.end(1)):
            _mask(scan, member.group(1), member.start(2), member.group(2))


def _mask(scan: Scan, name: bytes, start: int, text: bytes) -> None:
    if (
        name.decode("ascii", "replace").lower() not in _OPEN_NAMES
        and not is_placeholder(text)
        and not scan.touches_placeholder(start, start + len(text))
    ):
        scan.add(start, start + len(text), NAMED, "secret")


def confirm_generated(scan: Scan, position: int) -> None:
    """Mask what Terraform's provider `random` made, in the state behind the name of the resource."""
    limit = position + MAX_STATE_BYTES
    if scan.already_done("state", position, limit):
        return
    scan.budget.spend(MAX_STATE_BYTES)
    for match in _RESULT.finditer(scan.data, position, limit):
        if not scan.touches_placeholder(*match.span(1)):
            scan.add(*match.span(1), STRUCTURED, "password")
