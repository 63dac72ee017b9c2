from __future__ import annotations

from pathlib import Path

import pytest

from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.reason import REASON_PATTERN, Reason
from sourcecorpus.rpc.reasons import REASONS, reference_table

ERRORS_PAGE = Path(__file__).parents[2] / "docs" / "errors.md"


def test_the_errors_page_holds_exactly_the_list_of_reasons() -> None:
    head, heading, table = ERRORS_PAGE.read_text().partition("## Reasons\n\n")
    assert head
    assert heading
    assert table == reference_table(), "run: python -m sourcecorpus.rpc.reasons docs/errors.md"


def test_a_failure_speaks_of_reason_field_and_metadata_only() -> None:
    failure = Failure(
        FailureCode.INVALID_ARGUMENT, "FIELD_TOO_LARGE", "query", metadata={"limit": "4096"}
    )
    assert str(failure) == (
        "INVALID_ARGUMENT FIELD_TOO_LARGE: a field is larger than its limit"
        " (field query, limit 4096)"
    )
    assert not failure.transient


def test_an_undocumented_reason_is_a_programmer_error() -> None:
    with pytest.raises(ValueError, match="NOT_A_REASON is not in the documented list"):
        Failure(FailureCode.INTERNAL, "NOT_A_REASON")


def test_a_reason_belongs_to_one_code() -> None:
    with pytest.raises(ValueError, match="UNKNOWN_GAME belongs to NOT_FOUND, not INTERNAL"):
        Failure(FailureCode.INTERNAL, "UNKNOWN_GAME")


@pytest.mark.parametrize(
    ("code", "reason", "retry_after_seconds", "transient"),
    [
        (FailureCode.UNAVAILABLE, "DRAINING", None, True),
        (FailureCode.ABORTED, "VERSION_MOVED", None, True),
        (FailureCode.RESOURCE_EXHAUSTED, "OUTBOX_FULL", 1.0, True),
        (FailureCode.RESOURCE_EXHAUSTED, "OVER_QUOTA", None, False),
        (FailureCode.INTERNAL, "INTERNAL", None, False),
    ],
)
def test_transient_failures_are_those_that_pass(
    code: FailureCode, reason: str, retry_after_seconds: float | None, transient: bool
) -> None:
    failure = Failure(code, reason, retry_after_seconds=retry_after_seconds)
    assert failure.transient is transient


def test_every_reason_is_upper_snake_and_has_a_remedy() -> None:
    for name, reason in REASONS.items():
        assert REASON_PATTERN.fullmatch(name)
        assert reason.meaning
        assert reason.remedy.endswith(".")


@pytest.mark.parametrize("name", ["lower", "TRAILING_", "A" * 64, ""])
def test_a_misnamed_reason_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="UPPER_SNAKE"):
        Reason(name, FailureCode.INTERNAL, "meaning", "Remedy.")
