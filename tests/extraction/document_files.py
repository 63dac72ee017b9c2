"""Small PDF, EPUB, DOCX and ODT files made by hand, byte for byte the same each time."""

from __future__ import annotations

import io
import zipfile
import zlib

_TIME = (2024, 1, 1, 0, 0, 0)


def zip_of(members: dict[str, bytes], *, stored_first: bool = True) -> bytes:
    """Return a ZIP container; the first member is stored as EPUB and OpenDocument demand."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as container:
        for number, (name, content) in enumerate(members.items()):
            method = zipfile.ZIP_STORED if stored_first and number == 0 else zipfile.ZIP_DEFLATED
            container.writestr(zipfile.ZipInfo(name, _TIME), content, compress_type=method)
    return buffer.getvalue()


def pdf_of(
    pages: list[list[tuple[int, int, str]]], *, title: str = "", font_map: str = ""
) -> bytes:
    """Return a PDF; a page is a list of (x, y, text) lines in 10-point Helvetica on 600 × 800 points.

    `font_map` holds bfchar lines of a ToUnicode map, to make a glyph mean something else.
    """
    objects: list[bytes] = [b"", b"", b""]
    kids = []
    for lines in pages:
        stream = "".join(f"BT /F1 10 Tf {x} {y} Td ({text}) Tj ET\n" for x, y, text in lines)
        body = stream.encode("latin-1")
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(body), body))
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]"
            b"/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>" % len(objects)
        )
        kids.append(f"{len(objects)} 0 R")
    objects[0] = b"<</Type/Catalog/Pages 2 0 R>>"
    objects[1] = f"<</Type/Pages/Count {len(kids)}/Kids[{' '.join(kids)}]>>".encode()
    to_unicode = ""
    if font_map:
        cmap = (
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
            "1 begincodespacerange <00> <FF> endcodespacerange\n"
            f"1 beginbfchar {font_map} endbfchar endcmap end end"
        ).encode()
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(cmap), cmap))
        to_unicode = f"/ToUnicode {len(objects)} 0 R"
    objects[2] = (
        f"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding{to_unicode}>>"
    ).encode()
    objects.append(f"<</Title({title})>>".encode())
    return _pdf_file(objects)


def _pdf_file(objects: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj" % number + body + b"endobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for offset in offsets:
        out += b"%010d 00000 n \n" % offset
    out += b"trailer<</Size %d/Root 1 0 R/Info %d 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        len(objects),
        start,
    )
    return bytes(out)


def epub_of(chapters: list[str], *, extra: dict[str, bytes] | None = None) -> bytes:
    """Return an EPUB whose spine is the chapters' XHTML."""
    items = "".join(
        f'<item id="c{n}" href="text/chapter%20{n}.xhtml" media-type="application/xhtml+xml"/>'
        for n in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A Book</dc:title>'
        f"<dc:language>de-AT</dc:language></metadata><manifest>{items}</manifest>"
        f"<spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OPS/package.opf"/></rootfiles></container>'
    )
    members = {
        "mimetype": b"application/epub+zip",
        "META-INF/container.xml": container.encode(),
        "OPS/package.opf": package.encode(),
    }
    for number, chapter in enumerate(chapters):
        page = f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{chapter}</body></html>'
        members[f"OPS/text/chapter {number}.xhtml"] = page.encode()
    return zip_of({**members, **(extra or {})})


def docx_of(body: str) -> bytes:
    """Return a Word document with this WordprocessingML body."""
    document = (
        '<?xml version="1.0"?><w:document xmlns:w='
        '"http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        f"<w:body>{body}</w:body></w:document>"
    )
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
        'relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.'
        'openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        'relationships/officeDocument" Target="word/document.xml"/></Relationships>'
    )
    core = (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/'
        'core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Doc</dc:title>'
        "</cp:coreProperties>"
    )
    return zip_of(
        {
            "[Content_Types].xml": types.encode(),
            "_rels/.rels": relations.encode(),
            "word/document.xml": document.encode(),
            "docProps/core.xml": core.encode(),
        },
        stored_first=False,
    )


def odt_of(body: str, *, manifest: str = "") -> bytes:
    """Return an OpenDocument text with this content."""
    spaces = (
        'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
        'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
        'xmlns:xlink="http://www.w3.org/1999/xlink"'
    )
    content = (
        f'<?xml version="1.0"?><office:document-content {spaces}><office:body><office:text>'
        f"{body}</office:text></office:body></office:document-content>"
    )
    members = {
        "mimetype": b"application/vnd.oasis.opendocument.text",
        "content.xml": content.encode(),
    }
    if manifest:
        members["META-INF/manifest.xml"] = manifest.encode()
    return zip_of(members)


def deflated(unit: bytes, times: int) -> bytes:
    """Return a zlib stream that unpacks to ``times`` units, packed once: a bomb that is cheap to make."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(unit) + packer.flush(zlib.Z_FULL_FLUSH)
    end = zlib.compressobj(9, zlib.DEFLATED, -15).flush()
    check = 1
    for _ in range(times):
        check = zlib.adler32(unit, check)
    return b"\x78\xda" + block * times + end + check.to_bytes(4)


def pdf_of_stream(stream: bytes, filters: str = "/FlateDecode") -> bytes:
    """Return a PDF of one page whose content is this packed stream."""
    return _pdf_file(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 1/Kids[5 0 R]>>",
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
            b"<</Length %d/Filter[%s]>>stream\n%s\nendstream"
            % (len(stream), filters.encode(), stream),
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]"
            b"/Resources<</Font<</F1 3 0 R>>>>/Contents 4 0 R>>",
            b"<</Title(bomb)>>",
        ]
    )


def pdf_of_forms(calls: int) -> bytes:
    """Return a PDF whose form draws itself ``calls`` times."""
    draws = b"/X Do " * calls
    return _pdf_file(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 1/Kids[5 0 R]>>",
            b"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 3 0 R>>>>"
            b"/Length %d>>stream\n%s\nendstream" % (len(draws), draws),
            b"<</Length 5>>stream\n/X Do\nendstream",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]"
            b"/Resources<</XObject<</X 3 0 R>>>>/Contents 4 0 R>>",
            b"<</Title(forms)>>",
        ]
    )


def pdf_of_itself(count: int) -> bytes:
    """Return a PDF whose page tree contains itself and claims ``count`` pages."""
    return _pdf_file(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count %d/Kids[2 0 R 2 0 R 2 0 R]>>" % count,
            b"<</Title(tree)>>",
        ]
    )
