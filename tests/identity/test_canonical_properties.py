"""Properties of the canonical URI over generated input.

can_ada wraps Ada, another implementation of the WHATWG URL Standard; it is the judge of what parses.
"""

import string
from dataclasses import dataclass, replace

import can_ada
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from sourcecorpus.identity import canonicalise
from sourcecorpus.identity.parameters import TRACKING_NAMES

MANY = settings(
    max_examples=10_000,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
SOME = settings(MANY, max_examples=2_500)

PIECES = [
    *("http", "https", "ws", "ftp", "file", "tool", "foo", "a", "b.c", "localhost", "C:", "c|"),
    *(":", "/", "//", "\\", "?", "#", "@", "[", "]", "::1", "%", "%2", "%41", "%2e", "%2E", "%34"),
    *(
        "%31",
        "%2F",
        "%7E",
        "%C3%9F",
        "%zz",
        ".",
        "..",
        "1",
        "0x",
        "127",
        ":80",
        ":443",
        "&",
        "=",
        ";",
    ),
    *("jsessionid=", "utm_source=", "api_key=", "sig=", "sv=", "Expires=", "Signature=", "token="),
    *(
        "Key-Pair-Id=",
        " ",
        "\t",
        "\n",
        "\x00",
        "\x7f",
        "é",
        "ß",
        "İ",
        "\u200d",
        "\u00ad",
        "א",
        "。",
    ),
    *("xn--", "xn--fa-hia", "~", ":~:", "!", "+", "\ud800", "\udc00", "\U0001f600", "'", '"', "<"),
    *("^", "`", "|", "{", "REDACTED~x~0123456789abcdef~", "／", "％", "²", "-", "_", "*", "(", "$"),
]
HEADS = [
    *("", "http://", "https://h.example/", "https://h.example/a?", "https://h.example/#/", "file:"),
    *("file:///", "foo:", "foo://", "tool:", "http://user@", "https://cdn.discordapp.com/a?"),
]
assembled = st.builds(
    lambda head, pieces: head + "".join(pieces),
    st.sampled_from(HEADS),
    st.lists(st.sampled_from(PIECES), max_size=12),
)
anything = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)


@MANY
@given(st.one_of(assembled, anything))
@example("http://a/%%34%31")
@example("foo:/.//a")
@example("file:///./c|/../x")
@example("https://h.example/#/r:%7E:text=a")
def test_total_and_idempotent(uri: str) -> None:
    once = canonicalise(uri)
    twice = canonicalise(once.value)
    assert twice.value == once.value
    if once.canonicalised:
        assert once.value.isascii()
        assert twice.canonicalised or once.value.startswith(("foo:", "a:"))
        assert not twice.removed_parameters
        assert not twice.locator
    else:
        assert once.value == uri


unreserved = st.text(string.ascii_letters + string.digits + "-_~", min_size=1, max_size=6)
kept_escape = st.sampled_from(["%2F", "%3F", "%23", "%25", "%26", "%20", "%C3%BC", "+", "=", "'"])
segment = st.lists(st.one_of(unreserved, kept_escape), min_size=1, max_size=3).map("".join)
pair = st.one_of(  # the beginning keeps generated names off every list
    st.just(""),
    st.builds("zz{}".format, segment),
    st.builds("zz{}={}".format, unreserved, segment),
)


@dataclass(frozen=True, slots=True)
class Parts:
    """A URL in its canonical spelling, by what is kept of it."""

    scheme: str
    host: str
    port: str
    segments: tuple[str, ...]
    query: tuple[str, ...] | None
    route: str

    def __str__(self) -> str:
        query = "" if self.query is None else "?" + "&".join(self.query)
        return (
            f"{self.scheme}://{self.host}{self.port}/{'/'.join(self.segments)}{query}{self.route}"
        )


parts = st.builds(
    Parts,
    st.sampled_from(["http", "https", "ws", "wss", "ftp"]),
    st.from_regex(r"[a-z]{1,5}\.[a-z]{2,4}", fullmatch=True),
    st.sampled_from(["", ":8080", ":8443"]),
    st.lists(st.one_of(st.just(""), segment), max_size=4).map(tuple),
    st.one_of(st.none(), st.lists(pair, min_size=1, max_size=4).map(tuple)),
    st.one_of(
        st.just(""), st.builds("#/{}".format, unreserved), st.builds("#!{}".format, unreserved)
    ),
)


@SOME
@given(parts, parts, st.sampled_from(sorted(Parts.__dataclass_fields__)))
def test_what_differs_in_a_kept_part_is_never_merged(one: Parts, other: Parts, kept: str) -> None:
    assert canonicalise(str(one)).value == str(one)
    changed = replace(one, **{kept: getattr(other, kept)})
    assume(str(changed) != str(one))
    assert canonicalise(str(changed)).value != canonicalise(str(one)).value


@SOME
@given(parts, st.data())
def test_what_differs_in_a_dropped_part_is_always_merged(one: Parts, data: st.DataObject) -> None:
    defaults = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}
    user = data.draw(st.sampled_from(["", "user@", "user:pass@", "a:b@c@"]))
    host = data.draw(st.sampled_from([one.host, one.host.upper(), one.host + "."]))
    port = one.port or data.draw(st.sampled_from(["", ":", f":{defaults[one.scheme]}"]))
    segments = list(one.segments)
    for dots in data.draw(st.lists(st.sampled_from([".", "%2e", "x/..", "x/.%2E"]), max_size=2)):
        segments.insert(data.draw(st.integers(0, max(len(segments) - 1, 0))), dots)
    if not one.segments and segments:
        segments.append("")
    query = list(one.query or ())
    if one.query != ("",):  # with nothing else left the question mark would go as well
        for name in data.draw(st.lists(st.sampled_from(sorted(TRACKING_NAMES)), max_size=2)):
            query.insert(data.draw(st.integers(0, len(query))), f"{name}=x")
    mark = "?" if query else ""
    fragment = one.route or data.draw(st.sampled_from(["", "#", "#top", "#page=2", "#:~:text=a"]))
    scheme = data.draw(st.sampled_from([one.scheme, one.scheme.upper(), one.scheme.title()]))
    path = "/".join(segments)
    spelled = f"{scheme}://{user}{host}{port}/{path}{mark}{'&'.join(query)}{fragment}"
    assert canonicalise(spelled).value == str(one)


ascii_assembled = assembled.filter(lambda uri: uri.isascii() and "xn--" not in uri)


@SOME
@given(ascii_assembled)
def test_the_same_urls_parse_as_in_another_implementation(uri: str) -> None:
    try:
        parsed = can_ada.parse(uri)
    except ValueError:
        parsed = None
    assume(uri.strip()[:5].lower() != "tool:")
    found = canonicalise(uri)
    special = parsed is not None and parsed.protocol in {
        *("http:", "https:", "ws:", "wss:", "ftp:", "file:"),
    }
    if parsed is None:
        assert not found.canonicalised
    elif special and not parsed.hostname.endswith(".."):
        assert found.canonicalised is (parsed.hostname != ".")
        if found.canonicalised:
            # Ada spells apostrophes of a query as escapes; RFC 3986 keeps them apart.
            assume("'" not in uri)
            assert canonicalise(parsed.href).value == found.value
