from sourcecorpus.hermes.plugin.limits import LINEAGE_DEPTH_MAX
from sourcecorpus.hermes.plugin.lineage import CallIds, Lineage, identifier

RUN = "run_" + "0a" * 16


def ids(tool: str = "read_file", session: str = "s", task: str = "t", **more: str) -> CallIds:
    return CallIds(tool, session, task, **more)


def test_ordinary_call_has_its_session_alone() -> None:
    kinship = Lineage().call_ends(ids(tool_call_id="c"), "ok")
    assert kinship.sessions == ("s",)
    assert (kinship.parent_session_id, kinship.parent_tool_call_id, kinship.attempt) == ("", "", 1)


def test_nested_call_finds_the_open_outer_call_of_its_task() -> None:
    lineage = Lineage()
    lineage.call_begins(ids("execute_code", tool_call_id="outer"))
    lineage.call_begins(ids("execute_code", "other", "other-task", tool_call_id="elsewhere"))
    nested = lineage.call_ends(ids(session=""), "ok")
    assert nested.parent_tool_call_id == "outer"
    assert nested.parent_session_id == "s"
    assert nested.sessions == ("s",)
    lineage.call_ends(ids("execute_code", tool_call_id="outer"), "ok")
    late = lineage.call_ends(ids(session=""), "ok")
    assert late.parent_tool_call_id == ""
    assert late.parent_session_id == "s"


def test_two_open_outer_calls_leave_the_call_open_but_not_the_session() -> None:
    lineage = Lineage()
    for call in ("first", "second"):
        lineage.call_begins(ids("execute_code", tool_call_id=call))
    nested = lineage.call_ends(ids(session=""), "ok")
    assert nested.parent_tool_call_id == ""
    assert nested.sessions == ("s",)


def test_nested_call_of_an_unknown_task_has_no_session() -> None:
    kinship = Lineage().call_ends(ids(session="", task="unknown"), "ok")
    assert kinship.sessions == ()
    assert Lineage().call_ends(CallIds("read_file"), "ok").sessions == ()


def test_subagents_know_the_sessions_above_them() -> None:
    lineage = Lineage()
    lineage.session_begins("child", "parent")
    lineage.session_begins("grandchild", "child")
    kinship = lineage.call_ends(ids(session="grandchild"), "ok")
    assert kinship.sessions == ("grandchild", "child", "parent")
    assert kinship.parent_session_id == "child"


def test_circle_of_sessions_ends() -> None:
    lineage = Lineage()
    lineage.session_begins("a", "b")
    lineage.session_begins("b", "a")
    lineage.session_begins("c", "c")
    assert lineage.sessions_of("a") == ("a", "b")
    assert lineage.sessions_of("c") == ("c",)
    for number in range(30):
        lineage.session_begins(f"n{number}", f"n{number + 1}")
    assert len(lineage.sessions_of("n0")) == LINEAGE_DEPTH_MAX


def test_session_that_was_named_anew_within_a_turn_keeps_the_old_one() -> None:
    lineage = Lineage()
    turn = "20261130_205647_f3a634:task-1:0123abcd"
    renamed = ids(session="20261130_210000_aaaaaa", task="task-1", turn_id=turn)
    assert lineage.call_ends(renamed, "ok").sessions == (
        "20261130_210000_aaaaaa",
        "20261130_205647_f3a634",
    )
    next_turn = ids(session="20261130_210000_aaaaaa", task="task-2", turn_id="x")
    kinship = lineage.call_ends(next_turn, "ok")
    assert kinship.parent_session_id == "20261130_205647_f3a634"


def test_turn_ids_of_another_form_say_nothing() -> None:
    for turn in ("", "s:t", "other:t:XYZ12345", "s:wrong-task:0123abcd", "0123abcd"):
        kinship = Lineage().call_ends(ids(session="s2", turn_id=turn), "ok")
        assert kinship.sessions == ("s2",)


def test_run_is_told_where_the_session_is_named_after_it() -> None:
    lineage = Lineage()
    assert lineage.call_ends(ids(session=RUN, task=RUN), "ok").run_id == RUN
    assert lineage.call_ends(ids(session="run_short"), "ok").run_id == ""
    lineage.session_begins("child", RUN)
    assert lineage.call_ends(ids(session="child"), "ok").run_id == RUN


def test_only_a_result_behind_a_timeout_is_another_attempt() -> None:
    lineage = Lineage()
    call = ids("web_extract", tool_call_id="call_abc")
    assert lineage.call_ends(call, "ok").attempt == 1
    # Providers repeat ids: the same id again is another call.
    assert lineage.call_ends(call, "timeout").attempt == 1
    assert lineage.call_ends(ids("read_file", tool_call_id="call_abc"), "ok").attempt == 1
    assert lineage.call_ends(call, "ok").attempt == 2
    assert lineage.call_ends(call, "ok").attempt == 1


def test_ids_are_text_within_the_bounds_of_the_contract() -> None:
    assert identifier("é" * 128) == "é" * 128
    assert identifier("é" * 129) == ""
    assert identifier("a" * 257) == ""
    assert identifier(7) == identifier(None) == ""
    assert CallIds.of({"tool_name": "x", "session_id": 3}) == CallIds("x")
