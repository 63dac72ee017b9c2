"""Safe addresses: what is kept, what goes, what is refused."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_service.presentation.limits import SAFE_URL_CHARACTERS_MAX
from corpus_service.presentation.safe_urls import safe_url

BASE = "https://wiki.example/index.php"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (f"{BASE}?title=Gate&oldid=7&lang=en", f"{BASE}?title=Gate&oldid=7&lang=en"),
        (f"{BASE}?title=Gate&token=x&api_key=y&utm_source=z", f"{BASE}?title=Gate"),
        (f"{BASE}?t%6Fken=x&%74itle=Gate", f"{BASE}?%74itle=Gate"),
        (f"{BASE}?token=x", BASE),
        (f"{BASE}#History", f"{BASE}#History"),
        (f"{BASE}#access_token=x", BASE),
        (f"{BASE}#access_token%3Dx", BASE),
        (f"{BASE}#{'a' * 129}", BASE),
        (f"{BASE}#{'a' * 128}", f"{BASE}#{'a' * 128}"),
    ],
)
def test_what_chooses_a_page_is_kept(address: str, shown: str) -> None:
    assert safe_url(address) == shown


@pytest.mark.parametrize(
    "address",
    [
        "https://user:pass@wiki.example/",
        "https://user@wiki.example/",
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
        "//wiki.example/",
        "https:///path",
        "https://wiki.example/" + "a" * SAFE_URL_CHARACTERS_MAX,
        "https://wiki.example/a b",
        "https://wiki.example/\n",
        "https://wiki.example/\u202egnp.exe",
        "https://wiki.example\\@evil.example/",
        "https://[::1/",
        "https://wiki.example:99999/",
        "",
    ],
)
def test_what_is_not_safe_is_not_shown(address: str) -> None:
    assert safe_url(address) == ""


@given(st.text(alphabet="htps:/@.?&=#%tokenidle \\\n", max_size=60))
def test_whatever_is_shown_is_safe_and_stays(address: str) -> None:
    shown = safe_url(address)
    assert safe_url(shown) == shown
    if shown:
        parts = urlsplit(shown)
        assert parts.scheme in ("http", "https")
        assert "@" not in parts.netloc
        assert "=" not in parts.fragment
        assert {name for name, _ in parse_qsl(parts.query)} <= {"title", "id", "p", "doc", "page"}
