"""Undoes the window that Hermes puts on a long page.

`web_extract` keeps the first 75 % and the last 25 % of a limit of characters, writes a marker
between them and a footer behind them, and saves the full text in a file that the footer names.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from capture_service.domain.envelope import SideFile

_MARKER: Final = re.compile(r"\n\n\[\.\.\. middle omitted [^\]\n]{0,80}\.\.\.\]\n\n")
_FOOTER: Final = re.compile(
    r"\n\n─{3,20} \[TRUNCATED\] ─{3,20}\n"
    r"Showing ([\d,]{1,15}) chars \(head\) \+ ([\d,]{1,15}) chars \(tail\)"
    r" of ([\d,]{1,15}) total clean characters\.\n"
    r"(?:Full text saved to: (?P<path>[^\n]*)\n)?[^\0]{0,4000}\Z"
)
_FOOTER_LENGTH: Final = 6_000
_GAP: Final = "\n\n"
CACHE_FILE_CODE_POINTS: Final = 2_000_000
"""Characters at which Hermes 0.19.0 cuts the file of the full text."""


@dataclass(frozen=True, slots=True)
class WindowedText:
    """A windowed page.

    Attributes:
        text: Head and tail of the page, an empty line between them in place of the marker.
        head: Characters of the head.
        tail: Characters of the tail.
        total: Characters of the whole page.
        file_name: Last segment of the file that holds the full text, "" for none.
    """

    text: str
    head: int
    tail: int
    total: int
    file_name: str


def read_window(content: str) -> WindowedText | None:
    """Returns the window of a page, None where marker and footer are not both there."""
    footer = _FOOTER.search(content, max(0, len(content) - _FOOTER_LENGTH))
    if footer is None:
        return None
    head, tail, total = (int(footer[group].replace(",", "")) for group in (1, 2, 3))
    # The marker stands behind the head; the same words further on would be text of the page.
    marker = _MARKER.match(content, head)
    if marker is None:
        marker = _MARKER.search(content, 0, footer.start())
    if marker is None:
        return None
    text = content[: marker.start()] + _GAP + content[marker.end() : footer.start()]
    path = (footer["path"] or "").strip().replace("\\", "/")
    return WindowedText(text, head, tail, total, posixpath.basename(path))


def full_text(window: WindowedText, files: Sequence[SideFile], alone: bool) -> str | None:
    """Returns the full text out of the side files, None where none belongs to the window.

    Args:
        window: The window.
        files: Side files of the envelope.
        alone: Whether the result has one windowed page only; a single file is then its text
            even if its name was masked.
    """
    for file in files:
        name = posixpath.basename(file.name.replace("\\", "/"))
        if name and name == window.file_name:
            return file.data.decode("utf-8", "replace")
    if alone and len(files) == 1:
        candidate = files[0].data.decode("utf-8", "replace")
        # Head and tail must be found in it: another file of the call is not the page.
        head, tail = window.text[: window.head], window.text[-window.tail :]
        if candidate.startswith(head[:200]) and tail[-200:].strip() in candidate:
            return candidate
    return None
