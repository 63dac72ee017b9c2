"""HTTP tools and fetch tools of MCP servers."""

import base64
from collections.abc import Callable

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import Adaptation, SourceDraft, SourceRole
from sourcecorpus.identity import content_hash

A = "https://a.example/one"
Call = Callable[..., Adaptation]


def only(adaptation: Adaptation) -> SourceDraft:
    assert adaptation.family == "http"
    (draft,) = adaptation.drafts
    return draft


def test_response_object(call: Call) -> None:
    result = {
        "status": 200,
        "url": "https://a.example/two",
        "headers": {"Content-Type": "application/json", "Set-Cookie": "sid=1"},
        "body": '{"name": "Saltmouth"}',
    }
    draft = only(call("http_request", {"url": A, "method": "GET"}, result))
    assert draft.content == b'{"name": "Saltmouth"}'
    assert draft.headers == {"content-type": "application/json"}
    assert draft.final_uri == "https://a.example/two"
    assert [claim.value for claim in draft.claims] == ["https://a.example/two"]
    assert draft.completeness is Completeness.FULL


def test_response_of_a_tool_with_an_unknown_name(call: Call) -> None:
    result = {"status_code": 200, "headers": {}, "body": "plain words"}
    draft = only(call("mcp__site__lookup", {"url": A}, result))
    assert draft.content == b"plain words"


def test_error_response(call: Call) -> None:
    result = {"statusCode": 503, "headers": {"Retry-After": "9"}, "body": "busy"}
    draft = only(call("http_get", {"url": A}, result))
    assert draft.role is SourceRole.FAILED
    assert draft.content == b"busy"
    assert draft.never_current
    failed = only(call("http_get", {"url": A}, {"error": "connection refused"}))
    assert failed.role is SourceRole.FAILED
    assert failed.content is None


def test_encoded_binary_body(call: Call) -> None:
    data = b"\x89PNG\x00\x01"
    result = {
        "status": 200,
        "headers": {"content-type": "image/png"},
        "body": base64.b64encode(data).decode(),
        "encoding": "base64",
    }
    draft = only(call("http_request", {"url": A}, result))
    assert draft.content is None
    assert draft.role is SourceRole.STUB
    assert draft.metadata["body_hash"] == content_hash(data)


def test_fetch_server(call: Call) -> None:
    whole = {"result": f"Contents of {A}:\n# Title\n\nText."}
    draft = only(call("mcp__fetch__fetch", {"url": A}, whole))
    assert draft.content == b"# Title\n\nText."
    assert draft.completeness is Completeness.FULL
    assert draft.content_type == "text/markdown; charset=utf-8"


def test_fetch_server_with_a_window(call: Call) -> None:
    note = (
        "\n\n<error>Content truncated. Call the fetch tool with a start_index of 5000 to get"
        " more content.</error>"
    )
    first = only(call("mcp__fetch__fetch", {"url": A}, {"result": f"Contents of {A}:\nabc{note}"}))
    assert first.content == b"abc"
    assert first.completeness is Completeness.WINDOWED
    arguments = {"url": A, "start_index": 5000}
    rest = only(call("mcp__fetch__fetch", arguments, {"result": f"Contents of {A}:\nxyz"}))
    assert rest.completeness is Completeness.WINDOWED
    assert rest.window is not None
    assert (rest.window.start, rest.window.end) == (5001, 5003)


def test_fetch_server_failure(call: Call) -> None:
    draft = only(
        call("mcp__fetch__fetch", {"url": A}, {"error": "Failed to fetch: status code 403"})
    )
    assert draft.role is SourceRole.FAILED
    assert draft.http_status == 403


def test_fetch_tool_that_returns_a_document_is_a_page(call: Call) -> None:
    result = {"markdown": "# T", "metadata": {"sourceURL": A, "statusCode": 200}}
    assert call("web_fetch", {"url": A}, result).family == "gtc_page"


def test_fetched_json_is_a_body_whatever_it_says(call: Call) -> None:
    text = '{"success": false, "error": "words of the page"}'
    draft = only(call("mcp__fetch__fetch", {"url": A}, {"result": text}))
    assert draft.role is SourceRole.DOCUMENT
    assert draft.content == text.encode()
    assert draft.content_type == "application/json; charset=utf-8"
