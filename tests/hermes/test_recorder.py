"""The hooks inside Hermes: what they copy, what they count, and that they never raise."""

import json
import sys
from typing import Any

import pytest

from sourcecorpus.hermes.plugin import recorder as recorder_module
from sourcecorpus.hermes.plugin.copying import CopyTooLarge, copy_json
from sourcecorpus.hermes.plugin.events import CapturedEvent, LossReport
from sourcecorpus.hermes.plugin.limits import COPY_NODES_MAX
from sourcecorpus.hermes.plugin.queue import EventQueue
from sourcecorpus.hermes.plugin.recorder import Recorder, shared_recorder


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """A recorder whose sender is not started, so that its queue can be looked at."""
    made = Recorder()
    monkeypatch.setattr(made.sender, "start", lambda: None)
    return made


def events(queue: EventQueue) -> list[CapturedEvent | LossReport]:
    found = []
    while (item := queue.next_item(0.0)) is not None:
        found.append(item)
    return found


def call(recorder: Recorder, **facts: Any) -> None:
    recorder.post_tool_call(
        **{"tool_name": "web_extract", "args": {"urls": ["http://a/"]}, "result": "text", **facts}
    )


def test_arguments_are_a_copy_and_the_result_is_the_text_itself(recorder: Recorder) -> None:
    arguments = {"urls": ["http://a/"], "nested": {"list": [1, {"deep": None}]}}
    result = "text " * 1_000
    call(recorder, args=arguments, result=result)
    arguments["urls"].append("http://changed/")
    arguments["nested"]["list"][1]["deep"] = "changed"
    (event,) = events(recorder.queue)
    assert isinstance(event, CapturedEvent)
    assert event.arguments == {"urls": ["http://a/"], "nested": {"list": [1, {"deep": None}]}}
    assert event.result is result


@pytest.mark.parametrize("text", ["", "plain", "冷铁\0\r\n", "lone \ud83d surrogate", "\ufeffx"])
def test_bytes_of_a_result_are_those_of_its_text(recorder: Recorder, text: str) -> None:
    call(recorder, result=text)
    (event,) = events(recorder.queue)
    header, body = event.frame()
    assert b"".join(body[1:]) == text.encode("utf-8", "surrogatepass")
    assert header["result_bytes"] == len(body[1])


def test_result_of_several_parts_travels_as_json(recorder: Recorder) -> None:
    parts = {"_multimodal": True, "parts": [{"type": "text", "text": "x"}, object()]}
    call(recorder, result=parts)
    (event,) = events(recorder.queue)
    header, body = event.frame()
    assert header["result_media_type"] == "application/json"
    assert json.loads(body[1])["parts"] == [{"type": "text", "text": "x"}, "(not JSON)"]


@pytest.mark.parametrize(
    "facts",
    [
        {},
        {"tool_name": None, "args": None, "result": None},
        {"tool_name": "x", "result": object(), "duration_ms": "long", "status": 5},
        {"tool_name": "x", "args": [1], "session_id": 4, "unknown_argument": object()},
        {"tool_name": "x" * 10_000},
    ],
)
def test_strange_arguments_never_raise(recorder: Recorder, facts: dict[str, Any]) -> None:
    for hook in (
        recorder.post_tool_call,
        recorder.pre_tool_call,
        recorder.subagent_start,
        recorder.session_starts,
    ):
        assert hook(**facts) is None
    assert recorder.hook_faults == 0


def test_hook_that_fails_inside_is_counted_and_silent(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(recorder_module, "pages_named_in", fail)
    call(recorder)
    assert recorder.hook_faults == 1
    assert recorder.queue.losses() == {"HOOK_FAULT": 1}


def test_own_tools_are_not_captured(recorder: Recorder) -> None:
    call(recorder, tool_name="corpus_search")
    assert events(recorder.queue) == []


def test_arguments_beyond_the_bound_are_left_out_and_the_result_is_kept(recorder: Recorder) -> None:
    with pytest.raises(CopyTooLarge):
        copy_json(list(range(COPY_NODES_MAX + 1)))
    deep: list[Any] = []
    for _ in range(100):
        deep = [deep]
    with pytest.raises(CopyTooLarge):
        copy_json(deep)
    call(recorder, args={"deep": deep})
    (event,) = events(recorder.queue)
    assert event.frame()[0]["arguments_bytes"] == 0
    assert event.frame()[1][1] == b"text"


def test_module_that_runs_again_shares_the_recorder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sourcecorpus_hermes_state", raising=False)
    first = shared_recorder("emberfall")
    assert shared_recorder() is first
    assert first.facts["default_game"] == "emberfall"
    monkeypatch.delitem(sys.modules, "sourcecorpus_hermes_state")


def test_child_after_a_fork_has_events_and_a_sender_of_its_own(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(recorder)
    parents_queue, parents_sender = recorder.queue, recorder.sender
    monkeypatch.setattr(recorder_module.os, "getpid", lambda: -7)
    monkeypatch.setattr(recorder_module.Sender, "start", lambda _: None)
    call(recorder, result="the child's")
    assert recorder.queue is not parents_queue
    assert recorder.sender.instance != parents_sender.instance
    assert [event.frame()[1][1] for event in events(recorder.queue)] == [b"the child's"]
    assert parents_queue.waiting() == 1
