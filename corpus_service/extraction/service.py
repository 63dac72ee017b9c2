"""Text extraction as the corpus uses it: choose the extractor, and where it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from corpus_service.extraction.html_page import HtmlExtractor
from corpus_service.extraction.json_text import JsonExtractor
from corpus_service.extraction.limits import CONTENT_BYTES_MAX
from corpus_service.extraction.plain_text import MarkdownExtractor, PlainExtractor
from corpus_service.extraction.types import (
    ExtractedText,
    ExtractionFailed,
    ExtractionRequest,
    Extractor,
    FailureReason,
)
from corpus_service.extraction.xml_text import XmlExtractor

IN_PROCESS: Final[tuple[Extractor, ...]] = (
    HtmlExtractor(),
    JsonExtractor(),
    XmlExtractor(),
    MarkdownExtractor(),
    PlainExtractor(),
)
"""Asked in this order; the first that accepts reads the content."""


class TextExtraction:
    """Chooses an extractor and runs it."""

    def __init__(self, extractors: Sequence[Extractor] = IN_PROCESS) -> None:
        self._extractors = tuple(extractors)

    def extract(self, request: ExtractionRequest) -> ExtractedText:
        """Return the text of stored bytes.

        Raises:
            ExtractionFailed: there is no text; the reason is machine-readable. Nothing else is
                raised, whatever the bytes.
        """
        if len(request.content) > CONTENT_BYTES_MAX:
            raise ExtractionFailed(FailureReason.CONTENT_TOO_LARGE)
        for extractor in self._extractors:
            if extractor.accepts(request):
                return extractor.extract(request)
        raise ExtractionFailed(FailureReason.UNSUPPORTED_TYPE)

    def close(self) -> None:
        """Release what extraction holds; a second call does nothing."""
