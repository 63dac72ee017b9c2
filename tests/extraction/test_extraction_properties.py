"""Extraction is total and deterministic over any bytes, and its text keeps its promises."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_service.chunking import chunk_text
from corpus_service.extraction import (
    ExtractedText,
    ExtractionFailed,
    ExtractionRequest,
    FailureReason,
    TextExtraction,
)
from corpus_service.extraction.catalogue import EXTRACTORS
from corpus_service.extraction.charset import decode
from corpus_service.extraction.normalise import clean_title, normalise

_TYPES = st.sampled_from(
    [
        "", "text/html", "text/html; charset=shift_jis", "text/plain; charset=utf-7", "application/json",
        "text/markdown", "application/xml", "text/plain; charset=utf-16", "image/png", "text/plain",
        "application/octet-stream", "text/html; charset=rot13", "text/html; charset=idna",
        "text/plain; charset=punycode", "text/plain; charset=unicode_escape", "x; charset=undefined",
    ]
)  # fmt: skip
_MARKUP = st.lists(
    st.sampled_from(
        [
            "<table>", "<tr>", "<td>", "</td>", "</table>", "<ul>", "<li>", "</ul>", "<ol start=x>", "<pre>",
            "</pre>", "<h1>", "</h1>", "<p>", "<a href=x>", "</a>", "<code>", "</code>", "<br>", "<dl>",
            "<dd>", "<blockquote>", "</blockquote>", "text ", "日本", "<div>", "</div>", "<nav>", "<frameset>",
            "<frame src=y>", "<iframe src=z>", "<template>", "<select><option>", "<svg>", "<!--", "-->", "\x00",
            "&#xD800;", "<script>", "</script>", "<body>", "<caption>", "<noscript>", "`", "|", "#",
        ]
    ),
    max_size=40,
).map(lambda parts: "".join(parts).encode())  # fmt: skip
_CONTENTS = st.one_of(
    st.binary(max_size=400),
    _MARKUP,
    st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")),
)


@pytest.fixture(scope="module")
def extraction() -> Iterator[TextExtraction]:
    one = TextExtraction()
    yield one
    one.close()


def _outcome(
    extraction: TextExtraction, request: ExtractionRequest
) -> ExtractedText | FailureReason:
    try:
        return extraction.extract(request)
    except ExtractionFailed as failure:
        return failure.reason


@settings(max_examples=400, deadline=None)
@given(content=_CONTENTS, content_type=_TYPES)
def test_any_bytes_give_the_same_text_or_reason_twice(
    extraction: TextExtraction, content: bytes, content_type: str
) -> None:
    request = ExtractionRequest(content, content_type)
    first = _outcome(extraction, request)
    assert _outcome(extraction, request) == first
    assert first is not FailureReason.EXTRACTOR_ERROR


@settings(max_examples=400, deadline=None)
@given(content=_CONTENTS, content_type=_TYPES)
def test_text_can_be_stored_and_chunked(
    extraction: TextExtraction, content: bytes, content_type: str
) -> None:
    found = _outcome(extraction, ExtractionRequest(content, content_type))
    if isinstance(found, FailureReason):
        return
    found.text.encode("utf-8")
    assert "\x00" not in found.text
    assert "\r" not in found.text
    assert not found.text.startswith("\ufeff") or "bom" in found.repairs
    chunks = chunk_text(found.text, format=found.format)
    joined = "".join(found.text[chunk.start : chunk.end] for chunk in chunks)
    assert joined == (found.text if found.text.strip() else "")


@settings(max_examples=300, deadline=None)
@given(content=st.binary(max_size=300), content_type=_TYPES)
def test_decoding_is_total_and_its_confidence_a_share(content: bytes, content_type: str) -> None:
    decoded = decode(content, content_type)
    assert 0.0 <= decoded.confidence <= 1.0
    assert isinstance(decoded.text, str)


@settings(max_examples=150, deadline=None)
@given(content=st.binary(max_size=300))
def test_every_extractor_fails_only_with_a_reason(content: bytes) -> None:
    marked = {
        "pdf": b"%PDF-1.7\n" + content,
        "docx": b"PK\x03\x04word/document.xml" + content,
        "epub": b"PK\x03\x04" + content,
        "odt": b"PK\x03\x04" + content,
    }
    for extractor in EXTRACTORS:
        request = ExtractionRequest(marked.get(extractor.name, content))
        extractor.accepts(request)
        try:
            name = extractor.extract(request).extractor
        except ExtractionFailed as failure:
            name = failure.extractor
        assert name == extractor.name


@given(st.text(max_size=200))
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    once, _ = normalise(text)
    twice, repairs = normalise(once)
    assert twice == once.removeprefix("\ufeff")
    assert set(repairs) <= {"bom", "control_kept", "bidi_kept"}


@given(st.text(max_size=700))
def test_titles_are_one_clean_line(text: str) -> None:
    title = clean_title(text)
    assert clean_title(title) == title
    assert len(title) <= 500
    assert not set(title) & set("\n\r\t\x00\u202e\u2066\u200f")
