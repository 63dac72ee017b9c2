import json
import os
from pathlib import Path

import pytest

from sourcecorpus.hermes.plugin.page_cache import pages_named_in

FOOTER = "head\n\n──────── [TRUNCATED] ────────\nShowing 5 chars\nFull text saved to: {path}\nNext: read_file"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / "cache" / "web").mkdir(parents=True)
    return tmp_path / "home"


def result(*paths: object, ascii_only: bool = False) -> str:
    pages = [{"url": "u", "content": FOOTER.format(path=path), "error": None} for path in paths]
    return json.dumps({"results": pages}, indent=2, ensure_ascii=ascii_only)


@pytest.mark.parametrize("name", ["plain.md", "冷铁.md", "back\\slash-new.md", "a b.md"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_named_file_is_copied(home: Path, name: str, ascii_only: bool) -> None:
    file = home / "cache" / "web" / name
    file.write_text("full text\n" * 100, encoding="utf-8")
    (page,) = pages_named_in("web_extract", result(file, ascii_only=ascii_only), home)
    assert page.name == str(file)
    assert page.data == b"full text\n" * 100


@pytest.mark.parametrize(
    "text",
    [
        "[Summarized from a 90,000-char snapshot. Full snapshot saved to: {path} — read it with",
        '[... 9 more lines truncated — full snapshot: read_file path="{path}" offset=4 limit=200]',
    ],
)
def test_snapshots_name_their_file_in_their_own_words(home: Path, text: str) -> None:
    file = home / "cache" / "web" / "browser-1.md"
    file.write_text("snapshot", encoding="utf-8")
    for ascii_only in (True, False):
        document = json.dumps({"snapshot": text.format(path=file)}, ensure_ascii=ascii_only)
        assert [page.data for page in pages_named_in("browser_snapshot", document, home)] == [
            b"snapshot"
        ]


def test_page_cannot_make_the_plugin_read_other_files(home: Path, tmp_path: Path) -> None:
    outside = tmp_path / "private.md"
    outside.write_text("private", encoding="utf-8")
    inside = home / "cache" / "web"
    (inside / "link.md").symlink_to(outside)
    (inside / "folder.md").mkdir()
    os.mkfifo(inside / "pipe.md")
    paths = [
        outside,
        inside / ".." / ".." / ".." / "private.md",
        inside / "link.md",
        inside / "folder.md",
        inside / "pipe.md",
        inside / "missing.md",
        "relative.md",
        "",
        "nul\0byte.md",
    ]
    assert pages_named_in("web_extract", result(*paths), home) == []


def test_other_tools_and_other_values_name_no_files(home: Path) -> None:
    file = home / "cache" / "web" / "page.md"
    file.write_text("x", encoding="utf-8")
    assert pages_named_in("read_file", result(file), home) == []
    assert pages_named_in("web_extract", {"results": []}, home) == []
    assert pages_named_in("web_extract", "no file is named", home) == []


def test_oversized_file_is_left_out_and_many_are_bounded(home: Path) -> None:
    big = home / "cache" / "web" / "big.md"
    with big.open("wb") as file:
        file.truncate(9 * 1024 * 1024)
    small = []
    for number in range(20):
        small.append(home / "cache" / "web" / f"{number}.md")
        small[-1].write_text(str(number), encoding="utf-8")
    pages = pages_named_in("web_extract", result(big, *small, *small), home)
    # Behind the bound the last pages of the result count.
    assert [page.data for page in pages] == [str(number).encode() for number in range(4, 20)]


def test_page_that_repeats_the_words_hides_no_real_footer(home: Path) -> None:
    file = home / "cache" / "web" / "real.md"
    file.write_text("real", encoding="utf-8")
    noise = "─ Full text saved to: /etc/passwd\n" * 5_000
    document = json.dumps({"content": noise + FOOTER.format(path=file)}, ensure_ascii=False)
    assert [page.data for page in pages_named_in("web_extract", document, home)] == [b"real"]
