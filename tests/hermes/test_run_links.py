"""Links of runs: refs of answers, texts that were read, on their way to the corpus."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sidecar_double import PluginConnection, RunningSidecar, until

from sourcecorpus.hermes.plugin.cited_refs import refs_in
from sourcecorpus.hermes.plugin.events import CitedRefs
from sourcecorpus.hermes.plugin.frames import ConnectionEnded, receive_frame, send_frame
from sourcecorpus.hermes.plugin.limits import CITED_REFS_MAX
from sourcecorpus.hermes.plugin.recorder import Recorder
from sourcecorpus.hermes.sidecar import limits
from sourcecorpus.hermes.sidecar.linking import Linker
from sourcecorpus.hermes.sidecar.run_links import RunLink, next_links
from sourcecorpus.hermes.sidecar.store import SidecarStore
from sourcecorpus.rpc.failures import Failure, FailureCode

REF = "v-7k2m9q4x1c8v5b3n6p0z#120-180"
OTHER = "v-0a1b2c3d4e5f6g7h8j9k#0-5"
TURN = "20261130_205647_f3a634:task-1:0123abcd"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SidecarStore]:
    made = SidecarStore(
        tmp_path / "spool.db", bytes_max=10_000_000, wall_milliseconds=lambda: 1_796_000_000_000
    )
    yield made
    made.close()


def link(ref: str = REF, run: str = TURN, use: Any = "cited", game: str = "emberfall") -> RunLink:
    return RunLink(game, run, ref, use)


@pytest.mark.parametrize(
    ("answer", "refs"),
    [
        (f"Cold iron ends wards [{REF}].", (REF,)),
        (f"{REF}, then {OTHER}; again {REF}", (REF, OTHER)),
        (f"《冷铁》{REF}。{OTHER}", (REF, OTHER)),
        ("a whole text v-7k2m9q4x1c8v5b3n6p0z.", ("v-7k2m9q4x1c8v5b3n6p0z",)),
        (f"not xv-7k2m9q4x1c8v5b3n6p0z#1-2 nor -{REF} nor {REF}x", ()),
        ("v-short#1-2 v-#1-2 v-", ()),
        ("", ()),
        (None, ()),
        ({"text": REF}, ()),
    ],
)
def test_refs_of_an_answer(answer: object, refs: tuple[str, ...]) -> None:
    assert refs_in(answer) == refs


def test_refs_of_an_answer_are_bounded() -> None:
    many = " ".join(f"{REF.partition('#')[0]}#{number}-{number + 1}" for number in range(500))
    assert len(refs_in(many)) == CITED_REFS_MAX


@given(st.text())
def test_whatever_an_answer_is_only_refs_come_out(answer: str) -> None:
    for ref in refs_in(answer):
        assert refs_in(ref) == (ref,)
        assert ref in answer


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    made = Recorder()
    monkeypatch.setattr(made.sender, "start", lambda: None)
    return made


def test_an_answer_gives_its_refs_and_no_word_of_it(recorder: Recorder) -> None:
    recorder.post_llm_call(
        session_id="s",
        turn_id=TURN,
        assistant_response=f"The marsh witch knows [{REF}]",
        conversation_history=[{"content": "secret talk"}],
    )
    item = recorder.queue.next_item(0.0)
    assert isinstance(item, CitedRefs)
    header, body = item.frame()
    assert header == {
        "kind": "cited",
        "sequence": 1,
        "run_id": TURN,
        "sessions": ["s"],
        "refs": [REF],
    }
    assert body == []
    assert recorder.queue.waiting() == 1


@pytest.mark.parametrize("response", ["no refs at all", None, 7, b"v-", {"x": object()}])
def test_an_answer_without_refs_gives_nothing(recorder: Recorder, response: object) -> None:
    recorder.post_llm_call(session_id="s", assistant_response=response, other=object())
    assert recorder.queue.next_item(0.0) is None
    assert recorder.queue.losses() == {}


def test_a_subagents_results_belong_to_the_turn_that_started_it(recorder: Recorder) -> None:
    recorder.pre_tool_call(tool_name="delegate_task", session_id="parent", turn_id=TURN)
    recorder.subagent_start(
        parent_session_id="parent", parent_turn_id=TURN, child_session_id="child"
    )
    recorder.post_tool_call(
        tool_name="web_search", session_id="child", turn_id="child:t:00000000", result="x"
    )
    recorder.post_tool_call(tool_name="web_search", session_id="parent", turn_id=TURN, result="y")
    headers = [recorder.queue.next_item(0.0).frame()[0] for _ in range(2)]  # type: ignore[union-attr]
    assert [header["run_id"] for header in headers] == [TURN, TURN]
    # The next turn of the parent is another run; one child belongs where it was started.
    recorder.post_tool_call(tool_name="web_search", session_id="parent", turn_id="next", result="z")
    assert recorder.queue.next_item(0.0).frame()[0]["run_id"] == "next"  # type: ignore[union-attr]
    assert recorder.lineage.run_of("child") == TURN


def test_links_wait_once_and_leave_in_order(store: SidecarStore) -> None:
    store.link([link(), link(OTHER), link(), link(run="other run")])
    store.link([link(use="consulted"), link(game="saltmouth")])
    assert store.links_waiting() == 5
    first = [item.link for item in store.read(next_links)]
    assert first == [link(), link(OTHER), link(use="consulted")]


def test_links_beyond_the_bound_push_out_the_oldest(
    store: SidecarStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LINKS_MAX", 3)
    store.link([link(f"{OTHER}{number}") for number in range(5)])
    assert [item.link.ref[-1] for item in store.read(next_links)] == ["2", "3", "4"]
    assert store.counters()["link_lost"] == {"QUEUE_FULL": 2}


def test_linking_counts_what_the_corpus_took_and_refused(store: SidecarStore) -> None:
    asked: list[Sequence[RunLink]] = []

    def call(links: Sequence[RunLink]) -> Sequence[str]:
        asked.append(links)
        return ["VERSION_NOT_FOUND" if item.ref == OTHER else "" for item in links]

    store.link([link(), link(OTHER), link(use="consulted"), link(run="second")])
    linker = Linker(store, call)
    assert linker.link_once()
    assert linker.link_once()
    assert not linker.link_once()
    assert [len(links) for links in asked] == [3, 1]
    counters = store.counters()
    assert counters["linked"] == {"cited": 2, "consulted": 1}
    assert counters["link_refused"] == {"VERSION_NOT_FOUND": 1}
    assert store.links_waiting() == 0


def test_a_corpus_that_is_away_keeps_links_waiting(store: SidecarStore) -> None:
    answers = [
        Failure(FailureCode.UNAVAILABLE, "DRAINING"),
        Failure(FailureCode.UNAVAILABLE, "DRAINING"),
        None,
    ]
    paused: list[float] = []

    def call(links: Sequence[RunLink]) -> Sequence[str]:
        failure = answers.pop(0)
        if failure is not None:
            raise failure
        return [""] * len(links)

    store.link([link()])
    linker = Linker(store, call, pause=paused.append)
    linker.start()
    until(lambda: store.links_waiting() == 0)
    linker.stop(30)
    assert len(paused) == 2
    assert store.counters()["linked"] == {"cited": 1}


def test_a_corpus_that_refuses_for_good_ends_the_links(store: SidecarStore) -> None:
    def call(_: Sequence[RunLink]) -> Sequence[str]:
        raise Failure(FailureCode.NOT_FOUND, "UNKNOWN_GAME")

    store.link([link(), link(OTHER)])
    assert Linker(store, call).link_once()
    assert store.counters()["link_refused"] == {"UNKNOWN_GAME": 2}


def test_links_of_an_event_come_with_it_or_not_at_all(store: SidecarStore) -> None:
    assert store.take("one", 1, None, {}, [link()]).result()
    assert not store.take("one", 1, None, {}, [link(OTHER)]).result()
    assert [item.link for item in store.read(next_links)] == [link()]


def send_cited(plugin: PluginConnection, sequence: int, **facts: Any) -> None:
    header = {"kind": "cited", "sequence": sequence, "run_id": TURN, "sessions": ["s"]}
    send_frame(plugin.socket, {**header, "refs": [REF], **facts})


def test_refs_of_a_plugin_wait_for_the_corpus(running: RunningSidecar) -> None:
    plugin = PluginConnection(running)
    send_cited(plugin, 1)
    send_cited(plugin, 2, run_id="")
    plugin.wait_durable(2)
    status = running.ask("status")
    assert status["links_waiting"] == 1
    assert status["counters"]["link_refused"] == {"NO_RUN": 1}


def test_without_a_game_refs_are_counted_and_dropped(running: RunningSidecar) -> None:
    plugin = PluginConnection(running, game="")
    send_cited(plugin, 1, refs=[REF, OTHER])
    plugin.wait_durable(1)
    assert running.counters()["link_refused"] == {"NO_GAME": 2}


@pytest.mark.parametrize(
    "refs", [[], "v-x", ["a sentence of an answer"], [f"{REF} and more"], [7], [REF] * 129]
)
def test_words_of_an_answer_cannot_come_in_as_refs(running: RunningSidecar, refs: object) -> None:
    plugin = PluginConnection(running)
    send_cited(plugin, 1, refs=refs)
    with pytest.raises((ConnectionEnded, OSError)):
        receive_frame(plugin.socket)
    assert running.ask("status")["links_waiting"] == 0
