"""The rules for scheme, host, port, path and fragment, one table each."""

import pytest

from sourcecorpus.identity import canonicalise
from sourcecorpus.identity.limits import MAXIMUM_HOST_CODE_POINTS, MAXIMUM_URI_CODE_POINTS


def value(uri: str) -> str:
    found = canonicalise(uri)
    assert found.canonicalised, uri
    assert found.value.isascii()
    assert canonicalise(found.value).value == found.value
    return found.value


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("HTTP://EXAMPLE.com", "http://example.com/"),
        ("hTTps://Www.Example.COM/Path", "https://www.example.com/Path"),
        ("https://example.com./a", "https://example.com/a"),
        ("https://example.com.:443/a", "https://example.com/a"),
        ("https://faß.de/", "https://xn--fa-hia.de/"),
        ("https://fass.de/", "https://fass.de/"),
        ("https://BÜCHER.example/", "https://xn--bcher-kva.example/"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
        ("https://XN--BCHER-KVA.example/", "https://xn--bcher-kva.example/"),
        ("https://b%C3%BCcher.example/", "https://xn--bcher-kva.example/"),
        ("https://bu\u0308cher.example/", "https://xn--bcher-kva.example/"),
        ("https://ｅｘａｍｐｌｅ．ｃｏｍ/", "https://example.com/"),
        ("https://日本。jp/", "https://xn--wgv71a.jp/"),
        ("https://日本．jp．/", "https://xn--wgv71a.jp/"),
        ("https://exa\u00admple.com/", "https://example.com/"),
        ("https://аpple.com/", "https://xn--pple-43d.com/"),
        ("https://under_score.example/", "https://under_score.example/"),
        ("https://☃.example/", "https://xn--n3h.example/"),
        ("http://%65xample.com/", "http://example.com/"),
    ],
)
def test_scheme_and_host_have_one_spelling(uri: str, expected: str) -> None:
    assert value(uri) == expected


@pytest.mark.parametrize(
    "spelling",
    [
        "127.0.0.1",
        "127.0.0.1.",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f.0.0.1",
        "0X7F.1",
        "0x7f000001",
        "0177.0.0.01",
        "017700000001",
        "0" * 70 + "177.1",
        "１２７．０．０．１",
        "%31%32%37.0.0.1",
    ],
)
def test_every_spelling_of_an_ipv4_address_is_one_host(spelling: str) -> None:
    assert value(f"http://{spelling}/x") == "http://127.0.0.1/x"


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("[2001:DB8:0:0:0:0:0:1]", "[2001:db8::1]"),
        ("[2001:db8:0:1:1:1:1:1]", "[2001:db8:0:1:1:1:1:1]"),
        ("[2001:0:0:1:0:0:0:1]", "[2001:0:0:1::1]"),
        ("[2001:db8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"),
        ("[0:0:0:0:0:0:0:0]", "[::]"),
        ("[::0001]", "[::1]"),
        ("[1:2:3:4:5:6:7:0]", "[1:2:3:4:5:6:7:0]"),
        ("[1:2:3:4:5:6:0:0]", "[1:2:3:4:5:6::]"),
        ("[::ffff:192.0.2.33]", "[::ffff:c000:221]"),
        ("[::ffff:c000:0221]", "[::ffff:c000:221]"),
    ],
)
def test_ipv6_is_compressed(literal: str, expected: str) -> None:
    assert value(f"http://{literal}:80/") == f"http://{expected}/"
    assert value(f"ldap://{literal}/") == f"ldap://{expected}/"


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:443/", "https://example.com/"),
        ("ws://example.com:80/", "ws://example.com/"),
        ("wss://example.com:443/", "wss://example.com/"),
        ("ftp://example.com:21/", "ftp://example.com/"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("https://example.com:80/", "https://example.com:80/"),
        ("ws://example.com:443/", "ws://example.com:443/"),
        ("ftp://example.com:80/", "ftp://example.com:80/"),
        ("http://example.com:/", "http://example.com/"),
        ("http://example.com:0080/", "http://example.com/"),
        ("http://example.com:008080/", "http://example.com:8080/"),
        ("http://example.com:0/", "http://example.com:0/"),
        ("gopher://example.com:70/", "gopher://example.com:70/"),
        ("http://[::1]:80/", "http://[::1]/"),
        ("https://user@example.com/", "https://example.com/"),
        ("https://user:pass@word@example.com:443/", "https://example.com/"),
        ("https://:@example.com/", "https://example.com/"),
        ("https://a%40b:c@example.com/", "https://example.com/"),
        ("redis://user:pass@example.com:6379/0", "redis://example.com:6379/0"),
        ("https://example.com/@user", "https://example.com/@user"),
    ],
)
def test_default_ports_and_user_parts_leave(uri: str, expected: str) -> None:
    assert value(uri) == expected


def test_http_and_https_are_two_keys() -> None:
    assert value("http://example.com/a") != value("https://example.com/a")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", "/"),
        ("/", "/"),
        ("/a/", "/a/"),
        ("/a", "/a"),
        ("//a", "//a"),
        ("/a//b", "/a//b"),
        ("/index.html", "/index.html"),
        ("/Case", "/Case"),
        ("/./a", "/a"),
        ("/a/.", "/a/"),
        ("/a/..", "/"),
        ("/a/../..", "/"),
        ("/../../a", "/a"),
        ("/a/b/../c/./d", "/a/c/d"),
        ("/a//../b", "/a/b"),
        ("/a/%2e%2E/b", "/b"),
        ("/a/.%2e/b", "/b"),
        ("/a/%252e%252e/b", "/a/%252e%252e/b"),
        ("/...", "/..."),
        ("/a/..b", "/a/..b"),
        ("/%7euser", "/~user"),
        ("/%41%2d%2E%5f%7E", "/A-._~"),
        ("/a%2fb", "/a%2Fb"),
        ("/a%3Fb%23c%25d%26e%2Bf%3Bg", "/a%3Fb%23c%25d%26e%2Bf%3Bg"),
        ("/%2541", "/%2541"),
        ("/100%", "/100%"),
        ("/%zz%4", "/%zz%4"),
        ("/%%34%31", "/%%341"),
        ("/a b", "/a%20b"),
        ("/ü", "/%C3%BC"),
        ("/%c3%bc", "/%C3%BC"),
        ("/u\u0308", "/u%CC%88"),
        ("/日本", "/%E6%97%A5%E6%9C%AC"),
        ("/\U0001f600", "/%F0%9F%98%80"),
        ("/\ud83d\ude00", "/%F0%9F%98%80"),
        ("/\ud83d", "/%EF%BF%BD"),
        ("/\x00\x7f", "/%00%7F"),
        ('/"<>^`{}', "/%22%3C%3E%5E%60%7B%7D"),
        ("/[|]!$&'()*+,;=:@", "/[|]!$&'()*+,;=:@"),
        ("\\a\\..\\b", "/b"),
        ("/a\tb\nc\rd", "/abcd"),
        ("/a&amp;b", "/a&amp;b"),
    ],
)
def test_path(path: str, expected: str) -> None:
    assert value("https://example.com" + path) == "https://example.com" + expected


@pytest.mark.parametrize(
    ("path", "expected", "names"),
    [
        ("/a;jsessionid=1A2B", "/a", ("jsessionid",)),
        ("/a;JSESSIONID=1A2B.node", "/a", ("jsessionid",)),
        ("/a;j%73essionid=1", "/a", ("jsessionid",)),
        ("/a;jsessionid=1/b", "/a/b", ("jsessionid",)),
        ("/a;v=1;jsessionid=2;w=3/b", "/a;v=1;w=3/b", ("jsessionid",)),
        ("/a;jsessionid=1;jsessionid=2", "/a", ("jsessionid", "jsessionid")),
        ("/a;jsessionid=1?b=2", "/a?b=2", ("jsessionid",)),
        ("/a;jsessionid=1#b", "/a", ("jsessionid",)),
        ("/a/..;jsessionid=1/b", "/b", ("jsessionid",)),
        ("/a;jsessionid", "/a;jsessionid", ()),
        ("/a;xjsessionid=1", "/a;xjsessionid=1", ()),
        ("/a;v=1.2", "/a;v=1.2", ()),
        ("/jsessionid=1", "/jsessionid=1", ()),
    ],
)
def test_session_path_parameters(path: str, expected: str, names: tuple[str, ...]) -> None:
    found = canonicalise("https://example.com" + path)
    assert found.value == "https://example.com" + expected
    assert found.removed_parameters == names
    assert canonicalise(found.value).value == found.value


@pytest.mark.parametrize(
    ("fragment", "kept", "locator"),
    [
        ("#", "", ""),
        ("#top", "", "top"),
        ("#page=12", "", "page=12"),
        ("#:~:text=a%20b", "", ":~:text=a%20b"),
        ("#top:~:text=a", "", "top:~:text=a"),
        ("#Ünï x", "", "Ünï x"),
        ("#a#b", "", "a#b"),
        ("#!", "#!", ""),
        ("#!/a/B?c=%7e", "#!/a/B?c=~", ""),
        ("#/", "#/", ""),
        ("#/layer/wrecks", "#/layer/wrecks", ""),
        ("#/a b/ü", "#/a%20b/%C3%BC", ""),
        ("#/r:~:text=x", "#/r", ":~:text=x"),
        ("#/r:%7E:text=x", "#/r", ":~:text=x"),
        ("#%2Fa", "", "%2Fa"),
        ("#%21a", "", "%21a"),
    ],
)
def test_fragment_is_a_locator_unless_it_is_a_route(fragment: str, kept: str, locator: str) -> None:
    found = canonicalise("https://example.com/a" + fragment)
    assert found.value == "https://example.com/a" + kept
    assert found.locator == locator
    assert canonicalise(found.value).value == found.value


def test_secrets_leave_locators_and_routes() -> None:
    secret = "Zz9" * 8
    found = canonicalise(f"https://example.com/#access_token={secret}&token_type=Bearer")
    assert found.locator == "token_type=Bearer"
    assert found.removed_parameters == ("access_token",)
    route = canonicalise(f"https://example.com/#/inbox?api_key={secret}&page=2")
    assert route.value == "https://example.com/#/inbox?page=2"
    assert route.removed_parameters == ("api_key",)


@pytest.mark.parametrize(
    "uri",
    [
        "  \x00https://example.com/a \n",
        "https:example.com/a",
        "https:/example.com/a",
        "https:///example.com/a",
        "https:\\\\example.com\\a",
        "ht\ntps://exa\tmple.com/a",
        "https:////user@example.com/a",
    ],
)
def test_what_rfc_3986_calls_invalid_reads_as_in_a_browser(uri: str) -> None:
    assert value(uri) == "https://example.com/a"


@pytest.mark.parametrize(
    "uri",
    [
        "",
        " ",
        "example.com/a",
        "www.example.com:80/foo",
        "localhost:8080/x",
        "//example.com/a",
        "/a/b",
        "C:\\Users\\x",
        "c:/x",
        "http:",
        "http://",
        "http://?a",
        "http://user@/",
        "http://:80/",
        "http://exa mple.com/",
        "http://exa<mple.com/",
        "http://exa%00mple.com/",
        "http://exa%2Fmple.com/",
        "http://a%zz/",
        "http://%ff/",
        "http://example.com:x/",
        "http://example.com:80:80/",
        "http://example.com:65536/",
        "http://example.com:٨٠/",
        "http://256.1.1.1/",
        "http://1.2.3.4.5/",
        "http://1.2.3.08/",
        "http://0xg.1.0x/",
        "http://[::1/",
        "http://[::1]x/",
        "http://[1::2::3]/",
        "http://[fe80::1%25eth0]/",
        "http://[v1.a]/",
        "http://::1/",
        "http://./",
        "http://example.com../",
        "http://\u00ad/",
        "http://xn--/",
        "http://xn--a/",
        "http://xn--zn7c.com/",
        "http://a\u200db/",
        "http://\u0301a/",
        "http://אa.example/",
        "http://\ud800/",
        "ldap://a b/",
        "1http://example.com/",
        "\ud800",
    ],
)
def test_what_does_not_parse_comes_back_unchanged(uri: str) -> None:
    found = canonicalise(uri)
    assert found == type(found)(uri, False, "", ())


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("MAILTO:User@Example.COM", "mailto:User@Example.COM"),
        ("urn:ISBN:0-395-36341-1", "urn:ISBN:0-395-36341-1"),
        ("tel:+1-816-555-1212", "tel:+1-816-555-1212"),
        ("LDAP://Example.COM/c=GB?one", "ldap://example.com/c=GB?one"),
        ("foo://H%6fst%c3/a", "foo://host%C3/a"),
        ("foo://host", "foo://host/"),
        ("foo:///a", "foo:///a"),
        ("foo:/a/../b", "foo:/b"),
        ("foo:/.//b", "foo:/.//b"),
        ("foo:/a/..//b", "foo:/.//b"),
        ("foo:a b", "foo:a%20b"),
        ("com.example.app://open/x", "com.example.app://open/x"),
        ("data:text/plain,%41 é", "data:text/plain,A%20%C3%A9"),
    ],
)
def test_other_schemes(uri: str, expected: str) -> None:
    assert value(uri) == expected


def test_length_is_bounded_before_and_after() -> None:
    head = "https://example.com/"
    longest = head + "a" * (MAXIMUM_URI_CODE_POINTS - len(head))
    assert canonicalise(longest).canonicalised
    assert canonicalise(longest + "a") == type(canonicalise(head))(longest + "a", False, "", ())
    grows = head + "é" * (MAXIMUM_URI_CODE_POINTS // 4)
    assert canonicalise(grows).value == grows
    assert not canonicalise(grows).canonicalised
    host = "a." * (MAXIMUM_HOST_CODE_POINTS // 2) + "com"
    assert not canonicalise(f"https://{host}/").canonicalised
    assert not canonicalise(f"https://{host}:8080/").canonicalised
    megabytes = "https://example.com/" + "%" * 3_000_000
    assert canonicalise(megabytes).value is megabytes


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "unit",
    [
        "a.",
        "a",
        "-",
        "%",
        "%4",
        "%41",
        "/..",
        "/a",
        ";jsessionid=",
        "&utm_source=",
        "ü",
        "\u0301",
        "@",
        ":",
        "[",
        "xn--",
        "?",
        "#/",
        ":~:",
        "\t",
        "\ud800",
        "1.",
        "0x",
        "א",
        "REDACTED~",
    ],
)
def test_no_repetition_is_slow(unit: str) -> None:
    body = unit * (MAXIMUM_URI_CODE_POINTS // len(unit) - 20)
    for head in ("http://", "http://e.example/", "http://e.example/?", "foo:", "file:///", ""):
        once = canonicalise(head + body).value
        assert canonicalise(once).value == once
