"""Reads facts out of JSON whose spelling, types and depth nobody promised."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Final

from capture_service.domain.sources import JsonValue

JsonObject = Mapping[str, JsonValue]

EMPTY: Final[JsonObject] = {}
_WORD_BOUNDARY: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LONGEST_INTEGER_DIGITS: Final = 18


@functools.lru_cache(maxsize=1_024)
def spellings(name: str) -> tuple[str, ...]:
    """Returns the name as the HTTP body spells it and as the Python SDK does (snake_case)."""
    snake = _WORD_BOUNDARY.sub("_", name).lower()
    return (name,) if snake == name else (name, snake)


def field(source: JsonValue | JsonObject, *names: str) -> JsonValue:
    """Returns the first value that is present and not null, in either spelling, else None."""
    if not isinstance(source, Mapping):
        return None
    for name in names:
        for spelling in spellings(name):
            value = source.get(spelling)
            if value is not None:
                return value
    return None


def text(value: JsonValue) -> str:
    """Returns a text; of a list its first text (a meta tag that a page repeats becomes a list)."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return next((item for item in value if isinstance(item, str) and item), "")
    return ""


def text_field(source: JsonValue | JsonObject, *names: str) -> str:
    """Returns the first text that is not empty among the names, else the empty string."""
    for name in names:
        found = text(field(source, name))
        if found:
            return found
    return ""


def integer(value: JsonValue) -> int | None:
    """Returns a whole number, also one that came as text or as a float, else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if abs(value) < 10**_LONGEST_INTEGER_DIGITS else None
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2.0**53 else None
    if isinstance(value, str):
        digits = value.strip()
        if digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST_INTEGER_DIGITS:
            return int(digits)
    return None


def integer_field(source: JsonValue | JsonObject, *names: str) -> int | None:
    """Returns the first whole number among the names."""
    for name in names:
        found = integer(field(source, name))
        if found is not None:
            return found
    return None


def object_field(source: JsonValue | JsonObject, *names: str) -> dict[str, JsonValue]:
    """Returns the first object among the names, else an empty one."""
    for name in names:
        found = field(source, name)
        if isinstance(found, dict):
            return found
    return {}


def objects(value: JsonValue) -> list[dict[str, JsonValue]]:
    """Returns the objects of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def texts(value: JsonValue) -> list[str]:
    """Returns the texts of a list, or of a single text."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def utf8(content: str) -> bytes:
    """Encodes text as UTF-8; a lone surrogate becomes U+FFFD, a pair becomes its character."""
    try:
        return content.encode("utf-8")
    except UnicodeEncodeError:
        return scalar_values(content).encode("utf-8")


def scalar_values(content: str) -> str:
    """Returns the text with lone surrogates replaced by U+FFFD and pairs joined."""
    if content.isascii():
        return content
    return content.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def without_nulls(source: JsonObject) -> dict[str, JsonValue]:
    """Returns the members that are not null: nested calls carry defaults as nulls."""
    return {name: value for name, value in source.items() if value is not None}


def without(source: JsonObject, names: Iterable[str]) -> dict[str, JsonValue]:
    """Returns the members whose names are not listed, in either spelling, nulls left out."""
    excluded = {spelling for name in names for spelling in spellings(name)}
    return {
        name: value for name, value in source.items() if value is not None and name not in excluded
    }


def plain(value: JsonValue) -> JsonValue:
    """Returns the value as strict JSON has it: no NaN, no infinity, no lone surrogate."""
    if isinstance(value, str):
        return value if value.isascii() else scalar_values(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {scalar_values(name): plain(item) for name, item in value.items()}
    return value


def json_text(value: JsonValue, *, indent: int | None = None) -> str:
    """Returns the value as JSON text, its members in their order, characters unescaped."""
    separators = (",", ":") if indent is None else None
    return json.dumps(plain(value), ensure_ascii=False, indent=indent, separators=separators)
