"""What extraction takes and gives: requests, texts, claims, failures, the extractor's contract.

Pure; the standard library and the chunk format only.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from corpus_service.chunking import ChunkFormat


@dataclass(frozen=True, slots=True)
class ExtractionRequest:
    """Stored bytes and what is declared about them; every declaration may be missing or wrong."""

    content: bytes
    content_type: str = ""
    """Declared media type, with or without parameters such as charset."""

    uri: str = ""
    """Canonical URI; only its path suffix is looked at."""

    kind: str = ""
    """Source kind as a hint, for example `page` or `manual`."""

    declared_language: str = ""
    """Language declared outside the content (a Content-Language header), BCP 47."""


class ClaimKind(enum.Enum):
    """Statements that a page makes about itself; kept beside the text, never used as identity."""

    CANONICAL = "canonical"
    OPEN_GRAPH_URL = "og:url"
    ALTERNATE_LANGUAGE = "hreflang"
    LICENSE = "license"
    SITE_NAME = "og:site_name"
    PUBLISHED_TIME = "published_time"
    MODIFIED_TIME = "modified_time"


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim: its kind, the value as written, and the language of an alternate."""

    kind: ClaimKind
    value: str
    language: str = ""


class CharsetReason(enum.Enum):
    """What decided the charset, in the order in which it is asked."""

    BYTE_ORDER_MARK = "bom"
    STRICT_UTF_8 = "utf-8"
    HEADER = "header"
    META = "meta"
    DETECTOR = "detector"
    CONTAINER = "container"
    """The format itself defines it (JSON, EPUB, DOCX, ODT, PDF)."""

    FALLBACK = "fallback"
    """Nothing fitted; undecodable bytes became U+FFFD."""


@dataclass(frozen=True, slots=True)
class ExtractedText:
    """Text of one artifact as a named extractor version read it."""

    text: str
    """Normalised text: line feeds only, no BOM at the start, no NUL, no lone surrogate. Spans of
    chunks and citations are code point offsets into it."""

    extractor: str
    extractor_version: str
    format: ChunkFormat = ChunkFormat.PLAIN
    """How the text marks its structure."""

    title: str = ""
    """One line without control, format and bidirectional characters, at most 500 code points."""

    language: str = ""
    """Primary BCP 47 subtag, or empty where nothing decides it."""

    charset: str = "utf-8"
    """Python codec name that the bytes were decoded with."""

    charset_reason: CharsetReason = CharsetReason.CONTAINER
    charset_confidence: float = 1.0
    """0 to 1; under 0.5 the text may be garbled."""

    repairs: Mapping[str, int] = field(default_factory=dict)
    """Counts by name: `nul`, `lone_surrogate`, `undecodable`, `bom`, `carriage_return`, `hyphen_joined`,
    and of kept characters `control_kept`, `bidi_kept`."""

    flags: tuple[str, ...] = ()
    """Sorted names, see `Flag`."""

    frame_uris: tuple[str, ...] = ()
    """Addresses of frames as written; the corpus never fetches them."""

    claims: tuple[Claim, ...] = ()
    page_starts: tuple[int, ...] = ()
    """Code point offset at which each page begins, for formats that have pages."""

    quality: float = 1.0
    """0 to 1 as far as the extractor can tell; PDFs with column or ligature faults score lower."""


class Flag:
    """Names that `ExtractedText.flags` may hold."""

    FRAMESET_SHELL = "frameset_shell"
    IFRAME_SHELL = "iframe_shell"
    SCRIPT_SHELL = "script_shell"
    TREE_SKIPPED = "tree_skipped"
    """HTML too deep for a tree; structure is lost, text is complete."""

    INVALID_SYNTAX = "invalid_syntax"
    """Declared JSON or XML that is not; read as plain text."""

    CHARSET_CONFLICT = "charset_conflict"
    """A declaration was not believed."""

    TWO_COLUMN = "two_column"
    LIGATURES = "ligatures"
    NO_TEXT_LAYER = "no_text_layer"
    """Pages that are pictures only."""

    PARTIAL = "partial"
    """Parts of the document could not be read."""


class FailureReason(enum.Enum):
    """Why there is no text; documented in docs/extraction.md."""

    UNSUPPORTED_TYPE = "UNSUPPORTED_TYPE"
    CONTENT_TOO_LARGE = "CONTENT_TOO_LARGE"
    TEXT_TOO_LARGE = "TEXT_TOO_LARGE"
    ARCHIVE_TOO_LARGE = "ARCHIVE_TOO_LARGE"
    TOO_MANY_PAGES = "TOO_MANY_PAGES"
    ENCRYPTED = "ENCRYPTED"
    MALFORMED = "MALFORMED"
    TIME_LIMIT = "TIME_LIMIT"
    MEMORY_LIMIT = "MEMORY_LIMIT"
    WORKER_CRASHED = "WORKER_CRASHED"
    EXTRACTOR_ERROR = "EXTRACTOR_ERROR"
    CLOSED = "CLOSED"


class ExtractionFailed(Exception):  # noqa: N818 -- a name of the port
    """No text could be made; the raw artifact is untouched.

    Attributes:
        reason: one of `FailureReason`; never payload text.
        extractor: name of the extractor that failed, empty if none was chosen.
    """

    def __init__(self, reason: FailureReason, extractor: str = "") -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.extractor = extractor

    def __reduce__(self) -> tuple[type[ExtractionFailed], tuple[FailureReason, str]]:
        """Pickle by its fields: it crosses the worker's pipe."""
        return (ExtractionFailed, (self.reason, self.extractor))


class Extractor(Protocol):
    """Makes text of one family of formats.

    `extract` is deterministic: the same request gives the same text for the same `version`. It
    raises `ExtractionFailed` and nothing else for any bytes; memory and time are bounded by the
    caller (size limits in process, a limited worker otherwise).
    """

    @property
    def name(self) -> str:
        """Stable lower-case name, part of a document version's identity."""

    @property
    def version(self) -> str:
        """Raised whenever the same bytes may give other text."""

    def accepts(self, request: ExtractionRequest) -> bool:
        """Say whether the bytes look like this family; cheap, looks at the first bytes only."""

    def extract(self, request: ExtractionRequest) -> ExtractedText:
        """Return the text.

        Raises:
            ExtractionFailed: the bytes give no text.
        """
