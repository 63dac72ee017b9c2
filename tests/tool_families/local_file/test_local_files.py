"""Files read and searched by Hermes and by MCP file system servers."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from capture_service.domain.envelope import Completeness, Derivation
from capture_service.domain.sources import Adaptation, SourceDraft, SourceRole
from capture_service.tool_families import AdaptContext
from capture_service.tool_families.local_file.kinds import file_kind
from capture_service.tool_families.local_file.numbered_lines import read_numbered_lines

PATH = "/home/player/games/emberfall/data/notes.md"
Call = Callable[..., Adaptation]


def only(adaptation: Adaptation) -> SourceDraft:
    assert adaptation.family == "local_file"
    (draft,) = adaptation.drafts
    return draft


def read(call: Call, content: str, path: str = PATH, **members: Any) -> SourceDraft:
    arguments = {"path": path, **members.pop("arguments", {})}
    result = {"content": content, "total_lines": 3, "file_size": 20, "truncated": False}
    return only(call("read_file", arguments, {**result, **members}))


@pytest.mark.parametrize(
    ("rows", "text", "start", "end"),
    [
        ("1|a\n2|b", "a\nb", 1, 2),
        ("1|a\n2|", "a\n", 1, 1),
        ("1|a\n2|\n3|", "a\n\n", 1, 2),
        ("1|", "", 1, 1),
        ("     1|a\n     2|b|c", "a\nb|c", 1, 2),
        ("1|1|x\n2|2|y", "1|x\n2|y", 1, 2),
        ("1|a\r\n2|b\r", "a\r\nb\r", 1, 2),
    ],
)
def test_prefixes_are_undone(rows: str, text: str, start: int, end: int) -> None:
    numbered = read_numbered_lines(rows, 1)
    assert (numbered.text, numbered.start, numbered.end) == (text, start, end)
    assert numbered.undone


@pytest.mark.parametrize(
    "rows",
    ["a\nb", "1|a\n3|c", "2|b\n3|c", "1|a\nplain", "x|a", "1a|b", ""],
)
def test_prefixes_that_are_not_certain_stay(rows: str) -> None:
    numbered = read_numbered_lines(rows, 1)
    assert numbered.text == rows
    assert not numbered.undone


def test_cut_lines_keep_their_prefixes(call: Call) -> None:
    rows = "1|short\n2|" + "x" * 2_000 + "... [truncated]"
    draft = read(call, rows)
    assert draft.completeness is Completeness.TRUNCATED
    assert draft.metadata["line_prefixes"] == "kept"
    assert draft.metadata["cut_lines"] == 1
    assert draft.content == rows.encode()
    quoted = read(call, "1|a line that says ... [truncated]")
    assert quoted.completeness is Completeness.FULL


def test_window_by_offset(call: Call) -> None:
    draft = read(call, "5|e\n6|f", arguments={"offset": 5}, total_lines=9, truncated=True)
    assert draft.completeness is Completeness.WINDOWED
    assert draft.window is not None
    assert (draft.window.start, draft.window.end, draft.window.total) == (5, 6, 9)
    assert draft.content == b"e\nf"
    assert draft.derivation is Derivation.NUMBERED_LINES


@pytest.mark.parametrize("result", [{"status": "unchanged"}, {"error": "BLOCKED: read 4 times"}])
def test_repeats_have_no_content(call: Call, result: dict[str, Any]) -> None:
    draft = only(call("read_file", {"path": PATH}, result))
    assert draft.role is SourceRole.STUB
    assert draft.repeats_earlier_content
    assert draft.content is None


def test_binary_and_extracted_files(call: Call) -> None:
    image = read(call, "", path="/home/player/map.png", is_image=True)
    assert image.role is SourceRole.STUB
    document = read(call, "1|Words", path="/home/player/manual.docx", extracted_document=True)
    assert document.content_type == "text/plain; charset=utf-8"
    assert document.metadata["extracted_by_tool"] is True
    assert document.kind == "manual"


def test_paths_are_aliases(call: Call) -> None:
    assert read(call, "1|a").uri == "file:///game/notes.md"
    assert read(call, "1|a", path="~/notes.md").uri == "file:///home/notes.md"
    outside = read(call, "1|a", path="/home/someone/private/diary.txt")
    assert "someone" not in outside.uri
    assert "private" not in outside.uri
    failed = only(call("read_file", {"path": PATH}, {"error": f"Permission denied: {PATH}"}))
    assert "/home/player" not in repr(failed)


@pytest.mark.parametrize(
    ("uri", "kind"),
    [
        ("file:///game/manual.pdf", "pdf"),
        ("file:///game/README.md", "manual"),
        ("file:///manuals/crane.txt", "manual"),
        ("file:///game/notes.md", "other"),
        ("file:///game/player-guide.html", "manual"),
        ("file:///game/setup.exe", "install"),
        ("file:///game/INSTALL", "install"),
        ("file:///game/graphics.ini", "config"),
        ("file:///game/settings.json", "config"),
        ("file:///game/saves/slot1.dat", "save"),
        ("file:///game/quick.sav", "save"),
        ("file:///saves/slot1.bin", "save"),
        ("file:///game/texture.dds", "other"),
    ],
)
def test_kinds(uri: str, kind: str) -> None:
    assert file_kind(uri, AdaptContext()) == kind


def test_search_with_gaps_and_a_hint_behind_the_json(call: Call) -> None:
    text = f"{PATH}\n  3: alpha\n  4:   indented: x\n  9: omega\n/home/player/b.txt\n  1: one"
    result = '{"total_count": 40, "matches_text": %s}\n\n[Hint: narrow the pattern]'
    adaptation = call("search_files", {"pattern": "a"}, result % json.dumps(text))
    first, second = adaptation.drafts
    assert first.content == b"alpha\n  indented: x\n\nomega"
    assert first.metadata["matching_lines"] == [3, 4, 9]
    assert first.metadata["window_has_gaps"] is True
    assert (second.uri, second.content) == ("file:///home/b.txt", b"one")
    assert all(draft.completeness is Completeness.WINDOWED for draft in adaptation.drafts)
    assert all(draft.never_current for draft in adaptation.drafts)


def test_search_for_names_and_without_matches(call: Call) -> None:
    found = call("search_files", {"pattern": "*.md"}, {"total_count": 1, "files": [PATH]})
    assert [(draft.uri, draft.role.name) for draft in found.drafts] == [
        ("file:///game/notes.md", "STUB")
    ]
    none = only(call("search_files", {"pattern": "zzz"}, {"total_count": 0}))
    assert none.role is SourceRole.ARTIFACT
    assert none.metadata["hits"] == 0


def test_tools_of_an_mcp_server(call: Call) -> None:
    whole = only(call("mcp__filesystem__read_text_file", {"path": PATH}, {"result": "a\nb\n"}))
    assert whole.content == b"a\nb\n"
    assert whole.completeness is Completeness.FULL
    head = {"path": PATH, "head": 1}
    part = only(call("mcp__filesystem__read_text_file", head, {"result": "a\n"}))
    assert part.completeness is Completeness.WINDOWED
    failed = only(call("mcp__filesystem__read_file", {"path": PATH}, {"error": f"ENOENT: {PATH}"}))
    assert failed.role is SourceRole.FAILED


def test_json_of_a_file_is_its_text(call: Call) -> None:
    """A file that holds JSON is not to be read as a result."""
    text = '{"content": "x", "error": "not an error"}'
    draft = only(
        call("mcp__filesystem__read_file", {"path": "/home/player/a.json"}, {"result": text})
    )
    assert draft.role is SourceRole.DOCUMENT
    assert draft.content == text.encode()


def test_several_files_in_one_text(call: Call) -> None:
    other = "/home/player/b.txt"
    text = f"{PATH}:\nfirst\n\n---\n{other}: Error - ENOENT: no such file"
    arguments = {"paths": [PATH, other]}
    adaptation = call("mcp__filesystem__read_multiple_files", arguments, {"result": text})
    first, second = adaptation.drafts
    assert (first.uri, first.content) == ("file:///game/notes.md", b"first")
    assert second.role is SourceRole.FAILED
    unclear = {"result": f"{PATH}:\nfirst\n\n---\nwhat?"}
    raw = only(call("mcp__filesystem__read_multiple_files", arguments, unclear))
    assert raw.shape_unknown


def test_keys_hold_no_personal_path(call: Call) -> None:
    folder = "/home/player/games/emberfall/data"
    none = only(call("search_files", {"pattern": "x", "path": folder}, {"total_count": 0}))
    raw = only(call("read_file", {"path": f"{folder}/a.txt"}, {"unheard": "of"}))
    late = only(call("search_files", {"pattern": "x", "path": folder}, "timed out"))
    for draft in (none, raw, late):
        assert "player" not in draft.uri
    assert raw.shape_unknown
    assert late.role is SourceRole.FAILED


def test_matches_as_a_list(call: Call) -> None:
    rows = [{"path": PATH, "line": 3, "content": "x"}, {"path": PATH, "line": 4, "content": "y"}]
    draft = only(call("search_files", {"pattern": "x"}, {"total_count": 2, "matches": rows}))
    assert draft.content == b"x\ny"
    unread = only(call("search_files", {"pattern": "x"}, {"total_count": 2, "hits": rows}))
    assert unread.shape_unknown
