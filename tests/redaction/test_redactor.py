"""The interface of the redactor: texts, headers, results, masks of others, memory, refusals, threads."""

import subprocess
import sys
import threading

import pytest

from capture_service.redaction import RedactionRefused, Redactor, SessionMemory, is_secret_parameter
from capture_service.redaction.limits import MAX_REMEMBERED_SECRETS
from capture_service.redaction.scan import WorkBudget

from .cases.model import Maker

TOKEN = "ghp_" + Maker("redactor").alnum(36)


def test_a_message_without_secrets_is_the_same_object(redactor: Redactor) -> None:
    data = b"nothing to see \xff\x00\xed\xa0\x80 here"
    result = redactor.redact(data)
    assert result.data is data
    assert (dict(result.counts), result.findings, result.upstream_masked) == ({}, (), False)


def test_bytes_that_are_no_text_are_kept(redactor: Redactor) -> None:
    data = b"\xff\xfe\x00" + TOKEN.encode() + b"\x80\x00\xc3"
    result = redactor.redact(data)
    assert result.data.startswith(b"\xff\xfe\x00REDACTED~github-token~")
    assert result.data.endswith(b"~\x80\x00\xc3")
    assert [(f.rule, f.start, f.end) for f in result.findings] == [
        ("github-token", 3, 3 + len(TOKEN))
    ]
    assert TOKEN not in repr(result)


def test_headers_are_judged_with_their_names(redactor: Redactor) -> None:
    value = Maker("header").urlsafe(40)
    headers = [
        ("Accept", "text/html"),
        ("X-Api-Key", value),
        ("cookie", f"sid={value}; theme=dark"),
        ("Authorization", f"Bearer {value}"),
    ]
    result = redactor.redact_headers(headers)
    assert [name for name, _ in result.headers] == [
        "Accept",
        "X-Api-Key",
        "cookie",
        "Authorization",
    ]
    assert result.headers[0] == ("Accept", "text/html")
    assert result.headers[2][1].endswith("; theme=dark")
    assert result.headers[3][1].startswith("Bearer REDACTED~")
    assert value not in repr(result)
    assert sum(result.counts.values()) == 3


def test_urls_and_texts_may_hold_lone_surrogates(redactor: Redactor) -> None:
    url = redactor.redact_url(f"https://ann:{Maker('u').alnum(14)}@example.com/x?lang=de")
    assert url.text.startswith("https://ann:REDACTED~url-password~")
    assert url.text.endswith("@example.com/x?lang=de")
    text = redactor.redact_text(f"\ud800 {TOKEN}")
    assert text.text.startswith("\ud800 REDACTED~github-token~")


@pytest.mark.parametrize(
    "mask", ["ghp_A1...d4E5", "«redacted:ghp_…»", "password: ***", 'token: "sk-ant...x9Q2"']
)
def test_masks_of_others_stay_and_are_reported(redactor: Redactor, mask: str) -> None:
    data = f"before {mask} after".encode()
    result = redactor.redact(data)
    assert result.data is data
    assert result.upstream_masked


@pytest.mark.parametrize(
    "text", ["loading...done", "*** note ***", "a...b", "wait...what happened"]
)
def test_dots_and_stars_of_prose_are_no_masks(redactor: Redactor, text: str) -> None:
    assert not redactor.redact(text.encode()).upstream_masked


def test_a_secret_beside_a_foreign_mask_is_still_masked(redactor: Redactor) -> None:
    result = redactor.redact(f"ghp_A1...d4E5 and {TOKEN}".encode())
    assert result.data.startswith(b"ghp_A1...d4E5 and REDACTED~github-token~")
    assert result.upstream_masked


def test_a_planted_placeholder_does_not_shield_a_secret(redactor: Redactor) -> None:
    mark = "REDACTED~github-token~0123456789abcdef~"
    output = redactor.redact(f"{mark}{TOKEN} {mark} {TOKEN}{mark}".encode()).data.decode()
    assert TOKEN not in output
    assert output.count(mark) == 3


def test_memory_is_bounded_and_forgets_the_oldest() -> None:
    memory = SessionMemory()
    secrets = [
        Maker(f"memory/{index}").alnum(20).encode() for index in range(MAX_REMEMBERED_SECRETS + 5)
    ]
    assert all(memory.remember(secret) for secret in secrets)
    assert len(memory) == MAX_REMEMBERED_SECRETS
    assert memory.forgotten == 5
    assert memory.spans(secrets[0]) == []
    assert [span[:2] for span in memory.spans(b"x " + secrets[-1])] == [(2, 22)]
    assert secrets[-1].decode() not in repr(memory)


@pytest.mark.parametrize(
    "common", [b"short", b"password", b"aaaaaaaaaaaa", b"information", b"x" * 5000]
)
def test_memory_refuses_what_is_too_short_long_or_common(common: bytes) -> None:
    assert not SessionMemory().remember(common)


def test_memory_masks_a_bare_secret_later_in_a_long_text(redactor: Redactor) -> None:
    memory = SessionMemory()
    secret = Maker("later").alnum(12)
    redactor.redact(f"password: {secret}".encode(), memory=memory)
    long = b"ordinary words " * 400_000 + secret.encode() + b" end"
    assert redactor.redact(long).data is long
    result = redactor.redact(long, memory=memory)
    assert secret.encode() not in result.data
    assert dict(result.counts) == {"seen-before": 1}


def test_the_work_budget_refuses_without_payload() -> None:
    budget = WorkBudget(10)
    budget.spend(10)
    with pytest.raises(RedactionRefused) as caught:
        budget.spend(1)
    assert caught.value.reason == "WORK_BUDGET_EXCEEDED"
    assert str(caught.value) == "WORK_BUDGET_EXCEEDED"


def test_threads_share_a_redactor(redactor: Redactor) -> None:
    document = (f"{TOKEN} and password: {Maker('t').password(12)}\n" * 400).encode()
    expected = redactor.redact(document).data
    outputs: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: outputs.append(redactor.redact(document).data))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outputs == [expected] * 6


def test_importing_the_package_loads_no_engine() -> None:
    program = "import sys, capture_service.redaction; print('hyperscan' in sys.modules or 're2' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_the_other_engine_takes_over_where_hyperscan_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from capture_service.redaction import RedactionKey, RedactionPolicy

    monkeypatch.setitem(sys.modules, "hyperscan", None)
    policy = RedactionPolicy.build(RedactionKey.from_bytes(b"e" * 32))
    assert policy.engine.name == "re2"
    assert TOKEN.encode() not in Redactor(policy).redact(TOKEN.encode()).data


@pytest.mark.parametrize(
    "name",
    [
        "api_key",
        "apikey",
        "API-KEY",
        "access_token",
        "X-Amz-Signature",
        "jsessionid",
        "refresh.token",
    ],
)
def test_secret_parameters(name: str) -> None:
    assert is_secret_parameter(name)


@pytest.mark.parametrize(
    "name", ["page", "q", "code", "state", "key", "sig", "id", "ref", "token_type", "utm_source"]
)
def test_everyday_parameters(name: str) -> None:
    assert not is_secret_parameter(name)
