"""Placeholders and their key."""

import json
import re
import threading
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from capture_service.redaction import KeyFileError, RedactionKey, RedactionPolicy, Redactor

from .cases.model import Maker

HEX = re.compile(r"REDACTED~[a-z0-9-]+~([0-9a-f]{16})~")


def marks(redactor: Redactor, text: str) -> list[str]:
    return HEX.findall(redactor.redact(text.encode()).data.decode())


def test_one_secret_has_one_placeholder_in_every_spelling(redactor: Redactor) -> None:
    token = "glpat-" + Maker("spelling").alnum(20)
    written = [
        token,
        f"x {token[:12]}\u200b{token[12:]} y",
        token[:14] + "\n" + token[14:],
        "".join(f"\\u{ord(character):04x}" for character in token),
        "".join(f"&#{ord(character)};" for character in token),
        "".join(f"%{ord(character):02X}" for character in token),
        json.dumps({"a": token}),
    ]
    assert {tuple(marks(redactor, text)) for text in written} == {tuple(marks(redactor, token))}
    assert len(marks(redactor, token)) == 1


def test_a_password_is_recognised_in_a_url_and_in_json(redactor: Redactor) -> None:
    password = Maker("url").password(14, "!$*")
    plain = marks(redactor, f'{{"password": "{password}"}}')
    in_url = marks(redactor, f"https://ann:{quote(password, safe='')}@example.com/")
    assert plain == in_url


def test_different_secrets_and_keys_give_different_placeholders(redactor: Redactor) -> None:
    one, two = ("ghp_" + Maker(name).alnum(36) for name in ("one", "two"))
    other = Redactor(RedactionPolicy.build(RedactionKey.from_bytes(b"o" * 32)))
    assert len({*marks(redactor, one), *marks(redactor, two), *marks(other, one)}) == 3


def test_the_form_needs_no_escaping_anywhere() -> None:
    mark = RedactionKey.from_bytes(b"f" * 32).placeholder("github-token", b"secret").decode()
    assert re.fullmatch(r"REDACTED~github-token~[0-9a-f]{16}~", mark)
    assert quote(mark, safe="") == mark
    assert json.dumps(mark) == f'"{mark}"'
    assert urlsplit(f"https://u:{mark}@example.com/{mark}?a={mark}").query == f"a={mark}"


def test_the_key_is_created_once_with_mode_0600(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "redaction.key"
    key = RedactionKey.load_or_create(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert RedactionKey.load_or_create(path) == key
    assert [entry.name for entry in path.parent.iterdir()] == ["redaction.key"]
    assert key.secret.hex() not in repr(key)
    assert len(key.key_id) == 12


def test_processes_that_start_together_agree_on_the_key(tmp_path: Path) -> None:
    found: list[str] = []
    threads = [
        threading.Thread(
            target=lambda: found.append(RedactionKey.load_or_create(tmp_path / "key").key_id)
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    RedactionKey.load_or_create(tmp_path / "key")
    (tmp_path / "key").chmod(mode)
    with pytest.raises(KeyFileError, match="0600"):
        RedactionKey.load_or_create(tmp_path / "key")


def test_a_key_of_another_length_or_behind_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "short").write_bytes(b"x" * 31)
    (tmp_path / "short").chmod(0o600)
    with pytest.raises(KeyFileError, match="32 bytes"):
        RedactionKey.load_or_create(tmp_path / "short")
    RedactionKey.load_or_create(tmp_path / "key")
    (tmp_path / "link").symlink_to(tmp_path / "key")
    with pytest.raises(OSError):
        RedactionKey.load_or_create(tmp_path / "link")
