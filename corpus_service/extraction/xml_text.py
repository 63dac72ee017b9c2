"""XML of any vocabulary: the text of its elements, one line per block.

An element that holds text of its own holds inline elements; all others hold blocks. Entities are not
expanded, nothing is fetched, and depth and size are bounded by libxml2.
"""

from __future__ import annotations

import re
from typing import Final

from lxml import etree

from corpus_service.chunking import ChunkFormat
from corpus_service.extraction.charset import decode
from corpus_service.extraction.language import language_of
from corpus_service.extraction.normalise import clean_title, normalise
from corpus_service.extraction.plain_text import read_text
from corpus_service.extraction.types import ExtractedText, ExtractionRequest, Flag

_DECLARED: Final = re.compile(r"(?:application|text|image)/(?:[\w.-]+\+)?xml\b", re.IGNORECASE)
_BEGINS_LIKE_XML: Final = re.compile(rb"\s*<\?xml[\s?]")
_DECLARATION: Final = re.compile(r"\s*<\?xml[^>]*\?>")
# References to surrogates are no characters (XML 1.0, section 2.2); libxml2 keeps them when it recovers,
# and the text of their element can then not be read.
_SURROGATE_REFERENCE: Final = re.compile(
    rb"&#(?:[xX]0*[dD][89a-fA-F][0-9a-fA-F]{2}"
    rb"|0*(?:5529[6-9]|55[3-9]\d\d|56\d{3}|57[0-2]\d\d|573[0-3]\d|5734[0-3]));?"
)
_LINES: Final = re.compile(r"[ \t\f]*\n[ \t\f\n]*")
_SPACES: Final = re.compile(r"[ \t\f]+")
_LANGUAGE: Final = "{http://www.w3.org/XML/1998/namespace}lang"


class XmlExtractor:
    """XML to lines of text with lxml."""

    name = "xml"
    version = "1"

    def accepts(self, request: ExtractionRequest) -> bool:
        """Take what is declared as XML or has an XML declaration."""
        if _DECLARED.match(request.content_type):
            return True
        return _BEGINS_LIKE_XML.match(request.content) is not None

    def extract(self, request: ExtractionRequest) -> ExtractedText:
        """Return the text; what is no XML is read as plain text and flagged.

        Raises:
            ExtractionFailed: UNSUPPORTED_TYPE for binary content.
        """
        decoded = decode(request.content, request.content_type)
        root, is_partial = parse_xml(_DECLARATION.sub("", decoded.text, count=1).encode("utf-8"))
        if root is None:
            return read_text(
                request, self.name, self.version, ChunkFormat.PLAIN, (Flag.INVALID_SYNTAX,)
            )
        text, repairs = normalise(_text_of(root))
        repairs.update(decoded.repairs())
        flags = {Flag.PARTIAL} if is_partial else set()
        if decoded.conflict:
            flags.add(Flag.CHARSET_CONFLICT)
        return ExtractedText(
            text=text,
            extractor=self.name,
            extractor_version=self.version,
            title=clean_title(_title_of(root)),
            language=language_of(text, str(root.get(_LANGUAGE) or ""), request.declared_language),
            charset=decoded.charset,
            charset_reason=decoded.reason,
            charset_confidence=decoded.confidence,
            repairs=repairs,
            flags=tuple(sorted(flags)),
        )


def parse_xml(content: bytes) -> tuple[etree._Element | None, bool]:
    """Parse UTF-8 bytes without entities or network.

    Returns:
        The root, or None where there is no element at all, and whether something could not be read.
    """
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, huge_tree=False, encoding="utf-8"
    )
    try:
        root = etree.fromstring(_SURROGATE_REFERENCE.sub(b"\xef\xbf\xbd", content), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None, True
    return root, len(parser.error_log) > 0


def _text_of(root: etree._Element) -> str:
    parts: list[str] = []
    mixed: list[bool] = []
    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if event == "start":
            if mixed and not mixed[-1]:
                parts.append("\n")
            mixed.append(_has_own_text(element))
            parts.append(element.text or "")
        elif event == "end":
            mixed.pop()
            if not mixed:
                break
            if not mixed[-1]:
                parts.append("\n")
            parts.append(element.tail or "")
        else:
            parts.append(element.tail or "")
    return _LINES.sub("\n", _SPACES.sub(" ", "".join(parts))).strip()


def _has_own_text(element: etree._Element) -> bool:
    if element.text and not element.text.isspace():
        return True
    return any(child.tail and not child.tail.isspace() for child in element)


def _title_of(root: etree._Element) -> str:
    for element in root.iter("{*}title"):
        return "".join(element.itertext())
    return ""
