"""The schema of game commands: its own examples, its refusals, and what it may grow into."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from sourcecorpus.bridge.game_commands import CommandRefused, GameCommands, check_command
from sourcecorpus.bridge.game_commands.checking import command_names, load_schema

PROTOCOL = Path(__file__).parents[2] / "clients" / "bridge" / "protocol"


def lines(name: str) -> list[Any]:
    text = (PROTOCOL / "examples" / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


VALID = lines("valid.jsonl")
INVALID = lines("invalid.jsonl")


def test_the_schema_is_a_schema_and_the_package_has_the_written_one() -> None:
    written = json.loads((PROTOCOL / "game-command.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(written)
    assert load_schema() == written


def test_every_command_is_declared_described_and_carried_out() -> None:
    schema = load_schema()
    assert set(command_names()) == {name for name in schema["$defs"] if name.startswith("corpus_")}
    for name in command_names():
        form = schema["$defs"][name]
        assert form["properties"]["command"] == {"const": name}
        assert form["title"]
        assert form["description"]
        assert form["additionalProperties"] is False
        assert "game" in form["required"]
    assert GameCommands(None).names() == frozenset(command_names())  # type: ignore[arg-type]


def test_valid_examples_show_every_command_and_pass() -> None:
    assert {example["command"] for example in VALID} == set(command_names())
    whole = Draft202012Validator(load_schema())
    for example in VALID:
        assert check_command(example) == example["command"]
        assert whole.is_valid(example)


@pytest.mark.parametrize("example", INVALID, ids=lambda e: f"{e['reason']} {e['field']}")
def test_invalid_examples_are_refused_with_reason_and_place(example: dict[str, Any]) -> None:
    assert not Draft202012Validator(load_schema()).is_valid(example["document"])
    with pytest.raises(CommandRefused) as caught:
        check_command(example["document"])
    assert (caught.value.reason, caught.value.field) == (example["reason"], example["field"])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def refusal_of(document: Any) -> CommandRefused | None:
    try:
        check_command(document)
    except CommandRefused as refusal:
        return refusal
    return None


@given(JSON, st.sampled_from(VALID), st.text())
def test_whatever_comes_is_a_command_or_a_refusal(value: Any, example: Any, name: str) -> None:
    whole = Draft202012Validator(load_schema())
    for document in (value, {**example, name: value}, {**example, "game": value}):
        refusal = refusal_of(document)
        assert (refusal is None) == whole.is_valid(document)
        assert refusal is None or (refusal.reason and len(refusal.field) < 200)


def test_a_refusal_repeats_no_text_of_the_command() -> None:
    document = {"command": "corpus_pause", "game": "g", "paused": True, "id": "7"}
    answer = GameCommands(None).handle({**document, "my secret words": "more"})  # type: ignore[arg-type]
    error = {"code": "INVALID_ARGUMENT", "reason": "FIELD_UNKNOWN", "field": "?"}
    assert answer == {"id": "7", "ok": False, "error": error}


def broken(value: Any) -> list[Any]:
    """The value with a lone surrogate behind each of its strings, one after another."""
    if isinstance(value, str):
        return [value + "\ud800"]
    if isinstance(value, dict):
        return [value | {key: odd} for key, part in value.items() for odd in broken(part)]
    if isinstance(value, list):
        return [
            [*value[:number], odd, *value[number + 1 :]]
            for number, part in enumerate(value)
            for odd in broken(part)
        ]
    return []


@pytest.mark.parametrize("example", VALID, ids=lambda e: str(e["command"]))
def test_what_no_request_can_carry_is_refused_wherever_it_stands(example: dict[str, Any]) -> None:
    documents = broken(example)
    assert len(documents) >= 2
    for document in documents:
        with pytest.raises(CommandRefused) as caught:
            check_command(document)
        assert caught.value.reason in ("FIELD_INVALID", "COMMAND_UNKNOWN", "LOCATOR_INVALID")


def test_the_place_of_a_lone_surrogate_is_told() -> None:
    document = {"command": "corpus_cite", "game": "g", "refs": ["v-1", "\udfff"]}
    with pytest.raises(CommandRefused) as caught:
        check_command(document)
    assert (caught.value.reason, caught.value.field) == ("FIELD_INVALID", "refs[1]")
