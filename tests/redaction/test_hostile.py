"""Hostile texts: the planted token is gone, and the work grows in step with the size."""

import pytest

from bench.redaction.hostile_shapes import SHAPES, hostile_text
from capture_service.redaction import Redactor
from capture_service.redaction.limits import WORK_FLOOR_BYTES, WORK_PER_BYTE
from capture_service.redaction.scan import WorkBudget


def work(redactor: Redactor, name: str, size: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Redact a hostile text; return the bytes its rules looked at."""
    spent = 0
    spend = WorkBudget.spend

    def counted(budget: WorkBudget, count: int) -> None:
        nonlocal spent
        spent += count
        spend(budget, count)

    monkeypatch.setattr(WorkBudget, "spend", counted)
    text, token = hostile_text(name, size)
    assert token not in redactor.redact(text).data
    return spent


@pytest.mark.parametrize("name", list(SHAPES))
def test_work_is_linear_and_the_planted_token_is_gone(
    redactor: Redactor, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = work(redactor, name, 15_000, monkeypatch)
    large = work(redactor, name, 60_000, monkeypatch)
    assert large <= 4.8 * small + 60_000
    assert large <= WORK_PER_BYTE * 60_000 + WORK_FLOOR_BYTES


@pytest.mark.parametrize(
    "name", ["key-blocks", "open-values", "noise", "placeholders", "unicode-escapes"]
)
def test_engines_agree_on_hostile_texts(
    redactor: Redactor, re2_redactor: Redactor, name: str
) -> None:
    text, _ = hostile_text(name, 6_000)
    assert redactor.redact(text) == re2_redactor.redact(text)


@pytest.mark.parametrize("name", ["placeholders", "random-secrets", "entities", "encoded-urls"])
def test_a_second_pass_over_a_hostile_text_is_idle(redactor: Redactor, name: str) -> None:
    once = redactor.redact(hostile_text(name, 20_000)[0]).data
    assert redactor.redact(once).data == once
