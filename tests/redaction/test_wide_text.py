"""Text in two or four bytes per character: the same secrets, the same masks, every other byte untouched."""

import pytest

from capture_service.redaction import Redactor, SessionMemory
from capture_service.redaction.limits import LOOKAHEAD_BYTES, SEGMENT_BYTES

from .cases import generated_cases
from .cases.model import Maker

ENCODINGS = ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]
CASES = [case for case in generated_cases("wide") if case.text.isascii() and len(case.text) > 24]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_wide_text_is_masked_as_its_narrow_spelling(
    redactor: Redactor, encoding: str, mark: str
) -> None:
    for case in CASES[::3]:
        narrow = redactor.redact_text(case.text).text
        wide = redactor.redact((mark + case.text).encode(encoding, "surrogatepass")).data
        assert wide.decode(encoding, "surrogatepass") == mark + narrow, case.kind
        assert redactor.redact(wide).data == wide


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_text_of_other_scripts_needs_a_byte_order_mark(redactor: Redactor, encoding: str) -> None:
    secret = Maker("wide").password(14, "!@#")
    text = f"\ufeff数据库地址: 10.0.0.8\n数据库密码: {secret}\n端口 😀\n"
    data = text.encode(encoding)
    result = redactor.redact(data)
    assert secret not in result.data.decode(encoding)
    (finding,) = result.findings
    assert data[finding.start : finding.end].decode(encoding) == secret
    assert result.data.startswith(data[: finding.start])
    assert result.data.endswith(data[finding.end :])


def test_lone_surrogates_and_an_odd_byte_stay(redactor: Redactor) -> None:
    secret = "ghp_" + Maker("odd").alnum(36)
    head = "\ufeff\ud800 lone \udc00 token ".encode("utf-16-le", "surrogatepass")
    data = head + secret.encode("utf-16-le") + b"\n\0end\0!\0x"
    result = redactor.redact(data)
    assert result.data.startswith(head)
    assert result.data.endswith(b"\n\0end\0!\0x")
    assert secret.encode("utf-16-le") not in result.data


def test_binary_data_with_zero_bytes_comes_back_as_the_same_object(redactor: Redactor) -> None:
    for data in (bytes(4096), bytes(range(256)) * 8, b"\x01\x00" * 2000, b"\xff\xfe\x00"):
        assert redactor.redact(data).data is data


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_long_wide_stream_equals_one_pass(redactor: Redactor, encoding: str) -> None:
    make = Maker("long")
    lines: list[str] = []
    secrets: list[str] = []
    size = (SEGMENT_BYTES + LOOKAHEAD_BYTES) * 2
    while sum(map(len, lines)) * 2 < size:
        secrets.append("ghp_" + make.alnum(36))
        lines.append(f"{make.alnum(6)} plain words 数据 before {secrets[-1]} and after\n" * 3)
        lines.append("nothing of note on this line, and not on the next one\n" * 40)
    data = "".join(lines).encode(encoding)
    whole = redactor.redact(data)
    text = whole.data.decode(encoding)
    assert not any(secret in text for secret in secrets)
    stream = redactor.stream()
    pieces = [stream.feed(data[start : start + 77_777]) for start in range(0, len(data), 77_777)]
    last = stream.finish()
    assert b"".join(pieces) + last.data == whole.data
    assert last.findings == whole.findings


def test_a_remembered_secret_is_masked_in_wide_text(redactor: Redactor) -> None:
    memory = SessionMemory()
    secret = Maker("memory").password(16, "!@#")
    redactor.redact(f'{{"password": "{secret}"}}'.encode(), memory=memory)
    data = f"\ufeffit said {secret} here".encode("utf-16-le")
    assert secret.encode("utf-16-le") not in redactor.redact(data, memory=memory).data
