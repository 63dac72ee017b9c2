"""An independent engine looks at what we let through; its validators, which use the network, are never called."""

from typing import Any

import pytest

from capture_service.redaction import Redactor

from .cases import collected_cases, generated_cases
from .cases.model import NAMES_ONLY

kingfisher = pytest.importorskip(
    "kingfisher_sdk", reason="the independent scanner is a development tool"
)


@pytest.fixture(scope="module")
def scanner() -> Any:
    return kingfisher.Scanner(kingfisher.Rules(confidence="low", cache=False), base64=True)


def findings(scanner: Any, data: bytes) -> set[str]:
    found = {one.rule_id for one in scanner.scan(data) if "REDACTED~" not in one.secret}
    return found - NAMES_ONLY


def test_the_independent_engine_finds_nothing_in_redacted_output(
    redactor: Redactor, scanner: Any
) -> None:
    left = {}
    seen_before = 0
    for case in collected_cases() + generated_cases("opinion"):
        if not case.secrets:
            continue
        data = case.text.encode("utf-8", "surrogatepass")
        seen_before += bool(findings(scanner, data))
        found = findings(scanner, redactor.redact(data).data)
        if found:
            left[case.kind] = found
    assert seen_before > 150
    assert left == {}
