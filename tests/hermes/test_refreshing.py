"""Refresh requests: leased through the sidecar, carried out by Hermes' own tool, reported."""

import json
from concurrent.futures import Executor, Future
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from capture_double import CaptureDouble
from sidecar_double import PluginConnection, RunningSidecar, until

from sourcecorpus.capture.v1 import refresh_pb2
from sourcecorpus.hermes.plugin import refreshing
from sourcecorpus.hermes.plugin.connection import SidecarAbsent
from sourcecorpus.hermes.plugin.events import CapturedEvent
from sourcecorpus.hermes.plugin.recorder import Recorder
from sourcecorpus.hermes.plugin.refreshing import Refresher, refusal_of, shared_refresher
from sourcecorpus.hermes.sidecar.games import CurrentGame
from sourcecorpus.hermes.sidecar.limits import (
    REFRESH_REPORT_ATTEMPTS_MAX,
    REFRESHES_TOGETHER_MAX,
)
from sourcecorpus.hermes.sidecar.refreshes import RefreshAnswers
from sourcecorpus.rpc.failures import Failure, FailureCode

PAGE = "https://a.example/page"
REQUEST = {"game_id": "emberfall", "request_id": "refresh-1", "uri": PAGE}


def page(**facts: Any) -> str:
    return json.dumps({"results": [{"url": PAGE, "content": "text", "error": None, **facts}]})


@pytest.mark.parametrize(
    ("result", "refusal"),
    [
        (page(), ""),
        (json.loads(page()), ""),
        (page(error="HTTP 404 Not Found"), "GONE"),
        (page(error="410"), "GONE"),
        (page(error="disallowed by robots.txt (403)"), "ROBOTS"),
        (page(error="402 Payment Required"), "PAYWALL"),
        (page(error="Subscribe to read on"), "PAYWALL"),
        (page(error="401"), "LOGIN"),
        (page(error="Please sign in"), "LOGIN"),
        (page(error="Blocked: URL targets a private network"), "DECLINED"),
        (page(error="timed out after 4040 ms"), "FAILED"),
        (json.dumps({"error": "Unknown tool: web_extract"}), "TOOL_MISSING"),
        (json.dumps({"error": "web tools are disabled"}), "TOOL_MISSING"),
        (json.dumps({"error": "no more credits"}), "FAILED"),
        (json.dumps({"results": []}), "FAILED"),
        (json.dumps({"results": [7]}), "FAILED"),
        (json.dumps([1]), "FAILED"),
        ("not JSON", "FAILED"),
        ("[" * 100_000, "FAILED"),
        (None, "FAILED"),
    ],
)
def test_what_a_tool_says_becomes_a_reason(result: object, refusal: str) -> None:
    assert refusal_of(result) == refusal


class Asked:
    """Stands for the sidecar: hands out requests once and keeps what it is told."""

    def __init__(self, requests: object) -> None:
        self.requests = requests
        self.questions: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, call: str, question: dict[str, Any], _seconds: float) -> dict[str, Any]:
        self.questions.append((call, question))
        return {"requests": self.requests} if call == "take_refreshes" else {"reported": True}

    @property
    def refused(self) -> list[dict[str, Any]]:
        return [question for call, question in self.questions if call == "refuse_refresh"]


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    made = Recorder("emberfall")
    monkeypatch.setattr(made.sender, "start", lambda: None)
    made.session_starts(session_id="s")
    return made


def refresher_of(
    monkeypatch: pytest.MonkeyPatch, recorder: Recorder, asked: Asked, dispatch: Any
) -> Refresher:
    monkeypatch.setattr(refreshing, "ask", asked)
    return Refresher(recorder, SimpleNamespace(dispatch_tool=dispatch))


def test_a_page_is_fetched_by_hermes_tool_and_taken(
    monkeypatch: pytest.MonkeyPatch, recorder: Recorder
) -> None:
    calls: list[tuple[str, dict[str, Any]]] = []

    def dispatch(tool: str, arguments: dict[str, Any]) -> str:
        calls.append((tool, arguments))
        return page()

    asked = Asked([REQUEST])
    assert refresher_of(monkeypatch, recorder, asked, dispatch).refresh() == 1
    assert asked.questions == [("take_refreshes", {"sessions": ["s"], "default_game": "emberfall"})]
    assert calls == [("web_extract", {"urls": [PAGE]})]
    event = recorder.queue.next_item(0.0)
    assert isinstance(event, CapturedEvent)
    header, body = event.frame()
    assert header["refresh"] == {"game_id": "emberfall", "request_id": "refresh-1"}
    assert (header["tool_name"], header["session_id"]) == ("web_extract", "s")
    assert body[1] == page().encode()


def test_a_refusal_is_told_and_its_result_kept_without_the_request(
    monkeypatch: pytest.MonkeyPatch, recorder: Recorder
) -> None:
    asked = Asked([REQUEST])
    refresher = refresher_of(monkeypatch, recorder, asked, lambda *_: page(error="404", content=""))
    assert refresher.refresh() == 1
    told = {name: REQUEST[name] for name in ("game_id", "request_id")}
    assert asked.refused == [{**told, "refusal": "GONE"}]
    event = recorder.queue.next_item(0.0)
    assert isinstance(event, CapturedEvent)
    assert "refresh" not in event.frame()[0]


@pytest.mark.parametrize("uri", ["file:///etc/passwd", "tool://web_search/x", "", None, 7])
def test_only_pages_are_fetched(
    monkeypatch: pytest.MonkeyPatch, recorder: Recorder, uri: object
) -> None:
    def dispatch(*_: object) -> str:
        pytest.fail("a tool was called")

    asked = Asked([{**REQUEST, "uri": uri}])
    assert refresher_of(monkeypatch, recorder, asked, dispatch).refresh() == 1
    assert [question["refusal"] for question in asked.refused] == ["NOT_REFRESHABLE"]
    assert recorder.queue.waiting() == 0


def test_a_person_can_decline_all(monkeypatch: pytest.MonkeyPatch, recorder: Recorder) -> None:
    monkeypatch.setattr(refreshing, "refreshes_are_wanted", lambda: False)
    asked = Asked([REQUEST])
    assert refresher_of(monkeypatch, recorder, asked, lambda *_: page()).refresh() == 1
    assert [question["refusal"] for question in asked.refused] == ["DECLINED"]
    assert recorder.queue.waiting() == 0


def test_a_tool_that_raises_has_failed(monkeypatch: pytest.MonkeyPatch, recorder: Recorder) -> None:
    def dispatch(*_: object) -> str:
        raise RuntimeError("boom")

    asked = Asked([REQUEST, "strange", REQUEST])
    assert refresher_of(monkeypatch, recorder, asked, dispatch).refresh() == 2
    assert [question["refusal"] for question in asked.refused] == ["FAILED", "FAILED"]


@pytest.mark.parametrize("requests", [None, "all", {}, 7])
def test_strange_answers_are_no_requests(
    monkeypatch: pytest.MonkeyPatch, recorder: Recorder, requests: object
) -> None:
    refresher = refresher_of(monkeypatch, recorder, Asked(requests), lambda *_: page())
    assert refresher.refresh() == 0


def test_without_a_sidecar_nothing_is_fetched(
    monkeypatch: pytest.MonkeyPatch, recorder: Recorder
) -> None:
    def absent(*_: object) -> dict[str, Any]:
        raise SidecarAbsent("SIDECAR_ABSENT")

    monkeypatch.setattr(refreshing, "ask", absent)
    assert Refresher(recorder, SimpleNamespace(dispatch_tool=page)).refresh() == 0


def test_one_refresher_however_often_the_plugin_is_run(recorder: Recorder) -> None:
    first, second = SimpleNamespace(), SimpleNamespace()
    made = shared_refresher(recorder, first)
    assert shared_refresher(recorder, second) is made
    # A Hermes without dispatch_tool is left alone.
    made.turn_ends(session_id="s", unknown=object())
    assert not made._started


class Watching(list[Any]):
    """A stream of responses that ends as the moment does."""

    cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class SoonDone(Executor):
    def submit(self, call: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(call(*arguments))
        return done


class Unavailable(grpc.RpcError):
    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.UNAVAILABLE

    def details(self) -> str:
        return ""

    def trailing_metadata(self) -> tuple[()]:
        return ()


class Captures:
    """Stands for the capture service's stub."""

    def __init__(self, waiting: int = 0, faults: int = 0) -> None:
        self.stream = Watching(
            refresh_pb2.WatchRefreshRequestsResponse(
                request=refresh_pb2.RefreshRequest(
                    game_id="emberfall", request_id=f"refresh-{number}", canonical_uri=PAGE
                )
            )
            for number in range(waiting)
        )
        self.faults = faults
        self.reports: list[refresh_pb2.ReportRefreshRequest] = []

    def WatchRefreshRequests(self, _: Any, timeout: float) -> Watching:  # noqa: N802
        assert timeout > 0
        return self.stream

    def ReportRefresh(self, request: Any, timeout: float) -> None:  # noqa: N802
        assert timeout > 0
        self.reports.append(request)
        if len(self.reports) <= self.faults:
            raise Unavailable


def answers_of(captures: Captures, game_id: str = "emberfall") -> RefreshAnswers:
    services: Any = SimpleNamespace(captures=captures)
    return RefreshAnswers(services, lambda _: CurrentGame(game_id), SoonDone())


def test_requests_are_taken_for_the_current_game_a_few_at_a_time() -> None:
    captures = Captures(waiting=REFRESHES_TOGETHER_MAX + 3)
    taken = answers_of(captures).take({})["requests"]
    assert len(taken) == REFRESHES_TOGETHER_MAX
    assert taken[0] == {**REQUEST, "request_id": "refresh-0", "family": ""}
    # What was not taken must not stay leased to a stream that nobody reads.
    assert captures.stream.cancelled
    assert answers_of(captures, game_id="").take({}) == {"requests": []}


@pytest.mark.parametrize("refusal", ["UNSPECIFIED", "", "ROBOTS; DROP", None, 7])
def test_only_reasons_of_the_contract_are_reported(refusal: object) -> None:
    captures = Captures()
    with pytest.raises(Failure) as caught:
        answers_of(captures).refuse({**REQUEST, "refusal": refusal})
    assert (caught.value.code, caught.value.reason) == (
        FailureCode.INVALID_ARGUMENT,
        "FIELD_INVALID",
    )
    assert captures.reports == []


@pytest.mark.parametrize(("faults", "tries"), [(0, 1), (1, 2), (99, REFRESH_REPORT_ATTEMPTS_MAX)])
def test_a_report_is_tried_a_few_times(faults: int, tries: int) -> None:
    captures = Captures(faults=faults)
    answers_of(captures).captured("emberfall", "refresh-1", "envelope")
    assert [report.envelope_id for report in captures.reports] == ["envelope"] * tries


def test_an_answer_to_a_request_belongs_to_its_game_and_is_told_once(
    running: RunningSidecar, capture: CaptureDouble
) -> None:
    plugin = PluginConnection(running, game="saltmouth")
    refresh = {"game_id": "emberfall", "request_id": "refresh-1"}
    plugin.send(1, refresh=refresh)
    plugin.wait_durable(1)
    plugin.send(1, refresh=refresh)
    plugin.send(2, refresh={"game_id": 7})
    plugin.send(3, refresh={**refresh, "request_id": "refresh-3"})
    plugin.wait_durable(3)
    until(lambda: len(capture.memory.refresh_reports) == 2)
    until(lambda: len(capture.memory.snapshot()) == 3)
    first, other, last = capture.memory.snapshot()
    assert [taken.head.game_id for taken in (first, other, last)] == [
        "emberfall",
        "saltmouth",
        "emberfall",
    ]
    reports = [(report.request_id, report.envelope_id) for report in capture.memory.refresh_reports]
    assert reports == [
        ("refresh-1", first.head.envelope_id),
        ("refresh-3", last.head.envelope_id),
    ]
