"""Faults that comparable systems published, each as a family of inputs."""

import itertools

import pytest

from sourcecorpus.identity import canonicalise, content_hash, source_id


def key(uri: str) -> str:
    return canonicalise(uri).value


@pytest.mark.parametrize("part", ["/a{}b", "/a?x={}", "/a?{}=x", "/#/r{}"])
@pytest.mark.parametrize("reserved", "#/?%&+=;:@!$'()*,[] \"<>|")
def test_an_escaped_delimiter_is_never_decoded(part: str, reserved: str) -> None:
    escaped = f"%{ord(reserved):02x}"
    once = key("https://example.com" + part.format(escaped))
    assert escaped.upper() in once
    assert key(once) == once
    assert key("https://example.com" + part.format(escaped.upper())) == once


@pytest.mark.parametrize("levels", range(1, 6))
def test_escapes_are_never_decoded_twice(levels: int) -> None:
    uri = "http://example.com/Dia%" + "25" * levels + "41"
    assert key(uri) == uri


def test_the_published_escape_cases() -> None:
    assert key("https://example.com/a%20b%3a%20%2376/c#frag") == (
        "https://example.com/a%20b%3A%20%2376/c"
    )
    assert key("http://example.com/Dia%25") == "http://example.com/Dia%25"


def test_case_outside_scheme_and_host_tells_resources_apart() -> None:
    for one, other in (
        ("https://video.example/watch?v=aFCO6WidGVM", "https://video.example/watch?v=afco6widgvm"),
        ("https://video.example/Watch", "https://video.example/watch"),
        ("https://video.example/?V=1", "https://video.example/?v=1"),
        ("https://video.example/#/A", "https://video.example/#/a"),
        ("https://video.example/%41/b", "https://video.example/%61/b"),
    ):
        assert key(one) != key(other)
    assert key("HTTPS://VIDEO.example/Watch") == key("https://video.example/Watch")


@pytest.mark.parametrize(
    "query",
    ["?/a/=/o/", "?a", "?a=", "?", "", "?a&a=", "?a=/b/c", "?a=b?c", "?%2F", "?/", "?=", "?&"],
)
def test_the_query_is_not_rewritten(query: str) -> None:
    uri = "http://example.com/index.php" + query
    assert key(uri) == uri


def test_queries_that_look_alike_are_different_keys() -> None:
    queries = [
        "",
        "?",
        "?a",
        "?a=",
        "?a=&",
        "?&a=",
        "?a=+",
        "?a=%20",
        "?a=%2B",
        "?a&a",
        "?/",
        "?%2F",
    ]
    keys = {key("http://example.com/x" + query) for query in queries}
    assert len(keys) == len(queries)


def test_a_port_is_dropped_only_for_its_own_scheme_and_no_scheme_is_guessed() -> None:
    defaults = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}
    for (scheme, default), port in itertools.product(defaults.items(), (21, 80, 443, 8080)):
        written = f"{scheme}://example.com:{port}/foo"
        dropped = f"{scheme}://example.com/foo"
        assert key(written) == (dropped if port == default else written)
    for uri in ("www.example.com:80/foo", "example.com:443", "localhost:80", "10.0.0.1:80/"):
        found = canonicalise(uri)
        assert (found.value, found.canonicalised) == (uri, False)


def test_a_fragment_moves_the_locator_and_never_the_key() -> None:
    page = "https://forge.example/issues/3884"
    found = [
        canonicalise(page + fragment) for fragment in ("#comment-2309", "#2024-11-30", "", "#")
    ]
    assert {one.value for one in found} == {page}
    assert [one.locator for one in found] == ["comment-2309", "2024-11-30", "", ""]
    assert len({source_id("game", one.value) for one in found}) == 1
    assert key(page + "#!comment-2309") != page
    assert key(page + "#/comment-2309") != page


def test_only_the_empty_root_path_is_equal_to_a_slash() -> None:
    assert key("https://example.com") == key("https://example.com/")
    variants = [
        "https://example.com/",
        "https://www.example.com/",
        "http://example.com/",
        "https://example.com//",
        "https://example.com/index.html",
        "https://example.com/a",
        "https://example.com/a/",
        "https://example.com/a//",
        "https://example.com/?",
    ]
    assert len({key(uri) for uri in variants}) == len(variants)
    # They are linked by what they hold, which is another key.
    assert content_hash(b"same") == content_hash(bytearray(b"same"))


def test_character_references_are_data_at_every_hop() -> None:
    uri = "https://example.com/list?a=1&amp;b=2&#38;c=3"
    once = canonicalise(uri)
    assert once.value == "https://example.com/list?a=1&amp;b=2&"
    assert once.locator == "38;c=3"
    grown = "https://example.com/?a=1" + "&amp;" * 50 + "b=2"
    assert key(grown) == grown
    twice = key(key("https://example.com/?a=1&amp;amp;b=2"))
    assert twice == "https://example.com/?a=1&amp;amp;b=2"
