"""Prints answers: JSON for programs, short lines for people."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from google.protobuf.json_format import MessageToDict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from google.protobuf.message import Message
    from google.protobuf.timestamp_pb2 import Timestamp


def print_json(value: Message | dict[str, Any] | list[Any]) -> None:
    """Print one JSON value on a line of its own; messages keep the contract's field names."""
    document = value if isinstance(value, dict | list) else message_document(value)
    print(json.dumps(document, ensure_ascii=False))


def message_document(message: Message) -> dict[str, Any]:
    """The message as JSON values, with the contract's field names and every enum by name."""
    return MessageToDict(message, preserving_proto_field_name=True)


def print_rows(rows: Iterable[tuple[str, ...]]) -> None:
    """Print rows in aligned columns; the last column is not padded."""
    table = [tuple(printable(cell) for cell in row) for row in rows]
    if not table:
        return
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]) - 1)]
    for row in table:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        print("  ".join([*cells, row[-1]]).rstrip())


def printable(text: str) -> str:
    """The text without control characters, which could steer a terminal."""
    return "".join(
        character if character.isprintable() or character == " " else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )


def time_text(stamp: Timestamp) -> str:
    """A time to the second in UTC, or a dash where it is unknown."""
    if not stamp.seconds:
        return "-"
    return stamp.ToDatetime().strftime("%Y-%m-%dT%H:%M:%SZ")


def enum_text(name: str, prefix: str) -> str:
    """An enum value's name without the prefix that the contract's style asks for."""
    return name.removeprefix(prefix)


def warn(line: str) -> None:
    """Print a line on standard error, behind everything that was printed before."""
    sys.stdout.flush()
    print(line, file=sys.stderr)
