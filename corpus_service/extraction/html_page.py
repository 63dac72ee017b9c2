"""HTML pages: charset, tree or linear reading, claims of the head, shells."""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from corpus_service.chunking import ChunkFormat
from corpus_service.extraction.charset import DecodedText, decode
from corpus_service.extraction.html_linear import is_hostile, linear_text
from corpus_service.extraction.html_tree import TreeWriter
from corpus_service.extraction.language import language_of
from corpus_service.extraction.limits import (
    CLAIMS_MAX,
    HTML_IN_PROCESS_BYTES,
    HTML_TREE_BYTES_MAX,
    SHELL_TEXT_CHARACTERS_MAX,
    URI_CHARACTERS_MAX,
)
from corpus_service.extraction.normalise import clean_title, normalise
from corpus_service.extraction.types import (
    Claim,
    ClaimKind,
    ExtractedText,
    ExtractionFailed,
    ExtractionRequest,
    FailureReason,
    Flag,
)

_LOOKS_LIKE_HTML: Final = re.compile(
    # Possessive: comments must not be divided in every possible way before the match fails.
    rb"\s*+(?:<!--.{0,2000}?-->\s*+|<\?xml[^>]{0,200}>\s*+)*+"
    rb"<(?:!doctype\s+html|html|head|body|frameset|title|meta|div|table|p|h[1-6]|article|main)\b",
    re.IGNORECASE | re.DOTALL,
)
_MEDIA_TYPES: Final = ("text/html", "application/xhtml+xml")
_META_CLAIMS: Final = {
    "og:url": ClaimKind.OPEN_GRAPH_URL,
    "og:site_name": ClaimKind.SITE_NAME,
    "article:published_time": ClaimKind.PUBLISHED_TIME,
    "article:modified_time": ClaimKind.MODIFIED_TIME,
}


class HtmlExtractor:
    """HTML and XHTML to Markdown-like text with selectolax (lexbor)."""

    name = "html"
    version = "1"

    def accepts(self, request: ExtractionRequest) -> bool:
        """Take what is declared as HTML or begins like it."""
        declared = request.content_type.lower()
        if declared.startswith(_MEDIA_TYPES):
            return True
        if declared and not declared.startswith(
            ("text/plain", "application/octet-stream", "text/xml", "application/xml")
        ):
            return False
        return looks_like_html(request.content)

    def extract(self, request: ExtractionRequest) -> ExtractedText:
        """Return the text; see the module for what is kept."""
        return page_text(request, decode(request.content, request.content_type), self)


def looks_like_html(content: bytes) -> bool:
    """Say whether bytes begin like an HTML document."""
    return _LOOKS_LIKE_HTML.match(content.lstrip(b"\xef\xbb\xbf"), 0, 4_096) is not None


def page_text(
    request: ExtractionRequest, decoded: DecodedText, extractor: HtmlExtractor
) -> ExtractedText:
    """Return the text of a decoded page.

    Raises:
        ExtractionFailed: EXTRACTOR_ERROR where the parser gives up.
    """
    flags = {Flag.CHARSET_CONFLICT} if decoded.conflict else set()
    size = len(request.content)
    if size > HTML_TREE_BYTES_MAX or (size > HTML_IN_PROCESS_BYTES and is_hostile(decoded.text)):
        # Small pages are not asked: their worst case is bounded by their size.
        raw, page = linear_text(decoded.text), None
        flags.add(Flag.TREE_SKIPPED)
    else:
        try:
            parser = LexborHTMLParser(decoded.text)
        except SelectolaxError as error:
            raise ExtractionFailed(FailureReason.EXTRACTOR_ERROR, extractor.name) from error
        page = _Page(parser)
        raw = page.text
        flags |= page.flags()
    text, repairs = normalise(raw)
    repairs.update(decoded.repairs())
    return ExtractedText(
        text=text,
        extractor=extractor.name,
        extractor_version=extractor.version,
        format=ChunkFormat.MARKDOWN,
        title=clean_title(page.title) if page else "",
        language=language_of(text, page.language if page else "", request.declared_language),
        charset=decoded.charset,
        charset_reason=decoded.reason,
        charset_confidence=decoded.confidence,
        repairs=repairs,
        flags=tuple(sorted(flags)),
        frame_uris=tuple(page.frame_uris) if page else (),
        claims=tuple(page.claims) if page else (),
    )


class _Page:
    """One parsed page."""

    def __init__(self, parser: LexborHTMLParser) -> None:
        root = parser.root
        self._parser = parser
        self.claims: list[Claim] = []
        self.title = ""
        self.language = ""
        head_title = self._read_head(parser)
        writer = TreeWriter()
        self.text = writer.text(root) if root is not None else ""
        if not self.text and writer.navigation_left_out and root is not None:
            writer = TreeWriter(with_navigation=True)
            self.text = writer.text(root)
        self._writer = writer
        self.frame_uris = writer.frame_uris
        if root is not None:
            self.language = (root.attributes.get("lang") or root.attributes.get("xml:lang") or "")[
                :100
            ]
        self.title = head_title or self.title or writer.first_heading

    def flags(self) -> set[str]:
        """Name the kinds of shell that the page is."""
        if len(self.text) >= SHELL_TEXT_CHARACTERS_MAX:
            return set()
        if self._writer.frames:
            return {Flag.FRAMESET_SHELL}
        if self._writer.iframes:
            return {Flag.IFRAME_SHELL}
        # Few scripts in a short page are ordinary; one that loads code and shows nothing is not.
        scripts = self._parser.css("script")
        loads = any(
            script.attributes.get("src") or len(script.text() or "") > 1_000 for script in scripts
        )
        mount = self._parser.css_first(
            "#root, #app, #__next, #__nuxt, noscript, [ng-app], app-root"
        )
        if loads and (mount is not None or not self.text):
            return {Flag.SCRIPT_SHELL}
        return set()

    def _read_head(self, parser: LexborHTMLParser) -> str:
        """Collect the claims; return the title element's text."""
        head = parser.head
        node = head.first_child if head is not None else None
        title = ""
        while node is not None:
            tag = node.tag
            if tag == "title" and not title:
                title = (node.text() or "").strip()
            elif tag == "link":
                self._read_link(node)
            elif tag == "meta":
                self._read_meta(node)
            node = node.next
        return title

    def _read_link(self, node: LexborNode) -> None:
        attributes = node.attributes
        relations = (attributes.get("rel") or "").lower().split()
        target = (attributes.get("href") or "").strip()
        language = (attributes.get("hreflang") or "").strip()[:100]
        if "canonical" in relations:
            self._claim(ClaimKind.CANONICAL, target)
        elif "alternate" in relations and language:
            self._claim(ClaimKind.ALTERNATE_LANGUAGE, target, language)
        elif "license" in relations or "copyright" in relations:
            self._claim(ClaimKind.LICENSE, target)

    def _read_meta(self, node: LexborNode) -> None:
        attributes = node.attributes
        name = (attributes.get("property") or attributes.get("name") or "").lower()
        if name in _META_CLAIMS:
            self._claim(_META_CLAIMS[name], (attributes.get("content") or "").strip())
        elif name in {"license", "dcterms.license", "dc.rights", "dcterms.rights"}:
            self._claim(ClaimKind.LICENSE, (attributes.get("content") or "").strip())
        elif name == "og:title":
            self.title = (attributes.get("content") or "").strip()

    def _claim(self, kind: ClaimKind, value: str, language: str = "") -> None:
        if value and len(value) <= URI_CHARACTERS_MAX and len(self.claims) < CLAIMS_MAX:
            self.claims.append(Claim(kind, value, language))
