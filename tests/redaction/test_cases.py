"""Recall, precision, stability and engine equality on the collected and the generated set."""

import json
import re

import pytest

from capture_service.redaction import Redactor

from .cases import collected_cases, generated_cases
from .cases.model import Case

SETS = {"collected": collected_cases(), "generated": generated_cases("first")}
WHOLE = [pytest.param(cases, id=name) for name, cases in SETS.items()]


def redact(redactor: Redactor, text: str) -> str:
    return redactor.redact(text.encode("utf-8", "surrogatepass")).data.decode(
        "utf-8", "surrogatepass"
    )


def test_the_generated_set_is_twice_as_large_as_the_collected_one() -> None:
    for wanted in (True, False):
        sizes = {
            name: sum(bool(case.secrets) == wanted for case in cases)
            for name, cases in SETS.items()
        }
        assert sizes["generated"] >= 2 * sizes["collected"]


def test_planted_secrets_and_kept_strings_stand_in_their_texts() -> None:
    for case in SETS["generated"]:
        assert all(secret in case.text for secret in case.secrets), case.kind
        assert all(keep in case.text for keep in case.keep), case.kind


@pytest.mark.parametrize("cases", WHOLE)
def test_no_planted_secret_survives(redactor: Redactor, cases: list[Case]) -> None:
    missed = []
    for case in cases:
        output = redact(redactor, case.text)
        if any(secret in output for secret in case.secrets):
            missed.append(case.kind)
    assert missed == []


@pytest.mark.parametrize("seed", ["second", "third"])
def test_recall_does_not_depend_on_the_seed(redactor: Redactor, seed: str) -> None:
    positive = [case for case in generated_cases(seed) if case.secrets]
    missed = [c.kind for c in positive if any(s in redact(redactor, c.text) for s in c.secrets)]
    assert len(missed) <= len(positive) // 100, missed


@pytest.mark.parametrize("cases", WHOLE)
def test_everything_around_a_secret_is_kept(redactor: Redactor, cases: list[Case]) -> None:
    damaged = []
    for case in cases:
        output = redact(redactor, case.text)
        if any(keep not in output for keep in case.keep):
            damaged.append(case.kind)
    assert damaged == []


@pytest.mark.parametrize("cases", WHOLE)
def test_look_alikes_come_back_as_the_same_object(redactor: Redactor, cases: list[Case]) -> None:
    changed = []
    for case in cases:
        data = case.text.encode("utf-8", "surrogatepass")
        if not case.secrets and redactor.redact(data).data is not data:
            changed.append(case.kind)
    assert changed == []


@pytest.mark.parametrize("cases", WHOLE)
def test_no_head_or_tail_of_a_secret_is_left(redactor: Redactor, cases: list[Case]) -> None:
    """A long secret must leave neither its middle beginning nor its last characters behind."""
    left = set()
    for case in cases:
        output = redact(redactor, case.text)
        for secret in case.secrets:
            if (
                len(secret) >= 28
                and secret[:10].isascii()
                and (secret[6:18] in output or secret[-12:] in output)
            ):
                left.add(case.kind)
    assert left == set()


@pytest.mark.parametrize("cases", WHOLE)
def test_a_second_pass_changes_nothing(redactor: Redactor, cases: list[Case]) -> None:
    unstable = []
    for case in cases:
        once = redactor.redact(case.text.encode("utf-8", "surrogatepass")).data
        if redactor.redact(once).data != once:
            unstable.append(case.kind)
    assert unstable == []


@pytest.mark.parametrize("cases", WHOLE)
def test_json_stays_json_with_the_same_keys(redactor: Redactor, cases: list[Case]) -> None:
    def keys(value: object) -> object:
        if isinstance(value, dict):
            return {key: keys(member) for key, member in value.items()}
        return [keys(member) for member in value] if isinstance(value, list) else None

    seen = 0
    for case in cases:
        try:
            before = json.loads(case.text)
        except ValueError:
            continue
        seen += 1
        assert keys(json.loads(redact(redactor, case.text))) == keys(before), case.kind
    assert seen > 50


@pytest.mark.parametrize("cases", WHOLE)
def test_both_engines_give_equal_spans_and_names(
    redactor: Redactor, re2_redactor: Redactor, cases: list[Case]
) -> None:
    different = []
    for case in cases:
        data = case.text.encode("utf-8", "surrogatepass")
        one, other = redactor.redact(data), re2_redactor.redact(data)
        if (one.data, one.findings, one.upstream_masked) != (
            other.data,
            other.findings,
            other.upstream_masked,
        ):
            different.append(case.kind)
    assert different == []


def test_bytes_outside_the_findings_are_identical(redactor: Redactor) -> None:
    for case in SETS["collected"] + SETS["generated"]:
        data = case.text.encode("utf-8", "surrogatepass")
        result = redactor.redact(data)
        expected = b""
        position = 0
        for finding in result.findings:
            expected += re.escape(data[position : finding.start])
            expected += rb"\\*\"?REDACTED~" + finding.rule.encode() + rb"~[0-9a-f]{16}~\\*\"?"
            position = finding.end
        assert re.fullmatch(expected + re.escape(data[position:]), result.data), case.kind
        assert sum(result.counts.values()) == len(result.findings)
