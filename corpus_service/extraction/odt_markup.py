"""OpenDocument content as HTML: headings, paragraphs, lists, tables, links.

Element names: OpenDocument 1.3 part 3. Pure apart from the XML library.
"""

from __future__ import annotations

from html import escape
from typing import Any, Final

from lxml import etree

_TEXT: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE: Final = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_HREF: Final = "{http://www.w3.org/1999/xlink}href"
SPACES_MAX: Final = 1_000
"""Spaces that one element may stand for."""

_TAGS: Final = {
    _TEXT + "p": "p",
    _TEXT + "list": "ul",
    _TEXT + "list-item": "li",
    _TEXT + "list-header": "li",
    _TEXT + "note": "div",
    _TABLE + "table": "table",
    _TABLE + "table-row": "tr",
    _TABLE + "table-cell": "td",
}
_LEFT_OUT: Final = frozenset(
    {
        _OFFICE + "annotation",
        _TEXT + "tracked-changes",
        _TEXT + "sequence-decls",
        _TEXT + "note-citation",
    }
)


def odt_markup(root: Any) -> str:  # noqa: ANN401 -- lxml is not typed
    """Return HTML for the content of an OpenDocument text."""
    parts: list[str] = []
    walker = etree.iterwalk(root, events=("start", "end"))
    for event, element in walker:
        if not isinstance(element.tag, str):
            continue
        if event == "end":
            if element.tag not in _LEFT_OUT:
                parts.append(_closing(element))
            if element is not root:
                parts.append(escape(element.tail or ""))
        elif element.tag in _LEFT_OUT:
            walker.skip_subtree()
        else:
            parts.append(_opening(element))
            parts.append(escape(element.text or ""))
    return "".join(parts)


def _level(element: Any) -> int:  # noqa: ANN401 -- lxml is not typed
    written = str(element.get(_TEXT + "outline-level") or "1")
    return min(6, max(1, int(written))) if written.isdecimal() and len(written) < 4 else 1


def _opening(element: Any) -> str:  # noqa: ANN401 -- lxml is not typed
    tag = element.tag
    if tag in _TAGS:
        return f"<{_TAGS[tag]}>"
    if tag == _TEXT + "h":
        return f"<h{_level(element)}>"
    if tag == _TEXT + "a":
        return f'<a href="{escape(str(element.get(_HREF) or ""))}">'
    if tag == _TEXT + "s":
        written = str(element.get(_TEXT + "c") or "1")
        count = int(written) if written.isdecimal() and len(written) < 6 else 1
        return " " * min(count, SPACES_MAX)
    if tag == _TEXT + "tab":
        return "\t"
    return "<br>" if tag == _TEXT + "line-break" else ""


def _closing(element: Any) -> str:  # noqa: ANN401 -- lxml is not typed
    tag = element.tag
    if tag in _TAGS:
        return f"</{_TAGS[tag]}>"
    if tag == _TEXT + "h":
        return f"</h{_level(element)}>"
    return "</a>" if tag == _TEXT + "a" else ""
