"""Examples of RFC 3986: sections 1.1.2, 3, 5.4 and 6.2."""

import pytest

from sourcecorpus.identity import canonicalise

BASE_DIRECTORY = "http://a/b/c/"
BASE_PAGE = "http://a/b/c/d;p"

# Section 5.4.1 and 5.4.2: reference to target. Joining a reference to its base is the business of
# whoever reads a page; resolving the dot segments of what was joined is ours.
PATH_REFERENCES = {
    "g": "http://a/b/c/g",
    "./g": "http://a/b/c/g",
    "g/": "http://a/b/c/g/",
    "g?y": "http://a/b/c/g?y",
    ";x": "http://a/b/c/;x",
    "g;x": "http://a/b/c/g;x",
    "g;x?y#s": "http://a/b/c/g;x?y",
    ".": "http://a/b/c/",
    "./": "http://a/b/c/",
    "..": "http://a/b/",
    "../": "http://a/b/",
    "../g": "http://a/b/g",
    "../..": "http://a/",
    "../../": "http://a/",
    "../../g": "http://a/g",
    "../../../g": "http://a/g",
    "../../../../g": "http://a/g",
    "g.": "http://a/b/c/g.",
    ".g": "http://a/b/c/.g",
    "g..": "http://a/b/c/g..",
    "..g": "http://a/b/c/..g",
    "./../g": "http://a/b/g",
    "./g/.": "http://a/b/c/g/",
    "g/./h": "http://a/b/c/g/h",
    "g/../h": "http://a/b/c/h",
    "g;x=1/./y": "http://a/b/c/g;x=1/y",
    "g;x=1/../y": "http://a/b/c/y",
    "g?y/./x": "http://a/b/c/g?y/./x",
    "g?y/../x": "http://a/b/c/g?y/../x",
    "g#s/./x": "http://a/b/c/g",
    "g#s/../x": "http://a/b/c/g",
}
OTHER_REFERENCES = {
    "http://a/g": "http://a/g",
    "http://a/./g": "http://a/g",
    "http://a/../g": "http://a/g",
    "http://g": "http://g/",
    BASE_PAGE + "?y": BASE_PAGE + "?y",
    BASE_PAGE + "?q": BASE_PAGE + "?q",
    BASE_PAGE + "?q#s": BASE_PAGE + "?q",
}


@pytest.mark.parametrize(("reference", "target"), PATH_REFERENCES.items())
def test_reference_resolution(reference: str, target: str) -> None:
    assert canonicalise(BASE_DIRECTORY + reference).value == target
    assert canonicalise(target).value == target


@pytest.mark.parametrize(("joined", "target"), OTHER_REFERENCES.items())
def test_reference_resolution_without_a_path(joined: str, target: str) -> None:
    assert canonicalise(joined).value == target


@pytest.mark.parametrize(
    "uri",
    [
        "ftp://ftp.is.co.za/rfc/rfc1808.txt",
        "http://www.ietf.org/rfc/rfc2396.txt",
        "ldap://[2001:db8::7]/c=GB?objectClass?one",
        "mailto:John.Doe@example.com",
        "news:comp.infosystems.www.servers.unix",
        "tel:+1-816-555-1212",
        "telnet://192.0.2.16:80/",
        "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
        "urn:example:animal:ferret:nose",
    ],
)
def test_the_examples_of_section_1_are_canonical(uri: str) -> None:
    found = canonicalise(uri)
    assert found.canonicalised
    assert found.value == uri


def test_components_of_section_3() -> None:
    found = canonicalise("foo://example.com:8042/over/there?name=ferret#nose")
    assert found.value == "foo://example.com:8042/over/there?name=ferret"
    assert found.locator == "nose"


@pytest.mark.parametrize(
    "spellings",
    [
        ("example://a/b/c/%7Bfoo%7D", "eXAMPLE://a/./b/../b/%63/%7bfoo%7d"),
        (
            "http://example.com",
            "http://example.com/",
            "http://example.com:/",
            "http://example.com:80/",
        ),
        ("HTTP://www.EXAMPLE.com/", "http://www.example.com/"),
        ("http://example.com/%3a", "http://example.com/%3A"),
        ("http://example.com/~smith", "http://example.com/%7Esmith", "http://example.com/%7esmith"),
    ],
)
def test_equivalence_of_section_6(spellings: tuple[str, ...]) -> None:
    assert len({canonicalise(spelling).value for spelling in spellings}) == 1


def test_what_section_6_keeps_apart() -> None:
    keys = [
        canonicalise(uri).value
        for uri in (
            "http://example.com/data",
            "http://example.com/data/",
            "http://example.com/data?",
            "http://example.com/data%2F",
            "http://example.com/Data",
        )
    ]
    assert len(set(keys)) == len(keys)
