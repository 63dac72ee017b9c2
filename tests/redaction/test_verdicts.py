"""Verdicts on values are remembered while a message is redacted, and no longer."""

import pytest

from capture_service.redaction import RedactionRefused, Redactor
from capture_service.redaction.scan import WorkBudget
from capture_service.redaction.verdicts import forget, held, remembered

from .cases.model import Maker


def test_a_verdict_is_given_once_until_it_is_forgotten() -> None:
    asked = []

    @remembered
    def judge(value: bytes) -> bool:
        asked.append(value)
        return value.isdigit()

    assert [judge(b"12"), judge(b"12"), judge(b"ab")] == [True, True, False]
    assert asked == [b"12", b"ab"]
    forget()
    assert judge(b"12")
    assert asked == [b"12", b"ab", b"12"]


def test_no_judged_secret_is_held_when_a_message_is_done(redactor: Redactor) -> None:
    secret = Maker("verdict").alnum(32).encode()
    redactor.redact(b"password: changeme\n")
    assert held() > 0
    result = redactor.redact(b"api_key=" + secret + b"\npassword: " + secret + b"\n")
    assert len(result.findings) == 2
    assert held() == 0


def test_no_judged_secret_is_held_when_a_message_is_refused(
    redactor: Redactor, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = Maker("refused").alnum(32).encode()
    spend = WorkBudget.spend

    def spent(budget: WorkBudget, count: int) -> None:
        spend(budget, count if budget.left < 4_000_000 else budget.left - 3_000)

    monkeypatch.setattr(WorkBudget, "spend", spent)
    with pytest.raises(RedactionRefused):
        redactor.redact((b"api_key=" + secret + b"\n") * 200)
    assert held() == 0
