"""Markdown-like text of an HTML tree: one walk without recursion.

Kept: headings, paragraphs, lists, definition lists, quotes, tables, code, links, images with a
description. Left out: scripts, styles, templates, drawings, `nav`. The text of the page is never
escaped except where a block begins like a fence or a heading, so that quotations stay exact.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from selectolax.lexbor import LexborNode

from corpus_service.extraction.html_blocks import BlockWriter
from corpus_service.extraction.limits import FRAME_URIS_MAX, URI_CHARACTERS_MAX

_BACKTICKS: Final = re.compile(r"`+")
_CODE_LANGUAGE: Final = re.compile(
    r"(?:^|\s)(?:language|lang|brush|highlight-source)[-:]\s*([\w+#.-]{1,30})"
)
_PERMALINK_LABELS: Final = frozenset({"", "#", "¶", "§", "🔗"})
# Markdown's link destination: no white space, balanced parentheses. Scripts and data are no addresses.
_ADDRESS: Final = re.compile(
    r"(?!#|javascript:|data:|about:|vbscript:)"
    r"[^ \n\t\r\f()]++(?:\([^ \n\t\r\f()]*+\)[^ \n\t\r\f()]*+)*+",
    re.IGNORECASE,
)

_Enter = Callable[["TreeWriter", LexborNode], bool]
_Leave = Callable[["TreeWriter"], None]


class TreeWriter(BlockWriter):
    """Walks a tree and collects text; one instance per document."""

    def __init__(self, *, with_navigation: bool = False) -> None:
        super().__init__()
        self.frame_uris: list[str] = []
        self.frames = 0
        self.iframes = 0
        self.navigation_left_out = 0
        self._with_navigation = with_navigation
        self._inline_starts: list[tuple[int, int, str]] = []

    def text(self, root: LexborNode) -> str:
        """Return the text of everything under `root`."""
        self._walk(root)
        self._break(2)
        return "".join(self._out)

    def _walk(self, root: LexborNode) -> None:
        """Visit every node without recursion, so that depth costs memory and not the stack.

        This loop is most of the cost of a page; it calls nothing for what needs no call.
        """
        actions, inline = _ACTIONS, self._inline
        open_elements: list[tuple[LexborNode, _Leave | None]] = []
        node = root
        while True:
            tag = node.tag
            after = child = None
            if tag == "-text":
                text = node.text_content
                # White space between blocks begins no run of text.
                if text and (inline or not text.isspace()):
                    inline.append(text)
            elif (action := actions.get(tag or "")) is None:
                child = node.first_child
            elif action[0](self, node):
                after = action[1]
                child = node.first_child
            if child is not None:
                open_elements.append((node, after))
                node = child
                continue
            if after is not None:
                after(self)
            following = node.next
            while following is None:
                if not open_elements:
                    return
                node, after = open_elements.pop()
                if after is not None:
                    after(self)
                following = node.next
            node = following

    def _skip(self, _node: LexborNode) -> bool:
        return False

    def _navigation(self, node: LexborNode) -> bool:
        if self._with_navigation:
            return self._tight(node)
        self.navigation_left_out += 1
        return False

    # Inline markup ----------------------------------------------------------------------------

    def _open_inline(self, value: str) -> bool:
        self._inline_starts.append((len(self._inline), self._flushes, value))
        return True

    def _close_inline(self) -> tuple[str | None, str]:
        """Take back the text since the element opened, or None if a block ended inside it."""
        start, flushes, value = self._inline_starts.pop()
        if flushes != self._flushes:
            return None, value
        label = "".join(self._inline[start:])
        del self._inline[start:]
        return label, value

    def _link(self, node: LexborNode) -> bool:
        return self._open_inline((node.attributes.get("href") or "").strip())

    def _leave_link(self) -> None:
        label, target = self._close_inline()
        if label is None:
            # A link around blocks: its address follows them.
            if _is_link(target):
                self._inline.append(f" ({target}) ")
            return
        words = label.strip()
        if target.startswith("#") and words in _PERMALINK_LABELS:
            return
        if words and _is_link(target):
            lead = " " if label[0].isspace() else ""
            tail = " " if label[-1].isspace() else ""
            label = f"{lead}[{words}]({target}){tail}"
        self._inline.append(label)

    def _code(self, _node: LexborNode) -> bool:
        return self._open_inline("")

    def _leave_code(self) -> None:
        label, _ = self._close_inline()
        if label is None or not label.strip():
            self._inline.append(label or "")
            return
        runs = [len(run) for run in _BACKTICKS.findall(label)] if "`" in label else []
        marks = "`" * (max(runs, default=0) + 1)
        space = " " if runs else ""
        self._inline.append(f"{marks}{space}{label}{space}{marks}")

    def _image(self, node: LexborNode) -> bool:
        attributes = node.attributes
        description = (attributes.get("alt") or "").strip()
        if description:
            source = attributes.get("src") or ""
            self._inline.append(f"![{description}]({source})" if _is_link(source) else description)
        return False

    def _line_break(self, _node: LexborNode) -> bool:
        # Inside a heading or a link the line goes on.
        if self._inline_starts or self._heading_level:
            self._inline.append(" ")
        else:
            self._break(1)
        return False

    # Preformatted text ------------------------------------------------------------------------

    def _preformatted(self, node: LexborNode) -> bool:
        self._break(2)
        self._structural()
        for inner in node.css("br"):
            inner.replace_with("\n")
        for inner in node.css("div,p,li,tr"):
            inner.insert_after("\n")
        code = node.text(deep=True).strip("\n")
        if code.strip():
            marks = "```"
            while marks in code:
                marks += "`"
            self._marker, marker = "", self._marker
            if marker:
                self._emit(marker.rstrip())
                self._gap = 1
            indent, self._indent = self._indent, ""
            self._emit(f"{marks}{_code_language(node)}\n{code.rstrip()}\n{marks}")
            self._indent = indent
        self._gap = 2
        return False

    # Frames -----------------------------------------------------------------------------------

    def _frame(self, node: LexborNode) -> bool:
        source = (node.attributes.get("src") or "").strip()
        if node.tag == "frame":
            self.frames += 1
        else:
            self.iframes += 1
        if source and len(source) <= URI_CHARACTERS_MAX and len(self.frame_uris) < FRAME_URIS_MAX:
            self.frame_uris.append(source)
        return False


def _is_link(target: str) -> bool:
    """Say whether a target is an address that a Markdown link can hold."""
    return len(target) <= URI_CHARACTERS_MAX and _ADDRESS.fullmatch(target) is not None


def _code_language(node: LexborNode) -> str:
    """Return the language that `class` names, on the element or on the code element in it."""
    names = node.attributes.get("class") or ""
    child = node.first_child
    if child is not None and child.tag == "code":
        names += " " + (child.attributes.get("class") or "")
    found = _CODE_LANGUAGE.search(names)
    return found[1] if found else ""


_ENTER: Final = {
    **dict.fromkeys(("p", "hr", "fieldset", "figure", "details", "section", "article"), "_loose"),
    **dict.fromkeys(
        (
            "div",
            "address",
            "aside",
            "center",
            "dialog",
            "dir",
            "dl",
            "dt",
            "figcaption",
            "footer",
            "form",
            "header",
            "hgroup",
            "legend",
            "main",
            "menu",
            "summary",
            "caption",
            "tbody",
            "thead",
            "tfoot",
            "search",
        ),
        "_tight",
    ),
    **dict.fromkeys(
        (
            "head",
            "script",
            "style",
            "noscript",
            "template",
            "svg",
            "noframes",
            "object",
            "datalist",
            "audio",
            "video",
            "canvas",
            "map",
            "noembed",
            "select",
        ),
        "_skip",
    ),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "_heading"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "_code"),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), "_preformatted"),
    **dict.fromkeys(("ul", "ol"), "_list"),
    **dict.fromkeys(("td", "th"), "_cell"),
    **dict.fromkeys(("frame", "iframe"), "_frame"),
    "nav": "_navigation",
    "a": "_link",
    "img": "_image",
    "br": "_line_break",
    "li": "_item",
    "dd": "_definition",
    "blockquote": "_quote",
    "table": "_table",
    "tr": "_row",
}
# What is called when an element ends, by what was called when it began; not called where that said that
# the content is not to be visited.
_LEAVE: Final = {
    "_loose": "_leave_loose",
    "_tight": "_leave_tight",
    "_heading": "_leave_heading",
    "_code": "_leave_code",
    "_list": "_leave_list",
    "_cell": "_leave_cell",
    "_link": "_leave_link",
    "_item": "_leave_marked",
    "_definition": "_leave_marked",
    "_quote": "_leave_quote",
    "_table": "_leave_table",
    "_row": "_leave_tight",
    "_navigation": "_leave_tight",
}
_ACTIONS: Final[dict[str, tuple[_Enter, _Leave | None]]] = {
    name: (
        getattr(TreeWriter, enter),
        getattr(TreeWriter, _LEAVE[enter]) if enter in _LEAVE else None,
    )
    for name, enter in _ENTER.items()
}
