"""Short values where position and name decide: the value itself gives no sign of being a secret."""

import pytest

from capture_service.redaction import Redactor

SHORT = ["hunter" + "2", "8f" + "3a", "zz" + "z", "p4" + "ss"]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f'{{"password": "{SHORT[0]}"}}', SHORT[0]),
        (f'{{"cookies": [{{"name": "sid", "value": "{SHORT[1]}"}}]}}', SHORT[1]),
        (f"Cookie: sid={SHORT[1]}; theme=dark", SHORT[1]),
        (f"https://host.example/x?token={SHORT[2]}", SHORT[2]),
        (f"https://u:p{SHORT[2][0]}@host.example/x", f"u:p{SHORT[2][0]}@"),
        (f"redis://:{SHORT[3]}@host.example:6379/0", SHORT[3]),
        ("Authorization: Bearer " + "custom_" + "token_123456789", "token_123456789"),
    ],
)
def test_a_short_value_is_masked_in_its_position(
    redactor: Redactor, re2_redactor: Redactor, text: str, secret: str
) -> None:
    answer = redactor.redact_text(text).text
    assert secret not in answer
    assert re2_redactor.redact_text(text).text == answer
    assert redactor.redact_text(answer).text == answer


@pytest.mark.parametrize(
    "text",
    [
        '{"pin": "GPIO13"}',
        '{"password": "Password"}',
        '{"password": "string"}',
        "Cookie: theme=dark; lang=en",
        "https://host.example/x?token=word",
        "error: password: authentication is disabled",
        "Bearer of this note",
    ],
)
def test_a_look_alike_of_a_short_value_stays(redactor: Redactor, text: str) -> None:
    assert redactor.redact_text(text).text == text
