"""URLs: passwords in the user part, and parameters in three tiers of names.

Sources: RFC 3986 (3.2.1), RFC 6749, RFC 6750, and the signed-URL documentation of AWS, Google Cloud and Azure.
"""

import re
from typing import Final

from capture_service.redaction.judge import is_placeholder, is_words, looks_machine_made
from capture_service.redaction.limits import MAX_VALUE_BYTES
from capture_service.redaction.names import (
    EVERYDAY_PARAMETER_NAMES,
    MACHINE_PARAMETER_NAMES,
    SECRET_PARAMETER_NAMES,
    NameClass,
    classify_name,
    collapse_parameter,
    words,
)
from capture_service.redaction.placement import member_decides, stands_in
from capture_service.redaction.scan import STRUCTURED, Scan

_REVERSED_NAME: Final = re.compile(rb"[A-Za-z0-9_.\-\[\]%]{1,80}")
_ESCAPED_SEPARATOR: Final = re.compile(
    rb".*(?:%(?:25)*(?:3[Ff]|26|23)|(?<=\\)(?:u0026|x26)|(?<=&)amp)", re.DOTALL
)
_ESCAPED_EQUALS: Final = re.compile(rb"%(?:25)*3[Dd]\Z")
_BRACKETS: Final = re.compile(rb"(?:%(?:25)*5[BbDd]|[\[\]])+")
_PAGING_STARTS: Final = (
    "page",
    "next",
    "prev",
    "sync",
    "continu",
    "resume",
    "cancel",
    "cursor",
    "start",
    "skip",
)
_SECRET_ENDS: Final = ("token", "secret", "apikey", "password", "passwd")
_PARAMETER_VALUE: Final = re.compile(
    rb"(?:[^\s&#\"'<>`\\\x00-\x1f\x7f-\xff;,)\]}|%*]++|%(?!(?:25)*(?:26|23|3[bB]"
    rb"|22|27|20|0[aAdD]))[0-9A-Fa-f]{0,2}|"
    rb"[,;)|*](?=[A-Za-z0-9%_-]{2})(?!(?:[A-Za-z_][\w.-]{0,30})=))+"
)
_PATH_VALUE: Final = re.compile(rb"[A-Za-z0-9._~!-]{1,256}")
_AUTHORITY: Final = re.compile(rb"(?::\\?/\\?/|%(?:25)*3[Aa]%(?:25)*2[Ff]%(?:25)*2[Ff])")
_COLON: Final = re.compile(rb":|%(?:25)*3[Aa]")
_WEAK_PASSWORDS: Final = frozenset(
    word.encode("ascii")
    for word in words(
        "password pass passwd pwd secret user username userpass mypassword yourpassword test example postgres root "
        "admin guest token changeme foo bar baz xxx x password1 api-key api_key apikey key passw0rd pa55word "
        "credentials auth"
    )
)
_TEMPLATE: Final = re.compile(rb"[{}<>\[\]]|\$\(|\A\$[A-Za-z_]\w*\Z|%[sd({]")
_PUBLIC_DSN: Final = re.compile(rb"@(?:o\d+\.ingest|[\w.-]{0,40}sentry)[\w.-]*/")
"""Hosts of error reporting, whose address carries a public key that every web page shows."""
_LOCAL_HOST: Final = re.compile(
    rb"localhost|127\.0\.0\.1|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\."
)
_SAMPLE_HOST: Final = re.compile(
    rb"(?:www\.)?(?:example|host|hostname|server|domain|ip|address)(?![A-Za-z0-9-])", re.IGNORECASE
)
_LATER_AT: Final = re.compile(rb"[^\s/?#\"'<>\\@,;)(:=&{}\[\]$]{0,64}@(?=[A-Za-z0-9\[])")
_USER_TOKEN: Final = re.compile(rb"[A-Za-z0-9_.~%+=-]{16,400}")


def confirm_parameter(scan: Scan, position: int) -> None:
    """Mask the value of a URL parameter whose ``=`` ends at `position`."""
    data = scan.data
    operator = 1
    if data[position - 1] != 0x3D:
        found = _ESCAPED_EQUALS.search(data, max(0, position - 12), position)
        operator = len(found.group()) if found else 1
    end = position - operator
    before = _REVERSED_NAME.match(data[max(0, end - 80) : end][::-1])
    value = _PARAMETER_VALUE.match(data, position, position + MAX_VALUE_BYTES)
    if before is None or value is None:
        return
    start = end - before.end()
    separator = _ESCAPED_SEPARATOR.search(data, start, end)
    start = separator.end() if separator else start
    scan.budget.spend(len(value.group()) + 96)
    if value.group()[:1] == b"=" or data[max(0, start - 2) : start] == b"&&":
        return
    name = data[start:end]
    text = value.group().rstrip(b".,!:*")
    if is_secret_value(name, text) and not scan.touches_placeholder(position, position + len(text)):
        scan.add(position, position + len(text), STRUCTURED, "url-parameter")


def confirm_session_path(scan: Scan, position: int) -> None:
    """Mask a session id in a path parameter whose ``=`` ends at `position`."""
    value = _PATH_VALUE.match(scan.data, position)
    if (
        value is not None
        and looks_machine_made(value.group(), 12)
        and not scan.touches_placeholder(*value.span())
    ):
        scan.add(*value.span(), STRUCTURED, "url-parameter")


# A run of letters without one is no word of a page, however short it is.
_VOWEL: Final = re.compile(rb"[aeiouyAEIOUY\x80-\xff%]")


def is_secret_value(name: bytes, value: bytes) -> bool:
    """Judge one URL parameter by the tier of its name."""
    if is_placeholder(value):
        return False
    decoded = ([part for part in _BRACKETS.split(name) if part] or [name])[-1]
    folded = collapse_parameter(decoded.decode("latin-1"))
    if folded in SECRET_PARAMETER_NAMES:
        if member_decides(decoded, max(classify_name(decoded), NameClass.SECRET), value):
            return True
        return not (is_words(value) and value.replace(b"-", b"").replace(b"_", b"").isalpha()) and (
            any(48 <= byte <= 57 for byte in value)
            or _VOWEL.search(value) is None
            or looks_machine_made(value, 10)
        )
    if folded in EVERYDAY_PARAMETER_NAMES:
        return looks_machine_made(value, 16)
    if folded in MACHINE_PARAMETER_NAMES or classify_name(decoded) >= NameClass.SECRET:
        return looks_machine_made(value, 12)
    if folded.endswith(_SECRET_ENDS) and not folded.startswith(_PAGING_STARTS):
        return len(folded) < 16 and looks_machine_made(value, 16)
    return classify_name(decoded) is NameClass.WEAK and looks_machine_made(value, 20)


def confirm_user_part(scan: Scan, position: int) -> None:
    """Mask the password of a user part whose ``@`` (or its percent spelling) ends at `position`."""
    data = scan.data
    at = position - (1 if data[position - 1] == 0x40 else 3)
    low = max(0, at - 300)
    authorities = list(_AUTHORITY.finditer(data, low, at))
    scan.budget.spend(at - low)
    if not authorities:
        return
    start = authorities[-1].end()
    end = _last_at(data, at)
    colon = _COLON.search(data, start, end)
    if colon is None and _PUBLIC_DSN.match(data, end):
        return
    if colon is None:
        _mask_user_token(scan, start, end)
        return
    user, password = data[start : colon.start()], data[colon.end() : end]
    if not password or scan.touches_placeholder(colon.end(), end) or _TEMPLATE.search(password):
        return
    weak = password.lower() in _WEAK_PASSWORDS or password.lower() == user.lower()
    if is_placeholder(password) or (weak and not _is_local_page(data, start, end)):
        return
    if password.startswith(b"pserver:") or len(password) < 2:
        return
    # Of two letters nothing tells a word from a password.
    plain = len(password) > 2 and password.isalpha() and is_words(password)
    if (
        plain
        and not weak
        and (
            stands_in(b"password", password)
            or user == b"anonymous"
            or _SAMPLE_HOST.match(data, end + 1)
        )
    ):
        return
    if user.startswith((b"{", b"$", b"<")) and is_words(password):
        return
    scan.add(colon.end(), end, STRUCTURED, "url-password")


def _is_local_page(data: bytes, start: int, end: int) -> bool:
    """Say whether a user part belongs to a page of this machine or network: its weak password is often the real one.

    Addresses of databases with such a password fill the documentation of their clients.
    """
    return (
        data[max(0, start - 8) : start].endswith((b"http://", b"https://", b"ftp://"))
        and _LOCAL_HOST.match(data, end + 1) is not None
        and data[start:end].partition(b":")[0] != data[start:end].partition(b":")[2]
    )


def _last_at(data: bytes, at: int) -> int:
    """A raw ``@`` inside a password: the last one before the path ends the user part."""
    tail = _LATER_AT.match(data, at + 1)
    return tail.end() - 1 if tail else at


def _mask_user_token(scan: Scan, start: int, end: int) -> None:
    text = scan.data[start:end]
    if (
        _USER_TOKEN.fullmatch(text)
        and looks_machine_made(text, 20)
        and not scan.touches_placeholder(start, end)
    ):
        scan.add(start, end, STRUCTURED, "url-password")
