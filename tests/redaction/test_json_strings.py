"""Every text is masked in a JSON string as it is outside of one: tools answer with texts in strings."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_service.redaction import Redactor
from capture_service.redaction.json_text import StringView, unescaped

from .cases import collected_cases, generated_cases

CASES = [case for case in collected_cases() + generated_cases("strings") if case.secrets]


@pytest.mark.parametrize("ascii_only", [True, False])
def test_no_secret_survives_in_a_string(redactor: Redactor, ascii_only: bool) -> None:
    missed = []
    for case in CASES:
        text = json.dumps({"output": case.text, "exit_code": 0}, ensure_ascii=ascii_only)
        answer = redactor.redact_text(text).text
        output = json.loads(answer)
        assert output["exit_code"] == 0
        if any(secret in output["output"] for secret in case.secrets):
            missed.append(case.kind)
    assert missed == []


def test_a_second_pass_over_strings_changes_nothing(
    redactor: Redactor, re2_redactor: Redactor
) -> None:
    for case in CASES[::3]:
        text = json.dumps([{"content": case.text}, json.dumps({"inner": case.text})])
        data = text.encode()
        answer = redactor.redact(data)
        assert redactor.redact(answer.data).data == answer.data, case.kind
        assert re2_redactor.redact(data) == answer, case.kind


def test_what_is_kept_stays_in_a_string(redactor: Redactor) -> None:
    for case in CASES:
        output = json.loads(redactor.redact_text(json.dumps({"output": case.text})).text)["output"]
        assert [keep for keep in case.keep if keep not in output] == [], case.kind


def test_look_alikes_in_a_string_come_back_as_they_are(redactor: Redactor) -> None:
    for case in collected_cases() + generated_cases("strings"):
        if not case.secrets:
            data = json.dumps({"output": case.text}).encode()
            assert redactor.redact(data).data is data, case.kind


@given(
    st.binary(max_size=60).filter(lambda data: b"\xff" not in data),
    st.sampled_from([b"\\", b"\\u", b'\\"', b"\\\\"]),
)
def test_the_map_of_a_view_covers_its_text(data: bytes, glue: bytes) -> None:
    for text in (data, glue.join(data[place : place + 2] for place in range(0, len(data), 2))):
        view = StringView(text, 0, len(text))
        assert view.data == unescaped(text)
        reached = 0
        for offset in range(len(view.data)):
            start, end = view.original(offset, offset + 1)
            assert reached <= end
            assert unescaped(text[start:end]).find(view.data[offset : offset + 1]) >= 0
            reached = end
        assert reached == len(text)
