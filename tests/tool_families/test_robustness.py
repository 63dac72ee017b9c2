"""No bytes and no change of a known shape stop an adapter, and every adaptation obeys its bounds."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capture_service.domain.envelope import Completeness, Envelope
from capture_service.domain.sources import Adaptation, SourceRole
from capture_service.tool_families import AdaptContext, ToolFamilies
from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.limits import MAXIMUM_DRAFTS
from sourcecorpus.rpc.limits import (
    METADATA_JSON_BYTES_MAX,
    SNIPPET_CODE_POINTS_MAX,
    TITLE_CODE_POINTS_MAX,
)

TOOLS = (
    "gtc_search",
    "gtc_answer",
    "gtc_scrape",
    "gtc_extract",
    "gtc_llmstxt",
    "gtc_crawl",
    "gtc_map",
    "gtc_agent",
    "web_search",
    "web_extract",
    "mcp__firecrawl__firecrawl_scrape",
    "mcp__fetch__fetch",
    "http_request",
    "terminal",
    "process",
    "read_file",
    "search_files",
    "mcp__filesystem__read_multiple_files",
    "execute_code",
    "browser_navigate",
    "browser_snapshot",
    "todo",
)
FAMILIES = ToolFamilies()
RELAXED = settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
MEMBERS = st.sampled_from(
    (
        *("success", "data", "result", "results", "content", "output", "error", "status", "url"),
        *("markdown", "html", "rawHtml", "metadata", "sourceURL", "statusCode", "cachedAt", "web"),
        *("links", "answer", "citations", "id", "next", "total", "completed", "actions", "text"),
        *("exit_code", "matches_text", "files", "snapshot", "headers", "body", "title", "type"),
    )
)
TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ("https://a.example/x", "completed", "\ud83d", "1|a\n2|b", "200", "{", '{"a":1} tail', "")
    ),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(MEMBERS, inner, max_size=6)
    ),
    max_leaves=25,
)


def envelope(tool: str, arguments: bytes, result: bytes) -> Envelope:
    return Envelope(
        envelope_id="e", tool_name=tool, arguments=arguments, result=result, redacted=True
    )


def check_invariants(adaptation: Adaptation, *, known: bool = False) -> None:
    if known:
        assert adaptation.family
        assert adaptation.drafts
    assert len(adaptation.drafts) <= MAXIMUM_DRAFTS
    assert all(count > 0 for count in adaptation.drops.values())
    for position, draft in enumerate(adaptation.drafts):
        assert draft.uri.strip()
        parent = draft.parent_position
        assert parent is None or 0 <= parent < position
        assert draft.rank >= 0
        assert draft.order >= 0
        assert len(draft.title) <= TITLE_CODE_POINTS_MAX
        assert len(draft.snippet) <= SNIPPET_CODE_POINTS_MAX
        assert len(json.dumps(draft.metadata, allow_nan=False).encode()) <= (
            METADATA_JSON_BYTES_MAX * 6
        )
        repr(draft).encode()
        if draft.role is SourceRole.STUB:
            assert draft.content is None
        if draft.content is None:
            assert draft.representations == ()
            assert draft.completeness in (
                Completeness.STUB,
                Completeness.UNSPECIFIED,
                Completeness.SHELL,
            )
        if draft.role is SourceRole.FAILED:
            assert draft.never_current
        if draft.window is not None:
            assert 1 <= draft.window.start <= max(draft.window.end, draft.window.start)


@RELAXED
@given(tool=st.sampled_from(TOOLS), arguments=st.binary(max_size=40), result=st.binary())
def test_any_bytes(tool: str, arguments: bytes, result: bytes) -> None:
    adaptation = FAMILIES.adapt(envelope(tool, arguments, result), AdaptContext())
    check_invariants(adaptation, known=tool != "todo")


@RELAXED
@given(tool=st.sampled_from(TOOLS), arguments=VALUES, result=VALUES)
def test_any_json(tool: str, arguments: Any, result: Any) -> None:
    adaptation = FAMILIES.adapt(
        envelope(tool, json.dumps(arguments).encode(), json.dumps(result).encode()), AdaptContext()
    )
    check_invariants(adaptation)


@settings(RELAXED, max_examples=300)
@given(data=st.data())
def test_changed_cases(all_web_cases: dict[str, Any], data: st.DataObject) -> None:
    names = sorted(name for name in all_web_cases if "1_5" not in name and "300" not in name)
    case = all_web_cases[data.draw(st.sampled_from(names))]
    value = json.loads(case.result.partition("\n\n[Hint")[0])
    for _ in range(data.draw(st.integers(1, 3))):
        value = change(value, data)
    changed = json.dumps(value)
    if data.draw(st.booleans()):
        changed = changed[: data.draw(st.integers(0, len(changed)))]
    arguments = json.dumps(case.arguments).encode()
    adaptation = FAMILIES.adapt(
        envelope(case.tool_name, arguments, changed.encode()), AdaptContext()
    )
    check_invariants(adaptation, known=True)


def change(value: Any, data: st.DataObject) -> Any:
    """Deletes a member, changes a type, or goes one level further in."""
    if isinstance(value, dict) and value:
        name = data.draw(st.sampled_from(sorted(value)))
        action = data.draw(st.sampled_from(("delete", "replace", "inside")))
        if action == "delete":
            return {key: item for key, item in value.items() if key != name}
        if action == "replace":
            return {**value, name: data.draw(VALUES)}
        return {**value, name: change(value[name], data)}
    if isinstance(value, list) and value:
        position = data.draw(st.integers(0, len(value) - 1))
        return [*value[:position], change(value[position], data), *value[position + 1 :]]
    return data.draw(VALUES)


def test_cases_obey_the_invariants(web_case: Any, adapt: Callable[[Envelope], Adaptation]) -> None:
    check_invariants(adapt(web_case.envelope()), known=True)


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool not in ("todo", "terminal")])
def test_unknown_shape_is_one_raw_artifact(tool: str, call: Callable[..., Adaptation]) -> None:
    result = '{"quite": {"another": ["shape", 1]}}'
    adaptation = call(tool, {"url": "https://a.example/"}, result)
    (draft,) = adaptation.drafts
    assert draft.shape_unknown
    assert draft.role is SourceRole.ARTIFACT
    assert draft.content == result.encode()
    assert draft.uri.startswith(f"tool:{adaptation.family}/raw")


def test_truncated_json_is_a_truncated_raw_artifact(call: Callable[..., Adaptation]) -> None:
    adaptation = call("gtc_scrape", {"url": "https://a.example/"}, '{"success":true,"data":{"mark')
    (draft,) = adaptation.drafts
    assert draft.shape_unknown
    assert draft.completeness is Completeness.TRUNCATED


@pytest.mark.parametrize(
    "tool",
    [
        *("todo", "delegate_task", "memory", "session_search", "write_file", "patch", "clarify"),
        *("mcp__firecrawl__firecrawl_search_feedback", "mcp__firecrawl__firecrawl_monitor_create"),
        *("browser_click", "skill_view", "mcp__github__create_issue", "vision_analyze"),
    ],
)
def test_tools_of_no_family(tool: str, call: Callable[..., Adaptation]) -> None:
    assert call(tool, {"query": "x"}, {"success": True, "status": "ok"}) == Adaptation("")


@pytest.mark.parametrize("tool", ["web_crawl", "gtc_scrape"])
def test_tool_that_does_not_exist(tool: str, call: Callable[..., Adaptation]) -> None:
    arguments = {"url": "https://a.example/"}
    assert call(tool, arguments, {"error": f"Unknown tool: {tool}"}) == Adaptation("")


class BrokenFamily:
    name = "gtc_page"

    def recognises(self, call: ToolCall) -> bool:
        return True

    def adapt(self, call: ToolCall, context: AdaptContext) -> DraftCollector:
        raise ZeroDivisionError


class UnreadyFamily(BrokenFamily):
    def recognises(self, call: ToolCall) -> bool:
        raise UnknownShapeError


@pytest.mark.parametrize("family", [BrokenFamily(), UnreadyFamily()])
def test_fault_of_an_adapter_keeps_the_result(family: BrokenFamily) -> None:
    adaptation = ToolFamilies([family]).adapt(envelope("x", b"{}", b"payload"), AdaptContext())
    (draft,) = adaptation.drafts
    assert draft.content == b"payload"
    assert draft.shape_unknown


def test_more_sources_than_the_limit_are_counted(call: Callable[..., Adaptation]) -> None:
    links = [f"https://a.example/{number}" for number in range(MAXIMUM_DRAFTS + 10)]
    adaptation = call("gtc_map", {"url": "https://a.example/"}, {"success": True, "links": links})
    assert len(adaptation.drafts) == MAXIMUM_DRAFTS
    assert adaptation.drops["sources_over_limit"] == 11


def test_deep_nesting_and_long_numbers(call: Callable[..., Adaptation]) -> None:
    deep = "[" * 200_000 + "]" * 200_000
    long = "9" * 9_000
    for result in (
        deep,
        '{"success":true,"data":' + deep + "}",
        '{"success":true,"n":' + long + "}",
    ):
        check_invariants(call("gtc_scrape", {"url": "https://a.example/"}, result), known=True)
    nested: dict[str, Any] = {}
    for _ in range(80):
        nested = {"a": nested}
    check_invariants(
        call("gtc_search", {"query": nested}, {"success": True, "data": []}), known=True
    )


LONG = 200_000
HOSTILE = {
    "newlines": "x" + "\n" * LONG + "x",
    "spaces": "x" + " " * LONG + "x",
    "open tags": "<a " * (LONG // 3),
    "open comment": "<html><!--" + "-" * LONG,
    "open script": "<html>" + "<script>" * (LONG // 8),
    "attributes": "<html><link " + "a " * (LONG // 2) + ">",
    "response lines": "HTTP/1.1 200 OK\n" * (LONG // 16),
    "header lines": "HTTP/1.1 200 OK\n" + "a: b\n" * (LONG // 5) + "x",
    "trace lines": "< HTTP/1.1 200 OK\n< \n" + "* x\n" * (LONG // 4),
    "meter": "  0  0  0" * (LONG // 9),
    "dots": "... [OUTPUT TRUNCATED - " * (LONG // 24),
    "titles": "Title: a\n" * (LONG // 9),
    "numbers": "1." * (LONG // 2),
    "list rows": "- [a](" * (LONG // 6),
    "quotes": '"' * LONG,
    "fences": "```" * (LONG // 3),
    "surrogates": "\ud83d" * (LONG // 4),
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_work_grows_with_the_length_alone(text: str, call: Callable[..., Adaptation]) -> None:
    """A quadratic step over 200,000 code points takes minutes, a linear one milliseconds."""
    page = "https://a.example/"
    document = {"html": text, "rawHtml": text, "metadata": {"sourceURL": page, "statusCode": 200}}
    calls: tuple[tuple[str, dict[str, Any], Any], ...] = (
        ("gtc_scrape", {"url": page}, {"success": True, "data": document}),
        ("gtc_scrape", {"url": page}, text),
        ("gtc_llmstxt", {"url": page}, {"status": "completed", "data": {"llmstxt": text}}),
        ("mcp__brave__brave_web_search", {"query": "x"}, {"result": text}),
        ("mcp__fetch__fetch", {"url": page}, {"result": text}),
        ("web_extract", {"urls": [page]}, {"results": [{"url": page, "content": text}]}),
        *(
            ("terminal", {"command": f"{command} {page}"}, {"output": text, "exit_code": 0})
            for command in ("curl", "curl -si", "curl -sv", "curl -s -w '%{http_code}x'", "wget")
        ),
        ("terminal", {"command": f"curl {text[:60_000]}"}, {"output": "", "exit_code": 0}),
        ("read_file", {"path": "/a"}, {"content": text}),
        ("search_files", {"pattern": "x"}, {"total_count": 1, "matches_text": text}),
        ("execute_code", {"code": text}, {"output": text, "exit_code": 0}),
        ("browser_snapshot", {}, {"result": f"- Page Snapshot:\n{text}"}),
    )
    for tool, arguments, result in calls:
        check_invariants(call(tool, arguments, result), known=True)


def test_result_that_cannot_be_opened(
    call: Callable[..., Adaptation], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Envelope) -> ToolCall:
        raise MemoryError

    monkeypatch.setattr("capture_service.tool_families.registry.read_call", fail)
    (draft,) = call("web_extract", {"urls": []}, "payload").drafts
    assert draft.content == b"payload"
    assert draft.metadata["adapter_fault"] == "MemoryError"
    assert call("todo", {}, "payload") == Adaptation("")
