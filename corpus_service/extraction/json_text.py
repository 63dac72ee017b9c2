r"""JSON as readable lines: one member a line, strings as what they say.

The text is formatted, not decoded and written again: numbers, duplicate names and their order stay as
written. Escapes in strings are resolved (RFC 8259, section 7), so that a word after `\n` is a word and
a quotation of a string's content is found; a lone surrogate escape becomes U+FFFD and is counted.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from corpus_service.chunking import ChunkFormat
from corpus_service.extraction.charset import decode
from corpus_service.extraction.language import language_of
from corpus_service.extraction.normalise import normalise
from corpus_service.extraction.plain_text import read_text
from corpus_service.extraction.types import ExtractedText, ExtractionRequest, Flag

_DECLARED: Final = re.compile(r"(?:application|text)/(?:[\w.+-]+\+)?json\b", re.IGNORECASE)
_BEGINS_LIKE_JSON: Final = re.compile(rb"\s*(?:\{\s*[\"}]|\[\s*[\[{\"\]\d-])")
_ESCAPE: Final = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))"
)
_SURROGATE_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_SIMPLE: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class JsonExtractor:
    """JSON of any shape."""

    name = "json"
    version = "1"

    def accepts(self, request: ExtractionRequest) -> bool:
        """Take what is declared as JSON, or begins like it where nothing better is declared."""
        declared = request.content_type
        if _DECLARED.match(declared):
            return True
        if declared and not declared.lower().startswith(("text/plain", "application/octet-stream")):
            return False
        # Text that begins like JSON and is none (a template, a log) belongs to plain text.
        return _BEGINS_LIKE_JSON.match(request.content) is not None and (
            _formatted(request.content)[0] is not None
        )

    def extract(self, request: ExtractionRequest) -> ExtractedText:
        """Return readable lines; what is no JSON is read as plain text and flagged.

        Raises:
            ExtractionFailed: UNSUPPORTED_TYPE for binary content.
        """
        decoded = decode(request.content, request.content_type)
        # RFC 8259 wants UTF-8; other charsets occur and are read the same way.
        formatted, lone = _formatted(decoded.text.encode("utf-8"))
        if formatted is None:
            return read_text(
                request, self.name, self.version, ChunkFormat.PLAIN, (Flag.INVALID_SYNTAX,)
            )
        raw = formatted.decode("utf-8")
        if "\\" in raw:
            raw = _ESCAPE.sub(_unescape, raw)
        text, repairs = normalise(raw)
        repairs.update(decoded.repairs())
        if lone:
            repairs["lone_surrogate"] = lone
        return ExtractedText(
            text=text,
            extractor=self.name,
            extractor_version=self.version,
            language=language_of(text, request.declared_language),
            charset=decoded.charset,
            charset_reason=decoded.reason,
            charset_confidence=decoded.confidence,
            repairs=repairs,
            flags=(Flag.CHARSET_CONFLICT,) if decoded.conflict else (),
        )


def _formatted(content: bytes) -> tuple[bytes | None, int]:
    """Return the indented form, or None for what is no JSON, and how many surrogates stood alone."""
    try:
        return msgspec.json.format(content, indent=2), 0
    except RecursionError:
        return None, 0
    except msgspec.DecodeError:
        if b"\\u" not in content:
            return None, 0
    repaired, lone = _replace_lone(content)
    if not lone:
        return None, 0
    try:
        return msgspec.json.format(repaired, indent=2), lone
    except (msgspec.DecodeError, RecursionError):
        return None, 0


def _replace_lone(content: bytes) -> tuple[bytes, int]:
    """Write U+FFFD for surrogate escapes without their other half, which the formatter refuses."""
    lone = 0

    def replacement(match: re.Match[bytes]) -> bytes:
        nonlocal lone
        if match[1] is None:
            return match[0]
        lone += 1
        return b"\\ufffd"

    return _SURROGATE_ESCAPE.sub(replacement, content), lone


def _unescape(match: re.Match[str]) -> str:
    high, low, single, other = match.groups()
    if other is not None:
        return _SIMPLE.get(other, other)
    if single is not None:
        return chr(int(single, 16))
    return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
