"""Files of captures: proto JSON, JSON Lines, recorded hook events, and what is wrong with others."""

import base64
import json
from pathlib import Path

import pytest

from sourcecorpus.bridge.envelope_files import EnvelopeFileError, read_envelopes


def envelope_document(envelope_id: str, result: bytes = b"x") -> dict[str, object]:
    return {
        "head": {"envelope_id": envelope_id, "tool_name": "terminal"},
        "result": base64.b64encode(result).decode(),
    }


def write(folder: Path, text: str) -> Path:
    path = folder / "captures.json"
    path.write_text(text, encoding="utf-8")
    return path


def ids_of(path: Path) -> list[str]:
    return [envelope.head.envelope_id for envelope in read_envelopes(path)]


def test_one_object_an_array_and_json_lines_read_alike(tmp_path: Path) -> None:
    documents = [envelope_document("a"), envelope_document("b")]
    assert ids_of(write(tmp_path, json.dumps(documents[0], indent=2))) == ["a"]
    assert ids_of(write(tmp_path, json.dumps(documents))) == ["a", "b"]
    lines = "\n".join(json.dumps(document) for document in documents) + "\n"
    assert ids_of(write(tmp_path, lines)) == ["a", "b"]


def test_line_separators_inside_strings_do_not_split_lines(tmp_path: Path) -> None:
    document = envelope_document("a")
    document["head"] = {"envelope_id": "a\u2028b\u0085c", "tool_name": "t"}
    lines = json.dumps(document, ensure_ascii=False) + "\n" + json.dumps(envelope_document("z"))
    assert ids_of(write(tmp_path, lines)) == ["a\u2028b\u0085c", "z"]


def test_every_byte_value_survives(tmp_path: Path) -> None:
    every_byte = bytes(range(256))
    path = write(tmp_path, json.dumps(envelope_document("a", every_byte)))
    assert [envelope.result for envelope in read_envelopes(path)] == [every_byte]


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("{", "line 1 column 2"),
        ("[1]", "item 1 is not a JSON object"),
        ('{"head": {}}\n{"head": \n', "line 2 is not JSON"),
        ('{"head": {"no_such": 1}}', "item 1 is no envelope"),
        ('{"result": "plain text"}', "item 1: field 'result' is not base64"),
        ('{"head": {"arguments": "{}"}}', "field 'head.arguments' is not base64"),
        ('{"side_files": [{"data": "!"}]}', "is not base64"),
        ("[" * 100_000, "nested too deeply"),
        ('{"head": {}}\n' + "[" * 100_000, "nested too deeply"),
        ('{"head": {"sequence": ' + "9" * 5_000 + "}}", "too many digits"),
        ('{"head": {"sequence": ' + "9" * 50 + "}}", "item 1 is no envelope"),
        ('{"head": {"game_id": "\\ud800"}}', "item 1 is no envelope"),
        ('{"hook": "post_tool_call", "kwargs": null}', "item 1 is no hook event"),
        ('{"hook": "post_tool_call", "kwargs": {}, "side_files": [1]}', "item 1 is no hook event"),
        ('{"hook": "post_tool_call", "kwargs": {}, "side_files": {"a": 1}}', "is no hook event"),
        (
            '{"hook": "post_tool_call", "kwargs": {}, "side_files": {"\\ud800": "a"}}',
            "no hook event",
        ),
    ],
)
def test_faults_name_their_place(tmp_path: Path, text: str, position: str) -> None:
    with pytest.raises(EnvelopeFileError, match=position):
        ids_of(write(tmp_path, text))


def test_a_fault_never_repeats_the_content(tmp_path: Path) -> None:
    canary = "canary" + "5813"
    for text in (
        f'{{"head": {{"tool_name": [{{"x": "{canary}"}}]}}}}',
        f'{{"result": "{canary}*"}}',
    ):
        with pytest.raises(EnvelopeFileError) as fault:
            ids_of(write(tmp_path, text))
        assert canary not in str(fault.value)


def test_a_missing_file_and_bytes_that_are_no_text_are_clear(tmp_path: Path) -> None:
    with pytest.raises(EnvelopeFileError, match="No such file"):
        ids_of(tmp_path / "absent.json")
    broken = tmp_path / "broken.json"
    broken.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(EnvelopeFileError, match="byte 7 is not UTF-8"):
        ids_of(broken)


def hook_event(**changes: object) -> dict[str, object]:
    kwargs: dict[str, object] = {
        "tool_name": "read_file",
        "args": {"path": "notes.md"},
        "result": '{"content": "1|x"}',
        "session_id": "s",
        "tool_call_id": "call_abc",
        "status": "ok",
        "duration_ms": 250,
        "error_message": None,
    }
    kwargs.update(changes)
    return {"hook": "post_tool_call", "time": 1_796_072_146.5, "kwargs": kwargs}


def test_a_hook_event_becomes_an_envelope(tmp_path: Path) -> None:
    (envelope,) = read_envelopes(write(tmp_path, json.dumps(hook_event())))
    assert envelope.head.tool_name == "read_file"
    assert json.loads(envelope.head.arguments) == {"path": "notes.md"}
    assert envelope.result == b'{"content": "1|x"}'
    assert envelope.head.finished_time.ToMilliseconds() == 1_796_072_146_500
    assert envelope.head.started_time.ToMilliseconds() == 1_796_072_146_250


def test_only_the_hook_that_carries_a_result_once_yields_an_envelope(tmp_path: Path) -> None:
    events = [hook_event(), {**hook_event(), "hook": "transform_tool_result"}]
    assert len(ids_of(write(tmp_path, json.dumps(events)))) == 1


def test_two_events_of_one_call_are_two_envelopes(tmp_path: Path) -> None:
    events = [hook_event(status="timeout", result="late"), hook_event()]
    first, second = ids_of(write(tmp_path, json.dumps(events)))
    assert first != second


def test_a_lone_surrogate_in_a_result_is_kept(tmp_path: Path) -> None:
    (envelope,) = read_envelopes(write(tmp_path, json.dumps(hook_event(result="x\ud83d"))))
    assert envelope.result == b"x\xed\xa0\xbd"
