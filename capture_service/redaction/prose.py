"""Secrets in sentences: "the password is …", in English and other languages."""

import re
from typing import Final

from capture_service.redaction.assignments import confirm_recovery_phrase, name_before, rule_name
from capture_service.redaction.judge import is_placeholder, judge_password, looks_machine_made
from capture_service.redaction.names import NameClass, classify_name
from capture_service.redaction.scan import LOOSE, Scan
from capture_service.redaction.values import Value, bare_value, quoted_value

_FOREIGN_LINK: Final = re.compile(
    "(?:\\s|是|为|為|は|が|を|:|：|=|＝|→|->|「|『|（|\\(|“|【|는|은|이|가|に|設定|设置|设为|更改为|改为|\\*|`)"
    "{1,6}".encode()
)
_VERB: Final = re.compile(rb"[ \t](?P<verb>\S{1,12})[ \t]{1,2}\Z")
_ONE_TIME_CODE: Final = re.compile(
    rb"[ \t]{0,4}[*_`<b>]{0,4}(\d{3}[- ]?\d{3}|\d{7,8}|(?<=[:s] )(?!19|20)\d{4,5})(?![\w-]|\.\d)"
)
_SKIP: Final = re.compile(rb"(?:[ \t]|\*{1,2}|:|&nbsp;|-> ?|= ?){0,6}")
_DIGIT: Final = re.compile(rb"[0-9]")
_LETTER: Final = re.compile(rb"[A-Za-z]")
_MARK: Final = re.compile(rb"[!@#$%^&*_+=?~]")
_UNIT: Final = re.compile(
    rb"(?i)\d+[-_ ]?(?:bits?|bytes?|chars?|characters?|digits?|st|nd|rd|th|"
    rb"px|em|k|kb|mb|ms|s|min|h|d|x)|[A-Za-z]{2,6}-\d{1,5}|\d+-\d+"
)


def confirm_sentence(scan: Scan, position: int) -> None:
    """Mask the value behind a name and a linking verb; the verb ends at `position`."""
    data = scan.data
    verb = _VERB.search(data, max(0, position - 18), position)
    if verb is None:
        return
    name, _start, _end = name_before(data, verb.start())
    scan.budget.spend(160)
    folded = name.lower()
    if folded.endswith((b"phrase", b"mnemonic")) and confirm_recovery_phrase(scan, position):
        return
    name_class = classify_name(name) if name else NameClass.NONE
    if name_class is NameClass.NONE or (
        folded.endswith(b"pass") and verb.group("verb").lower() not in (b"is", b"was", b"->")
    ):
        return
    skip = _SKIP.match(data, position)
    _judge_loose(scan, name_class, skip.end() if skip else position)


def confirm_phrase(scan: Scan, position: int) -> None:
    """Mask the value behind a phrase such as ``password for the router:`` that ends at `position`."""
    skip = _SKIP.match(scan.data, position)
    scan.budget.spend(96)
    before = scan.data[max(0, position - 64) : position].lower()
    password = any(word in before for word in (b"passw", b"passp", b"passc", b"pw ", b"pwd "))
    name_class = NameClass.PASSWORD if password else NameClass.SECRET
    _judge_loose(scan, name_class, skip.end() if skip else position)


def confirm_one_time_code(scan: Scan, position: int) -> None:
    """Mask the digits of a verification code whose announcement ends at `position`."""
    match = _ONE_TIME_CODE.match(scan.data, position)
    scan.budget.spend(64)
    if match is not None:
        scan.add(*match.span(1), LOOSE, "one-time-code")


def confirm_foreign_verb(scan: Scan, position: int) -> None:
    """Mask the value behind an English name and a Chinese or Japanese copula that ends at `position`."""
    name, _start, _end = name_before(scan.data, position - 3)
    name_class = classify_name(name) if name else NameClass.NONE
    link = _FOREIGN_LINK.match(scan.data, position)
    scan.budget.spend(96)
    if name_class is not NameClass.NONE:
        _judge_loose(scan, name_class, link.end() if link else position)


def confirm_foreign(scan: Scan, position: int) -> None:
    """Mask the value behind a word for password or token of another script that ends at `position`."""
    link = _FOREIGN_LINK.match(scan.data, position)
    scan.budget.spend(96)
    if link is None:
        return
    before = scan.data[max(0, position - 24) : position]
    _judge_loose(scan, classify_name(before) or NameClass.SECRET, link.end())


def _judge_loose(scan: Scan, name_class: NameClass, position: int) -> None:
    data = scan.data
    value = quoted_value(scan, position) or bare_value(scan, position)
    text = data[value.start : value.end]
    if (
        scan.touches_placeholder(value.start, value.end)
        or text.startswith(b"\\")
        or is_placeholder(text)
        or _UNIT.fullmatch(text)
    ):
        return
    if _accept(name_class, text, value):
        scan.add(value.start, value.end, LOOSE, rule_name(name_class))


def _accept(name_class: NameClass, text: bytes, value: Value) -> bool:
    if name_class is NameClass.PASSWORD:
        mixed = _DIGIT.search(text) is not None and _LETTER.search(text) is not None
        marked = _MARK.search(text) is not None or text.isdigit()
        return len(text) >= 6 and judge_password(text, value.quoted) and (mixed or marked)
    minimum = 20 if name_class is NameClass.WEAK else 12
    return looks_machine_made(text, minimum)
