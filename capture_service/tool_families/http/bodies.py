"""Bodies: which are text, what type they have, and what is kept of those that are none."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from capture_service.domain.sources import JsonValue
from sourcecorpus.identity import content_hash

_TEXTUAL: Final = re.compile(
    r"text/.*|.*[/+](?:json|xml|yaml|javascript|ecmascript|x-ndjson|x-yaml|toml|sql|graphql)"
    r"|application/(?:x-www-form-urlencoded|rtf|x-sh|x-subrip|ld\+json|.*script)"
)
_HTML: Final = re.compile(
    r"\s*(?:<!--.{0,400}?-->\s*)?<(?:!doctype html|(?:html|head|body|frameset|title|meta|div|p|h[1-6]"
    r"|table|article|section|main|link|script)\b)",
    re.IGNORECASE,
)
_XML: Final = re.compile(r"\s*<\?xml\b")
_JSON: Final = re.compile(r'\s*(?:\{\s*["}]|\[\s*[\[{"\]\d-])')
_REPLACED_SHARE: Final = 0.05
"""Share of replacement characters above which decoded text is taken for a binary body."""

_SNIFFED_CODE_POINTS: Final = 4_096


@dataclass(frozen=True, slots=True)
class Body:
    """A body as it is kept.

    Attributes:
        content: The bytes, None where the policy does not keep them.
        content_type: Media type of the content; text has been decoded and is UTF-8.
        facts: Hash, size and type of a body that is no text.
        textual: Whether it is text.
    """

    content: bytes | None
    content_type: str
    textual: bool
    facts: dict[str, JsonValue] = field(default_factory=dict)


def media_type(header: str) -> str:
    """Returns the media type of a content-type header without its parameters, lower case."""
    return header.partition(";")[0].strip().lower()


def is_textual(declared: str, sample: str) -> bool:
    """Tells whether a body is text: by its declared type, without one by its characters."""
    if declared:
        return _TEXTUAL.fullmatch(declared) is not None
    part = sample[:_SNIFFED_CODE_POINTS]
    if "\x00" in part:
        return False
    return not part or part.count("\ufffd") / len(part) < _REPLACED_SHARE


def text_body(declared: str, text: str, *, keep_binary: bool) -> Body:
    """Returns a body that a tool has already decoded to text.

    Args:
        declared: Declared media type, "" for none.
        text: The text.
        keep_binary: Whether bodies that are no text are kept.
    """
    data = text.encode("utf-8", "replace") if text.isascii() else _utf8(text)
    if is_textual(declared, text):
        return Body(data, f"{declared or sniffed_type(text)}; charset=utf-8", textual=True)
    facts = _binary_facts(declared, data)
    # Decoding has replaced bytes: the hash tells equal results apart, it is not the file's.
    facts["decoded_by_tool"] = True
    return Body(data if keep_binary else None, declared, textual=False, facts=facts)


def byte_body(declared: str, data: bytes, *, keep_binary: bool) -> Body:
    """Returns a body whose exact bytes are at hand.

    Args:
        declared: Declared media type, "" for none.
        data: The bytes.
        keep_binary: Whether bodies that are no text are kept.
    """
    sample = data[:_SNIFFED_CODE_POINTS].decode("utf-8", "replace")
    if is_textual(declared, sample):
        return Body(data, declared or sniffed_type(sample), textual=True)
    kept = data if keep_binary else None
    return Body(kept, declared, textual=False, facts=_binary_facts(declared, data))


def sniffed_type(text: str) -> str:
    """Returns the media type that the beginning of a text shows."""
    start = text[:_SNIFFED_CODE_POINTS]
    if _HTML.match(start):
        return "text/html"
    if _XML.match(start):
        return "application/xml"
    return "application/json" if _JSON.match(start) else "text/plain"


def _binary_facts(declared: str, data: bytes) -> dict[str, JsonValue]:
    return {
        "body_hash": content_hash(data),
        "body_bytes": len(data),
        "body_type": declared or "application/octet-stream",
        "binary": True,
    }


def _utf8(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
