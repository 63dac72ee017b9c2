"""PDF, EPUB, DOCX and ODT: text, structure, faults and refusals."""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from corpus_service.chunking import ChunkFormat
from corpus_service.extraction import (
    ExtractedText,
    ExtractionFailed,
    ExtractionRequest,
    FailureReason,
    Flag,
)
from corpus_service.extraction.service import choose


def _load_files() -> ModuleType:
    path = Path(__file__).with_name("document_files.py")
    spec = importlib.util.spec_from_file_location("extraction_document_files", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


files = _load_files()


def _extract(content: bytes) -> ExtractedText:
    """Run the extractor that the bytes choose, in this process: the files are ours."""
    request = ExtractionRequest(content)
    return choose(request).extract(request)


def _reason(content: bytes) -> FailureReason:
    with pytest.raises(ExtractionFailed) as failure:
        _extract(content)
    return failure.value.reason


# PDF ----------------------------------------------------------------------------------------------


def test_pdf_pages_follow_each_other_and_are_locatable() -> None:
    found = _extract(
        files.pdf_of(
            [[(50, 700, "First page"), (50, 680, "more")], [(50, 700, "Second")]], title="T"
        )
    )
    assert found.text == "First page\nmore\n\nSecond"
    assert [found.text[start : start + 5] for start in found.page_starts] == ["First", "Secon"]
    assert (found.extractor, found.title, found.quality) == ("pdf", "T", 1.0)


def _columns(left: int, right: int) -> list[tuple[int, int, str]]:
    return [(x, 780 - 12 * n, f"words in this line {n}") for x in (left, right) for n in range(20)]


def test_two_columns_lower_the_quality() -> None:
    found = _extract(files.pdf_of([_columns(50, 330)]))
    assert Flag.TWO_COLUMN in found.flags
    assert found.quality < 1.0


def test_one_column_is_not_two() -> None:
    wide = [
        (50, 780 - 12 * n, "a line that goes over the middle of the page " * 2) for n in range(30)
    ]
    assert _extract(files.pdf_of([wide])).flags == ()


def test_mapped_ligatures_become_letters_and_unmapped_ones_are_flagged() -> None:
    line = [(50, 700, "ofxce")]
    assert _extract(files.pdf_of([line], font_map="<78> <FB01>")).text == "office"
    broken = _extract(files.pdf_of([line], font_map="<78> <F001>"))
    assert Flag.LIGATURES in broken.flags
    assert broken.quality < 0.9


def test_a_picture_only_pdf_says_so() -> None:
    found = _extract(files.pdf_of([[]]))
    assert (found.text, found.flags, found.quality) == ("", (Flag.NO_TEXT_LAYER,), 0.0)


@pytest.mark.parametrize("cut", [9, 100, 400])
def test_a_cut_pdf_gives_text_or_a_reason(cut: int) -> None:
    content = files.pdf_of([[(50, 700, "whole")]])[:cut]
    assert _reason(content) is FailureReason.MALFORMED


# EPUB ---------------------------------------------------------------------------------------------


def test_epub_chapters_stand_in_the_order_of_the_spine() -> None:
    found = _extract(files.epub_of(["<h1>Eins</h1><p>Text", "<h2>Zwei</h2><nav>Inhalt</nav>"]))
    assert found.text == "# Eins\n\nText\n\n## Zwei\n\nInhalt"
    assert (found.extractor, found.title, found.language) == ("epub", "A Book", "de")
    assert found.format is ChunkFormat.MARKDOWN


def test_an_encrypted_chapter_is_refused_and_an_obfuscated_font_is_not() -> None:
    encrypted = b'<encryption><CipherReference URI="OPS/%s"/></encryption>'
    chapter = files.epub_of(
        ["<p>x"], extra={"META-INF/encryption.xml": encrypted % b"text/chapter 0.xhtml"}
    )
    font = files.epub_of(["<p>x"], extra={"META-INF/encryption.xml": encrypted % b"font.otf"})
    assert _reason(chapter) is FailureReason.ENCRYPTED
    assert _extract(font).text == "x"


def test_an_epub_without_a_package_is_malformed() -> None:
    assert _reason(files.zip_of({"mimetype": b"application/epub+zip"})) is FailureReason.MALFORMED


# DOCX and ODT -------------------------------------------------------------------------------------


def _paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def test_docx_keeps_headings_and_tables() -> None:
    cells = "".join(
        "<w:tr>" + "".join(f"<w:tc>{_paragraph(cell)}</w:tc>" for cell in row) + "</w:tr>"
        for row in ("ab", "cd")
    )
    found = _extract(files.docx_of(_paragraph("Head", "Heading2") + f"<w:tbl>{cells}</w:tbl>"))
    assert found.text == "## Head\n\n| a | b |\n| --- | --- |\n| c | d |"
    assert (found.extractor, found.title) == ("docx", "Doc")


def test_docx_with_a_broken_body_is_malformed() -> None:
    assert _reason(files.docx_of("<w:p>").replace(b"PK\x05\x06", b"PK\x05\x07")) is (
        FailureReason.MALFORMED
    )
    assert _reason(files.docx_of("<w:unclosed>")) is FailureReason.MALFORMED


def test_odt_keeps_headings_lists_links_and_spaces() -> None:
    found = _extract(
        files.odt_of(
            '<text:h text:outline-level="3">Head</text:h>'
            '<text:p>a<text:line-break/>b <text:a xlink:href="https://x.example/">link</text:a></text:p>'
            "<text:list><text:list-item><text:p>one</text:p></text:list-item></text:list>"
            "<text:p>kept<office:annotation><text:p>note</text:p></office:annotation> tail</text:p>"
        )
    )
    assert found.text == "### Head\n\na\nb [link](https://x.example/)\n\n- one\n\nkept tail"
    assert found.extractor == "odt"


def test_an_encrypted_odt_is_refused() -> None:
    manifest = "<manifest:encryption-data/>"
    assert _reason(files.odt_of("x", manifest=manifest)) is FailureReason.ENCRYPTED


# Containers that unpack to too much ---------------------------------------------------------------


@pytest.mark.parametrize("kind", ["epub", "docx", "odt"])
def test_a_zip_bomb_is_refused_before_it_is_unpacked(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpus_service.extraction.archives.ARCHIVE_MEMBER_BYTES_MAX", 1_000_000)
    bomb = " " * 2_000_000
    content = {
        "epub": lambda: files.epub_of([bomb]),
        "docx": lambda: files.docx_of(bomb),
        "odt": lambda: files.odt_of(bomb),
    }[kind]()
    assert len(content) < 20_000
    assert _reason(content) is FailureReason.ARCHIVE_TOO_LARGE


def test_too_many_members_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpus_service.extraction.archives.ARCHIVE_MEMBERS_MAX", 20)
    content = files.epub_of(["<p>x"] * 30)
    assert _reason(content) is FailureReason.ARCHIVE_TOO_LARGE


def test_a_member_that_is_larger_than_it_says_is_malformed() -> None:
    content = bytearray(files.odt_of("x" * 50_000))
    directory = content.rfind(b"PK\x01\x02")
    content[directory + 24 : directory + 28] = (10).to_bytes(4, "little")
    assert _reason(bytes(content)) is FailureReason.MALFORMED


def test_other_containers_are_unsupported() -> None:
    content = files.zip_of({"a.bin": bytes(range(256)) * 20}, stored_first=False)
    assert zipfile.is_zipfile(__import__("io").BytesIO(content))
    assert _reason(content) is FailureReason.UNSUPPORTED_TYPE
