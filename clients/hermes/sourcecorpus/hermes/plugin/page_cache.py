"""Copies the full text of a windowed page before Hermes overwrites it.

A windowed result names its file in a footer. The footer is text, and a page can hold the same words, so that only
regular files inside Hermes' own page cache are read, whatever path a text names.
"""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .limits import SIDE_FILE_BYTES_MAX, SIDE_FILES_MAX

_TOOLS: Final = frozenset({"web_extract", "browser_snapshot", "browser_navigate"})
# What Hermes 0.19 writes before the path: a windowed page, a summarised snapshot, a cut snapshot. Behind it come
# pieces of a JSON string up to its end, an escaped line end, an escaped quotation mark, or the dash of a remark.
_NAMED: Final = re.compile(
    r"(?:Full text saved to: |napshot saved to: |napshot: read_file path=\\\")"
    r"((?:[^\"\\\n]|\\[^n\"]){1,4096}?)(?= (?:\u2014|\\u2014) |\\[n\"]|[\"\n]|\Z)"
)
# Hermes keeps pages in the first; the second is the folder of installations that began before it.
_FOLDERS: Final = ("cache/web", "web_cache")


@dataclass(frozen=True, slots=True)
class CachedPage:
    """The bytes of a page's full text under the name that the result gives it."""

    name: str
    data: bytes


def hermes_home() -> Path:
    """The folder of this Hermes."""
    named = os.environ.get("HERMES_HOME", "").strip()
    return Path(named) if named else Path.home() / ".hermes"


def pages_named_in(tool_name: str, result: object, home: Path | None = None) -> list[CachedPage]:
    """Read the files that a result names, at most 16, each at most 8 MiB.

    Args:
        tool_name: Tool that returned the result.
        result: The result; only text can name files.
        home: Folder of Hermes; None takes that of this process.

    Returns:
        What could be read; a missing, foreign or oversized file is left out.
    """
    if tool_name not in _TOOLS or not isinstance(result, str) or not _may_name_a_file(result):
        return []
    folders = [os.path.realpath((home or hermes_home()) / folder) for folder in _FOLDERS]
    pages: dict[str, CachedPage] = {}
    for match in _NAMED.finditer(result):
        name = _decoded(match[1])
        if name and name not in pages:
            data = _read_inside(name, folders)
            if data is not None:
                pages[name] = CachedPage(name, data)
        if len(pages) == SIDE_FILES_MAX:
            break
    return list(pages.values())


def _may_name_a_file(result: str) -> bool:
    """A cheap look before the exact one: most results name no file."""
    return "aved to: " in result or "read_file path=" in result


def _decoded(text: str) -> str:
    """The path that stands in a piece of a JSON string."""
    try:
        path = json.loads(f'"{text}"')
    except ValueError:
        return ""
    return path.strip() if isinstance(path, str) else ""


def _read_inside(name: str, folders: list[str]) -> bytes | None:
    parent, base = os.path.split(name)
    if not base or os.path.realpath(parent) not in folders:
        return None
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(name, flags | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > SIDE_FILE_BYTES_MAX:
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(SIDE_FILE_BYTES_MAX)
    except OSError:
        return None
    finally:
        os.close(descriptor)
