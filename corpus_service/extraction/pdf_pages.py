"""Reading a PDF with PDFium; imported by the extractor when a worker has one to read.

What usually goes wrong is flagged with a quality score: two columns, ligature characters, glyphs without
a Unicode value, pages that are pictures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pypdfium2
from pypdfium2 import PdfiumError

from corpus_service.extraction.limits import PDF_PAGES_MAX, TEXT_BYTES_MAX
from corpus_service.extraction.normalise import clean_title, normalise
from corpus_service.extraction.types import ExtractionFailed, FailureReason, Flag

_LINE_END_HYPHEN: Final = re.compile("[\ufffe\x02]")
# PDFium writes mapped ligatures as letters; one whose glyph has no value leaves a hole in its word.
_LIGATURES: Final = re.compile(
    "[\ufb00-\ufb06]|(?<=[A-Za-z])[\ufffd\ue000-\uf8ff\x01\x03-\x08](?=[A-Za-z])"
)
_NO_VALUE: Final = re.compile("[\ufffd\ue000-\uf8ff\x01\x03-\x08]")
_COLUMN_PAGES: Final = 20
_COLUMN_RECTANGLES: Final = 400
_PASSWORD_ERROR: Final = 4
"""FPDF_ERR_PASSWORD of PDFium's public interface."""


@dataclass(frozen=True, slots=True)
class PdfText:
    """Text of all pages, where each begins, and what was found on the way."""

    text: str
    page_starts: tuple[int, ...]
    title: str
    repairs: dict[str, int]
    flags: frozenset[str]
    quality: float


def read_pdf(content: bytes, extractor: str) -> PdfText:
    """Read a PDF, pages in order and an empty line between them.

    Raises:
        ExtractionFailed: MALFORMED, ENCRYPTED, TOO_MANY_PAGES, TEXT_TOO_LARGE; under the name
            `extractor`.
    """
    try:
        document = pypdfium2.PdfDocument(content)
    except PdfiumError as error:
        is_locked = getattr(error, "err_code", None) == _PASSWORD_ERROR
        reason = FailureReason.ENCRYPTED if is_locked else FailureReason.MALFORMED
        raise ExtractionFailed(reason, extractor) from error
    try:
        return _read(document, extractor)
    finally:
        document.close()


def _read(document: Any, extractor: str) -> PdfText:  # noqa: ANN401 -- the library is not typed
    if len(document) > PDF_PAGES_MAX:
        raise ExtractionFailed(FailureReason.TOO_MANY_PAGES, extractor)
    parts: list[str] = []
    starts: list[int] = []
    repairs: dict[str, int] = {}
    flags: set[str] = set()
    columns = length = joined = 0
    for raw, is_two_column in _pages(document):
        if raw is None:
            flags.add(Flag.PARTIAL)
        # PDFium joins a word that is divided at a line end and marks the place.
        page, marks = _LINE_END_HYPHEN.subn("\u00ad", raw or "")
        page, found = normalise(page)
        joined += marks
        for name, count in found.items():
            repairs[name] = repairs.get(name, 0) + count
        starts.append(length)
        parts.append(page)
        length += len(page) + 2
        columns += is_two_column
        if length > TEXT_BYTES_MAX:
            raise ExtractionFailed(FailureReason.TEXT_TOO_LARGE, extractor)
    # The carriage returns are PDFium's own and say nothing about the document.
    repairs.pop("carriage_return", None)
    if joined:
        repairs["hyphen_joined"] = joined
    text = "\n\n".join(parts)
    quality = _quality(text, columns / max(1, min(len(document), _COLUMN_PAGES)), flags)
    title = clean_title(_metadata(document, "Title"))
    return PdfText(text, tuple(starts), title, repairs, frozenset(flags), quality)


def _pages(document: Any) -> Iterator[tuple[str | None, bool]]:  # noqa: ANN401 -- the library is not typed
    """Yield the text of each page, None where it cannot be read, and whether it has two columns."""
    for number in range(len(document)):
        try:
            page = document[number]
            text_page = page.get_textpage()
            text = text_page.get_text_range()
            is_two_column = number < _COLUMN_PAGES and _has_two_columns(page, text_page)
            text_page.close()
            page.close()
        except PdfiumError:
            yield None, False
        else:
            yield text, is_two_column


def _has_two_columns(page: Any, text_page: Any) -> bool:  # noqa: ANN401 -- the library is not typed
    """Say whether most lines lie wholly in the left or the right half, with many in each."""
    middle = page.get_width() / 2
    count = min(text_page.count_rects(), _COLUMN_RECTANGLES)
    left = right = across = 0
    for index in range(count):
        x_start, _, x_end, _ = text_page.get_rect(index)
        if x_end - x_start < middle / 4:
            continue
        if x_end <= middle * 1.02:
            left += 1
        elif x_start >= middle * 0.98:
            right += 1
        else:
            across += 1
    lines = left + right + across
    return lines >= 8 and min(left, right) >= 0.25 * lines and across <= 0.25 * lines


def _quality(text: str, two_column_share: float, flags: set[str]) -> float:
    """Score 0 to 1 and name the faults."""
    visible = sum(1 for _ in re.finditer(r"\S+", text))
    if not visible:
        flags.add(Flag.NO_TEXT_LAYER)
        return 0.0
    score = 1.0
    if two_column_share > 0.3:
        flags.add(Flag.TWO_COLUMN)
        score -= 0.2
    if _LIGATURES.search(text):
        flags.add(Flag.LIGATURES)
        score -= 0.1
    unknown = len(_NO_VALUE.findall(text)) / len(text)
    if Flag.PARTIAL in flags:
        score -= 0.3
    return round(max(0.0, score - min(0.7, 10 * unknown)), 3)


def _metadata(document: Any, name: str) -> str:  # noqa: ANN401 -- the library is not typed
    try:
        return str(document.get_metadata_value(name) or "")
    except (PdfiumError, UnicodeError):
        return ""
