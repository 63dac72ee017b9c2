"""Shapes of search and answer tools beyond the cases."""

from collections.abc import Callable
from typing import Any

import pytest

from capture_service.domain.sources import Adaptation, SourceRole

Call = Callable[..., Adaptation]
A = "https://a.example/one"


def stubs(adaptation: Adaptation) -> list[tuple[str, str, str]]:
    assert adaptation.family == "gtc_discovery"
    return [
        (draft.uri, draft.title, draft.snippet)
        for draft in adaptation.drafts
        if draft.role is SourceRole.STUB
    ]


def test_numbered_lines_of_a_search_server(call: Call) -> None:
    text = (
        f"Found 2 results:\n\n1. First\n   URL: {A}\n   Summary: words\n\n2. Second\n   URL: {A}2\n"
    )
    found = call("mcp__duckduckgo__search", {"query": "x"}, {"result": text})
    assert stubs(found) == [(A, "First", "words"), (f"{A}2", "Second", "")]


@pytest.mark.parametrize(
    "result",
    [
        {"success": True, "data": {"answer": "yes", "sources": [{"url": A, "title": "T"}]}},
        {"answer": "yes", "citations": [{"url": A, "title": "T"}]},
    ],
)
def test_answers_bare_and_wrapped(call: Call, result: dict[str, Any]) -> None:
    adaptation = call("gtc_answer", {"query": "x?"}, result)
    artifact = adaptation.drafts[0]
    assert artifact.kind == "answer"
    assert artifact.synthetic
    assert stubs(adaptation) == [(A, "T", "")]


def test_answer_in_words(call: Call) -> None:
    (draft,) = call("gtc_answer", {"query": "x?"}, "Forty planks.").drafts
    assert draft.synthetic
    assert b"Forty planks." in (draft.content or b"")


def test_search_without_groups(call: Call) -> None:
    (draft,) = call("web_search", {"query": "x"}, {"success": True, "data": {}}).drafts
    assert draft.metadata["hits"] == 0
    assert not draft.shape_unknown


def test_same_list_with_other_ids_is_the_same_content(call: Call) -> None:
    def content(**noise: Any) -> bytes | None:
        result = {"success": True, "data": {"web": [{"url": A, "title": "T"}]}, **noise}
        return call("gtc_search", {"query": "x"}, result).drafts[0].content

    assert content(id="1", creditsUsed=2) == content(id="2", creditsUsed=5)


def test_notice_about_structured_data_is_no_page(call: Call) -> None:
    arguments = {"urls": [A], "prompt": "ports"}
    notice = {"result": "firecrawl_extract is deprecated."}
    (draft,) = call("mcp__firecrawl__firecrawl_extract", arguments, notice).drafts
    assert draft.shape_unknown
