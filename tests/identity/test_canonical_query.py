"""Which query parameters belong to the key, and how little is done to them."""

import pytest

from sourcecorpus.identity import canonicalise
from sourcecorpus.identity.parameters import (
    HOST_TRACKING_NAMES,
    SECRET_NAMES,
    SIGNING_SCHEMES,
    TRACKING_NAMES,
    SigningScheme,
)

HEX_SECRET = "0fcc8e5434658cb5" + "d6ffc38dca0853de"
MIXED_SECRET = "QYrErptDCJ6c6rX2" + "pkjDWsclyZTZnma4"
UUID = "87492e50-d11f-47b3-9de6-6ce540927b01"
PLACEHOLDER = "REDACTED~query-secret~" + "9f3c1a2b4d5e6f70" + "~"


def query(text: str, host: str = "h.example") -> str:
    found = canonicalise(f"https://{host}/a?{text}")
    assert found.canonicalised
    assert canonicalise(found.value).value == found.value
    head = f"https://{host}/a"
    assert found.value.startswith(head)
    return found.value[len(head) :]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a=",
        "a=1&a=1",
        "b=1&a=2",
        "&",
        "&&a=1&",
        "=1",
        "a==b",
        "a=1;b=2",
        "a=x+y",
        "a=x%20y",
        "a=x%2By",
        "/a/=/o/",
        "?x?",
        "a=%26%3D%23%25",
        "q=it's",
        "a=[1]|{2}^`\\",
        "a&amp;b=1",
        "next=https://x.example/?a=1%26utm_source=b",
        "next=https%3A%2F%2Fx.example%2F%3Futm_source%3Db%26api_key%3D1",
        "a=100%",
    ],
)
def test_kept_as_it_is(text: str) -> None:
    assert query(text) == "?" + text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=%7e%41", "?a=~A"),
        ("a=%c3%bc", "?a=%C3%BC"),
        ("a=ü b", "?a=%C3%BC%20b"),
        ('a="<>', "?a=%22%3C%3E"),
        ("a=%252f", "?a=%252f"),
    ],
)
def test_escapes(text: str, expected: str) -> None:
    assert query(text) == expected


@pytest.mark.parametrize("name", sorted(TRACKING_NAMES))
def test_tracking_names_leave_by_exact_name(name: str) -> None:
    escaped = "".join(f"%{ord(character):02x}" for character in name)
    assert query(f"a=1&{name}=x&b=2") == "?a=1&b=2"
    assert query(f"{escaped}=x&b=2") == "?b=2"
    assert query(f"{name}=x") == ""
    assert query(f"{name}") == ""
    assert query(f"{name.upper()}=x") == f"?{name.upper()}=x"
    assert query(f"x{name}=x") == f"?x{name}=x"
    assert query(f"{name}2=x") == f"?{name}2=x"


def test_removed_names_are_told_decoded_and_in_order() -> None:
    found = canonicalise("https://h.example/;jsessionid=1?gclid=1&a=2&utm%5fsource=3&api%2Dkey=4")
    assert found.removed_parameters == ("jsessionid", "gclid", "utm_source", "api-key")


@pytest.mark.parametrize("text", ["&utm_source=1", "utm_source=1&", "gclid=1&&fbclid=2"])
def test_if_nothing_is_left_the_question_mark_goes(text: str) -> None:
    assert query(text) == ""


@pytest.mark.parametrize("name", sorted(SECRET_NAMES))
def test_secret_names_leave_whatever_the_value(name: str) -> None:
    assert query(f"a=1&{name}=x&b=2") == "?a=1&b=2"
    assert query(f"{name}=") == ""
    assert query(f"{name}&b=2") == f"?{name}&b=2"


@pytest.mark.parametrize(
    "name",
    [
        "api_key",
        "API-KEY",
        "apiKey",
        "api%5Fkey",
        "x-api-key",
        "Access_Token",
        "user[password]",
        "accessToken",
        "client_secret",
        "Ocp-Apim-Subscription-Key",
        "password[]",
        "PHPSESSID",
    ],
)
def test_spellings_of_secret_names(name: str) -> None:
    assert query(f"{name}=x&b=2") == "?b=2"


@pytest.mark.parametrize("name", ["token", "key", "code", "state", "sig", "auth", "signature"])
def test_names_with_two_meanings_leave_only_with_a_machine_made_value(name: str) -> None:
    for secret in (HEX_SECRET, MIXED_SECRET, PLACEHOLDER, f"Bearer%20{PLACEHOLDER}"):
        assert query(f"a=1&{name}={secret}") == "?a=1"
    for everyday in ("", "1", "word", "author", "none", "new-york", "DE", "SUMMER2024SALES10"):
        assert query(f"{name}={everyday}") == f"?{name}={everyday}"


@pytest.mark.parametrize(
    "text",
    [
        "ref=sr_1_3&from=home&source=web&id=B08N5WRWNW",
        f"id={HEX_SECRET}",
        f"rev={MIXED_SECRET}",
        f"key={UUID}",
        "code=Minecraft1.21.4-Fabric0.15",
        "state=north-rhine-westphalia-2024",
        "key=monkey+key+ring&token=word&auth=none&sig=1",
        "Expires=100&Policy=x",
        "sv=1&se=2&sp=r",
        "ex=1&is=2&hm=3",
        "si=abc",
        "password_hint=x&tokens=12&keyboard=1",
    ],
)
def test_everyday_names_stay(text: str) -> None:
    assert query(text) == "?" + text


@pytest.mark.parametrize("name", ["code", "token", "state", "access_token", "session"])
def test_the_key_is_the_same_before_and_after_redaction(name: str) -> None:
    plain = canonicalise(f"https://h.example/a?{name}={MIXED_SECRET}&b=2")
    masked = canonicalise(f"https://h.example/a?{name}={PLACEHOLDER}&b=2")
    assert plain == masked


def test_a_placeholder_under_any_other_name_keeps_resources_apart() -> None:
    other = PLACEHOLDER.replace("9f3c", "0000")
    assert query(f"hash={PLACEHOLDER}") == f"?hash={PLACEHOLDER}"
    assert query(f"hash={PLACEHOLDER}") != query(f"hash={other}")
    assert query(f"q=about+{PLACEHOLDER}") == f"?q=about+{PLACEHOLDER}"


@pytest.mark.parametrize("scheme", SIGNING_SCHEMES, ids=lambda scheme: scheme.name)
def test_signing_parameters_leave_together(scheme: SigningScheme) -> None:
    host = scheme.hosts[0] if scheme.hosts else "h.example"
    signed = "&".join(f"{name}=1" for name in sorted(scheme.parameters))
    assert query(f"a=1&{signed}&b=2", host) == "?a=1&b=2"
    assert query(signed.title(), host) == ""
    for lone in sorted(scheme.parameters - scheme.required):
        secret = lone.replace("-", "") in SECRET_NAMES
        assert query(f"{lone}=1", host) == ("" if secret else f"?{lone}=1")
    if len(scheme.required) > 1:
        for lone in sorted(scheme.required):
            assert query(f"{lone}=1", host) == f"?{lone}=1"


@pytest.mark.parametrize(
    "signed",
    [
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=A&X-Amz-Date=D&X-Amz-Expires=60"
        "&X-Amz-SignedHeaders=host&X-Amz-Signature=aa&X-Amz-Security-Token=t",
        "X-Goog-Algorithm=GOOG4&X-Goog-Credential=A&X-Goog-Date=D&X-Goog-Expires=6"
        "&X-Goog-SignedHeaders=host&X-Goog-Signature=aa",
        "sv=2022-11-02&st=2024&se=2025&sr=b&sp=r&sig=a%2Bb%3D",
        "Expires=1&Signature=abc&Key-Pair-Id=K",
        "Policy=abc&Signature=abc&Key-Pair-Id=K",
        "AWSAccessKeyId=A&Expires=1&Signature=b",
    ],
)
def test_the_signed_object_is_one_key(signed: str) -> None:
    assert query(signed) == ""
    assert query(f"versionId=3&{signed}") == "?versionId=3"
    assert query(f"response-content-type=a&{signed}") == "?response-content-type=a"


def test_host_rules_hold_on_their_hosts_only() -> None:
    for host, names in HOST_TRACKING_NAMES.items():
        for name in names:
            assert query(f"v=1&{name}=x", host) == "?v=1"
            assert query(f"v=1&{name}=x", "www." + host) == "?v=1"
            assert query(f"v=1&{name}=x", "not" + host) == f"?v=1&{name}=x"
    assert query("ex=1&is=2&hm=3&width=9", "cdn.discordapp.com") == "?width=9"


def test_long_names_are_data() -> None:
    name = "utm_source" + "a" * 7_000
    assert query(f"{name}=1") == f"?{name}=1"
