"""Vectors of the web-platform-tests: one key per URL, and every difference explained and counted.

An independent small model turns the serialisation that the WHATWG URL Standard asks for into the
key, one named difference at a time. A vector that the model does not explain fails.
"""

import json
import re
import string
from collections import Counter
from pathlib import Path

import pytest

from sourcecorpus.identity import canonicalise

VECTORS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "urltestdata.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
ALONE = [vector for vector in VECTORS if vector["base"] is None]
DOCUMENT = Path(__file__).parents[2] / "docs" / "identity.md"
UNRESERVED = string.ascii_letters + string.digits + "-._~"
SPECIAL = ("http:", "https:", "ws:", "wss:", "ftp:", "file:")

REFUSED_ROOT_DOT = "host of root dots refused"
FRAGMENT = "fragment becomes the locator"
USER_PART = "user part removed"
OPAQUE_HOST = "host of other schemes in lower case"
EMPTY_PATH = "empty path of other schemes is a slash"
ESCAPES = "escapes normalised"
APOSTROPHE = "apostrophe of a query kept"
CARET = "caret of a path encoded"
OPAQUE_SPACE = "space of an opaque path encoded"


def normal_escapes(text: str) -> str:
    def respell(match: re.Match[str]) -> str:
        character = chr(int(match[1], 16))
        return character if character in UNRESERVED else match[0].upper()

    return re.sub("%([0-9A-Fa-f]{2})", respell, text)


def explain(url: str, href: str) -> tuple[str | None, list[str]]:
    """Returns the key that the differences make of a serialised URL, and which ones were needed."""
    classes: list[str] = []

    def changed(name: str, before: str, after: str) -> str:
        if before != after:
            classes.append(name)
        return after

    href, mark, fragment = href.partition("#")
    if mark and not fragment.startswith(("/", "!")):
        classes.append(FRAGMENT)
    else:
        href += mark + fragment
    scheme = href.partition(":")[0] + ":"
    match = re.match(r"([^:/?#]+://)([^/?#]*)([^?#]*)(.*)", href, re.DOTALL)
    if match is None:
        head, question, query = href.partition("?")
        opaque = head if head[len(scheme) :].startswith("/") else head.replace(" ", "%20")
        return changed(OPAQUE_SPACE, head, opaque) + question + query, classes
    start, authority, path, rest = match.groups()
    authority = changed(USER_PART, authority, authority.rpartition("@")[2])
    if re.fullmatch(r"\.+|.*\.\.", authority):
        return None, [REFUSED_ROOT_DOT]
    if scheme not in SPECIAL:
        lowered = re.sub("%..", lambda hit: hit[0].upper(), normal_escapes(authority).lower())
        authority = changed(OPAQUE_HOST, authority, lowered)
        path = changed(EMPTY_PATH, path, path or "/")
    path = changed(CARET, path, path.replace("^", "%5E"))
    path = changed(ESCAPES, path, normal_escapes(path))
    if "'" in url and "%27" in rest:
        rest = changed(APOSTROPHE, rest, rest.replace("%27", "'"))
    return start + authority + path + rest, classes


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: ascii(vector["input"])[:60])
def test_one_key_per_url(vector: dict[str, str | None]) -> None:
    assert vector["input"] is not None
    once = canonicalise(vector["input"])
    assert canonicalise(once.value).value == once.value
    if vector["href"] is None:
        return
    resolved = canonicalise(vector["href"])
    assert canonicalise(resolved.value).value == resolved.value
    if vector["base"] is None and once.canonicalised:
        assert resolved.value.replace("%27", "'") == once.value.replace("%27", "'")


@pytest.mark.parametrize("vector", ALONE, ids=lambda vector: ascii(vector["input"])[:60])
def test_every_difference_is_explained(vector: dict[str, str | None]) -> None:
    url, href = vector["input"], vector["href"]
    assert url is not None
    found = canonicalise(url)
    if href is None:
        assert not found.canonicalised
    elif url.startswith("#"):
        assert not found.canonicalised  # relative to a base that the vector leaves open
    else:
        expected, _ = explain(url, href)
        assert (found.value if found.canonicalised else None) == expected


def test_differences_are_counted_in_the_documentation() -> None:
    counts: Counter[str] = Counter()
    for vector in ALONE:
        if vector["href"] is not None and not vector["input"].startswith("#"):
            counts.update(explain(vector["input"], vector["href"])[1])
    table = re.findall(r"^\| ([^|]+?) \| (\d+) \|", DOCUMENT.read_text(encoding="utf-8"), re.M)
    assert dict(counts) == {name: int(number) for name, number in table}
    assert len(ALONE) == 405
    assert len(VECTORS) == 687
