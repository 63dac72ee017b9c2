"""Authorization values and cookies, wherever they stand.

Sources: RFC 9110 (11.6), RFC 7617, RFC 6750, RFC 7616, RFC 5849, RFC 6265, and the signing documentation of AWS.
"""

import re
from typing import Final

from capture_service.redaction.encoded_values import decodes_to_credentials
from capture_service.redaction.judge import (
    is_code,
    is_function_word,
    is_placeholder,
    is_reference,
    is_technical,
    is_words,
    looks_machine_made,
)
from capture_service.redaction.limits import MAX_VALUE_BYTES
from capture_service.redaction.names import (
    COOKIE_ATTRIBUTES,
    PLAIN_COOKIES,
    SECRET_PARAMETER_NAMES,
    NameClass,
    classify_name,
    collapse_parameter,
    words,
)
from capture_service.redaction.placement import stands_in
from capture_service.redaction.scan import STRUCTURED, Scan
from capture_service.redaction.values import quoted_value
from capture_service.redaction.vocabulary import SCHEMES

_LEAD: Final = re.compile(rb"(?:[\s\[\"'`(]|\\+[\"'nrt ]|map\[|&quot;|\xe2\x80\x9c){0,12}")
_SCHEME: Final = re.compile(
    rb"(" + SCHEMES + rb")(?:[ \t]|\\+ |%20|\+|\\t|=)?(?:\r?\n[ \t]{1,8}|\\n\s{1,4}|[ \t]{0,4})",
    re.IGNORECASE,
)
_CREDENTIAL: Final = re.compile(rb"[A-Za-z0-9._~+/=:%|!@#$^&*-]{1,4000}")
_PARAMETER: Final = re.compile(
    rb"[ \t]{0,4}([A-Za-z_][A-Za-z0-9_-]{0,40})\s{0,2}=(?!=)\s{0,2}(?:\\{0,7}\"([^\"\\\r\n]{0,2000})"
    rb"(?=\\{0,7}\")|((?:[^\s\",;&'\\]|;(?![\s\w-]{0,40}=)){1,2000}))\\{0,7}\"?(?:[ \t]{0,2}"
    rb",(?:\r?\n)?[ \t]{0,8}|[;&])?"
)
_ALONE: Final = re.compile(
    rb"([A-Za-z][A-Za-z0-9_-]{1,30} )?([A-Za-z0-9._~+/=:%|!@#$^&*-]{1,512})"
    rb"(?=\\{0,15}[\"'`]|[ \t]{0,4}(?:\r|\n|\\r|\\n|\Z))"
)
_SECRET_PARTS: Final = words(
    "response signature oauthsignature oauthtoken mac token password credential auth apikey xsignature hmac sig"
)
_COOKIE_PAIR: Final = re.compile(
    rb"[ \t]{0,4}(?P<name>[A-Za-z0-9!#$%&*+.^_|~-]{1,80})=(?P<value>\"[^\"\\;\r\n]{0,4000}"
    rb"\"|[^\s;,\"'\\<>`]{0,4000})"
)
_COOKIE_NEXT: Final = re.compile(
    rb"[ \t]{0,4};[ \t]{0,4}(?:(?:[A-Za-z][A-Za-z-]{2,14})[ \t]{0,2}(?:;|(?=[\r\n\"'\\]"
    rb"|\Z)))*(?:Expires=[^;\r\n\"'\\]{1,48};?)?",
    re.IGNORECASE,
)
_COOKIE_CALL_PAIR: Final = re.compile(
    rb"[\"']?name[\"']?\s{0,4}(?::|=>?)\s{0,4}[\"']([^\"'\s]{1,80})[\"']\s{0,4},\s{0,24}"
    rb"[\"']?value[\"']?\s{0,4}(?::|=>?)\s{0,4}[\"']([^\"'\\\s]{1,4000})(?=[\"'])"
)
COOKIE_CALL_BYTES: Final = 4_096
"""Bytes behind a call that sets cookies in which their names and values are looked for."""
_SECRET_COOKIE: Final = re.compile(
    rb"(?i)sess|sid$|^sid|auth|token|jwt|csrf|xsrf|login|secret|passw|pwd|"
    rb"remember|sso|^cf_clearance$|bearer|credential|"
    rb"ticket|_id_token|cookie|identity|^__(?:secure|host)-|npsso|logged_?in|"
    rb"\bkey|^at$|^rt$|user_?id$|aspx"
)

_LOGIN_COOKIE: Final = re.compile(
    rb"(?i)sess(?:ion|id)|(?:^|[._-])s?sid$|^sid|sess$|token|jwt|csrf|xsrf|(?:^|[._-])auth|auth$|remember|ticket|^sso"
)
_FLAG_COOKIE: Final = re.compile(
    rb"(?i)consent|accept|notice|banner|enabled|expire|state$|status|count|time|seen|_is_|^is_"
)
"""Cookies that only tell whether something was said or shown."""


def confirm_authorization(scan: Scan, position: int) -> None:
    """Mask the credentials of an Authorization value: a known scheme, or a value that looks machine-made."""
    data = scan.data
    lead = _LEAD.match(data, position, position + 24)
    start = lead.end() if lead else position
    scan.budget.spend(64)
    scheme = _SCHEME.match(data, start, start + 80)
    if scheme is None:
        _mask_credential(scan, start, 16, "authorization")
        if b"\n" not in data[position:start]:
            _mask_alone(scan, start, scheme=False)
        return
    kind = scheme.group(1).lower()
    if b"=" in scheme.group():
        _mask_credential(scan, scheme.end(), 12, "authorization")
        return
    if _mask_parameters(scan, scheme.end()):
        return
    _mask_credential(scan, scheme.end(), 8 if kind != b"basic" else 6, "authorization")
    _mask_alone(scan, scheme.end(), scheme=True)


def _mask_alone(scan: Scan, position: int, *, scheme: bool) -> None:
    """Mask credentials that are the rest of a header line or of a string, however short they are."""
    data = scan.data
    match = _ALONE.match(data, position, position + MAX_VALUE_BYTES)
    if match is None or scan.touches_placeholder(position, match.end()):
        return
    other, text = match.groups()
    scan.budget.spend(match.end() - position + 32)
    bare = text.replace(b"abcdefgh", b"") if text.isalnum() and not text.isalpha() else text
    if text[:1] in b"$<{[*&=" or stands_in(b"authorization", bare) or is_code(text):
        return
    plain = text.translate(None, b"-_.").isalpha()
    if scheme:
        accepted = other is None and (not plain or (text.islower() and not is_function_word(text)))
    else:
        accepted = not plain and len(text) >= 3 and not is_technical(text)
    if accepted and not is_reference(text):
        scan.add(*match.span(2), STRUCTURED, "authorization")


def confirm_scheme(scan: Scan, position: int) -> None:
    """Mask credentials directly behind a scheme word that stands alone in text."""
    match = _CREDENTIAL.match(scan.data, position)
    if match is None or scan.touches_placeholder(position, match.end()):
        return
    text = match.group().rstrip(b".,:;")
    scan.budget.spend(len(text) + 32)
    if looks_machine_made(text, 16) or decodes_to_credentials(text):
        scan.add(position, position + len(text), STRUCTURED, "authorization")


def _line_end(data: bytes, start: int) -> int:
    end = data.find(b"\n", start, start + MAX_VALUE_BYTES)
    return end if end >= 0 else min(len(data), start + MAX_VALUE_BYTES)


def _mask_credential(scan: Scan, position: int, minimum: int, rule: str) -> None:
    match = _CREDENTIAL.match(scan.data, position)
    if match is None or scan.touches_placeholder(position, match.end()):
        return
    text = match.group().rstrip(b".,:;&")
    scan.budget.spend(len(text) + 32)
    if len(text) < minimum or is_placeholder(text):
        return
    if (
        decodes_to_credentials(text)
        or looks_machine_made(text, minimum)
        or (
            minimum <= 8
            and any(byte in b"0123456789" for byte in text)
            and len(text) >= 10
            and not text.startswith(b"$")
        )
    ):
        scan.add(position, position + len(text), STRUCTURED, rule)


def _mask_parameters(scan: Scan, position: int) -> bool:
    """Mask the secret parameters of Digest, OAuth 1, Hawk and request signatures; False when there are none."""
    data = scan.data
    found = False
    limit = position + MAX_VALUE_BYTES
    for _ in range(24):
        match = _PARAMETER.match(data, position, limit)
        if match is None:
            return found
        found = True
        scan.budget.spend(match.end() - position + 32)
        group = 2 if match.group(2) is not None else 3
        name = collapse_parameter(match.group(1).decode("latin-1"))
        text = match.group(group)
        secret = name in _SECRET_PARTS and len(text) >= 6 and not is_placeholder(text)
        if secret and not scan.touches_placeholder(*match.span(group)):
            scan.add(*match.span(group), STRUCTURED, "authorization")
        position = match.end()
    return found


def confirm_cookie(scan: Scan, position: int) -> None:
    """Mask the secret values of a cookie list, one by one; attributes keep theirs."""
    data = scan.data
    lead = _LEAD.match(data, position, position + 24)
    position = lead.end() if lead else position
    limit = min(len(data), position + MAX_VALUE_BYTES)
    for index in range(64):
        pair = _COOKIE_PAIR.match(data, position, limit)
        if pair is None:
            return
        scan.budget.spend(pair.end() - position + 32)
        _judge_cookie(scan, pair, attributes=index > 0)
        following = _COOKIE_NEXT.match(data, pair.end(), limit)
        if following is None:
            return
        position = following.end()


def _judge_cookie(scan: Scan, pair: re.Match[bytes], *, attributes: bool) -> None:
    name = pair.group("name")
    start, end = pair.span("value")
    if scan.data[start : start + 1] == b'"':
        start, end = start + 1, end - 1
    text = scan.data[start:end]
    folded = collapse_parameter(name.decode("latin-1"))
    if (attributes and folded in COOKIE_ATTRIBUTES) or scan.touches_placeholder(start, end):
        return
    if is_secret_cookie(name, text):
        scan.add(start, end, STRUCTURED, "cookie")


def is_secret_cookie(name: bytes, value: bytes) -> bool:
    """Judge one cookie by its name and value."""
    if not value or is_placeholder(value) or PLAIN_COOKIES.fullmatch(name.decode("latin-1")):
        return False
    folded = collapse_parameter(name.decode("latin-1"))
    if _LOGIN_COOKIE.search(name) and not _FLAG_COOKIE.search(name):
        return not stands_in(b"cookie", value)
    if len(value) < 3:
        return False
    named = (
        _SECRET_COOKIE.search(name) is not None
        or folded in SECRET_PARAMETER_NAMES
        or classify_name(name) >= NameClass.SECRET
    )
    if named:
        return any(48 <= byte <= 57 for byte in value) or not is_words(value)
    return looks_machine_made(value, 16)


def confirm_cookie_call(scan: Scan, position: int) -> None:
    """Mask the values of cookies that a call sets; its opening bracket ends at `position`."""
    limit = position + COOKIE_CALL_BYTES
    if scan.already_done("cookie-call", position, limit):
        return
    scan.budget.spend(COOKIE_CALL_BYTES)
    for match in _COOKIE_CALL_PAIR.finditer(scan.data, position, limit):
        name, value = match.groups()
        if is_secret_cookie(name, value) and not scan.touches_placeholder(*match.span(2)):
            scan.add(*match.span(2), STRUCTURED, "cookie")


def confirm_cookie_file_line(scan: Scan, position: int) -> None:
    """Mask the value of one line of a Netscape cookie file: the seventh field, ``position`` is the sixth."""
    data = scan.data
    end = _line_end(data, position)
    name, tab, value = data[position:end].partition(b"\t")
    value = value.rstrip(b"\r")
    scan.budget.spend(end - position + 16)
    if not tab or b"\t" in value or not value:
        return
    start = position + len(name) + 1
    if is_secret_cookie(name, value) and not scan.touches_placeholder(start, start + len(value)):
        scan.add(start, start + len(value), STRUCTURED, "cookie")


def confirm_header_object(scan: Scan, name: str, position: int) -> bool:
    """Handle the value of a name/value object; True when the name was a header of this module."""
    value = quoted_value(scan, position)
    if value is None:
        return False
    if name in ("authorization", "proxyauthorization"):
        confirm_authorization(scan, value.start)
        return True
    if name in ("cookie", "setcookie"):
        confirm_cookie(scan, value.start)
        return True
    return False
