"""Places that tell a secret by themselves: the value may be as short or as plain as it likes.

A judge of values asks whether a value looks like a secret. Here the question is whether the place can hold
anything else: a member of a JSON object, a header line, a line of an environment file, a connection string, a flag,
or the line under a user name. Words that samples and labels put into such places still stay.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from capture_service.redaction.judge import is_code, is_placeholder, is_reference, is_technical
from capture_service.redaction.limits import MAX_PLACED_BYTES, MAX_PLACED_LINE_BYTES
from capture_service.redaction.names import (
    SECRET_HEADERS,
    NameClass,
    collapse,
    collapse_parameter,
    words,
)
from capture_service.redaction.values import Value
from capture_service.redaction.verdicts import remembered

STAND_INS: Final = words(
    """
    abcd admin administrator alphanumeric any anything ask asterisk bar base basic baz bcrypt bearer blank
    bool boolean byte bytes change changeit changeme char chars clear cleartext confirm current custom data
    default deleted demo dict digest disabled dynamic email empty enabled encrypted enter env environment
    example expired false field file files fixed foo forgot from generated guest hash hashed header here
    hidden hint id identifier ignore ignored input insert int integer internal invalid json keychain keyring
    label ldap link list local login long magic managed manual masked memory missing mixed mock multi name new
    nil no none not null number object off old on one opaque optional other otp pass path pin plain plaintext
    please postgres private prompt protected public quit random read readonly redacted reference regex remove
    removed required reset root rotate sample see select sensitive set show some static stdin str string
    strong temp temporary test testing text this totp true type unchanged undefined unknown unset unused url
    use user username uuid valid value varchar variable weak word write wrong xxx yaml yes your
    """
)
"""Words that stand where a secret would stand, in samples, labels, types and interfaces."""

_SENSITIVE_PART: Final = re.compile(
    r"passw|passp|passc|passe|contra|kennwor|wachtw|pwd|secret|token|key|auth|cred|sess|cookie|login|user|signin|"
    r"example|sample|dummy|placeholder|changeme|password|bearer|oauth|jwt|csrf|value|field|input|hash"
)
_BARE_NAMES: Final = words(
    "token secret secrets credential credentials creds jwt bearer key tokens"
)
"""Names that code and schemas use for much else; a plain word behind them is no secret."""
_NAMED_SECRETS: Final = words("secret secrets")
"""Flags whose value is the name of a stored secret where it is a plain word."""
_SECRET_NAME: Final = re.compile(rb"[A-Za-z._:/=,-]*")
_PRINTABLE: Final = re.compile(rb"(?=[^A-Za-z0-9]{0,256}[A-Za-z0-9])[\x21-\x7e]+")
_PLAIN: Final = re.compile(rb"[A-Za-z._:/ -]*")
_TITLE: Final = re.compile(rb"(?:[A-Z][a-z]*[ ._-]?)+|[A-Z][A-Z_-]*")
_KEYED: Final = re.compile(rb"\\{0,15}[\"']\s{0,8}(?::|=>)")
_LOWER_WORD: Final = re.compile(rb"[a-z]{4,24}(?:-[a-z]{4,24}){0,4}")
_SHORT_MIXED: Final = re.compile(rb"(?=[^0-9]{0,64}[0-9])[\x21-\x7e]{3,64}")
_ENDS_LINE: Final = re.compile(
    rb"(?:[\\]{0,3}[\"'`)]|\*\*|</)|[ \t]{0,8}(?:\r?\n|\\r\\n|\\n|\\r|\Z|[ \t]#[^\n]{0,80})"
)
_ENDS_WORD: Final = re.compile(rb"[\s\"'`;&|)\\]|\Z")
_VARIABLE: Final = re.compile(rb"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
_VARIABLE_BEFORE: Final = re.compile(
    rb"(?:^|[\s\"'`])(?:export|set|setx|ENV|ARG|env|declare -x|-e|--env|-E|-|local|readonly|"
    rb"RUN|sudo|docker run|[A-Z_][A-Z0-9_]{0,40}=\S{1,80})[ \t]{1,4}[\"']?\Z|^[ \t>$#%-]{0,12}[\"']?\Z"
)
_VARIABLE_GAP: Final = re.compile(rb"\s?=\s?[\\]{0,7}[\"']")
_EXPORT_BEFORE: Final = re.compile(rb"(?:export|set|ENV|\$env:|-e|--env)[ \t]{0,4}\Z")
_SEPARATED_BEFORE: Final = re.compile(rb"[A-Za-z]\s?=[^;=\r\n]{1,120};\s?\Z")
_SEPARATED_AFTER: Final = re.compile(
    rb"&[A-Za-z_.-]{1,40}=|;(?:\s?[A-Za-z][A-Za-z ]{1,30}=|[\"'\s]|\Z)"
)
_REACH: Final = 140
"""Bytes before a name in which another setting or the name of a user is looked for."""
_USER_BEFORE: Final = re.compile(
    rb"(?i)(?:^|[^A-Za-z])(?:user(?:[ _-]?(?:name|id))?|uid|login|e-?mail|account|usr|benutzer(?:name)?|usuario|"
    rb"utilisateur|dbname|host|server|\xe7\x94\xa8\xe6\x88\xb7\xe5\x90\x8d?|\xe8\xb4\xa6\xe5\x8f\xb7)"
    rb"[\"'*`]{0,3}\s{0,2}(?:[:=]|\xef\xbc\x9a|/| is )[^\r\n]{0,90}\Z"
)
_LISTED: Final = re.compile(
    rb"(?:[-*>$#;!]\s{0,4})?[\"'*`]{0,2}[\w$][\w.$ -]{0,60}[\"'*`]{0,2}\s{0,4}[:=]"
)
_NEXT_LINE: Final = re.compile(rb"[^\n\\]*+(?:\\(?!n)[^\n\\]*+)*+(?:\n|\\n)((?:[^\n\\]|\\(?!n))*+)")
_SECTION: Final = re.compile(rb"\s*(?:\[[^\]\r\n]{1,80}\]|[#;!].*|---.*|\.\.\.|```\w*|>+|<+.*)\s*")
_CLOSES: Final = re.compile(rb"\s*[})\]]")
_LINE_LEAD: Final = re.compile(
    rb"[ \t]*(?://[^\s:]{1,120}:|[-*>+][ \t]+|\d{1,3}[.)][ \t]+)?[\"'*`]{0,3}\Z"
)
_PROPERTY_GAP: Final = re.compile(
    rb"[\"'*`]{0,3}[ \t]{0,4}(?::|=|\xef\xbc\x9a)[\"'*`]{0,3}[ \t]{0,16}[*`]{0,3}"
)
_COMPOUND: Final = re.compile(rb"[a-z0-9][_.-][a-z]|[a-z][A-Z]|[A-Z0-9]_[A-Z]")
_ESCAPED_GAP: Final = re.compile(
    rb"%(?:25){0,3}3[DdAa]|&#(?:61|58|x3[dDaA]);|\\{1,3}u003[dDaA]|\\{1,3}x3[dDaA]|=3[DA]"
)
_HEADER_GAP: Final = re.compile(rb":[ \t]{0,4}")


@remembered
def stands_in(name: bytes, text: bytes) -> bool:
    """Say whether a value is a word that samples, labels and types put where a secret would stand."""
    if is_placeholder(text):
        return True
    if _PLAIN.fullmatch(text) is None:
        return False
    letters = collapse(text.decode("latin-1"))
    folded = collapse(name.decode("latin-1"))
    return (
        not letters
        or letters in STAND_INS
        or letters in folded
        or _SENSITIVE_PART.search(letters) is not None
        or _TITLE.fullmatch(text) is not None
    )


class Place(NamedTuple):
    """Where a value stands.

    Attributes:
        data: The text.
        name: The name before the value, as it stands in the text.
        start: Offset of the name.
        name_class: What the name says.
    """

    data: bytes
    name: bytes
    start: int
    name_class: NameClass

    @property
    def word(self) -> bytes:
        """The last word of the name."""
        return self.name.rsplit(b" ", 1)[-1]

    def gap(self, value: Value) -> bytes:
        """What stands between the name and the value."""
        return self.data[self.start + len(self.name) : value.start]


@lru_cache(maxsize=8192)
def _folded(name: bytes) -> str:
    return collapse(name.decode("latin-1"))


def member_decides(name: bytes, name_class: NameClass, text: bytes) -> bool:
    """Say whether the value of a member, element or field of a sensitive name is a secret, however plain it is."""
    return _eligible(name, name_class, text) and (
        _folded(name.rsplit(b" ", 1)[-1]) not in _BARE_NAMES or _PLAIN.fullmatch(text) is None
    )


@remembered
def _eligible(name: bytes, name_class: NameClass, text: bytes) -> bool:
    return (
        name_class >= NameClass.SECRET
        and 0 < len(text) <= MAX_PLACED_BYTES
        and _PRINTABLE.fullmatch(text) is not None
        and text[:1] not in b"[{<(&*$"
        and b'"' not in text
        and b"/secrets/" not in text
        and not (name.lower() == b"pin" and not text.isdigit())
        and not stands_in(name, text)
        and not is_reference(text)
        and not is_technical(text)
    )


def place_decides(place: Place, value: Value) -> bool:
    """Say whether the place of a value behind a sensitive name makes it a secret."""
    text = place.data[value.start : value.end]
    if not _eligible(place.name, place.name_class, text):
        return False
    if value.quoted:
        return _quoted_decides(place, text, place.gap(value))
    return not is_code(text) and _line_decides(place, value, text)


def _quoted_decides(place: Place, text: bytes, gap: bytes) -> bool:
    word = place.word
    if _KEYED.match(gap) is not None:
        return member_decides(place.name, place.name_class, text)
    if is_secret_header(word):
        return True
    variable = _VARIABLE.fullmatch(word) is not None
    if variable and _VARIABLE_GAP.fullmatch(gap):
        start = place.start + len(place.name) - len(word)
        if _EXPORT_BEFORE.search(place.data, max(0, start - MAX_PLACED_LINE_BYTES), start):
            return True
    if b"alue" in gap or b"ontent" in gap or (b"," in gap and variable):
        return member_decides(place.name, place.name_class, text)
    plain = _PLAIN.fullmatch(text) is not None
    if place.name_class is NameClass.PASSWORD and b"," not in gap:
        return not plain or _LOWER_WORD.fullmatch(text) is not None
    return not plain and _SHORT_MIXED.fullmatch(text) is not None


@lru_cache(maxsize=8192)
def is_secret_header(name: bytes) -> bool:
    """Say whether a name is that of a header field that carries a secret."""
    return (b"-" in name or name.islower()) and (
        collapse_parameter(name.decode("latin-1")) in SECRET_HEADERS
        or (name[:2] in (b"X-", b"x-") and name.lower().endswith((b"key", b"token", b"secret")))
    )


def _line_decides(place: Place, value: Value, text: bytes) -> bool:
    data, word, gap = place.data, place.word, place.gap(value)
    start = place.start + len(place.name) - len(word)
    line_start = _line_start(data, start, max(0, start - MAX_PLACED_LINE_BYTES))
    before = data[line_start:start]
    ends_line = _ENDS_LINE.match(data, value.end) is not None
    plain = _PLAIN.fullmatch(text) is not None
    password = place.name_class is NameClass.PASSWORD
    if gap == b"=" and _ENDS_WORD.match(data, value.end):
        if _VARIABLE.fullmatch(word) and _VARIABLE_BEFORE.search(before):
            return True
        if word.startswith(b"--") or before.endswith(b"--"):
            return _folded(word) not in _NAMED_SECRETS or not _SECRET_NAME.fullmatch(text)
    if text.isdigit() and b"=" in gap:
        return False  # numbers of fields, enumerations and limits
    if _ESCAPED_GAP.fullmatch(gap):
        return password or not plain
    if ends_line and _HEADER_GAP.fullmatch(gap) and is_secret_header(word):
        return True
    if plain and _folded(place.name) in _BARE_NAMES:
        return False
    if gap == b"=" and (
        (before.rstrip().endswith(b";") and _SEPARATED_BEFORE.search(before[-_REACH:]))
        or _SEPARATED_AFTER.match(data, value.end)
    ):
        return password or not plain
    if password and _USER_BEFORE.search(before[-_REACH:]):
        return ends_line or _ENDS_WORD.match(data, value.end) is not None
    lead = data[line_start : place.start] if place.start >= line_start else before
    return (
        ends_line
        and (_LINE_LEAD.match(before) or _LINE_LEAD.match(lead)) is not None
        and _PROPERTY_GAP.fullmatch(gap) is not None
        and (password or not plain or _COMPOUND.search(word) is not None)
        and _stands_in_list(data, line_start, value.end)
    )


def _line_start(data: bytes, position: int, low: int) -> int:
    """Return where the line around `position` begins, not before `low`; ends of lines may be escaped."""
    newline = data.rfind(b"\n", low, position)
    escaped = data.rfind(b"\\n", low, position)
    return max(newline + 1 if newline >= 0 else low, escaped + 2 if escaped >= 0 else low)


def _stands_in_list(data: bytes, line_start: int, end: int) -> bool:
    """Say whether the lines around are settings too, and not members of a literal or arguments of a call."""
    low = max(0, line_start - MAX_PLACED_LINE_BYTES)
    rest = _NEXT_LINE.match(data, end, end + MAX_PLACED_LINE_BYTES)
    following = rest.group(1) if rest is not None else b""
    return (
        _CLOSES.match(following) is None
        and _fits_list(following)
        and _fits_list(_line_before(data, low, line_start))
    )


def _line_before(data: bytes, low: int, line_start: int) -> bytes:
    """Return the line before the one that begins at `line_start`; ends of lines may be escaped."""
    end = line_start - 2 if data[line_start - 2 : line_start] == b"\\n" else line_start - 1
    if end <= low:
        return b""
    return data[_line_start(data, end, low) : end]


@remembered
def _fits_list(line: bytes) -> bool:
    line = line.strip()
    return (
        not line
        or (line[-1:] not in b",;{([" and _LISTED.match(line) is not None)
        or _SECTION.fullmatch(line) is not None
    )
