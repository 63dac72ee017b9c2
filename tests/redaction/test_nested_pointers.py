"""Configured pointers go on inside strings that hold JSON."""

import json
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capture_service.redaction import RedactionKey, RedactionPolicy, Redactor, load_configuration
from capture_service.redaction.json_text import StringView
from capture_service.redaction.limits import MAX_NESTED_STRINGS
from capture_service.redaction.structured import structured_spans

NAMES = ["result", "text", "log", "note", "deeper"]


@cache
def configured(*pointers: str) -> Redactor:
    configuration = load_configuration({"sensitive_pointers": list(pointers)})
    key = RedactionKey.from_bytes(bytes(range(32)))
    return Redactor(RedactionPolicy.build(key, configuration))


def nested(value: object, depth: int) -> str:
    text = json.dumps({"a": value, "n": 1})
    for name in NAMES[:depth]:
        text = json.dumps({name: text, "kept": [1, {"a": "stays"}]})
    return text


@pytest.mark.parametrize("depth", range(MAX_NESTED_STRINGS + 1))
@pytest.mark.parametrize("value", ["sunny 'days' \"and\" \\ 雨 😀\n", 42, True, {"b": [1, 2]}])
def test_a_pointer_enters_strings(depth: int, value: object) -> None:
    pointer = "/" + "/".join([*NAMES[:depth][::-1], "a"])
    text = nested(value, depth)
    answer = configured(pointer).redact_text(text).text
    assert configured(pointer).redact_text(answer).text == answer
    for name in NAMES[:depth][::-1]:
        outer = json.loads(answer)
        assert outer["kept"] == [1, {"a": "stays"}]
        answer = outer[name]
    inner = json.loads(answer)
    assert inner["n"] == 1
    assert str(inner["a"]).startswith("REDACTED~configured-field~")


def test_a_string_deeper_than_the_limit_stays() -> None:
    text = nested("sunny", MAX_NESTED_STRINGS + 1)
    pointer = "/" + "/".join([*NAMES[::-1], "a"])
    assert configured(pointer).redact_text(text).text == text


def test_stars_stand_for_members_on_both_sides_of_a_string() -> None:
    inner = json.dumps([{"a": "one"}, {"a": "two"}])
    text = json.dumps({"content": [{"text": inner}, {"text": "plain words"}]})
    answer = configured("/content/*/text/*/a").redact_text(text).text
    found = json.loads(json.loads(answer)["content"][0]["text"])
    assert all(member["a"].startswith("REDACTED~") for member in found)
    assert json.loads(answer)["content"][1]["text"] == "plain words"


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(), st.booleans())
def test_the_view_of_a_string_is_its_text(text: str, ascii_only: bool) -> None:
    written = json.dumps(text, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    view = StringView(written, 1, len(written) - 1)
    assert view.data == text.encode("utf-16", "surrogatepass").decode(
        "utf-16", "surrogatepass"
    ).encode("utf-8", "surrogatepass")
    for offset in range(len(view.data)):
        start, end = view.original(offset, offset + 1)
        assert 1 <= start < end <= len(written) - 1


def test_spans_of_nested_numbers_carry_the_quotes_of_their_depth() -> None:
    data = nested(7, 2).encode()
    (span,) = structured_spans(data, "application/json", ["/text/result/a"])
    assert data[span.start : span.end] == b"7"
    assert span.quote == b'\\\\\\"'
