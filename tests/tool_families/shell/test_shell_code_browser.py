"""Shell commands, code runs and browser snapshots are sources of their own."""

from collections.abc import Callable
from typing import Any

import pytest

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import Adaptation, SourceDraft, SourceRole
from capture_service.tool_families import BoundedCallMemory
from capture_service.tool_families.limits import MAXIMUM_REMEMBERED_CALLS

Call = Callable[..., Adaptation]
PAGE = "https://a.example/map"


def only(adaptation: Adaptation, family: str) -> SourceDraft:
    assert adaptation.family == family
    (draft,) = adaptation.drafts
    return draft


def run(call: Call, command: str, output: str, exit_code: int = 0, **members: Any) -> SourceDraft:
    result = {"output": output, "exit_code": exit_code, "error": None, **members}
    return only(call("terminal", {"command": command}, result), "shell_command")


def test_output_of_a_command(call: Call) -> None:
    draft = run(call, "ls -l", "total 0")
    assert draft.role is SourceRole.ARTIFACT
    assert draft.content == b"total 0"
    assert draft.completeness is Completeness.FULL
    assert draft.uri == "tool:shell_command/terminal?command=ls%20-l"


def test_folders_of_a_person_are_aliases(call: Call) -> None:
    draft = run(call, "ls /home/player/games/emberfall/data/maps", "a")
    assert "/home/player" not in repr(draft)
    assert draft.title == "ls file:///game/maps"


def test_cut_output_of_a_command(call: Call) -> None:
    marker = "\n\n... [OUTPUT TRUNCATED - 90 chars omitted out of 100 total] ...\n\n"
    draft = run(call, "make", f"begin{marker}end")
    assert draft.content == b"begin\n\nend"
    assert draft.completeness is Completeness.TRUNCATED
    assert draft.window is not None
    assert draft.window.total == 100


@pytest.mark.parametrize(("output", "content"), [("no such file", b"no such file"), ("", None)])
def test_command_that_failed(call: Call, output: str, content: bytes | None) -> None:
    draft = run(call, "cat x", output, 1, exit_code_meaning="general error")
    assert draft.role is SourceRole.FAILED
    assert draft.content == content
    assert draft.never_current
    assert draft.error == "general error"
    assert draft.error_code == "EXIT_1"


def test_command_in_the_background(call: Call) -> None:
    result = {"output": "Background process started", "session_id": "p1", "pid": 7}
    draft = only(call("terminal", {"command": "make", "background": True}, result), "shell_command")
    assert draft.role is SourceRole.STUB
    assert draft.metadata["background"] is True
    later = {"session_id": "p1", "command": "make", "status": "exited", "output": "done"}
    log = only(call("process", {"action": "log", "session_id": "p1"}, later), "shell_command")
    assert log.content == b"done"


def test_code_that_holds_fences(call: Call) -> None:
    code = "print('''\n```\n````\n''')"
    result = {"status": "success", "output": "```\n", "exit_code": 0, "stdout_bytes_omitted": 5}
    draft = only(call("execute_code", {"code": code}, result), "code_run")
    assert draft.content is not None
    text = draft.content.decode()
    assert text.startswith(f"`````python\n{code}\n`````\n")
    assert draft.completeness is Completeness.TRUNCATED


@pytest.mark.parametrize(
    "result", [{"status": "error", "output": "", "error": "SyntaxError"}, "Error: timed out"]
)
def test_code_that_failed(call: Call, result: Any) -> None:
    draft = only(call("execute_code", {"code": "x"}, result), "code_run")
    assert draft.role is SourceRole.FAILED
    assert draft.content is None
    assert draft.error


def test_snapshot_belongs_to_the_open_page(call: Call) -> None:
    opened = {"success": True, "url": f"{PAGE}?x=1", "title": "Map", "snapshot": "- heading"}
    first = only(call("browser_navigate", {"url": PAGE}, opened), "browser_page")
    assert (first.uri, first.final_uri, first.title) == (PAGE, f"{PAGE}?x=1", "Map")
    second = only(
        call("browser_snapshot", {}, {"success": True, "snapshot": "- list"}), "browser_page"
    )
    assert second.uri == f"{PAGE}?x=1"
    other = {"task_id": "another"}
    alone = only(
        call("browser_snapshot", {}, {"success": True, "snapshot": "- list"}, **other),
        "browser_page",
    )
    assert alone.uri.startswith("tool:browser_page/browser_snapshot")


def test_snapshot_made_by_a_model_is_no_page(call: Call) -> None:
    result = {"success": True, "snapshot": "The map shows 17 pins."}
    draft = only(call("browser_snapshot", {"user_task": "count pins"}, result), "browser_page")
    assert draft.role is SourceRole.DERIVED
    assert draft.synthetic
    assert draft.completeness is Completeness.SUMMARISED


def test_long_and_failed_snapshots(call: Call) -> None:
    long = {"success": True, "snapshot": "x" * 15_000}
    cut = only(call("browser_navigate", {"url": PAGE}, long), "browser_page")
    assert cut.completeness is Completeness.TRUNCATED
    failed = {"success": False, "error": "Chromium browser is missing"}
    draft = only(call("browser_navigate", {"url": PAGE}, failed), "browser_page")
    assert (draft.role, draft.uri) == (SourceRole.FAILED, PAGE)


def test_snapshot_of_another_server(call: Call) -> None:
    text = (
        f"### Page\n- Page URL: {PAGE}\n- Page Title: Map\n- Page Snapshot:\n```yaml\n- list\n```"
    )
    draft = only(
        call("mcp__playwright__browser_navigate", {"url": PAGE}, {"result": text}), "browser_page"
    )
    assert (draft.title, draft.content) == ("Map", b"- list")


def test_memory_is_bounded() -> None:
    memory = BoundedCallMemory()
    for number in range(MAXIMUM_REMEMBERED_CALLS + 1):
        memory.remember("task", str(number), "page")
    assert memory.recall("task", "0") == ""
    assert memory.recall("task", str(MAXIMUM_REMEMBERED_CALLS)) == "page"
