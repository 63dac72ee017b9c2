"""Configuration of installations and games: what it masks, and that bad entries are refused with their position."""

import json
from pathlib import Path
from typing import Any

import pytest

from capture_service.redaction import (
    ConfigurationError,
    RedactionKey,
    RedactionPolicy,
    RedactionRefused,
    Redactor,
    load_configuration,
)

from .cases.model import Maker

KEY = RedactionKey.from_bytes(b"c" * 32)


def configured(source: dict[str, Any]) -> Redactor:
    return Redactor(RedactionPolicy.build(KEY, load_configuration(source)))


def test_a_configured_name_loses_its_value_whatever_it_is() -> None:
    redactor = configured({"sensitive_names": ["shoe_size", "guild_*"]})
    text = b'{"shoe_size": 44, "guild_name": "The Owls", "Shoe_Size": "big", "hat_size": 7}'
    output = json.loads(redactor.redact(text).data)
    assert output["hat_size"] == 7
    assert all(
        output[name].startswith("REDACTED~configured-field~")
        for name in ("shoe_size", "guild_name", "Shoe_Size")
    )


def test_a_configured_name_is_found_in_json_inside_a_string() -> None:
    redactor = configured({"sensitive_names": ["guild"]})
    text = json.dumps({"arguments": json.dumps({"guild": "The Owls", "n": 1})}).encode()
    output = json.loads(json.loads(redactor.redact(text).data)["arguments"])
    assert output["guild"].startswith("REDACTED~")
    assert output["n"] == 1


def test_a_pointer_names_one_place_and_splices() -> None:
    redactor = configured({"sensitive_pointers": ["/player/notes", "/log/*/text", "/a~1b"]})
    text = b'{ "player" : {"notes":{"x":[1,2]},"name":"Ann"},\n "log":[{"text":"hi","n":1}], "a/b": 5 , "notes":"kept"}'
    result = redactor.redact(text, media_type="application/json")
    output = json.loads(result.data)
    assert output["player"]["name"] == "Ann"
    assert output["notes"] == "kept"
    assert output["log"][0]["n"] == 1
    for value in (output["player"]["notes"], output["log"][0]["text"], output["a/b"]):
        assert value.startswith("REDACTED~configured-field~")
    assert result.data.startswith(b'{ "player" : {"notes":"REDACTED~')
    assert redactor.redact(result.data, media_type="application/json").data == result.data


def test_a_pointer_keeps_a_stream_back_until_its_end() -> None:
    redactor = configured({"sensitive_pointers": ["/a"]})
    stream = redactor.stream(media_type="application/json")
    assert stream.feed(b'{"a": "se') == b""
    assert stream.feed(b'cret text"}') == b""
    assert stream.finish().data == redactor.redact(b'{"a": "secret text"}').data


def test_json_that_is_nested_too_deeply_is_refused() -> None:
    redactor = configured({"sensitive_pointers": ["/a"]})
    with pytest.raises(RedactionRefused) as caught:
        redactor.redact(b"[" * 70 + b"]" * 70)
    assert caught.value.reason == "STRUCTURE_TOO_DEEP"


def test_an_extra_rule_and_an_allowance() -> None:
    token = "acme_" + Maker("acme").alnum(20)
    sample = "ghp_" + Maker("sample").alnum(36)
    redactor = configured(
        {
            "rules": [{"name": "acme-token", "prefix": "acme_", "body": "[A-Za-z0-9]{20}"}],
            "allow": [{"value": sample, "reason": "sample of the manual"}],
        }
    )
    output = redactor.redact(f"{token} and {sample}".encode()).data.decode()
    assert output.startswith("REDACTED~acme-token~")
    assert output.endswith(f" and {sample}")


def test_a_literal_secret_is_masked_in_its_encodings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = Maker("literal").password(16)
    (tmp_path / "secrets").write_text(secret + "\n\n")
    monkeypatch.setenv("SPARE_SECRET", Maker("spare").alnum(24))
    source = {
        "literal_secrets": [{"file": str(tmp_path / "secrets")}, {"environment": "SPARE_SECRET"}]
    }
    redactor = configured(source)
    for written in (
        secret,
        secret.encode().hex(),
        json.dumps(json.dumps(secret)),
        Maker("spare").alnum(24),
    ):
        output = redactor.redact(f"x {written} y".encode()).data.decode()
        assert written.strip('"\\') not in output
        assert "REDACTED~configured-secret~" in output
    assert secret not in repr(redactor.policy)


def test_personal_data_is_off_by_default_and_on_per_game(redactor: Redactor) -> None:
    text = b"mail ann@example.com, call +44 20 7946 0958, card 4111 1111 1111 1111, order 4111 1111 1111 1112"
    assert redactor.redact(text).data is text
    own = configured(
        {"personal_data": ["card"], "games": {"club": {"personal_data": ["email", "phone"]}}}
    )
    outside = own.redact(text, game_id="other")
    inside = own.redact(text, game_id="club")
    assert dict(outside.counts) == {"card": 1}
    assert dict(inside.counts) == {"email": 1, "phone": 1, "card": 1}
    assert inside.data.endswith(b"order 4111 1111 1111 1112")
    everything = load_configuration({"personal_data": ["email", "phone", "card"]})
    engines = [RedactionPolicy.build(KEY, everything, engine=name) for name in ("hyperscan", "re2")]
    assert len({Redactor(policy).redact(text).data for policy in engines}) == 1


@pytest.mark.parametrize(
    ("source", "position"),
    [
        ({"colour": 1}, "colour"),
        ({"sensitive_names": "password"}, "sensitive_names"),
        ({"sensitive_names": ["ok_name", "*"]}, "sensitive_names[1]"),
        ({"sensitive_pointers": ["a/b"]}, "sensitive_pointers[0]"),
        ({"sensitive_pointers": ["/a~2"]}, "sensitive_pointers[0]"),
        ({"personal_data": ["email", "shoe"]}, "personal_data[1]"),
        ({"rules": [{"name": "a-rule", "prefix": "abc"}]}, "rules[0].body"),
        ({"rules": [{"name": "A rule", "prefix": "abc", "body": "[a-z]{9}"}]}, "rules[0].name"),
        ({"rules": [{"name": "a-rule", "prefix": "ab", "body": "[a-z]{9}"}]}, "rules[0].prefix"),
        (
            {"rules": [{"name": "a-rule", "prefix": "abc", "body": "(a+)+b"}]},
            "rules[0].body, column 1",
        ),
        (
            {"rules": [{"name": "a-rule", "prefix": "abc", "body": "[a-z]{9}.*"}]},
            "rules[0].body, column 9",
        ),
        (
            {"rules": [{"name": "a-rule", "prefix": "abc", "body": "[a-z]{9,3}"}]},
            "rules[0].body, column 1",
        ),
        (
            {"rules": [{"name": "a-rule", "prefix": "abc", "body": "[a]{0,900}[a]{0,900}"}]},
            "rules[0].body",
        ),
        (
            {"rules": [{"name": "a-rule", "prefix": "abc", "body": "[z-a]{9}"}]},
            "rules[0].body, column 2",
        ),
        ({"allow": [{"value": "x"}]}, "allow[0].reason"),
        ({"literal_secrets": [{}]}, "literal_secrets[0]"),
        ({"literal_secrets": [{"file": "/nonexistent/file"}]}, "literal_secrets[0].file"),
        ({"games": {"club": {"rules": []}}}, "games.club.rules"),
        ({"games": {"club": {"personal_data": [1]}}}, "games.club.personal_data"),
    ],
)
def test_a_bad_entry_is_refused_with_its_position(source: dict[str, Any], position: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_configuration(source)
    assert caught.value.position == position


@pytest.mark.parametrize(
    "literal", ["short", "aaaaaaaaaaaa", "password", "your-secret-here", "information"]
)
def test_a_short_or_common_literal_is_refused_without_being_shown(
    tmp_path: Path, literal: str
) -> None:
    (tmp_path / "secrets").write_text(f"\n{literal}\n")
    with pytest.raises(ConfigurationError) as caught:
        load_configuration({"literal_secrets": [{"file": str(tmp_path / "secrets")}]})
    assert caught.value.position == "literal_secrets[0], line 2"
    assert literal not in str(caught.value)


def test_files_of_both_kinds_are_read_and_faults_have_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(
        'sensitive_names = ["guild"]\n[games.club]\npersonal_data = ["email"]\n'
    )
    (tmp_path / "a.json").write_text(
        '{"sensitive_names": ["guild"], "games": {"club": {"personal_data": ["email"]}}}'
    )
    assert load_configuration(tmp_path / "a.toml") == load_configuration(tmp_path / "a.json")
    (tmp_path / "b.toml").write_text('sensitive_names = ["guild"\n\nx = 1\n')
    (tmp_path / "b.json").write_text('{\n"sensitive_names" ["guild"]}')
    for name in ("b.toml", "b.json"):
        with pytest.raises(ConfigurationError, match=rf"{name}, .*line"):
            load_configuration(tmp_path / name)


def test_a_configuration_changes_the_rule_set_version_but_not_by_its_order_of_games(
    redactor: Redactor,
) -> None:
    plain = redactor.policy.rule_set_version
    one = configured(
        {"games": {"a": {}, "b": {"personal_data": ["email"]}}}
    ).policy.rule_set_version
    other = configured(
        {"games": {"b": {"personal_data": ["email"]}, "a": {}}}
    ).policy.rule_set_version
    assert one == other
    assert one != plain
    assert "+" in one
    assert "+" not in plain
