"""The extractors in the order in which they are asked, and up to which size each runs in process."""

from __future__ import annotations

from typing import Final

from corpus_service.extraction.documents import DocxExtractor, EpubExtractor, OdtExtractor
from corpus_service.extraction.html_page import HtmlExtractor
from corpus_service.extraction.json_text import JsonExtractor
from corpus_service.extraction.limits import (
    HTML_IN_PROCESS_BYTES,
    JSON_IN_PROCESS_BYTES,
    PLAIN_IN_PROCESS_BYTES,
    XML_IN_PROCESS_BYTES,
)
from corpus_service.extraction.pdf_text import PdfExtractor
from corpus_service.extraction.plain_text import MarkdownExtractor, PlainExtractor
from corpus_service.extraction.types import Extractor
from corpus_service.extraction.xml_text import XmlExtractor

EXTRACTORS: Final[tuple[Extractor, ...]] = (
    PdfExtractor(),
    EpubExtractor(),
    OdtExtractor(),
    DocxExtractor(),
    HtmlExtractor(),
    JsonExtractor(),
    XmlExtractor(),
    MarkdownExtractor(),
    PlainExtractor(),
)
"""Marks in the bytes first, then declarations, then plain text, which takes what is left."""

IN_PROCESS_BYTES: Final = {
    "html": HTML_IN_PROCESS_BYTES,
    "json": JSON_IN_PROCESS_BYTES,
    "xml": XML_IN_PROCESS_BYTES,
    "markdown": PLAIN_IN_PROCESS_BYTES,
    "plain": PLAIN_IN_PROCESS_BYTES,
}
"""Content bytes up to which an extractor runs in the calling process; an extractor that is not named
always runs in a worker."""
