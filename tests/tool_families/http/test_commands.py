"""Shell commands are taken apart as a shell would, and only as far as is certain."""

import pytest

from capture_service.tool_families.commands.fetches import Fetch
from capture_service.tool_families.commands.plan import read_plan
from capture_service.tool_families.commands.shell_words import read_commands

A = "https://a.example/one"
B = "https://b.example/two"


def words(command: str) -> list[list[str]] | None:
    commands = read_commands(command)
    return None if commands is None else [simple.words for simple in commands]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (f"curl {A}", [["curl", A]]),
        (f"curl '{A}?a=1&b=2'", [["curl", f"{A}?a=1&b=2"]]),
        (f'curl "{A}" && echo "a && b"', [["curl", A], ["echo", "a && b"]]),
        ("a | b |& c", [["a"], ["b"], ["c"]]),
        ("a;b\nc & d", [["a"], ["b"], ["c"], ["d"]]),
        ("(cd x && curl y)", [["cd", "x"], ["curl", "y"]]),
        ("a\\ b 'c d'\"e\"", [["a b", "c de"]]),
        ("a \\\n  b", [["a", "b"]]),
        ("a 2>&1 >out.txt b", [["a", "b"]]),
        ("a # comment | b", [["a"]]),
        ("curl -H'X: y' z#frag", [["curl", "-HX: y", "z#frag"]]),
        ("a 'unclosed", None),
        ('a "unclosed', None),
        ("cat <<EOF\ncurl x\nEOF", None),
        ("", []),
    ],
)
def test_words(command: str, expected: list[list[str]] | None) -> None:
    assert words(command) == expected


def test_redirection_and_pipes() -> None:
    commands = read_commands("a >out.txt 2>/dev/null | b; c &> all.txt; d >/dev/null; e 2>err")
    assert commands is not None
    assert [simple.output_file for simple in commands] == [
        "out.txt",
        "",
        "all.txt",
        "/dev/null",
        "",
    ]
    assert [simple.feeds_pipe for simple in commands] == [True, False, False, False, False]
    assert [simple.reads_pipe for simple in commands] == [False, True, False, False, False]


def only_fetch(command: str) -> Fetch:
    (fetch,) = read_plan(command).fetches
    return fetch


@pytest.mark.parametrize(
    ("command", "address", "output"),
    [
        (f"curl -s {A}", A, ""),
        (f"curl -sSL --max-time 5 -H 'Accept: x' {A}", A, ""),
        (f"curl -o page.html {A}", A, "page.html"),
        (f"curl -opage.html {A}", A, "page.html"),
        (f"curl --output=page.html {A}", A, "page.html"),
        (f"curl -sLO {A}", A, "one"),
        (f"curl -o - {A}", A, ""),
        (f"curl {A} > page.html", A, "page.html"),
        (f"curl --url {A}", A, ""),
        ("curl a.example/one", "http://a.example/one", ""),
        (f"curl -G -d q=x --data-urlencode 'r=a b' {A}", f"{A}?q=x&r=a%20b", ""),
        (f"wget {A}", A, "one"),
        ("wget https://a.example/", "https://a.example/", "index.html"),
        (f"wget -qO- {A}", A, ""),
        (f"wget -q -O - {A}", A, ""),
        (f"wget -O page.html {A}", A, "page.html"),
        (f"wget --output-document=page.html {A}", A, "page.html"),
        (f"http GET {A}", A, ""),
        (f"http --follow {A} q==a", f"{A}?q=a", ""),
        ("http :8080/x", "http://localhost:8080/x", ""),
        ("https a.example/one", A, ""),
        (f"sudo timeout 10 curl {A}", A, ""),
        (f"FOO=bar curl {A}", A, ""),
        (f"/usr/bin/curl {A}", A, ""),
        (f"cd /tmp && curl {A} | tee page.html", A, ""),
        (f"curl {A} 2>/dev/null", A, ""),
    ],
)
def test_one_fetch(command: str, address: str, output: str) -> None:
    plan = read_plan(command)
    fetch = only_fetch(command)
    assert fetch.addresses == (address,)
    assert fetch.outputs == (output,)
    assert plan.is_http


@pytest.mark.parametrize(
    "command",
    [
        f"curl {A} | jq .name",
        f"curl {A} | grep title | head -3",
        f"curl {A} | tee page.html | wc -l",
        f"curl {A} | cat -n",
        f"curl {A}; ls",
        f"echo title; curl {A}",
        f"curl {A} {B}",
        f"curl {A} && curl {B}",
        "curl $URL",
        'curl "https://a.example/$ID"',
        "curl https://a.example/{1,2}.html",
        "curl 'https://a.example/[1-9].html'",
        "curl `cat address`",
        f"python -c 'print(1)' # curl {A}",
        f"echo curl {A}",
        f"wget -r {A}",
        "curl --version",
        f"curl {A} 'unclosed",
    ],
)
def test_output_that_is_not_one_body(command: str) -> None:
    assert not read_plan(command).is_http


def test_addresses_of_several_fetches() -> None:
    plan = read_plan(f"curl {A} | jq . ; wget -q {B}")
    assert plan.addresses == (A, B)
    assert read_plan(f"curl -i {A} {B}").is_http
    assert read_plan(f"curl -O {A} -o two.html {B}").is_http
    assert [fetch.outputs for fetch in read_plan(f"curl -o a {A} {B}").fetches] == [("a", "")]


def test_literal_addresses_that_look_like_patterns() -> None:
    assert only_fetch("curl 'http://[::1]:80/x'").addresses == ("http://[::1]:80/x",)
    assert only_fetch("curl -g 'https://a.example/[1]'").addresses == ("https://a.example/[1]",)
    assert only_fetch("curl 'https://a.example/$x'").addresses == ("https://a.example/$x",)


@pytest.mark.parametrize(
    ("command", "method"),
    [
        (f"curl -X DELETE {A}", "DELETE"),
        (f"curl -d a=b {A}", "POST"),
        (f"curl -F a=@b {A}", "POST"),
        (f"curl -T file {A}", "PUT"),
        (f"curl -I {A}", "HEAD"),
        (f"wget --post-data a=b {A}", "POST"),
        (f"http {A} a=b", "POST"),
        (f"http PUT {A} a=b", "PUT"),
        (f"http {A} 'X-Y: z'", "GET"),
    ],
)
def test_method(command: str, method: str) -> None:
    assert only_fetch(command).method == method


@pytest.mark.parametrize(
    "command",
    [
        f"curl -u me:word {A}",
        f"curl -b sid=1 {A}",
        f"curl -H 'Authorization: Bearer x' {A}",
        f"wget --user=me {A}",
        f"http -a me:word {A}",
        f"http {A} Cookie:sid=1",
    ],
)
def test_credentials_are_seen(command: str) -> None:
    assert only_fetch(command).authenticated
    assert not only_fetch(f"curl {A}").authenticated
