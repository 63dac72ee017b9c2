"""Published faults of comparable systems, each as a family of inputs: encoding and structure."""

from __future__ import annotations

import json

import pytest

from corpus_service.chunking import ChunkFormat, chunk_text
from corpus_service.extraction import (
    CharsetReason,
    ExtractedText,
    ExtractionFailed,
    ExtractionRequest,
    FailureReason,
    Flag,
    TextExtraction,
)

_JAPANESE = "日本語の文章です。ゲームの攻略情報をまとめています。"
_RUSSIAN = "Это страница прохождения игры на русском языке."


def _extract(content: bytes, content_type: str = "", uri: str = "") -> ExtractedText:
    return TextExtraction().extract(ExtractionRequest(content, content_type, uri))


@pytest.mark.parametrize(
    ("codec", "label", "text"),
    [
        ("shift_jis", "Shift_JIS", "日本語"),
        ("shift_jis", "Shift_JIS", _JAPANESE),
        ("euc_jp", "EUC-JP", _JAPANESE),
        ("gb18030", "gb2312", "这是一个中文游戏攻略页面，包含任务、道具和地图。"),
        ("big5", "Big5", "這是一個中文遊戲攻略頁面，包含任務。"),
        ("euc_kr", "EUC-KR", "이것은 한국어 게임 공략 페이지입니다."),
        ("cp1251", "windows-1251", _RUSSIAN),
        ("koi8_r", "koi8-r", _RUSSIAN),
    ],
)
def test_a_header_that_lies_is_not_believed(codec: str, label: str, text: str) -> None:
    content = f"<meta charset={label}><p>{text}".encode(codec)
    found = _extract(content, "text/html; charset=ISO-8859-1")
    assert found.text == text
    assert found.charset_reason is CharsetReason.META
    assert Flag.CHARSET_CONFLICT in found.flags


@pytest.mark.parametrize(
    ("codec", "header", "text"),
    [
        ("cp1252", "iso-8859-1", "“Élan” – l’été déjà passé, ça ira"),
        ("cp1252", "windows-1252", "Größe der Türen und Brücken"),
        ("cp1250", "windows-1250", "Příliš žluťoučký kůň úpěl ďábelské ódy"),
        ("shift_jis", "Shift_JIS", _JAPANESE),
        ("cp1251", "windows-1251", _RUSSIAN),
        ("euc_kr", "euc-kr", "이것은 한국어 게임 공략 페이지입니다."),
    ],
)
def test_a_header_that_fits_decides(codec: str, header: str, text: str) -> None:
    found = _extract(text.encode(codec), f"text/plain; charset={header}")
    assert found.text == text
    assert found.charset_reason is CharsetReason.HEADER
    assert found.charset_confidence > 0.8
    assert found.flags == ()


@pytest.mark.parametrize("header", ["", "iso-8859-1", "shift_jis", "utf-16", "no-such-charset"])
def test_valid_utf8_stands_before_every_declaration(header: str) -> None:
    found = _extract("ça ira, 日本語".encode(), f"text/plain; charset={header}")
    assert found.text == "ça ira, 日本語"
    assert (found.charset, found.charset_reason) == ("utf-8", CharsetReason.STRICT_UTF_8)


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("header", ["", "; charset=iso-8859-1"])
def test_a_byte_order_mark_stands_before_everything(codec: str, header: str) -> None:
    found = _extract("# Fïrst\n\nzwölf".encode(codec), f"text/markdown{header}")
    assert found.text == "# Fïrst\n\nzwölf"
    assert found.charset_reason is CharsetReason.BYTE_ORDER_MARK
    assert found.repairs == {"bom": 1}
    assert found.title == "Fïrst"


@pytest.mark.parametrize("codec", ["shift_jis", "euc_jp", "cp1251", "koi8_r", "iso2022_jp"])
def test_the_detector_decides_what_nothing_declares(codec: str) -> None:
    text = _RUSSIAN if codec in {"cp1251", "koi8_r"} else _JAPANESE
    found = _extract(text.encode(codec), "text/plain")
    assert found.text == text
    assert found.charset_reason is CharsetReason.DETECTOR
    assert 0 < found.charset_confidence < 1


def test_bytes_of_no_charset_are_counted() -> None:
    found = _extract(b"\xef\xbb\xbfgood \xff\xfe bad", "text/plain")
    assert found.text == "good \ufffd\ufffd bad"
    assert found.repairs == {"bom": 1, "undecodable": 2}


def test_a_mark_hides_no_first_heading() -> None:
    found = _extract("\ufeff# First\n\n## Second\ntext".encode(), "text/markdown")
    assert found.text.startswith("# First")
    chunks = chunk_text(found.text, format=found.format)
    assert chunks[-1].heading_path == ("First", "Second")


def test_a_mark_elsewhere_is_left_alone() -> None:
    found = _extract("a\ufeffb\n\ufeffc".encode(), "text/plain")
    assert found.text == "a\ufeffb\n\ufeffc"


@pytest.mark.parametrize(
    ("written", "text", "lone"),
    [
        (r'"hello \ud83d"', '"hello \ufffd"', 1),
        (r'"\udc00\ud83d\ude00\ud83d"', '"\ufffd😀\ufffd"', 2),
        (r'"\ud83dx\uDE00"', '"\ufffdx\ufffd"', 2),
        (r'"\\ud83d"', r'"\ud83d"', 0),
    ],
)
def test_lone_surrogates_are_replaced_and_counted(written: str, text: str, lone: int) -> None:
    found = _extract(written.encode(), "application/json")
    assert found.text == text
    assert found.repairs.get("lone_surrogate", 0) == lone
    found.text.encode("utf-8")


@pytest.mark.parametrize("reference", ["&#xD800;", "&#55357;", "&#xdfff", "&#x0D83D;&#xDE00;"])
@pytest.mark.parametrize("content_type", ["application/xml", "text/html"])
def test_references_to_surrogates_never_reach_the_text(reference: str, content_type: str) -> None:
    found = _extract(f"<p>a {reference} b</p>".encode(), content_type)
    assert "\ufffd" in found.text
    assert found.text.startswith("a ")
    found.text.encode("utf-8")


def test_surrogates_in_utf8_bytes_never_reach_the_text() -> None:
    found = _extract("a\ud83db".encode("utf-8", "surrogatepass"), "text/plain; charset=utf-8")
    found.text.encode("utf-8")


@pytest.mark.parametrize("content_type", ["text/plain", "text/markdown", "text/html"])
def test_zero_characters_are_replaced_and_others_kept(content_type: str) -> None:
    found = _extract("a\x00b \u202eevil\u202c \x1b[0m end".encode(), content_type)
    assert "\x00" not in found.text
    assert "\u202eevil\u202c \x1b[0m" in found.text
    assert found.repairs["bidi_kept"] == 2
    assert found.repairs["control_kept"] == 1


def test_line_ends_become_line_feeds() -> None:
    found = _extract(b"a\r\nb\rc\n\x0cd\xc2\x85e", "text/plain")
    assert found.text == "a\nb\nc\n\x0cd\x85e"
    assert found.repairs == {"carriage_return": 2, "control_kept": 2}


@pytest.mark.parametrize(
    ("page", "frames", "flag"),
    [
        (
            '<frameset rows="100%"><frame src="https://other.example/x"></frameset>',
            ("https://other.example/x",),
            Flag.FRAMESET_SHELL,
        ),
        (
            "<title>t</title><frameset><frameset><frame src=a><frame src=b></frameset>"
            "<noframes>no frames here</noframes></frameset>",
            ("a", "b"),
            Flag.FRAMESET_SHELL,
        ),
        ("<body><iframe src='//x.example/game'></iframe></body>", ("//x.example/game",), Flag.IFRAME_SHELL),
        ("<div id=root></div><script src=/app.js></script>", (), Flag.SCRIPT_SHELL),
        (
            "<noscript>Please enable JavaScript.</noscript><script src=a.js></script>",
            (),
            Flag.SCRIPT_SHELL,
        ),
    ],
)  # fmt: skip
def test_shells_are_named_and_their_frames_recorded(
    page: str, frames: tuple[str, ...], flag: str
) -> None:
    found = _extract(page.encode(), "text/html")
    assert found.frame_uris == frames
    assert found.flags == (flag,)


def test_a_page_with_text_is_no_shell() -> None:
    page = f"<script src=a.js></script><iframe src=x></iframe><p>{'words ' * 60}"
    found = _extract(page.encode(), "text/html")
    assert found.flags == ()
    assert found.frame_uris == ("x",)


@pytest.mark.parametrize(
    "content", [b"\x00\x01\x02" * 100, bytes(range(256)) * 8, b"\x7fELF" + b"\0" * 64]
)
def test_binary_content_is_refused_with_a_reason(content: bytes) -> None:
    with pytest.raises(ExtractionFailed) as failure:
        _extract(content, "application/octet-stream")
    assert failure.value.reason is FailureReason.UNSUPPORTED_TYPE
    assert str(failure.value) == "UNSUPPORTED_TYPE"


def test_one_line_of_json_becomes_lines_and_numbers_stay() -> None:
    value = {"a": [{"price": 1, "name": "x" * 50}] * 400}
    content = json.dumps(value).replace('"price": 1', '"price": 1.10').encode()
    found = _extract(content, "application/json")
    assert found.format is ChunkFormat.PLAIN
    assert found.text.count('"price": 1.10') == 400
    assert max(map(len, found.text.split("\n"))) < 100


@pytest.mark.parametrize("content", [b"{'a': 1}", b"[1, 2", b'{"a": 1} trailing', b"[" * 100_000])
def test_declared_json_that_is_none_is_read_as_text(content: bytes) -> None:
    found = _extract(content, "application/json")
    assert found.text == content.decode()
    assert found.flags == (Flag.INVALID_SYNTAX,)
