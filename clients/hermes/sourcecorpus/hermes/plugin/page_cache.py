"""Copies the full text of a windowed page before Hermes overwrites it.

A windowed result names its file in a footer. The footer is text, and a page can hold the same words, so that only
regular files inside Hermes' own page cache are read, whatever path a text names.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .limits import SIDE_FILE_BYTES_MAX, SIDE_FILES_MAX

# What Hermes 0.19 writes before the path, by tool: a windowed page; a summarised snapshot and a cut one.
_MARKERS: Final = {
    "web_extract": ("Full text saved to: ",),
    "browser_snapshot": ("napshot saved to: ", 'napshot: read_file path=\\"'),
    "browser_navigate": ("napshot saved to: ", 'napshot: read_file path=\\"'),
}
# The path in a JSON string: up to the string's end, an escaped line end or quotation mark, or a remark's dash.
_PATH: Final = re.compile(
    r"((?:[^\"\\\n]|\\[^n\"]){1,4096}?)(?= (?:\u2014|\\u2014) |\\[n\"]|[\"\n]|\Z)"
)
# Each footer of a windowed page begins with a rule of these; text without one is not searched any further.
_RULE: Final = "\u2500"
_ESCAPED_RULE: Final = "\\u2500"
_TAIL_CHARACTERS: Final = 4_096
# A page can repeat the words of a footer as often as it likes.
_CANDIDATES_MAX: Final = 64
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
    markers = _MARKERS.get(tool_name)
    if markers is None or not isinstance(result, str):
        return []
    start = _search_start(tool_name, result)
    if start < 0:
        return []
    folders = [os.path.realpath((home or hermes_home()) / folder) for folder in _FOLDERS]
    pages: dict[str, CachedPage] = {}
    for position in _candidates(result, markers, start):
        match = _PATH.match(result, position)
        name = _decoded(match[1]) if match else ""
        if name and name not in pages:
            data = _read_inside(name, folders)
            if data is not None:
                pages[name] = CachedPage(name, data)
        if len(pages) == SIDE_FILES_MAX:
            break
    return list(pages.values())[::-1]


def _search_start(tool_name: str, result: str) -> int:
    """Where footers can begin, -1 for nowhere. Cheap: most results have no footer, and Hermes waits meanwhile."""
    if tool_name != "web_extract":
        # Snapshots are cut at 15,000 characters; a search through them costs nothing.
        return 0
    if result.isascii():
        # Hermes 0.19 writes the rule as it is; one that escapes it shows it at the end.
        return 0 if _ESCAPED_RULE in result[-_TAIL_CHARACTERS:] else -1
    return result.find(_RULE)


def _candidates(result: str, markers: tuple[str, ...], start: int) -> Iterator[int]:
    """Positions behind the markers, from the end: the real footer of the last page comes first."""
    for marker in markers:
        position = len(result)
        for _ in range(_CANDIDATES_MAX):
            position = result.rfind(marker, start, position)
            if position < 0:
                break
            yield position + len(marker)


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
