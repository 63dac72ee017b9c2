"""A row as a line of JSON, in exactly one form: equal rows are equal bytes.

A line is an object with the columns of the table in order, without spaces, in UTF-8, ended by a line
feed; flags are true or false, bytes are Base64 (RFC 4648, section 4), absent values null. Whatever
would not come out again as it came in is refused.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Final

from corpus_service.domain.exports import Column, Kind, Row, Table, Value

_NUMBER_MIN: Final = -(2**63)
_NUMBER_MAX: Final = 2**63 - 1


class RowFault(Exception):  # noqa: N818 - a fault of the archive, not of the program
    """A line is not a row of its table."""


def encode_row(table: Table, row: Row) -> bytes:
    """Returns the line of a row, with its line feed."""
    values = {
        column.name: _to_json(column, value)
        for column, value in zip(table.columns, row, strict=True)
    }
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def decode_row(table: Table, line: bytes) -> Row:
    """Returns the row of a line, which is given with its line feed.

    Raises:
        RowFault: The line is not in the one form that a row of this table has.
    """
    try:
        values = json.loads(line)
        if not isinstance(values, dict) or tuple(values) != table.column_names:
            raise RowFault
        row = tuple(_from_json(column, values[column.name]) for column in table.columns)
        if encode_row(table, row) != line:
            raise RowFault
    except (ValueError, RecursionError):
        # Also text that is no UTF-8 and text that cannot be written as UTF-8 again.
        raise RowFault from None
    return row


def _to_json(column: Column, value: Value) -> object:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if column.kind is Kind.FLAG:
        return bool(value)
    return value


def _from_json(column: Column, value: object) -> Value:
    if value is None and column.optional:
        return None
    if column.kind is Kind.FLAG and isinstance(value, bool):
        return int(value)
    if column.kind is Kind.NUMBER and isinstance(value, int) and not isinstance(value, bool):
        if _NUMBER_MIN <= value <= _NUMBER_MAX:
            return value
    elif column.kind is Kind.TEXT and isinstance(value, str):
        return value
    elif column.kind is Kind.BYTES and isinstance(value, str):
        try:
            return base64.b64decode(value, validate=True)
        except binascii.Error:
            raise RowFault from None
    raise RowFault
