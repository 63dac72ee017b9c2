"""Names and values in markup and lists: elements, attributes, table cells, pairs, form parts, columns."""

import re
from typing import Final

from capture_service.redaction.assignments import confirm_named_value, name_before, rule_name
from capture_service.redaction.headers import (
    confirm_cookie,
    confirm_header_object,
    is_secret_cookie,
)
from capture_service.redaction.judge import judge, looks_machine_made
from capture_service.redaction.limits import MAX_TABLE_BYTES, MAX_TABLE_ROWS, MAX_VALUE_BYTES
from capture_service.redaction.names import NameClass, classify_name, collapse
from capture_service.redaction.placement import member_decides
from capture_service.redaction.scan import NAMED, STRUCTURED, Scan
from capture_service.redaction.values import quoted_value

_ELEMENT_VALUE: Final = re.compile(
    rb"\s{0,40}(?:<!\[CDATA\[)?(?:<(?:code|b|span|value|string|pre|kbd|tt)"
    rb"\b[^<>]{0,60}>){0,2}([^<>\r\n]{1,4096})(?=(?:\]\]>)?</|\Z)",
    re.IGNORECASE,
)
_ELEMENT_NAME: Final = re.compile(rb"<([A-Za-z][\w:.-]{0,80})(?:\s[^<>]{0,64})?>\Z")
_NAMED_ATTRIBUTE: Final = re.compile(
    rb"(?:name|key|id|for|property)\s{0,2}=\s{0,2}\\{0,3}[\"']([\w:.\-\[\]]{1,64})"
    rb"\\{0,3}[\"'][^<>]{0,64}>\Z"
)
_CELL_NEXT: Final = re.compile(
    rb"(?:t[dh]|dt|key|name|string|stringprop|b|strong|code|em|span|label|th|p|div|li|h\d)>\s{0,40}:?\s{0,40}"
    rb"(?:</(?:td|th|span|div|b|strong|p|label)>\s{0,40}){0,2}"
    rb"(?:<(?:td|dd|string|stringprop|value|span|code|div|p|b|pre|kbd|input)\b[^<>]{0,120}"
    rb">\s{0,40}){1,4}([^<>\r\n]{1,1024})</",
    re.IGNORECASE,
)
_KEY_TAG: Final = re.compile(rb"(?:key|name|t[dh]|dt|stringprop)>", re.IGNORECASE)
_COOKIE_MEMBER: Final = re.compile(
    rb"[\"'](?:[hH]ttpOnly|[sS]ameSite|hostOnly|domain)\\{0,15}[\"']\s{0,4}:"
)
"""Members that an object of a cookie has beside its name and value."""
_ATTRIBUTE_GAP: Final = re.compile(
    rb"(?:(?!(?:data-)?value|content)[\w-]{1,20}=\\{0,3}\"[^\"<>]{0,60}\\{0,3}\"\s{1,4}){0,3}",
    re.IGNORECASE,
)
_ATTRIBUTE_VALUE: Final = re.compile(
    rb"(?:value|content|data-value)\s{0,2}=\s{0,2}(?=\\{0,3}[\"'])", re.IGNORECASE
)
_TYPE_VALUE: Final = re.compile(rb"(?<![\w-])value\s{0,2}=\s{0,2}(?=\\{0,3}[\"'])", re.IGNORECASE)
_PAIR_NEXT: Final = re.compile(rb",\s{0,24}(?=[\[({]?\s{0,8}(?:[brf]?\\{0,15}[\"'`]))")
_OBJECT_VALUE: Final = re.compile(
    rb",\s{0,24}\\{0,15}[\"']?(?:[vV]alue|VALUE|val|content|current_?[vV]alue|[A-Z][a-z]{2,15}Value|"
    rb"default_?[vV]alue)\\{0,15}[\"']?\s{0,8}:\s{0,8}"
)
_OBJECT_GAP: Final = re.compile(
    rb"(?:,\s{0,24}\\{0,15}[\"'](?:enabled|disabled|type|description|secure|"
    rb"domain|path|key|in|required|checked|sameSite|httpOnly|hostOnly|session|storeId|expirationDate|expires)\\{0,15}[\"']\s{0,8}:\s{0,8}(?:true|"
    rb"false|null|[\d.]+|\\{0,15}\"[^\"\\]{0,80}\\{0,15}\")\s{0,8}){0,8}"
)
_VALUE_FIRST: Final = re.compile(
    rb"[{,]\s{0,24}\\{0,15}[\"'](?:value|Value|val)\\{0,15}[\"']\s{0,4}:\s{0,4}"
    rb"\\{0,15}\"(?P<value>[^\"\\\r\n]{4,1024})\\{0,15}\",\s{0,24}\\{0,15}[\"']"
    rb"(?:name|Name|key|Key)\\{0,15}[\"']\s{0,4}:\s{0,4}\\{0,15}\"\Z"
)
_NAME_MEMBER: Final = re.compile(
    rb"(?:[\"']|(?<=[{,\s]))(?:name|Name|key|Key|NAME|header|field|variable|id|param|type|[A-Z][a-z]{2,15}(?:Key|Name))\\{0,15}"
    rb"[\"']?\s{0,8}:\s{0,8}\\{0,15}[\"']\Z"
)
_PAIR_OPEN: Final = re.compile(
    rb"(?:[\[({]\s{0,24}|(?:\(|\[)[^\[\](){}\r\n]{0,80},\s{0,4}|-{0,2}[\"'][,\s])b?\\{0,15}[\"'`]\Z"
)
_FORM_PART: Final = re.compile(
    rb"\\{0,3}\"(?:\r?\n|\\r\\n|\\n)(?:Content-[^\r\n\\]{1,80}(?:\r?\n|\\r\\n|"
    rb"\\n)){0,3}(?:\r?\n|\\r\\n|\\n)([^\r\n\\]{1,1024})"
)
_FORM_NAME: Final = re.compile(rb"name=\\{0,3}\"([\w.\-\[\]]{1,64})\Z")
_YAML_VALUE: Final = re.compile(rb"[ \t]{0,24}(?:value|content|default)[ \t]{0,2}:[ \t]{0,4}")
_YAML_NAME: Final = re.compile(rb"(?:name|key)[ \t]{0,2}:[ \t]{0,4}[\"']?\Z")
_NEXT_CELL: Final = re.compile(
    rb"((?:[^|\r\n\\]|\\(?!n)){4,1024})\||([A-Za-z0-9+/_.~-]{16,1024}={0,2})(?=\r?\n|\Z)"
)
_ACCOUNT_CELL: Final = re.compile(
    rb"(?i)[\s\"'*_`]*(?:user(?:[ _-]?(?:name|id))?|login|e-?mail|account|benutzer|usuario|utilisateur)[\s\"'*_`]*"
)
_TABLE_RULE: Final = re.compile(rb"[-+=|: \t]{3,400}\r?")
_DIGIT: Final = re.compile(rb"[0-9]")
_HEADER_CELL: Final = re.compile(
    rb"[\s\"'*_`]*([\w\x80-\xff][\w .\-/()\x80-\xff]{0,38})[\s\"'*_`]*"
)


def confirm_element(scan: Scan, position: int) -> None:
    """Mask the text of an XML or HTML element whose start tag ends at `position`."""
    data = scan.data
    before = data[max(0, position - 200) : position]
    opening = before.rfind(b"<")
    if opening < 0 or before.endswith(b"/>"):
        return
    match = _ELEMENT_NAME.match(before, opening)
    named = _NAMED_ATTRIBUTE.search(before, opening)
    name = named.group(1) if named else match.group(1).rsplit(b":", 1)[-1] if match else b""
    name_class = classify_name(name) if name else NameClass.NONE
    if name_class is NameClass.NONE or before[opening + 1 : opening + 6].lower() == b"input":
        return
    value = _ELEMENT_VALUE.match(data, position, position + MAX_VALUE_BYTES)
    scan.budget.spend(256 if value is None else value.end() - position + 128)
    if value is not None:
        _mask_text(scan, name_class, value.start(1), value.end(1), name)


def _mask_text(scan: Scan, name_class: NameClass, start: int, end: int, name: bytes = b"") -> None:
    """Judge a text by the class of its name; a name that is given says that the place holds nothing else."""
    while end > start and scan.data[end - 1 : end] in b" \t*`_\"'":
        end -= 1
    while start < end and scan.data[start : start + 1] in b" \t*`\"'":
        start += 1
    text = scan.data[start:end]
    if (
        not scan.touches_placeholder(start, end)
        and b"<" not in text
        and (judge(name_class, text, True) or (name and member_decides(name, name_class, text)))
    ):
        scan.add(start, end, NAMED, rule_name(name_class))


def confirm_cell(scan: Scan, position: int) -> None:
    """Mask the cell or element beside one that holds a sensitive name; its end tag opens before `position`."""
    data = scan.data
    name, _start, _end = name_before(data, position - 2)
    name_class = classify_name(name.strip(b":")) if name else NameClass.NONE
    if name_class is NameClass.NONE:
        return
    value = _CELL_NEXT.match(data, position, position + 1600)
    scan.budget.spend(400)
    if value is not None:
        known = name if name_class is NameClass.PASSWORD and _KEY_TAG.match(data, position) else b""
        _mask_text(scan, name_class, value.start(1), value.end(1), known)


def confirm_attribute(scan: Scan, position: int) -> None:
    """Mask ``value="…"`` or ``content="…"`` behind an attribute that holds a sensitive name."""
    data = scan.data
    name, start, _end = name_before(data, position)
    match = _ATTRIBUTE_VALUE.match(data, position)
    if match is None:
        gap = _ATTRIBUTE_GAP.match(data, position)
        match = _ATTRIBUTE_VALUE.match(data, gap.end()) if gap else None
    opening = data[max(0, start - 24) : start]
    if match is None or not re.search(
        rb"(?:name|key|id|property|http-equiv)\s{0,2}=\s{0,2}\\{0,3}[\"']\Z", opening
    ):
        return
    confirm_named_value(scan, name, start, match.end(), quotes_only=True)


def confirm_password_input(scan: Scan, position: int) -> None:
    """Mask the value of an HTML input of type password around `position`."""
    data = scan.data
    start = data.rfind(b"<", max(0, position - 512), position)
    end = data.find(b">", position, position + 512)
    scan.budget.spend(1024)
    if start < 0 or end < 0:
        return
    match = _TYPE_VALUE.search(data, start, end)
    if match is None:
        return
    value = quoted_value(scan, match.end())
    if value is not None:
        _mask_text(scan, NameClass.PASSWORD, value.start, value.end, b"password")


def confirm_pair(scan: Scan, comma: int) -> None:
    """Mask the second of a pair, or the value member of a name/value object; a comma stands at `comma`."""
    data = scan.data
    name, start, _end = name_before(data, comma)
    if not name:
        return
    before = data[max(0, start - 120) : start]
    scan.budget.spend(200)
    if _NAME_MEMBER.search(before):
        gap = _OBJECT_GAP.match(data, comma)
        match = _OBJECT_VALUE.match(data, gap.end() if gap else comma)
        if match is not None:
            _confirm_object(scan, name, start, match.end(), before)
        return
    match = _PAIR_NEXT.match(data, comma)
    if match is None or not _PAIR_OPEN.search(before):
        return
    position = match.end() + 1 if data[match.end() : match.end() + 1] in b"[({" else match.end()
    confirm_named_value(scan, name.lstrip(b"-"), start, position, quotes_only=True)


def _confirm_object(scan: Scan, name: bytes, start: int, position: int, before: bytes) -> None:
    if confirm_header_object(scan, collapse(name.decode("latin-1")), position):
        return
    value = quoted_value(scan, position)
    if value is not None and _inside_cookies(scan.data, start):
        if is_secret_cookie(
            name, scan.data[value.start : value.end]
        ) and not scan.touches_placeholder(*value[:2]):
            scan.add(value.start, value.end, STRUCTURED, "cookie")
        return
    confirm_named_value(scan, name, start, position, quotes_only=True)


def _inside_cookies(data: bytes, position: int) -> bool:
    return b"ookies" in data[max(0, position - 400) : position] or (
        _COOKIE_MEMBER.search(data, max(0, position - 160), position + 240) is not None
    )


def confirm_value_first(scan: Scan, position: int) -> None:
    """Mask the value member that stands before its name: ``{"value": …, "name": "Authorization"``."""
    data = scan.data
    name, start, _end = name_before(data, position)
    scan.budget.spend(400)
    before = _VALUE_FIRST.search(data, max(0, start - 1200), start)
    if before is None or not name:
        return
    text = before.group("value")
    folded = collapse(name.decode("latin-1"))
    name_class = (
        NameClass.SECRET
        if folded in ("authorization", "cookie", "setcookie")
        else classify_name(name)
    )
    last = text.rsplit(b" ", 1)[-1]
    if judge(name_class, last, True) or (
        name_class is NameClass.PASSWORD and judge(name_class, text, True)
    ):
        begin = before.end("value") - len(last if name_class is not NameClass.PASSWORD else text)
        scan.add(begin, before.end("value"), NAMED, rule_name(name_class))


def confirm_form_part(scan: Scan, position: int) -> None:
    """Mask the body of a multipart form field; its name and the line end before `position`."""
    position = scan.data.rfind(b'"', max(0, position - 8), position)
    while scan.data[position - 1 : position] == b"\\":
        position -= 1
    name = _FORM_NAME.search(scan.data, max(0, position - 80), position)
    body = _FORM_PART.match(scan.data, position)
    if name is None or body is None:
        return
    scan.budget.spend(body.end() - position + 80)
    _mask_text(scan, classify_name(name.group(1)), *body.span(1), name.group(1))


def confirm_column(scan: Scan, position: int) -> None:
    """Mask the cells below a table header of a sensitive name; the header cell ends before `position`."""
    data = scan.data
    if data[position - 1] == 0x0A:
        if data[max(0, position - 20) : position].rstrip(b"\r\n").endswith(b".cookie"):
            confirm_cookie(scan, position)
            return
        if _confirm_next_line(scan, position):
            return
    line_start = data.rfind(b"\n", max(0, position - 400), position - 1) + 1
    line_end = data.find(b"\n", position - 1, position + 600)
    scan.budget.spend(256)
    if data[position - 1] == 0x7C:
        _confirm_next_cell(scan, position)
    if (
        line_end < 0
        or line_start < scan.done.get("table", 0)
        or (line_start == 0 and position > 400)
    ):
        return
    header = data[line_start:line_end].rstrip(b"\r")
    separator = next((mark for mark in (b"|", b"\t", b";", b",") if mark in header), b"")
    if not separator:
        return
    cells = header.split(separator)
    if any(
        len(cell) > 48 or cell[:1].isdigit() or (cell.strip() and not _HEADER_CELL.fullmatch(cell))
        for cell in cells
    ):
        return
    columns: dict[int, tuple[NameClass, bytes]] = {}
    accounts = any(_ACCOUNT_CELL.fullmatch(cell) for cell in cells)
    for index, cell in enumerate(cells):
        name_class = classify_name(cell.strip(b" \t*`_\"'"))
        if name_class is not NameClass.NONE:
            known = accounts and name_class is NameClass.PASSWORD
            columns[index] = (name_class, b"password" if known else b"")
    if columns:
        scan.done["table"] = _mask_columns(scan, columns, len(cells), separator, line_end + 1)


def _confirm_next_cell(scan: Scan, position: int) -> None:
    """Handle a row of a name and its value: ``| API_SECRET | … |``."""
    name, _start, _end = name_before(scan.data, position - 1)
    cell = _NEXT_CELL.match(scan.data, position)
    name_class = classify_name(name) if name and cell else NameClass.NONE
    if cell is None or name_class < NameClass.SECRET:
        return
    group = cell.lastindex or 1
    text = cell.group(group).strip(b"`* ")
    last = scan.data[cell.end() : cell.end() + 1] in (b"", b"\r", b"\n")
    if looks_machine_made(text, 8 if group == 1 else 16) or (
        group == 1 and last and not text.isalpha() and member_decides(name, name_class, text)
    ):
        _mask_text(scan, name_class, *cell.span(group), name)


def _confirm_next_line(scan: Scan, position: int) -> bool:
    """Handle ``name: DB_PASSWORD`` with ``value: …`` on the next line, as in Kubernetes and Compose files."""
    value = _YAML_VALUE.match(scan.data, position)
    if value is None:
        return False
    end = position - 2 if scan.data[position - 2] == 0x0D else position - 1
    name, start, _end = name_before(scan.data, end)
    if _YAML_NAME.search(scan.data, max(0, start - 16), start) is None:
        return False
    confirm_named_value(scan, name.rsplit(b" ", 1)[-1], start, value.end())
    return True


def _mask_columns(
    scan: Scan,
    columns: dict[int, tuple[NameClass, bytes]],
    width: int,
    separator: bytes,
    position: int,
) -> int:
    """Judge the cells of sensitive columns in the rows below a header; return the end of the table."""
    data = scan.data
    limit = position + MAX_TABLE_BYTES
    for _ in range(MAX_TABLE_ROWS):
        end = data.find(b"\n", position, limit)
        row_end = end if end >= 0 else min(len(data), limit)
        line = data[position:row_end]
        row = line.split(separator)
        scan.budget.spend(row_end - position + 32)
        if len(row) == width:
            for index, column in columns.items():
                start = position + sum(len(cell) + 1 for cell in row[:index])
                _mask_column_cell(scan, column, start, row[index], separator)
        elif _TABLE_RULE.fullmatch(line) is None:
            return position
        if end < 0:
            return row_end
        position = end + 1
    return position


def _mask_column_cell(
    scan: Scan, column: tuple[NameClass, bytes], start: int, cell: bytes, separator: bytes
) -> None:
    name_class, known = column
    text = cell.strip(b" \t\r\"'`*")
    if b" " in text and _DIGIT.search(text) is None:
        return
    minimum = 6 if name_class is NameClass.PASSWORD else 12
    placed = bool(known) and member_decides(known, name_class, text)
    if separator != b"|" and not placed and not looks_machine_made(text, minimum):
        return
    begin = start + cell.find(text)
    if (
        text
        and not scan.touches_placeholder(begin, begin + len(text))
        and (placed or judge(name_class, text, True))
    ):
        scan.add(begin, begin + len(text), NAMED, rule_name(name_class))


def confirm_call(scan: Scan, position: int) -> None:
    """Mask the argument of a call such as ``setPassword("…")``; its quote ends before `position`."""
    opening = scan.data.rfind(b"(", max(0, position - 8), position)
    name, start, _end = name_before(scan.data, opening)
    if name and scan.data[opening - 1 : opening].isalnum():
        confirm_named_value(scan, name, start, position - 1, quotes_only=True)
