"""Database statements, connect strings and wireless codes that carry a password at a fixed place."""

import re
from typing import Final

from capture_service.redaction.assignments import rule_name
from capture_service.redaction.judge import is_placeholder, judge, judge_password
from capture_service.redaction.names import NameClass, classify_name
from capture_service.redaction.placement import member_decides
from capture_service.redaction.scan import NAMED, Scan
from capture_service.redaction.values import quoted_value

MAX_INSERTED_ROWS: Final = 64
"""Rows of one INSERT statement that are judged."""

_SPACE: Final = re.compile(rb"[ \t]{0,8}")
_INSERT: Final = re.compile(
    rb"[^\s(]{1,80}\s{0,4}\(([^()]{1,600})\)\s{0,8}values\s{0,8}", re.IGNORECASE
)
_ROW: Final = re.compile(
    rb"\(((?:'(?:[^'\\\r\n]|''|\\.){0,1024}'|[^()'\r\n]){1,2048})\)\s{0,8}"
    rb",?\s{0,8}"
)
_FIELD: Final = re.compile(
    rb"\s{0,8}N?(?:'((?:[^'\\]|''|\\.){0,1024})'|[^,']{0,256})\s{0,8}(?:,|"
    rb"\Z)"
)
_ACCOUNT_STATEMENT: Final = re.compile(rb"(?i)\b(?:create|alter|grant|set)\s[^;]{0,140}\Z")
_CONNECT: Final = re.compile(rb"([^\s@\"'/]{3,64})(?=@)")
_WIRELESS: Final = re.compile(
    rb"[^\r\n]{0,200}?(?:(?<=;)|(?<=WIFI:))P:((?:[^;\\\r\n]|\\.){4,64});", re.IGNORECASE
)


def _add(scan: Scan, start: int, end: int, name_class: NameClass) -> None:
    if not scan.touches_placeholder(start, end):
        scan.add(start, end, NAMED, rule_name(name_class))


def confirm_statement(scan: Scan, position: int) -> None:
    """Mask the quoted value behind ``IDENTIFIED BY`` and similar statements that end at `position`."""
    gap = _SPACE.match(scan.data, position)
    value = quoted_value(scan, gap.end()) if gap else None
    if value is None:
        return
    text = scan.data[value.start : value.end]
    before = scan.data[max(0, position - 160) : position]
    placed = _ACCOUNT_STATEMENT.search(before) is not None
    if judge_password(text, True) or (placed and member_decides(b"", NameClass.PASSWORD, text)):
        _add(scan, value.start, value.end, NameClass.PASSWORD)


def confirm_insert(scan: Scan, position: int) -> None:
    """Mask the values of sensitive columns of an INSERT statement whose ``INTO`` ends at `position`."""
    head = _INSERT.match(scan.data, position)
    scan.budget.spend(128)
    if head is None:
        return
    columns = [classify_name(name.strip(b' \t\r\n`"[]')) for name in head.group(1).split(b",")]
    if not any(columns):
        return
    end = head.end()
    for _ in range(MAX_INSERTED_ROWS):
        row = _ROW.match(scan.data, end)
        if row is None:
            return
        scan.budget.spend(row.end() - end + 32)
        _mask_row(scan, columns, row.start(1), row.end(1))
        end = row.end()


def _mask_row(scan: Scan, columns: list[NameClass], start: int, end: int) -> None:
    for name_class in columns:
        field = _FIELD.match(scan.data, start, end)
        if field is None or field.end() == start:
            return
        text = field.group(1)
        if text and (judge(name_class, text, True) or member_decides(b"", name_class, text)):
            _add(scan, *field.span(1), name_class)
        start = field.end()


def confirm_oracle(scan: Scan, position: int) -> None:
    """Mask ``user/password@database``, or the value of ``SET PASSWORD FOR … =``, ending at `position`."""
    if scan.data[position - 1] == 0x3D:
        confirm_statement(scan, position)
        return
    match = _CONNECT.match(scan.data, position)
    if (
        match is not None
        and not is_placeholder(match.group(1))
        and judge_password(match.group(1), True)
    ):
        _add(scan, *match.span(1), NameClass.PASSWORD)


def confirm_wireless(scan: Scan, position: int) -> None:
    """Mask the password in the text of a wireless network code that begins before `position`."""
    match = _WIRELESS.match(scan.data, position - 2)
    scan.budget.spend(128)
    if match is not None and not is_placeholder(match.group(1)):
        _add(scan, *match.span(1), NameClass.PASSWORD)
