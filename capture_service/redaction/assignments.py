"""Assignments: a sensitive name, an operator in any of its spellings, and a value that is judged."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from capture_service.redaction.configuration import matches_name
from capture_service.redaction.encoded_values import decodes_to_credentials
from capture_service.redaction.headers import confirm_authorization, confirm_cookie
from capture_service.redaction.judge import is_placeholder, judge, looks_machine_made
from capture_service.redaction.limits import MAX_NAME_BYTES, MAX_PARAMETER_NAME_BYTES
from capture_service.redaction.names import (
    AUTHORIZATION_HEADERS,
    COOKIE_HEADERS,
    NameClass,
    classify_name,
    collapse,
)
from capture_service.redaction.placement import Place, place_decides
from capture_service.redaction.scan import NAMED, STRUCTURED, Scan
from capture_service.redaction.values import Value, bare_value, nested_keys, quoted_value
from capture_service.redaction.vocabulary import URL_SEPARATOR

_REVERSED_NAME: Final = re.compile(
    rb"[ \t]{0,8}(?P<closers>(?:;(?:touq|43#|22x#)&|[\\\x22'`\])}*_]{0,16}))"
    rb"(?P<name>[A-Za-z0-9_.\-$\x80-\xff]{1,64}(?: [A-Za-z\x80-\xff]{2,12}){0,2})"
)
_ESCAPE_IN_NAME: Final = re.compile(
    rb"%(?:25)*[0-9A-Fa-f]{2}|\\u00[0-9a-fA-F]{2}|\\x[0-9a-fA-F]{2}|\\[nrtbf]"
)
_ESCAPED_OPERATOR: Final = re.compile(
    rb"(?:\\{1,7}\x22|%22|&quot;)?(?:%(?:25){0,3}3[DdAa]|&#(?:61|58|x3[dDaA])"
    rb";|\\{1,3}u003[dDaA]|\\{1,3}x3[dDaA]|=3[DA])\Z"
)
_URL_BEFORE: Final = re.compile(URL_SEPARATOR + rb"\Z")
_AFTER: Final = re.compile(
    rb"(?:[=>~:]{0,2}|\]|\)|\*{0,2}|_{0,2})[*_]{0,2}(?:</[a-z0-9]{1,8}>)?[ \t]{0,16}"
    rb"(?:string\(\d{1,5}\) |&nbsp;|\xc2\xa0|\xe2\x80\x8b|<[a-z]{1,6}>|\x1b\[[0-9;]{0,16}m|![A-Za-z]{1,12}"
    rb"[ \t]+|\((?=[\"'])){0,3}[ \t]{0,4}"
    rb"(?:&?(?:'static )?[A-Za-z_][\w.]{0,32}(?:[<\[][\w.,| ]{0,32}[>\]])?\??(?: ?\| ?\w{1,24})?[ \t]{0,4}"
    rb"=[ \t]{0,4}(?=[brufBRUFN@]?[\"'`]))?"
)
_ESCAPED_SPACE: Final = re.compile(rb"(?:%20|\+|[ \t]|&nbsp;|&#32;){0,4}")
_NEXT_LINE: Final = re.compile(
    rb"[ \t]*(?:[|>][+-]?\d?[ \t]*)?(?:\r?\n|\\r\\n|\\n)(?:[ \t]*(?:\r?\n|\\n))?([ \t]{0,24})"
)
_NUMBER: Final = re.compile(rb"-?\d{4,40}(?=[\s,}\]]|\Z)")
_NUMBER_ANY: Final = re.compile(rb"-?[0-9][0-9.]*(?:[eE][+-]?[0-9]+)?(?=[\s,}\]]|\Z)")
_LIST: Final = re.compile(rb"[ \t\r\n]{0,8}\[[ \t\r\n]{0,64}")
_LIST_NEXT: Final = re.compile(rb"[ \t\r\n]{0,8},[ \t\r\n]{0,64}")
_MNEMONIC: Final = re.compile(
    rb"[\s\"'`:=]{0,8}((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![a-z])"
)
_SENTENCE_WORD: Final = re.compile(
    rb"\b(?:the|and|for|with|from|was|has|not|are|which|must|be|of|to|is|in)\b"
)
"""Words of sentences that are not in the list of BIP 39."""
RECOVERY_NAMES: Final = ("mnemonic", "phrase", "seed", "words")
"""Ends of names whose value may be the words that restore a wallet."""
_URL_INSIDE: Final = re.compile(rb"[a-zA-Z][a-zA-Z0-9+.-]{1,20}://")
_DIGEST_NAMES: Final = (b"checksum/", b"hash/", b"sha256/")
"""What stands before a name whose value is the digest of a secret, as in annotations of Helm charts."""
_DIGIT: Final = re.compile(rb"[0-9]")
_SCOPED_SETTING: Final = re.compile(
    rb"(?:\A|\n|\\n)[ ]{0,8}[\"']?[a-z][a-z0-9_]{0,40}(?:::[a-z0-9_]{1,40}){0,6}::\Z"
)
_BRACED: Final = re.compile(rb"\{([^{}\s;\"']{4,128})\}(?=;|[\"'\s]|\Z)")
_UUID_ALONE: Final = re.compile(rb"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SECRET_ID: Final = re.compile(rb"(?i)secret[_ -]?id")
_COMPARISON: Final = re.compile(rb"[=!~]=|[<>]=")


def name_before(data: bytes, position: int) -> tuple[bytes, int, int]:
    """Return the name that ends before an operator, its start, and the end of the name."""
    low = max(0, position - MAX_NAME_BYTES)
    match = _REVERSED_NAME.match(data[low:position][::-1])
    if match is None:
        return b"", position, position
    name = match.group("name")[::-1]
    end = position - match.start("name")
    start = end - len(name)
    escape = _ESCAPE_IN_NAME.match(data, max(0, start - 1), end)
    if escape is not None and escape.end() < end:
        name, start = data[escape.end() : end], escape.end()
    return name, start, end


def confirm_assignment(scan: Scan, operator: int) -> None:
    """Confirm an assignment whose operator is the byte at `operator`."""
    if operator < scan.consumed:
        return
    name, start, end = name_before(scan.data, operator)
    if not name or scan.data.startswith(b"::", operator):
        return  # a scope, a type or a part of a style selector
    if name == b"PASS" and scan.data[operator] == 0x3A:
        return  # the verdict of a test suite
    quoted = scan.data[operator + 1 : operator + 2] in (b'"', b"'")  # no address holds a quote
    if (
        scan.data[operator] == 0x3D
        and end == operator
        and not quoted
        and _is_parameter(scan.data, name, end)
    ):
        return
    after = _AFTER.match(scan.data, operator + 1)
    position = after.end() if after else operator + 1
    compared = _COMPARISON.match(scan.data, operator) is not None
    confirm_named_value(scan, name, start, position, quotes_only=compared)


def _is_parameter(data: bytes, name: bytes, end: int) -> bool:
    """Say whether the rules for URL parameters look at this name: a separator stands before its last word."""
    start = end - len(name.rsplit(b" ", 1)[-1])
    return end - start <= MAX_PARAMETER_NAME_BYTES and (
        _URL_BEFORE.search(data, max(0, start - 8), start) is not None
    )


def confirm_wide_assignment(scan: Scan, position: int) -> None:
    """Confirm an assignment whose full-width colon or equals sign ends at `position`."""
    name, start, _end = name_before(scan.data, position - 3)
    after = _AFTER.match(scan.data, position)
    if name:
        confirm_named_value(scan, name, start, after.end() if after else position)


def confirm_escaped_assignment(scan: Scan, position: int) -> None:
    """Confirm an assignment whose operator is spelled as an escape that ends at `position`."""
    operator = _ESCAPED_OPERATOR.search(scan.data, max(0, position - 24), position)
    if operator is None:
        return
    name, start, _end = name_before(scan.data, operator.start())
    if name and not _URL_BEFORE.search(scan.data, max(0, start - 8), start):
        after = _ESCAPED_SPACE.match(scan.data, position)
        confirm_named_value(scan, name, start, after.end() if after else position)


@lru_cache(maxsize=8192)
def _role(name: bytes) -> tuple[str, NameClass]:
    """Return what is special about a name, and its class."""
    folded = collapse(name.decode("latin-1").rsplit(" ", 1)[-1])
    if folded.endswith("authorization") or folded in AUTHORIZATION_HEADERS:
        return "authorization", NameClass.SECRET
    if folded in COOKIE_HEADERS or folded.endswith("cookie"):
        return "cookie", NameClass.SECRET
    role = (
        "recovery" if folded.endswith(RECOVERY_NAMES) else "auth" if folded.endswith("auth") else ""
    )
    return role, classify_name(name)


def confirm_named_value(
    scan: Scan, name: bytes, name_start: int, position: int, *, quotes_only: bool = False
) -> None:
    """Judge the value at `position` by its name and mask it."""
    scan.budget.spend(MAX_NAME_BYTES)
    if scan.data.endswith(_DIGEST_NAMES, max(0, name_start - 9), name_start):
        return
    before = scan.data[max(0, name_start - 2) : name_start]
    if (before == b"::" and not _is_scoped_setting(scan.data, name_start, position)) or (
        b" " not in name
        and before[1:] == b":"
        and before.isascii()
        and before[:1].isalnum()
        and scan.data[position - 1] == 0x3A
    ):
        return
    role, name_class = _role(name)
    if role == "authorization":
        confirm_authorization(scan, position)
        return
    if role == "cookie":
        confirm_cookie(scan, position)
        return
    if role == "recovery" and confirm_recovery_phrase(scan, position):
        return
    if name_class is NameClass.NONE:
        return
    unsure = name_class is NameClass.WEAK and role != "auth"
    if unsure and _DIGIT.search(scan.data, position, position + 64) is None:
        return
    value = quoted_value(scan, position)
    if value is None and not quotes_only and not _is_left_to_text(scan, name, name_start):
        value = _unquoted(scan, name, name_class, position)
    if value is not None:
        _mask(scan, name, name_class, value, name_start)


def _is_scoped_setting(data: bytes, name_start: int, position: int) -> bool:
    """Say whether the name is the last word of a Puppet setting: ``mysql::server::root_password: "…"``."""
    low = max(0, name_start - MAX_NAME_BYTES)
    return (
        data[position : position + 1] in (b'"', b"'")
        and data[position - 1 : position] == b" "
        and _SCOPED_SETTING.search(data, low, name_start) is not None
    )


def _is_left_to_text(scan: Scan, name: bytes, name_start: int) -> bool:
    """Say whether a bare value in JSON is judged in the text of its string: no quote closes its name."""
    end = name_start + len(name)
    return scan.strings and scan.data[end : end + 1] not in (b'"', b"\\")


def _unquoted(scan: Scan, name: bytes, name_class: NameClass, position: int) -> Value | None:
    data = scan.data
    number = _NUMBER.match(data, position)
    if (
        number is not None
        and name_class is NameClass.PASSWORD
        and data[position - 1 : position] in b" :"
    ):
        _mask_number(scan, name, number, position)
        return None
    if _NUMBER_ANY.match(data, position):
        return None
    opening = _LIST.match(data, position)
    if opening is not None and name_class is not NameClass.WEAK:
        _mask_list(scan, name_class, opening.end())
        return None
    braced = _BRACED.match(data, position)
    if braced is not None and name_class is NameClass.PASSWORD and data[position - 1] == 0x3D:
        return Value(*braced.span(1), True)  # a value of an ODBC connection string
    line = _NEXT_LINE.match(data, position)
    if line is not None:
        return _value_on_next_line(scan, name_class, line)
    return bare_value(scan, position)


def _value_on_next_line(scan: Scan, name_class: NameClass, line: re.Match[bytes]) -> Value | None:
    value = quoted_value(scan, line.end()) or bare_value(scan, line.end())
    text = scan.data[value.start : value.end]
    block = b"|" in line.group() or b">" in line.group()
    minimum = 8 if block else 16
    return value if name_class is not NameClass.WEAK and looks_machine_made(text, minimum) else None


def _mask_number(scan: Scan, name: bytes, number: re.Match[bytes], position: int) -> None:
    """A number as value of a JSON field becomes a string, so that JSON stays JSON."""
    before = scan.data[max(0, position - 16) : position]
    colon = before.rfind(b":")
    key_end = before[:colon].rstrip() if colon >= 0 else b""
    if not name.isascii() or (
        len(number.group()) < 6 and not key_end.endswith((b'"' + name + b'"', b'"' + name + b'\\"'))
    ):
        return
    quote = b""
    if key_end.endswith((b'"', b"'")):
        slashes = len(key_end) - 1 - len(key_end[:-1].rstrip(b"\\"))
        quote = b"\\" * slashes + key_end[-1:]
    scan.add(number.start(), number.end(), NAMED, "password", quote=quote)


def _mask_list(scan: Scan, name_class: NameClass, position: int) -> None:
    """Judge the quoted members of a list one by one."""
    for _ in range(16):
        value = quoted_value(scan, position)
        if value is None:
            return
        _mask(scan, b"", name_class, value)
        closing = value.end
        while closing < len(scan.data) and scan.data[closing] in b"\\\"'":
            closing += 1
        following = _LIST_NEXT.match(scan.data, closing)
        if following is None:
            return
        position = following.end()


def _mask(
    scan: Scan, name: bytes, name_class: NameClass, value: Value, name_start: int = -1
) -> None:
    data = scan.data
    if scan.touches_placeholder(value.start, value.end):
        _mask_behind_placeholder(scan, name_class, value)
        return
    if scan.typed.get(value.start, -1) >= value.end:
        scan.consumed = max(scan.consumed, value.end)
        return
    text = data[value.start : value.end]
    if value.template and (b"{" in text or b"$" in text):
        return
    if (
        not value.quoted
        and nested_keys(text)
        and not is_placeholder(text)
        and name_class is not NameClass.WEAK
    ):
        scan.consumed = value.end
        scan.add(value.start, value.end, NAMED, rule_name(name_class))
        return
    if _URL_INSIDE.match(text):
        return
    if (
        judge(name_class, text, value.quoted)
        or (_UUID_ALONE.fullmatch(text) and _SECRET_ID.search(name))
        or (_role(name)[0] == "auth" and decodes_to_credentials(text))
        or (
            name_start >= 0
            and (value.quoted or not scan.strings)
            and place_decides(Place(data, name, name_start, name_class), value)
        )
    ):
        scan.consumed = max(scan.consumed, value.end)
        scan.add(value.start, value.end, NAMED, rule_name(name_class))
    elif b"***" in text or b"..." in text:
        scan.upstream_masked = scan.upstream_masked or is_placeholder(text)


def _mask_behind_placeholder(scan: Scan, name_class: NameClass, value: Value) -> None:
    """Mask a secret glued to a placeholder that somebody put before it.

    No mask of ours is followed directly by a letter or digit, so this never fires on our own output.
    """
    for start, end in scan.outside(value.start, value.end):
        text = scan.data[start:end]
        if start > value.start and text[:1].isalnum() and looks_machine_made(text, 8):
            scan.add(start, end, NAMED, rule_name(name_class))


def confirm_configured_name(scan: Scan, operator: int, patterns: Sequence[str]) -> None:
    """Mask the value of a field that the configuration names, whatever it is."""
    name, _start, _end = name_before(scan.data, operator)
    if not matches_name(patterns, name.rsplit(b" ", 1)[-1].decode("utf-8", "replace")):
        return
    after = _AFTER.match(scan.data, operator + 1)
    position = after.end() if after else operator + 1
    value = quoted_value(scan, position) or bare_value(scan, position)
    text = scan.data[value.start : value.end]
    if (
        not text
        or scan.touches_placeholder(value.start, value.end)
        or text in (b"null", b"true", b"false", b"{", b"[")
    ):
        return
    number = _NUMBER_ANY.match(scan.data, position)
    quote = (
        b'"'
        if number is not None
        and scan.data[max(0, position - 16) : position].rstrip().endswith(b":")
        and b'"' in scan.data[max(0, operator - 2) : operator]
        else b""
    )
    scan.add(value.start, value.end, NAMED, "configured-field", quote=quote)


def rule_name(name_class: NameClass) -> str:
    """Return the readable rule name for a value found by its name."""
    return "password" if name_class is NameClass.PASSWORD else "secret"


def confirm_recovery_phrase(scan: Scan, position: int) -> bool:
    """Mask the words of a wallet's recovery phrase (BIP 39: 12 to 24 words of 3 to 8 letters)."""
    match = _MNEMONIC.match(scan.data, position)
    scan.budget.spend(256)
    if match is None or _SENTENCE_WORD.search(match.group(1)):
        return False
    scan.add(match.start(1), match.end(1), STRUCTURED, "recovery-phrase")
    return True
