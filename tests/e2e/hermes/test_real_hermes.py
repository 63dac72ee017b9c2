"""Captures by the real Hermes: its plugin manager, its dispatcher, its agent loop, a scripted model."""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from agent_run import HermesHome
from capture_double import CaptureDouble
from local_web import LocalWeb
from real_hermes import HERE, HERMES_PYTHON

from sourcecorpus.capture.v1.envelope_pb2 import Envelope, ToolStatus

pytestmark = pytest.mark.process

SMALL = "http://93.184.216.34/small"
BIG = "http://93.184.216.34/big"
SLOW = "http://93.184.216.34/slow"
SECONDS_MAX = 40.0
NOTES = "# Notes\nThe tide bell rings twice.\n"
BIG_TEXT = "# Big\n\n" + "".join(f"Row {number} of the atlas.\n\n" for number in range(12_000))


@pytest.fixture
def site(web: LocalWeb) -> LocalWeb:
    web.pages[SMALL] = {"markdown": "# Small\n\nCold iron ends wards. 冷铁\n", "title": "Small"}
    web.pages[BIG] = {"markdown": BIG_TEXT, "title": "Big"}
    web.pages[SLOW] = {"markdown": "# Slow\n", "title": "Slow", "seconds": 3.0}
    web.hits[:] = [{"url": SMALL, "title": "Small", "description": "first hit"}]
    return web


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while not condition():
        assert time.monotonic() < deadline, "the awaited state did not come"
        time.sleep(0.05)


def bytes_of(event: dict[str, Any]) -> bytes:
    result = event["kwargs"]["result"]
    return result.encode("utf-8", "surrogatepass") if isinstance(result, str) else b""


def expected(home: HermesHome) -> Counter[tuple[str, str, bytes]]:
    return Counter(
        (event["kwargs"]["tool_name"], event["kwargs"]["tool_call_id"], bytes_of(event))
        for event in home.recorded()
    )


def arrived(capture: CaptureDouble) -> Counter[tuple[str, str, bytes]]:
    return Counter(
        (envelope.head.tool_name, envelope.head.tool_call_id, envelope.result)
        for envelope in capture.memory.snapshot()
    )


def wait_for_all(home: HermesHome, capture: CaptureDouble) -> list[Envelope]:
    """Every result that the recorder saw arrives once, with the bytes that it had in Hermes."""
    count = len(home.recorded())
    assert count
    until(lambda: len(capture.memory.snapshot()) >= count)
    assert arrived(capture) == expected(home)
    assert capture.memory.duplicates == 0
    return capture.memory.snapshot()


def of_tool(envelopes: list[Envelope], tool: str) -> list[Envelope]:
    return [envelope for envelope in envelopes if envelope.head.tool_name == tool]


def test_one_shot_with_sequence_batch_and_windowed_page(
    home_of: Any, model_of: Any, site: LocalWeb, capture: CaptureDouble
) -> None:
    model = model_of(
        {
            "ALPHA": [
                {"calls": [("read_file", {"path": "notes.md"})]},
                {"calls": [("read_file", {"path": "notes.md"})]},
                {
                    "calls": [
                        ("web_search", {"query": "cold iron"}),
                        ("web_extract", {"urls": [SMALL]}),
                        ("web_extract", {"urls": [BIG]}),
                    ]
                },
                {"calls": [("web_extract", {"urls": [BIG], "char_limit": 500_000})]},
                {"text": "done"},
            ]
        }
    )
    home: HermesHome = home_of()
    (home.folder / "notes.md").write_text(NOTES, encoding="utf-8")
    home.run("ALPHA", model, site)
    envelopes = wait_for_all(home, capture)
    assert len(envelopes) == 6
    windowed = [envelope for envelope in envelopes if envelope.side_files]
    assert [file.data.decode() for file in windowed[0].side_files] == [BIG_TEXT]
    assert windowed[0].side_files[0].name.endswith(".md")
    for envelope in envelopes:
        assert envelope.head.game_id == "emberfall"
        assert envelope.head.session_id
        assert envelope.head.status == ToolStatus.TOOL_STATUS_OK
        assert envelope.head.turn_id.startswith(envelope.head.session_id)
    status = home.status()
    assert status["queue"]["envelopes"] == 0
    assert status["counters"]["outcome"] == {"STORED": 6}
    assert "lost" not in status["counters"]


def test_results_of_hermes_are_the_same_with_and_without_the_plugin(
    home_of: Any, model_of: Any, site: LocalWeb
) -> None:
    script = {
        "ALPHA": [
            {"calls": [("read_file", {"path": "notes.md"}), ("web_extract", {"urls": [BIG]})]},
            {"calls": [("terminal", {"command": "printf 'a\\0b%s' tail"})]},
            {"text": "done"},
        ]
    }
    seen = []
    for with_plugin in (False, True):
        home: HermesHome = home_of(f"home-{with_plugin}", with_plugin=with_plugin)
        (home.folder / "notes.md").write_text(NOTES, encoding="utf-8")
        model = model_of(script)
        home.run("ALPHA", model, site)
        results = sorted(
            bytes_of(event).replace(str(home.folder).encode(), b"HOME") for event in home.recorded()
        )
        shown = [
            message["content"].replace(str(home.folder), "HOME")
            for message in model.requests[-1]["messages"]
            if message["role"] == "tool"
        ]
        seen.append((results, shown))
    assert len(seen[0][0]) == 3
    assert seen[0] == seen[1]


def test_nested_calls_belong_to_their_outer_call(
    home_of: Any, model_of: Any, site: LocalWeb, capture: CaptureDouble
) -> None:
    code = "from hermes_tools import read_file\nprint(read_file('notes.md'))"
    model = model_of({"ALPHA": [{"calls": [("execute_code", {"code": code})]}, {"text": "done"}]})
    home: HermesHome = home_of()
    (home.folder / "notes.md").write_text(NOTES, encoding="utf-8")
    home.converse(["ALPHA"], model, site)
    envelopes = wait_for_all(home, capture)
    (outer,) = of_tool(envelopes, "execute_code")
    (inner,) = of_tool(envelopes, "read_file")
    assert inner.head.session_id == ""
    assert inner.head.task_id == outer.head.task_id
    assert inner.head.parent_tool_call_id == outer.head.tool_call_id == "call_ALPHA_0_0"
    assert inner.head.parent_session_id == outer.head.session_id
    assert inner.head.game_id == "emberfall"


def test_subagents_belong_to_the_session_that_sent_them(
    home_of: Any, model_of: Any, site: LocalWeb, capture: CaptureDouble
) -> None:
    model = model_of(
        {
            "CHILD": [{"calls": [("read_file", {"path": "notes.md"})]}, {"text": "found"}],
            "ALPHA": [{"calls": [("delegate_task", {"goal": "CHILD reads"})]}, {"text": "done"}],
        }
    )
    home: HermesHome = home_of(game="")
    (home.folder / "notes.md").write_text(NOTES, encoding="utf-8")
    home.prepare(model.port)
    # The child's session has no game of its own: it takes that of the session that it works for.
    capture.memory.games = EveryParent()
    home.converse(["ALPHA"], model, site, wait=6.0)
    until(lambda: bool(of_tool(capture.memory.snapshot(), "read_file")))
    (parent,) = of_tool(capture.memory.snapshot(), "delegate_task")
    (child,) = of_tool(capture.memory.snapshot(), "read_file")
    assert child.head.parent_session_id == parent.head.session_id
    assert child.head.session_id != parent.head.session_id
    assert child.head.game_id == parent.head.game_id == "saltmouth"


class EveryParent(dict[str, str]):
    """Gives the first session that is asked for a game, and no other one."""

    def get(self, key: str, default: Any = "") -> str:
        if not self:
            self[key] = "saltmouth"
        return super().get(key, default)


def test_timeout_then_result_are_two_attempts(
    home_of: Any, model_of: Any, site: LocalWeb, capture: CaptureDouble
) -> None:
    model = model_of(
        {
            "ALPHA": [
                {
                    "calls": [
                        ("web_extract", {"urls": [SLOW]}),
                        ("read_file", {"path": "notes.md"}),
                    ]
                },
                {"text": "done"},
            ]
        }
    )
    home: HermesHome = home_of(variables={"HERMES_CONCURRENT_TOOL_TIMEOUT_S": "1.5"})
    (home.folder / "notes.md").write_text(NOTES, encoding="utf-8")
    home.converse(["ALPHA"], model, site, wait=4.0)
    envelopes = wait_for_all(home, capture)
    first, second = of_tool(envelopes, "web_extract")
    assert first.head.tool_call_id == second.head.tool_call_id
    assert [first.head.status, second.head.status] == [
        ToolStatus.TOOL_STATUS_TIMEOUT,
        ToolStatus.TOOL_STATUS_OK,
    ]
    assert [first.head.attempt, second.head.attempt] == [1, 2]
    assert b"# Slow" in second.result


def test_large_result_through_a_real_mcp_server(
    home_of: Any, model_of: Any, site: LocalWeb, capture: CaptureDouble
) -> None:
    tool = "mcp__bigpages__fetch_page"
    model = model_of({"ALPHA": [{"calls": [(tool, {"url": SMALL})]}, {"text": "done"}]})
    servers = {"bigpages": {"command": str(HERMES_PYTHON), "args": [str(HERE / "mcp_server.py")]}}
    home: HermesHome = home_of(settings={"mcp_servers": servers})
    home.converse(["ALPHA"], model, site)
    (envelope,) = wait_for_all(home, capture)
    assert len(envelope.result) > 2_000_000
    assert json.loads(envelope.result)["result"].count("of the long page.") == 45_000


def test_neighbours_that_raise_dawdle_and_change_things(
    home_of: Any, model_of: Any, site: LocalWeb, capture: CaptureDouble
) -> None:
    model = model_of(
        {
            "ALPHA": [
                {
                    "calls": [
                        ("web_search", {"query": "cold iron"}),
                        ("web_extract", {"urls": [SMALL]}),
                    ]
                },
                {"text": "done"},
            ]
        }
    )
    home: HermesHome = home_of(neighbours=("troublemaker",))
    home.run("ALPHA", model, site)
    envelopes = wait_for_all(home, capture)
    (page,) = of_tool(envelopes, "web_extract")
    assert json.loads(page.head.arguments) == {"urls": [SMALL]}


def test_secrets_are_in_no_file_and_no_envelope(
    home_of: Any, model_of: Any, site: LocalWeb, capture: CaptureDouble
) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    password = "hunter2" * 2 + "X9"
    page = f"# Keys\n\nUse {token} here.\n\nPASSWORD={password}\n" + "filler text\n\n" * 3_000
    site.pages[BIG]["markdown"] = page
    site.pages[SMALL]["markdown"] = f"token {token}\nPASSWORD={password}\n"
    header = f"curl -s -H 'Authorization: Bearer {token}' http://127.0.0.1:{site.port}/none"
    model = model_of(
        {
            "ALPHA": [
                {"calls": [("web_extract", {"urls": [BIG, SMALL]})]},
                {"calls": [("terminal", {"command": header})]},
                {"text": "done"},
            ]
        }
    )
    home: HermesHome = home_of()
    home.run("ALPHA", model, site)
    assert token.encode() in b"".join(map(bytes_of, home.recorded()))
    until(lambda: len(capture.memory.snapshot()) >= 2)
    home.status()
    for secret in (token, password):
        assert secret.encode() not in home.stored_bytes()
        for envelope in capture.memory.snapshot():
            assert secret.encode() not in envelope.SerializeToString()
    logs = [path for path in home.folder.glob("logs/*") if path.is_file()]
    assert all(password.encode() not in path.read_bytes() for path in logs)
    assert home.status()["counters"]["masked"]


def test_without_a_game_nothing_is_kept_and_the_status_says_so(
    home_of: Any, model_of: Any, site: LocalWeb, capture: CaptureDouble
) -> None:
    model = model_of({"ALPHA": [{"calls": [("web_extract", {"urls": [SMALL]})]}, {"text": "ok"}]})
    home: HermesHome = home_of(game="")
    home.run("ALPHA", model, site)
    until(lambda: home.status()["counters"].get("refused") == {"NO_GAME": 1})
    assert home.status()["queue"]["envelopes"] == 0
    assert not capture.memory.snapshot()
    assert b"Cold iron" not in home.stored_bytes()


def test_plugin_is_loaded_as_hermes_wants_it(home_of: Any, model_of: Any, site: LocalWeb) -> None:
    home: HermesHome = home_of()
    model = model_of({})
    script = (
        "import json,sys;from hermes_cli.plugins import discover_plugins,get_plugin_manager as m;"
        "discover_plugins();discover_plugins(force=True);p=m();"
        "print(json.dumps({'error':p._plugins['source-corpus'].error,"
        "'hooks':{k:len(v) for k,v in p._hooks.items()},"
        "'heavy':sorted(set(sys.modules)&{'grpc','google.protobuf','apsw','hyperscan'})}))"
    )
    done = home.start([str(HERMES_PYTHON), "-c", script], model, site)
    facts = json.loads(done.stdout.strip().split("\n")[-1])
    assert facts["error"] is None
    # The recorder has one hook of the same name.
    assert facts["hooks"]["post_tool_call"] == 2
    assert facts["heavy"] == []


def test_plugin_is_found_as_an_entry_point_too(
    home_of: Any, model_of: Any, site: LocalWeb, capture: CaptureDouble, tmp_path: Path
) -> None:
    facts = tmp_path / "packages" / "source_corpus-0.1.0.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: source-corpus\nVersion: 0.1.0\n")
    declared = metadata.distribution("source-corpus").entry_points
    (point,) = declared.select(group="hermes_agent.plugins")
    (facts / "entry_points.txt").write_text(f"[{point.group}]\n{point.name} = {point.value}\n")
    home: HermesHome = home_of(with_plugin=False)
    model = model_of({"ALPHA": [{"calls": [("web_extract", {"urls": [SMALL]})]}, {"text": "ok"}]})
    home.prepare(model.port)
    config = json.loads((home.folder / "config.yaml").read_text("utf-8"))
    config["plugins"]["enabled"].append("source-corpus")
    (home.folder / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    home.variables["PYTHONPATH"] = f"{facts.parent}:{HERE.parents[2] / 'clients' / 'hermes'}"
    command = json.dumps([sys.executable, "-m", "sourcecorpus.hermes.sidecar"])
    home.variables["SOURCECORPUS_SIDECAR_COMMAND"] = command
    home.run("ALPHA", model, site)
    assert len(wait_for_all(home, capture)) == 1


def test_slash_command_sets_the_game_of_the_session(
    home_of: Any, model_of: Any, site: LocalWeb, capture: CaptureDouble
) -> None:
    home: HermesHome = home_of(game="")
    script = Path(HERE / "drive_commands.py")
    done = home.start([str(HERMES_PYTHON), str(script)], model_of({}), site)
    answers = json.loads(done.stdout.strip().split("\n")[-1])
    assert answers["before a session"].startswith("Hermes does not tell which session")
    assert answers["show"].startswith("No game is set")
    assert answers["unknown"].startswith("There is no such game")
    assert answers["alias"] == "Results are kept for emberfall from here on."
    assert answers["show again"] == "Results are kept for emberfall."
    assert answers["off"].startswith("No game is set: results are not kept")
    assert capture.memory.games == {"session-7": ""}
    (envelope,) = capture.memory.snapshot()
    assert (envelope.head.game_id, envelope.result) == ("emberfall", b"kept")
