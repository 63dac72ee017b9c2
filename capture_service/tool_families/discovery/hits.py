"""Reads the rows of a search out of the shapes that search services have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from capture_service.domain.sources import JsonValue
from capture_service.tool_families.values import (
    JsonObject,
    field,
    integer_field,
    object_field,
    objects,
    text_field,
    texts,
)

_GROUP_NAMES: Final = (
    *("web", "news", "images", "developer", "tools", "videos"),
    *("results", "organic", "organic_results", "items", "hits", "citations"),
)
_KINDS: Final = {"news": "news", "images": "image"}
_UNNAMED_GROUPS: Final = frozenset(
    ("results", "organic", "organic_results", "items", "hits", "citations")
)
_LINE_FACT: Final = re.compile(
    r"^(?:\d{1,4}\.[ \t]{1,8})?[ \t]{0,8}(?P<name>Title|URL|Link|Description|Snippet|Summary)"
    r"[ \t]{0,8}:[ \t]{0,8}(?P<words>.*)$|^\d{1,4}\.[ \t]{1,8}(?P<heading>\S.*)$",
    re.MULTILINE | re.IGNORECASE,
)
_FACT_NAMES: Final = {
    "title": "title",
    "url": "url",
    "link": "url",
    "description": "description",
    "snippet": "description",
    "summary": "description",
}


@dataclass(frozen=True, slots=True)
class Hit:
    """One row of a search.

    Attributes:
        address: Address of the page; "" where the row names none.
        group: Group of the row, "" where the search has one list only.
        rank: Position in its group, from 1.
        row: The row itself.
    """

    address: str
    group: str
    rank: int
    title: str
    snippet: str
    kind: str
    row: JsonObject


def read_hits(value: JsonValue) -> list[Hit] | None:
    """Returns the rows in order, None where the value has no list of rows."""
    if isinstance(value, str):
        return _hits_of_lines(value) or None
    found: list[Hit] = []
    known = False
    for group, rows in _groups(value):
        known = True
        found.extend(_hit(group, rank, row) for rank, row in enumerate(rows, 1))
    return found if known else None


def _groups(value: JsonValue) -> Iterator[tuple[str, list[dict[str, JsonValue]]]]:
    """Yields name and rows of each group: a bare list, `data` as list, `data` as groups."""
    if isinstance(value, list):
        yield "", _rows(value)
        return
    if not isinstance(value, dict):
        return
    data = value.get("data")
    if isinstance(data, list):
        yield "", _rows(data)
        return
    groups = data if isinstance(data, dict) else value
    if data == {}:
        # A group without hits may be missing.
        yield "", []
    for name in _GROUP_NAMES:
        rows = groups.get(name)
        if isinstance(rows, dict):
            rows = rows.get("results")
        if name == "images" and groups is value and "results" in value:
            # Tavily lists pictures of the whole answer, without the pages that show them.
            continue
        if isinstance(rows, list):
            yield ("" if name in _UNNAMED_GROUPS else name), _rows(rows)


def _rows(rows: list[JsonValue]) -> list[dict[str, JsonValue]]:
    return [row if isinstance(row, dict) else {"url": row} for row in rows]


def _hit(group: str, rank: int, row: JsonObject) -> Hit:
    metadata = object_field(row, "metadata")
    address = text_field(row, "url", "link", "href", "page_url")
    address = address or text_field(metadata, "sourceURL", "source_url", "url")
    if not address and group == "images":
        address = text_field(row, "imageUrl")
    identifier = text_field(row, "id")
    if not address and identifier.startswith(("http://", "https://")):
        address = identifier
    position = integer_field(row, "position")
    return Hit(
        address=address,
        group=group,
        rank=position if position is not None and position >= 1 else rank,
        title=text_field(row, "title", "name"),
        snippet=_snippet(row),
        kind=_KINDS.get(group, "page"),
        row=row,
    )


def _snippet(row: JsonObject) -> str:
    """Returns the words that a list shows of a page; Tavily calls its excerpt `content`."""
    found = text_field(row, "description", "snippet")
    if not found and (field(row, "score") is not None or "raw_content" in row):
        found = text_field(row, "content")
    return found or " ".join(texts(field(row, "highlights")))


def _hits_of_lines(content: str) -> list[Hit]:
    """Reads `Title:`, `URL:`, `Description:` lines, as several MCP servers write them."""
    rows: list[dict[str, JsonValue]] = []
    for match in _LINE_FACT.finditer(content):
        name = "title" if match["heading"] is not None else _FACT_NAMES[match["name"].lower()]
        if not rows or name in rows[-1]:
            rows.append({})
        rows[-1][name] = (match["heading"] or match["words"] or "").strip()
    return [_hit("", rank, row) for rank, row in enumerate(rows, 1) if row.get("url")]


def named_objects(value: JsonValue) -> list[dict[str, JsonValue]]:
    """Returns the objects of a list; a text in it stands for an object with that address."""
    return _rows(value) if isinstance(value, list) else objects(value)
