"""EPUB, DOCX and ODT: containers whose content becomes HTML and then Markdown-like text.

One writer for all of them keeps headings, lists, tables and links alike. Run them in a limited worker:
they unpack, and parse what they unpacked.
"""

from __future__ import annotations

import io
from html import escape
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser

from corpus_service.chunking import ChunkFormat
from corpus_service.extraction.archives import Archive, declared_mimetype, is_zip, resolve_member
from corpus_service.extraction.charset import decode
from corpus_service.extraction.html_linear import is_hostile, linear_text
from corpus_service.extraction.html_tree import TreeWriter
from corpus_service.extraction.language import language_of
from corpus_service.extraction.limits import ARCHIVE_MEMBERS_MAX, TEXT_BYTES_MAX
from corpus_service.extraction.normalise import clean_title, normalise
from corpus_service.extraction.odt_markup import odt_markup
from corpus_service.extraction.types import (
    ExtractedText,
    ExtractionFailed,
    ExtractionRequest,
    FailureReason,
    Flag,
)
from corpus_service.extraction.xml_text import parse_xml

_DUBLIN_CORE: Final = "{http://purl.org/dc/elements/1.1/}"
_DOCX_BODY: Final = "word/document.xml"
_XHTML_TYPES: Final = frozenset({"application/xhtml+xml", "text/html"})


class EpubExtractor:
    """EPUB: the documents of the spine in reading order."""

    name = "epub"
    version = "1"

    def accepts(self, request: ExtractionRequest) -> bool:
        """Take what names itself an EPUB in its first member."""
        return declared_mimetype(request.content) == "application/epub+zip"

    def extract(self, request: ExtractionRequest) -> ExtractedText:
        """Return the text of the book.

        Raises:
            ExtractionFailed: MALFORMED, ENCRYPTED, ARCHIVE_TOO_LARGE, TEXT_TOO_LARGE.
        """
        archive = Archive(request.content, self.name)
        package_path = _epub_package(archive)
        package = _member_xml(archive, package_path)
        flags: set[str] = set()
        parts: list[str] = []
        length = 0
        for member in _epub_spine(archive, package, package_path, flags):
            part = markup_text(decode(archive.read(member)).text, flags)
            length += len(part)
            if length > TEXT_BYTES_MAX:
                raise archive.failure(FailureReason.TEXT_TOO_LARGE)
            if part:
                parts.append(part)
        return _document(
            request,
            (self.name, self.version),
            "\n\n".join(parts),
            title=_first_text(package, "title"),
            language=_first_text(package, "language"),
            flags=flags,
        )


class DocxExtractor:
    """Word documents (Office Open XML) through mammoth's HTML."""

    name = "docx"
    version = "1"

    def accepts(self, request: ExtractionRequest) -> bool:
        """Take a ZIP container that holds a Word body."""
        return is_zip(request.content) and _DOCX_BODY.encode() in request.content

    def extract(self, request: ExtractionRequest) -> ExtractedText:
        """Return the text with headings, lists, tables and links.

        Raises:
            ExtractionFailed: MALFORMED, ENCRYPTED, ARCHIVE_TOO_LARGE, TEXT_TOO_LARGE.
        """
        import mammoth

        archive = Archive(request.content, self.name)
        archive.read(_DOCX_BODY)
        try:
            converted = mammoth.convert_to_html(
                io.BytesIO(request.content),
                # Pictures would be written into the text as base64.
                convert_image=lambda _image: [],
                external_file_access=False,
            )
        except (MemoryError, ExtractionFailed):
            raise
        except Exception as error:  # the library raises what its parsers raise
            raise archive.failure(FailureReason.MALFORMED) from error
        flags: set[str] = set()
        title = language = ""
        if archive.has("docProps/core.xml"):
            core = _member_xml(archive, "docProps/core.xml")
            title, language = _first_text(core, "title"), _first_text(core, "language")
        text = markup_text(converted.value, flags)
        return _document(
            request, (self.name, self.version), text, title=title, language=language, flags=flags
        )


class OdtExtractor:
    """OpenDocument text."""

    name = "odt"
    version = "1"

    def accepts(self, request: ExtractionRequest) -> bool:
        """Take what names itself an OpenDocument text in its first member."""
        return declared_mimetype(request.content).startswith(
            "application/vnd.oasis.opendocument.text"
        )

    def extract(self, request: ExtractionRequest) -> ExtractedText:
        """Return the text with headings, lists, tables and links.

        Raises:
            ExtractionFailed: MALFORMED, ENCRYPTED, ARCHIVE_TOO_LARGE, TEXT_TOO_LARGE.
        """
        archive = Archive(request.content, self.name)
        if archive.has("META-INF/manifest.xml") and b"encryption-data" in archive.read(
            "META-INF/manifest.xml"
        ):
            raise archive.failure(FailureReason.ENCRYPTED)
        flags: set[str] = set()
        text = markup_text(odt_markup(_member_xml(archive, "content.xml")), flags)
        title = language = ""
        if archive.has("meta.xml"):
            meta = _member_xml(archive, "meta.xml")
            title, language = _first_text(meta, "title"), _first_text(meta, "language")
        return _document(
            request, (self.name, self.version), text, title=title, language=language, flags=flags
        )


def markup_text(markup: str, flags: set[str]) -> str:
    """Return the text of HTML made from a document; adds to `flags`."""
    if is_hostile(markup):
        flags.add(Flag.TREE_SKIPPED)
        return linear_text(markup)
    root = LexborHTMLParser(markup).root
    return TreeWriter(with_navigation=True).text(root) if root is not None else ""


def _document(
    request: ExtractionRequest,
    extractor: tuple[str, str],
    raw: str,
    *,
    title: str,
    language: str,
    flags: set[str],
) -> ExtractedText:
    text, repairs = normalise(raw)
    return ExtractedText(
        text=text,
        extractor=extractor[0],
        extractor_version=extractor[1],
        format=ChunkFormat.MARKDOWN,
        title=clean_title(title),
        language=language_of(text, language, request.declared_language),
        repairs=repairs,
        flags=tuple(sorted(flags)),
    )


def _member_xml(archive: Archive, name: str) -> Any:  # noqa: ANN401 -- lxml is not typed
    root, _ = parse_xml(archive.read(name))
    if root is None:
        raise archive.failure(FailureReason.MALFORMED)
    return root


def _epub_package(archive: Archive) -> str:
    """Return the path of the package document (OCF 3.3, section 4.2.6.3.1)."""
    container = _member_xml(archive, "META-INF/container.xml")
    for rootfile in container.iter("{*}rootfile"):
        path = str(rootfile.get("full-path") or "")
        if archive.has(path):
            return path
    raise archive.failure(FailureReason.MALFORMED)


def _epub_spine(archive: Archive, package: Any, base: str, flags: set[str]) -> list[str]:  # noqa: ANN401
    """Return the members of the spine in order; what is missing makes the text partial."""
    encrypted = b""
    if archive.has("META-INF/encryption.xml"):
        encrypted = archive.read("META-INF/encryption.xml")
    items = {item.get("id"): item for item in package.iter("{*}item") if item.get("id") is not None}
    members: list[str] = []
    for reference in package.iter("{*}itemref"):
        item = items.get(reference.get("idref"))
        if item is None or item.get("media-type") not in _XHTML_TYPES:
            continue
        member = resolve_member(base, str(item.get("href") or ""))
        if not archive.has(member):
            flags.add(Flag.PARTIAL)
        elif escape(member).encode() in encrypted:
            # Fonts may be obfuscated; an encrypted document of the spine cannot be read.
            raise archive.failure(FailureReason.ENCRYPTED)
        elif len(members) < ARCHIVE_MEMBERS_MAX:
            members.append(member)
    if not members:
        raise archive.failure(FailureReason.MALFORMED)
    return members


def _first_text(root: Any, name: str) -> str:  # noqa: ANN401 -- lxml is not typed
    """Return the text of the first Dublin Core element of that name."""
    for element in root.iter(_DUBLIN_CORE + name):
        return "".join(element.itertext()).strip()
    return ""
