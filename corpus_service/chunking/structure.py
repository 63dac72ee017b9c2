"""Block structure of Markdown: headings, fences and tables, as offsets into the text.

Follows CommonMark 0.31.2 (ATX headings 4.2, setext headings 4.3, fenced code 4.5) and the GFM table
extension 4.10 as far as boundaries need it. One search visits only lines that may open something;
all other lines cost no Python step. Pure, standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

TITLE_CHARACTERS_MAX: Final = 200
"""Code points of a heading's title that are kept."""

CONTEXT_CHARACTERS_MAX: Final = 1_000
"""Code points of the lines that a continued table or fence repeats."""

LIST_LOOK_BACK_LINES: Final = 50
"""Lines searched backwards for the list item that an indented fence belongs to."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading line; `title` is empty for an empty heading."""

    start: int
    end: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Block:
    """A fence or a table: lines `[start, end)`.

    A fence stays whole up to the hard cap; a table is divisible between its rows. `context` is what a
    part that does not hold the block's first lines repeats: the header rows of a table, the opening
    line of a fence.
    """

    start: int
    end: int
    body_start: int
    context: str
    divisible: bool


@dataclass(frozen=True, slots=True)
class Structure:
    """Headings and blocks in document order; no heading lies inside a block."""

    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]


# The text is searched with one line feed before it, so that every candidate line starts with the
# literal that the regular expression engine can look for quickly.
_CANDIDATE: Final = re.compile(
    r"""\n(?:
      [ ]{0,3}(?P<hashes>\#{1,6})(?=[ \t\n]|\Z)
    | (?P<prefix>(?:[ \t]*+(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))*+[ \t]*+)
      (?P<fence>`{3,}+(?=[^`\n]*+(?:\n|\Z))|~{3,}+)
    | [ ]{0,3}(?P<underline>={2,}+|-{3,}+)[ \t]*+(?=\n|\Z)
    | (?P<delimiter>[ ]{0,3}\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+)
      (?=\n|\Z)
    )""",
    re.VERBOSE,
)
_TABLE_ROWS: Final = re.compile(r"(?:[^\n|]*+\|[^\n]*+(?:\n|\Z))*+")
_CLOSING_HASHES: Final = re.compile(r"(?:^|[ \t])#++[ \t]*+$")
_LIST_ITEM: Final = re.compile(r"[ \t>]*+(?:[-*+]|\d{1,9}[.)])[ \t]")
_FRONT_MATTER: Final = re.compile(r"\n---[ \t]*\n(?:[^\n]*\n){1,200}?(?:---|\.\.\.)[ \t]*(?=\n|\Z)")
_NOT_A_PARAGRAPH: Final = re.compile(
    r"[ \t]*+(?:$|\#{1,6}(?:[ \t]|$)|[-*+>|][ \t]|```|~~~)|[ ]{4}|[ ]{0,3}\t"
)
_NOT_QUOTED: Final = re.compile(r"\n(?![ \t]*>)")


def find_structure(text: str) -> Structure:
    """Find the headings, fences and tables of a Markdown text in one pass.

    Args:
        text: normalised text (line feeds only).

    Returns:
        The structure; offsets are code points into `text`.
    """
    # The padded line feed shifts every offset by one, so the offset of a line feed in the padded
    # text is the offset of the line behind it in the text.
    padded = "\n" + text
    headings: list[Heading] = []
    blocks: list[Block] = []
    front = _FRONT_MATTER.match(padded)
    position = front.end() if front else 0
    while True:
        match = _CANDIDATE.search(padded, position)
        if match is None:
            return Structure(tuple(headings), tuple(blocks))
        if match["hashes"] is not None:
            position = _end_of_line(padded, match.end())
            headings.append(_atx_heading(padded, match, position))
        elif match["fence"] is not None:
            block = _fence(padded, match)
            if block is None:
                position = _end_of_line(padded, match.end())
                continue
            blocks.append(block)
            # The line feed that ends the block also begins the next candidate line.
            position = block.end
        elif match["underline"] is not None:
            position = match.end()
            heading = _setext_heading(padded, match)
            if heading is not None and _is_after(heading.start, headings, blocks):
                headings.append(heading)
        else:
            table = _table(padded, match)
            position = match.end()
            if table is not None and _is_after(table.start, headings, blocks):
                blocks.append(table)
                position = table.end


def _end_of_line(padded: str, position: int) -> int:
    found = padded.find("\n", position)
    return len(padded) if found < 0 else found


def _is_after(start: int, headings: list[Heading], blocks: list[Block]) -> bool:
    """Say whether a start lies behind everything found so far."""
    return (not headings or headings[-1].end <= start) and (not blocks or blocks[-1].end <= start)


def _atx_heading(padded: str, match: re.Match[str], line_end: int) -> Heading:
    title = _CLOSING_HASHES.sub("", padded[match.end() : line_end]).strip()
    end = min(line_end, len(padded) - 1)
    return Heading(match.start(), end, len(match["hashes"]), title[:TITLE_CHARACTERS_MAX])


def _setext_heading(padded: str, match: re.Match[str]) -> Heading | None:
    """Return the heading whose underline matched, or None where no paragraph line stands above."""
    line_feed = padded.rfind("\n", 0, match.start())
    line = padded[line_feed + 1 : match.start()]
    if line_feed < 0 or _NOT_A_PARAGRAPH.match(line):
        return None
    level = 1 if match["underline"][0] == "=" else 2
    end = min(match.end(), len(padded) - 1)
    return Heading(line_feed, end, level, line.strip()[:TITLE_CHARACTERS_MAX])


def _table(padded: str, match: re.Match[str]) -> Block | None:
    """Return the table whose delimiter row matched, or None where no header row stands above."""
    if "|" not in match["delimiter"]:
        return None
    line_feed = padded.rfind("\n", 0, match.start())
    if line_feed < 0 or "|" not in padded[line_feed + 1 : match.start()]:
        return None
    body = min(match.end() + 1, len(padded))
    rows = _TABLE_ROWS.match(padded, body)
    end = rows.end() if rows else body
    context = _context(padded, line_feed + 1, match.end())
    return Block(line_feed, end - 1, body - 1, context, divisible=True)


def _context(padded: str, start: int, end: int) -> str:
    return padded[start : min(end, start + CONTEXT_CHARACTERS_MAX)] + "\n"


def _fence(padded: str, match: re.Match[str]) -> Block | None:
    """Return the fenced block that the matched line opens, or None where it is indented code."""
    prefix, marker = match["prefix"], match["fence"]
    own_item = _LIST_ITEM.match(prefix)
    container = prefix.rstrip(" \t")
    indent = len(prefix) - len(container)
    in_list = own_item is not None or _inside_list_item(padded, match.start(), prefix)
    if not container and len(prefix.expandtabs(4)) > 3 and not in_list:
        return None
    opening_end = _end_of_line(padded, match.end())
    quotes = container.count(">")
    limit = _container_end(
        padded, opening_end, quotes, len(prefix) if own_item else indent, in_list
    )
    closing = _closing(marker[0], len(marker), quotes, len(prefix) + 3).search(
        padded, opening_end, limit
    )
    end = min(closing.end() if closing else limit, len(padded) - 1)
    context = _context(padded, match.start() + 1, opening_end)
    return Block(match.start(), end, min(opening_end, end), context, divisible=False)


@lru_cache(maxsize=256)
def _closing(marker: str, length: int, quotes: int, indent: int) -> re.Pattern[str]:
    """Return the pattern of the lines that close a fence."""
    return re.compile(
        rf"\n(?:[ \t]*>){{{quotes}}}[ \t]{{0,{indent}}}{marker}{{{length},}}[ \t]*(?=\n|\Z)"
    )


def _inside_list_item(padded: str, line_feed: int, prefix: str) -> bool:
    """Say whether an indented line continues a list item above it."""
    if not prefix[:1].isspace():
        return False
    end = line_feed
    for _ in range(LIST_LOOK_BACK_LINES):
        start = padded.rfind("\n", 0, end)
        if start < 0:
            return False
        line = padded[start + 1 : end]
        if _LIST_ITEM.match(line):
            return True
        if line.strip() and not line[:1].isspace():
            return False
        end = start
    return False


def _container_end(padded: str, position: int, quotes: int, indent: int, in_list: bool) -> int:
    """Return where the quote or list item around a fence ends: an unclosed fence ends with it."""
    if quotes:
        outside: re.Pattern[str] = _NOT_QUOTED
    elif in_list and indent:
        outside = re.compile(rf"\n(?![ \t]{{{min(indent, 2)},}}|[ \t]*(?:\n|\Z))")
    else:
        return len(padded)
    found = outside.search(padded, position)
    return found.start() if found else len(padded)
