"""What fetches in a terminal print becomes URL, status, safe headers and body."""

from collections.abc import Callable
from typing import Any

import pytest

from capture_service.domain.envelope import Completeness, SideFile
from capture_service.domain.sources import Adaptation, SourceDraft, SourceRole
from sourcecorpus.identity import content_hash

A = "https://a.example/one"
B = "https://b.example/two"
Call = Callable[..., Adaptation]
HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=ISO-8859-1\r\nETag: "e1"\r\n'
PRIVATE = "Set-Cookie: sid=1\r\nX-Request-Id: 77\r\n"
PAGE = "<html><body><p>Saltmouth market</p></body></html>"


def run(call: Call, command: str, output: str, exit_code: int = 0, **fields: Any) -> Adaptation:
    result = {"output": output, "exit_code": exit_code, "error": None}
    return call("terminal", {"command": command}, result, **fields)


def only(adaptation: Adaptation) -> SourceDraft:
    (draft,) = adaptation.drafts
    return draft


def claims(draft: SourceDraft) -> list[tuple[str, str]]:
    return [(claim.name, claim.value) for claim in draft.claims]


def test_headers_on_output(call: Call) -> None:
    draft = only(run(call, f"curl -si {A}", f"{HEAD}{PRIVATE}\r\n{PAGE}"))
    assert draft.content == PAGE.encode()
    assert draft.http_status == 200
    assert draft.headers == {"content-type": "text/html; charset=ISO-8859-1", "etag": '"e1"'}
    assert draft.content_type == "text/html; charset=utf-8"
    assert draft.completeness is Completeness.FULL


def test_redirect_chain_is_claims(call: Call) -> None:
    chain = (
        "HTTP/1.1 301 Moved\r\nLocation: /two\r\n\r\n"
        "HTTP/2 302 \r\nlocation: https://c.example/three\r\n\r\n"
    )
    draft = only(run(call, f"curl -siL {A}", f"{chain}{HEAD}\r\n{PAGE}"))
    assert draft.uri == A
    assert draft.requested_uri == A
    assert draft.final_uri == "https://c.example/three"
    assert claims(draft) == [
        ("redirect", "https://a.example/two"),
        ("redirect", "https://c.example/three"),
    ]
    assert draft.content == PAGE.encode()


def test_redirect_that_was_not_followed(call: Call) -> None:
    output = "HTTP/1.1 301 Moved\r\nLocation: /two\r\nContent-Type: text/html\r\n\r\n<p>Moved</p>"
    draft = only(run(call, f"curl -si {A}", output))
    assert draft.http_status == 301
    assert draft.never_current
    assert ("redirect", "https://a.example/two") in claims(draft)


def test_error_page_keeps_its_text_and_is_never_current(call: Call) -> None:
    output = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>No such page</p>"
    draft = only(run(call, f"curl -si {A}", output))
    assert draft.role is SourceRole.FAILED
    assert draft.http_status == 404
    assert draft.content == b"<p>No such page</p>"
    assert draft.never_current


def test_several_addresses_with_headers(call: Call) -> None:
    output = f"{HEAD}\r\nfirst{HEAD}\r\nsecond"
    first, second = run(call, f"curl -si {A} {B}", output).drafts
    assert (first.uri, first.content) == (A, b"first")
    assert (second.uri, second.content) == (B, b"second")


def test_several_addresses_without_headers_are_one_output(call: Call) -> None:
    adaptation = run(call, f"curl -s {A} {B}", "firstsecond")
    assert adaptation.family == "shell_command"
    artifact, *stubs = adaptation.drafts
    assert artifact.content == b"firstsecond"
    assert [(stub.uri, stub.role, stub.parent_position) for stub in stubs] == [
        (A, SourceRole.STUB, 0),
        (B, SourceRole.STUB, 0),
    ]


def test_output_of_another_program_is_not_the_page(call: Call) -> None:
    adaptation = run(call, f"curl -s {A} | jq .name", '"Saltmouth"')
    assert adaptation.family == "shell_command"
    assert [draft.role.name for draft in adaptation.drafts] == ["ARTIFACT", "STUB"]


def test_trace_of_curl(call: Call) -> None:
    output = (
        "* Host a.example:443 was resolved.\n* Connected to a.example\n"
        "> GET /one HTTP/1.1\n> Host: a.example\n> \n"
        "< HTTP/1.1 302 Found\r\n< Location: /two\r\n< \r\n* Ignoring the response-body\n"
        "> GET /two HTTP/1.1\n> \n"
        "< HTTP/1.1 200 OK\r\n< Content-Type: text/markdown\r\n< Set-Cookie: a=b\r\n< \r\n"
        "{ [160 bytes data]\n# Title\n\n* a list\n> a quotation\n"
        "* Connection #0 to host a.example left intact"
    )
    draft = only(run(call, f"curl -svL {A}", output))
    assert draft.content == b"# Title\n\n* a list\n> a quotation"
    assert draft.http_status == 200
    assert draft.headers == {"content-type": "text/markdown"}
    assert draft.final_uri == "https://a.example/two"


def test_headers_alone_are_no_document(call: Call) -> None:
    draft = only(run(call, f"curl -sI {A}", HEAD.strip()))
    assert draft.role is SourceRole.STUB
    assert draft.http_status == 200
    assert draft.content is None


@pytest.mark.parametrize(
    ("form", "tail"),
    [
        ("%{http_code}", "200"),
        ("\\n%{http_code}\\n", "\n200"),
        ("\\nstatus=%{http_code} type=%{content_type}", "\nstatus=200 type=text/html"),
    ],
)
def test_write_out_is_taken_off(call: Call, form: str, tail: str) -> None:
    draft = only(run(call, f"curl -s -w '{form}' {A}", PAGE + tail))
    assert draft.content == PAGE.encode()
    assert draft.http_status == 200
    assert draft.completeness is Completeness.FULL


def test_write_out_that_is_not_found_leaves_doubt(call: Call) -> None:
    draft = only(run(call, f"curl -s -w 'code=%{{http_code}}' {A}", PAGE))
    assert draft.content == PAGE.encode()
    assert draft.completeness is Completeness.UNKNOWN


def test_progress_meter_is_taken_out(call: Call) -> None:
    meter = (
        "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
        "                                 Dload  Upload   Total   Spent    Left  Speed\n"
        "\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0"
        "\r100    49  100    49    0     0   9234      0 --:--:-- --:--:-- --:--:--  9800\n"
    )
    draft = only(run(call, f"curl {A}", meter + PAGE))
    assert draft.content == PAGE.encode()
    assert draft.completeness is Completeness.UNKNOWN


def test_body_in_a_file(call: Call) -> None:
    draft = only(run(call, f"curl -so /home/player/page.html {A}", ""))
    assert draft.role is SourceRole.STUB
    assert draft.metadata["saved_as"] == "file:///home/page.html"
    assert "/home/player" not in repr(draft)
    data = b"\xef\xbb\xbf<html><body>Saved</body></html>\n"
    file = SideFile("page.html", "text/html", data)
    saved = only(run(call, f"curl -so page.html {A}", "", side_files=(file,)))
    assert saved.role is SourceRole.DOCUMENT
    assert saved.content == data


def test_binary_body_keeps_hash_type_and_size_only(call: Call) -> None:
    data = b"\x89PNG\r\n\x1a\n\x00\x00"
    file = SideFile("map.png", "image/png", data)
    draft = only(run(call, f"curl -so map.png {A}", "", side_files=(file,)))
    assert draft.role is SourceRole.STUB
    assert draft.content is None
    assert draft.metadata["body_hash"] == content_hash(data)
    assert draft.metadata["body_bytes"] == len(data)
    assert draft.metadata["body_type"] == "image/png"


def test_log_of_wget(call: Call) -> None:
    log = (
        f"--2026-11-30 18:00:00--  {A}\nResolving a.example... 192.0.2.1\n"
        "HTTP request sent, awaiting response... 301 Moved Permanently\n"
        "Location: https://c.example/three [following]\n"
        "HTTP request sent, awaiting response... 200 OK\n"
        "Length: 1256 (1.2K) [text/html]\nSaving to: ‘one’\n"
    )
    draft = only(run(call, f"wget {A}", log))
    assert draft.role is SourceRole.STUB
    assert draft.http_status == 200
    assert draft.final_uri == "https://c.example/three"
    assert draft.headers == {"content-type": "text/html"}


@pytest.mark.parametrize(
    ("output", "exit_code", "status"),
    [
        ("curl: (22) The requested URL returned error: 404", 22, 404),
        ("curl: (6) Could not resolve host: a.example", 6, 0),
        ("", 28, 0),
    ],
)
def test_failed_command(call: Call, output: str, exit_code: int, status: int) -> None:
    draft = only(run(call, f"curl -sSf {A}", output, exit_code))
    assert draft.role is SourceRole.FAILED
    assert draft.content is None
    assert draft.http_status == status
    assert draft.error
    assert draft.error_code == f"EXIT_{exit_code}"


def test_data_that_was_sent_is_part_of_the_key(call: Call) -> None:
    first = only(run(call, f"curl -s -d q=1 {A}", "one"))
    second = only(run(call, f"curl -s -d q=2 {A}", "two"))
    assert first.uri.startswith("tool:http/post?")
    assert first.uri != second.uri
    assert first.requested_uri == A
    assert first.role is SourceRole.ARTIFACT


def test_part_of_a_body(call: Call) -> None:
    output = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/100\r\n\r\nabcd"
    draft = only(run(call, f"curl -si -r 0-3 {A}", output))
    assert draft.completeness is Completeness.WINDOWED
    assert draft.window is not None
    assert (draft.window.unit, draft.window.end, draft.window.total) == ("bytes", 4, 100)


def test_body_shorter_than_declared_is_not_full(call: Call) -> None:
    output = f"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{PAGE}"
    assert only(run(call, f"curl -si {A}", output)).completeness is Completeness.UNKNOWN


def test_claims_of_header_and_markup(call: Call) -> None:
    markup = (
        '<html><head><link href="/b" rel="canonical">'
        '<link rel=alternate hreflang=de href="https://a.example/de">'
        '<meta property="og:url" content="https://og.example/"></head>'
        '<body>x<a rel="license" href="https://creativecommons.org/licenses/by-sa/4.0/">l</a></body>'
    )
    header = 'HTTP/1.1 200 OK\r\nLink: <https://a.example/c>; rel="canonical"\r\n\r\n'
    draft = only(run(call, f"curl -si {A}", header + markup))
    assert ("rel=canonical", "https://a.example/c") in claims(draft)
    assert ("rel=canonical", "https://a.example/b") in claims(draft)
    assert ("hreflang", "de https://a.example/de") in claims(draft)
    assert ("og:url", "https://og.example/") in claims(draft)
    assert draft.license_hint == "CC BY-SA 4.0"
    assert draft.uri == A


@pytest.mark.parametrize(
    "page",
    [
        '<frameset rows="100%"><frame src="https://other.example/x"></frameset>',
        '<html><body><div id="root"></div><script>start()</script></body></html>',
        "<html><body>Please enable JavaScript to continue.</body></html>",
        '<html><body><div class="page" id=app></div></body></html>',
        '<html><body><iframe src="/inner"></iframe></body></html>',
        "<html><body><noscript></noscript></body></html>",
        '<meta http-equiv="refresh" content="0; url=/elsewhere">',
        "<html><body><app-root></app-root></body></html>",
    ],
)
def test_shells_are_no_pages(call: Call, page: str) -> None:
    draft = run(call, f"curl -s {A}", page).drafts[0]
    assert draft.completeness is Completeness.SHELL
    assert draft.never_current


@pytest.mark.parametrize(
    "page",
    [
        '<meta name="csrf-token" content="x"><title>Home</title>',
        "<html><head><title>Home</title></head><body></body></html>",
        '<!doctype html><link rel="canonical" href="/a"><style>p { color: red }</style>',
        '<html><body><p id="rooted"></p><img src="/map.png"></body></html>',
    ],
)
def test_a_page_that_is_only_empty_is_no_shell(call: Call, page: str) -> None:
    draft = run(call, f"curl -s {A}", page).drafts[0]
    assert draft.completeness is Completeness.UNKNOWN
    assert not draft.never_current


def test_frames_are_stubs(call: Call) -> None:
    page = '<frameset rows="100%"><frame src="/inner"><frame src="https://b.example/x"></frameset>'
    draft, *stubs = run(call, f"curl -s {A}", page).drafts
    assert [stub.uri for stub in stubs] == ["https://a.example/inner", "https://b.example/x"]
    assert all(stub.parent_position == 0 for stub in stubs)
    assert draft.uri == A


@pytest.mark.parametrize(
    ("output", "repeats"),
    [
        ("HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n", True),
        ("HTTP/1.1 204 No Content\r\n", False),
    ],
)
def test_empty_body_is_no_document(call: Call, output: str, repeats: bool) -> None:
    draft = only(run(call, f"curl -si {A}", output))
    assert draft.role is SourceRole.STUB
    assert draft.content is None
    assert draft.repeats_earlier_content is repeats


@pytest.mark.parametrize(
    ("body", "kind"),
    [(PAGE, "page"), ('{"a": 1}', "data"), ("<?xml version='1.0'?><a/>", "data"), ("x", "page")],
)
def test_kind_by_type(call: Call, body: str, kind: str) -> None:
    assert only(run(call, f"curl -s {A}", body)).kind == kind
