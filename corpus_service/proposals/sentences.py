"""Sentences of an answer or of a passage. A simple rule, written out in docs/runs.md. Pure.

A sentence ends

* behind ``。``, ``！``, ``？``, ``｡`` and closing marks behind them, wherever they stand;
* behind ``.``, ``!``, ``?``, ``…``, ``؟``, ``۔``, ``।`` and closing marks behind them, where white space or
  the end follows; a full stop behind a single letter, an abbreviation of the list or the number of
  a list item ends none;
* at an empty line, and at a line that is followed by a heading, a list item or a row of a table.

Markdown before the first word (``#``, ``>``, ``-``, ``1.``, ``|``) belongs to no sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

Span = tuple[int, int]

_CLOSING: Final = "[\"'\u201d\u2019\u00bb\u203a)\\]}\u300d\u300f\u300b\u3009\uff09\u3011*_`]*"
_END: Final = re.compile(
    f"[\u3002\uff01\uff1f\uff61]+{_CLOSING}|[.!?\u2026\u061f\u06d4\u0964]+{_CLOSING}(?=\\s|\\Z)"
)
_BLOCK: Final = re.compile(r"\n(?=[ \t]*(?:\n|\Z|#{1,6}\s|[-*+>|]|\d{1,3}[.)]\s))")
_LEAD: Final = re.compile(r"(?:\s+|#{1,6}\s|[-*+]\s|[>|]|\d{1,3}[.)]\s)+")
_LAST_WORD: Final = re.compile(r"(\S+)\.\Z")
_ABBREVIATIONS: Final = frozenset(
    {"approx.", "ca.", "cf.", "ch.", "dr.", "e.g.", "etc.", "fig.", "i.e.", "mr.", "mrs.", "ms."}
    | {"nos.", "op.", "pp.", "prof.", "st.", "vol.", "vs."}
)


def split_sentences(text: str, *, limit: int) -> list[Span]:
    """Splits a text; returns up to ``limit`` spans in order, without white space at their edges."""
    found: list[Span] = []
    for start, end in _blocks(text):
        for span in _sentences(text, start, end):
            found.append(span)
            if len(found) >= limit:
                return found
    return found


def _blocks(text: str) -> Iterator[Span]:
    start = 0
    for match in _BLOCK.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    lead = _LEAD.match(text, start, end)
    start = lead.end() if lead else start
    for match in _END.finditer(text, start, end):
        if match[0].startswith(".") and len(match[0]) == 1 and _continues(text, start, match):
            continue
        if text[start : match.start()].strip():
            yield _trimmed(text, start, match.end())
        start = match.end()
    if text[start:end].strip():
        yield _trimmed(text, start, end)


def _continues(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether a full stop belongs to its word and the sentence goes on."""
    word = _LAST_WORD.search(text, max(start, match.start() - 12), match.start() + 1)
    if word is None or not text[match.end() :].strip():
        return False
    name = word[1].lstrip("([\"'\u201c\u2018")
    return (len(name) == 1 and name.isalpha() and name.isascii()) or (
        f"{name.lower()}." in _ABBREVIATIONS
    )


def _trimmed(text: str, start: int, end: int) -> Span:
    while text[start].isspace():
        start += 1
    while text[end - 1].isspace():
        end -= 1
    return start, end
