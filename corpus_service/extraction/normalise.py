"""Normalised text: the only repairs that extraction makes, each counted.

Line ends become line feeds, a leading BOM goes, NUL and lone surrogates become U+FFFD (SQLite text and
protobuf strings carry neither). All other characters stay, so that a quotation of the source stays
one of the text; control and bidirectional characters are counted because a view must show them safely.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from corpus_service.extraction.limits import TITLE_CHARACTERS_MAX

_LONE_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_CONTROLS: Final = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_BIDI: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_NOT_IN_TITLES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_KEPT_IN_TITLES: Final = "\u200c\u200d"


def normalise(text: str) -> tuple[str, dict[str, int]]:
    """Return the normalised text and the counts of what was repaired or found.

    Args:
        text: decoded text, possibly with surrogates.

    Returns:
        The text, and counts above zero by name (see `ExtractedText.repairs`).
    """
    repairs: dict[str, int] = {}
    if text.startswith("\ufeff"):
        text = text[1:]
        repairs["bom"] = 1
    if "\r" in text:
        repairs["carriage_return"] = text.count("\r")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\x00" in text:
        repairs["nul"] = text.count("\x00")
        text = text.replace("\x00", "\ufffd")
    if not text.isascii():
        text = _repair_wide(text, repairs)
    if not text.isprintable():
        _count(_CONTROLS, text, "control_kept", repairs)
    return text, repairs


def _repair_wide(text: str, repairs: dict[str, int]) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text, repairs["lone_surrogate"] = _LONE_SURROGATES.subn("\ufffd", text)
    _count(_BIDI, text, "bidi_kept", repairs)
    return text


def _count(pattern: re.Pattern[str], text: str, name: str, repairs: dict[str, int]) -> None:
    # A search alone is the common case and stops at nothing found.
    if pattern.search(text) is not None:
        repairs[name] = len(pattern.findall(text))


def clean_title(title: str) -> str:
    """Return a title as one line without control, format and bidirectional characters.

    Joiners stay, because emoji and several scripts need them. At most `TITLE_CHARACTERS_MAX` code
    points.
    """
    title = title[: 4 * TITLE_CHARACTERS_MAX]
    if not (title.isascii() and title.isprintable()):
        title = "".join(
            character
            if character in _KEPT_IN_TITLES or unicodedata.category(character) not in _NOT_IN_TITLES
            else ("" if unicodedata.category(character) == "Cf" else " ")
            for character in title
        )
    return " ".join(title.split())[:TITLE_CHARACTERS_MAX].rstrip()
