"""Plain text and Markdown: kept as they are, decoded and normalised."""

from __future__ import annotations

import codecs
import re
from typing import Final

from corpus_service.chunking import ChunkFormat, find_structure
from corpus_service.extraction.charset import DecodedText, decode
from corpus_service.extraction.language import language_of
from corpus_service.extraction.normalise import clean_title, normalise
from corpus_service.extraction.types import (
    ExtractedText,
    ExtractionFailed,
    ExtractionRequest,
    FailureReason,
    Flag,
)

_MARKDOWN_TYPES: Final = ("text/markdown", "text/x-markdown", "text/x-web-markdown")
_MARKDOWN_SUFFIX: Final = re.compile(r"\.(?:md|markdown|mdx|mkd)(?:[?#]|$)", re.IGNORECASE)
_FRONT_MATTER: Final = re.compile(r"---[ \t]*\n((?:[^\n]*\n){1,200}?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_FRONT_MATTER_TITLE: Final = re.compile(r"^title:[ \t]*([\"']?)(.{1,500}?)\1[ \t]*$", re.MULTILINE)
_FRONT_MATTER_LANGUAGE: Final = re.compile(
    r"^lang(?:uage)?:[ \t]*[\"']?([\w-]{2,35})", re.MULTILINE
)
# Zero bytes, or many controls, in the first bytes of what no mark declares as wide text.
_BINARY_SAMPLE_BYTES: Final = 4_096
_CONTROL_BYTES: Final = bytes(set(range(32)) - {9, 10, 12, 13, 27})


class MarkdownExtractor:
    """Markdown as it stands; headings and front matter give the title."""

    name = "markdown"
    version = "1"

    def accepts(self, request: ExtractionRequest) -> bool:
        """Take what is declared as Markdown or named like it."""
        declared = request.content_type.lower()
        if declared.startswith(_MARKDOWN_TYPES):
            return True
        return (
            declared.startswith(("text/plain", "application/octet-stream")) | (not declared)
            and _MARKDOWN_SUFFIX.search(request.uri) is not None
        )

    def extract(self, request: ExtractionRequest) -> ExtractedText:
        """Return the text.

        Raises:
            ExtractionFailed: UNSUPPORTED_TYPE for binary content.
        """
        return read_text(request, self.name, self.version, ChunkFormat.MARKDOWN)


class PlainExtractor:
    """Any other text; the last to be asked."""

    name = "plain"
    version = "1"

    def accepts(self, request: ExtractionRequest) -> bool:
        """Take everything that is text."""
        return not is_binary(request.content)

    def extract(self, request: ExtractionRequest) -> ExtractedText:
        """Return the text.

        Raises:
            ExtractionFailed: UNSUPPORTED_TYPE for binary content.
        """
        return read_text(request, self.name, self.version, ChunkFormat.PLAIN)


def is_binary(content: bytes) -> bool:
    """Say whether bytes are no text in any charset: control bytes where no charset has them.

    Valid UTF-8 with some control characters is text; so is UTF-16, whose Latin text has a zero in
    every second place.
    """
    sample = content[:_BINARY_SAMPLE_BYTES]
    if sample.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\x00\x00\xfe\xff")):
        return False
    controls = len(sample) - len(sample.translate(None, _CONTROL_BYTES))
    if controls * 50 <= len(sample):
        return False
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if max(even, odd) > 0.4 * (len(sample) // 2) and min(even, odd) <= 0.02 * len(sample):
        return False
    if controls * 3 > len(sample):
        return True
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return True
    return False


def read_text(
    request: ExtractionRequest,
    name: str,
    version: str,
    format: ChunkFormat,  # noqa: A002
    flags: tuple[str, ...] = (),
) -> ExtractedText:
    """Return decoded and normalised text under an extractor's name.

    Raises:
        ExtractionFailed: UNSUPPORTED_TYPE for binary content.
    """
    if is_binary(request.content):
        raise ExtractionFailed(FailureReason.UNSUPPORTED_TYPE, name)
    decoded = decode(request.content, request.content_type)
    text, repairs = normalise(decoded.text)
    repairs.update(decoded.repairs())
    title, declared = _title_and_language(text, format)
    return ExtractedText(
        text=text,
        extractor=name,
        extractor_version=version,
        format=format,
        title=clean_title(title),
        language=language_of(text, declared, request.declared_language),
        charset=decoded.charset,
        charset_reason=decoded.reason,
        charset_confidence=decoded.confidence,
        repairs=repairs,
        flags=tuple(sorted({*flags, *_charset_flags(decoded)})),
    )


def _charset_flags(decoded: DecodedText) -> tuple[str, ...]:
    return (Flag.CHARSET_CONFLICT,) if decoded.conflict else ()


def _title_and_language(text: str, format: ChunkFormat) -> tuple[str, str]:  # noqa: A002
    """Return the title and declared language that the text itself states.

    Markdown: front matter, else the first heading among its first 2,000 characters. Plain text has
    no title of its own: its first line is only a line.
    """
    if format is not ChunkFormat.MARKDOWN:
        return "", ""
    front = _FRONT_MATTER.match(text)
    title = language = ""
    if front is not None:
        named = _FRONT_MATTER_TITLE.search(front[1])
        title = named[2] if named else ""
        spoken = _FRONT_MATTER_LANGUAGE.search(front[1])
        language = spoken[1] if spoken else ""
    if not title:
        headings = find_structure(text[:2_000]).headings
        title = next((heading.title for heading in headings if heading.title), "")
    return title, language
