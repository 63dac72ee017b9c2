"""Blocks of Markdown-like text: paragraphs, headings, lists, quotes, tables.

The walk over the tree (html_tree) calls these as elements open and close; nothing here looks at HTML
beyond the few attributes that a list needs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborNode

from corpus_service.extraction.limits import LIST_DEPTH_MAX, TABLE_DEPTH_MAX

# HTML white space is ASCII only (HTML Standard 2.3.2). The spaces that writers use on purpose are text;
# rarer ones (en quad, line separator …) fall together with ordinary space.
_KEPT_SPACES: Final = ("\u00a0", "\u3000", "\u202f")
# A single space is left alone, so that the common case has nothing to replace.
_SPACE_RUN: Final = re.compile(r"[\t\n\r\f][ \t\n\r\f]*| [ \t\n\r\f]+")
_STARTS_LIKE_MARKUP: Final = re.compile(r"#{1,6}(?:[ \t]|$)|`{3}|~{3}")


@dataclass(slots=True)
class Table:
    """A table being read: finished rows and whether a cell holds blocks of its own."""

    rows: list[list[str]] = field(default_factory=list)
    layout: bool = False


@dataclass(slots=True)
class Saved:
    """State of the surroundings while a cell is read."""

    out: list[str]
    gap: int
    indent: str
    marker: str


class BlockWriter:
    """Collects blocks; `gap` is the number of line feeds due before the next one."""

    def __init__(self) -> None:
        self.first_heading = ""
        self._out: list[str] = []
        self._inline: list[str] = []
        self._flushes = 0
        """Blocks ended so far: an inline element that sees it change was divided by a block."""

        self._gap = 0
        self._indent = ""
        self._marker = ""
        self._heading_level = 0
        self._indents: list[str] = []
        self._open_lists: list[int | None] = []
        self._tables: list[Table] = []
        self._cells: list[Saved] = []
        self._transparent_tables = 0

    # Paragraphs and headings ------------------------------------------------------------------

    def _take_inline(self) -> str:
        """Take the current run of inline text as one line."""
        joined = "".join(self._inline)
        self._inline.clear()
        self._flushes += 1
        if joined.isascii() or not any(map(joined.__contains__, _KEPT_SPACES)):
            return " ".join(joined.split())
        return _SPACE_RUN.sub(" ", joined).strip(" ")

    def _flush(self) -> None:
        """End the current run of inline text as a block."""
        if not self._inline:
            return
        text = self._take_inline()
        if text:
            if text[0] in "#`~" and _STARTS_LIKE_MARKUP.match(text):
                text = "\\" + text
            self._emit(text)

    def _emit(self, text: str) -> None:
        out = self._out
        if out:
            out.append("\n\n" if self._gap > 1 else "\n")
        marker = self._marker or self._indent
        self._marker = ""
        out.append(marker + text if marker else text)
        self._gap = 0

    def _break(self, gap: int) -> None:
        """End the block; the next one stands at least `gap` line feeds away."""
        if self._heading_level:
            if gap < 2:
                # A container inside a heading divides words, not the heading.
                self._inline.append(" ")
                return
            # An unclosed heading ends where a paragraph begins.
            self._end_heading()
        elif self._inline:
            self._flush()
        if gap > self._gap:  # noqa: PLR1730 -- called for every block; `max` is a call
            self._gap = gap

    def _loose(self, _node: LexborNode) -> bool:
        self._break(2)
        return True

    def _leave_loose(self) -> None:
        self._break(2)

    def _tight(self, _node: LexborNode) -> bool:
        self._break(1)
        return True

    def _leave_tight(self) -> None:
        self._break(1)

    def _heading(self, node: LexborNode) -> bool:
        self._break(2)
        self._structural()
        self._heading_level = int((node.tag or "h1")[1])
        return True

    def _leave_heading(self) -> None:
        if self._heading_level:
            self._end_heading()

    def _end_heading(self) -> None:
        title = self._take_inline()
        marks = "#" * self._heading_level
        self._heading_level = 0
        if title:
            self.first_heading = self.first_heading or title
            # A heading inside a list item stays a heading: it takes no indentation.
            indent, self._indent, self._marker = self._indent, "", ""
            self._emit(f"{marks} {title}")
            self._indent = indent
        self._gap = 2

    # Lists and quotes -------------------------------------------------------------------------

    def _list(self, node: LexborNode) -> bool:
        self._break(1 if self._open_lists else 2)
        number: int | None = None
        if node.tag == "ol":
            start = node.attributes.get("start") or "1"
            number = int(start) if start.isascii() and start.isdigit() and len(start) < 7 else 1
        self._open_lists.append(number)
        return True

    def _leave_list(self) -> None:
        self._open_lists.pop()
        self._break(1 if self._open_lists else 2)

    def _item(self, _node: LexborNode) -> bool:
        number = self._open_lists[-1] if self._open_lists else None
        if number is None:
            return self._marked("- ")
        self._open_lists[-1] = number + 1
        return self._marked(f"{number}. ")

    def _definition(self, _node: LexborNode) -> bool:
        return self._marked(": ")

    def _marked(self, marker: str) -> bool:
        self._break(1)
        self._indents.append(self._indent)
        self._marker = self._indent + marker
        if len(self._indents) <= LIST_DEPTH_MAX:
            self._indent += " " * len(marker)
        return True

    def _leave_marked(self) -> None:
        self._break(1)
        self._marker = ""
        self._indent = self._indents.pop()

    def _quote(self, _node: LexborNode) -> bool:
        self._break(2)
        self._indents.append(self._indent)
        if len(self._indents) <= LIST_DEPTH_MAX:
            self._indent += "> "
        return True

    def _leave_quote(self) -> None:
        self._break(2)
        self._indent = self._indents.pop()

    # Tables -----------------------------------------------------------------------------------

    def _structural(self) -> None:
        """A block that no table cell can hold: the table around it is laid out as blocks."""
        if self._tables:
            self._tables[-1].layout = True

    def _table(self, _node: LexborNode) -> bool:
        self._break(2)
        if len(self._tables) >= TABLE_DEPTH_MAX:
            self._transparent_tables += 1
            return True
        self._structural()
        self._tables.append(Table())
        return True

    def _row(self, _node: LexborNode) -> bool:
        self._break(1)
        if self._tables and not self._transparent_tables:
            self._tables[-1].rows.append([])
        return True

    def _cell(self, node: LexborNode) -> bool:
        self._break(1)
        if not self._tables or self._transparent_tables:
            return True
        child = node.first_child
        if child is None or (child.tag == "-text" and child.next is None):
            # Most cells hold one run of text, which needs no state of its own.
            if child is not None:
                self._inline.append(child.text_content or "")
            self._add_cell(self._take_inline())
            return False
        self._cells.append(Saved(self._out, self._gap, self._indent, self._marker))
        self._out, self._gap, self._indent, self._marker = [], 0, "", ""
        return True

    def _add_cell(self, content: str) -> None:
        rows = self._tables[-1].rows
        if not rows:
            rows.append([])
        rows[-1].append(content)

    def _leave_cell(self) -> None:
        self._break(1)
        if not self._tables or self._transparent_tables:
            return
        content = "".join(self._out)
        saved = self._cells.pop()
        self._out, self._gap = saved.out, saved.gap
        self._indent, self._marker = saved.indent, saved.marker
        self._add_cell(content)

    def _leave_table(self) -> None:
        self._flush()
        if self._transparent_tables:
            self._transparent_tables -= 1
            self._gap = 2
            return
        table = self._tables.pop()
        rows = [row for row in table.rows if any(row)]
        is_grid = len(rows) > 1 and any(len(row) > 1 for row in rows)
        if is_grid and not table.layout:
            for line in _grid(rows):
                self._emit(line)
                self._gap = 1
        else:
            for row in rows:
                for content in filter(None, row):
                    self._emit(content)
                    self._gap = 2 if "\n" in content else 1
        self._gap = 2


def _grid(rows: list[list[str]]) -> list[str]:
    """Return the lines of a GFM table; the first row is its header."""
    lines = []
    for row in rows:
        cells = [" ".join(cell.split("\n")).replace("|", "\\|") if cell else "" for cell in row]
        lines.append("| " + " | ".join(cells) + " |")
    lines.insert(1, "|" + " --- |" * max(1, len(rows[0])))
    return lines
