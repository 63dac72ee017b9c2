"""PDF text: pages in order, in the reading order of their content streams."""

from __future__ import annotations

from typing import Final

from corpus_service.extraction.language import language_of
from corpus_service.extraction.types import ExtractedText, ExtractionRequest

_MARK: Final = b"%PDF-"
_MARK_WITHIN_BYTES: Final = 1_024


class PdfExtractor:
    """PDF to text with PDFium."""

    name = "pdf"
    version = "1"

    def accepts(self, request: ExtractionRequest) -> bool:
        """Take what holds the mark of a PDF in its first 1,024 bytes, as readers do."""
        return _MARK in request.content[:_MARK_WITHIN_BYTES]

    def extract(self, request: ExtractionRequest) -> ExtractedText:
        """Return the text of all pages with the offset of each.

        Raises:
            ExtractionFailed: MALFORMED, ENCRYPTED, TOO_MANY_PAGES, TEXT_TOO_LARGE.
        """
        # The service itself never reads a PDF and need not load the library.
        from corpus_service.extraction.pdf_pages import read_pdf

        found = read_pdf(request.content, self.name)
        return ExtractedText(
            text=found.text,
            extractor=self.name,
            extractor_version=self.version,
            title=found.title,
            language=language_of(found.text, request.declared_language),
            repairs=found.repairs,
            flags=tuple(sorted(found.flags)),
            page_starts=found.page_starts,
            quality=found.quality,
        )
