"""Links of runs: they only rise, hold no content, and list stably both ways."""

from __future__ import annotations

import pytest

from corpus_service.domain.run_links import RunLink, RunPlace, RunSource
from corpus_service.domain.sources import Snapshot
from corpus_service.domain.vocabulary import RunUse
from corpus_service.storage.interface import CorpusStore
from corpus_service.storage.run_interface import RUN_PLACES_SHOWN_MAX
from sourcecorpus.rpc.failures import Failure
from tests.storage.records import GAME, page, prepared, put, put_page, record

RUN = "run-1"
NEVER = "ver-00000000000000000000"


def version_of(store: CorpusStore, name: str, data: bytes = b"stone", **facts: object) -> str:
    uri = f"https://castle.example/{name}"
    return put_page(store, name, data, uri, **facts).sources[0].version_id  # type: ignore[arg-type]


def sources(store: CorpusStore, run: str = RUN, **facts: object) -> list[RunSource]:
    wanted = {"least_use": RunUse.DISCOVERED, "limit": 99} | facts
    return list(store.list_run_sources(GAME, run, **wanted))  # type: ignore[arg-type]


def test_a_use_only_rises_and_the_answer_says_which_holds(store: CorpusStore) -> None:
    version = version_of(store, "a")
    for sent, held in (
        (RunUse.CONSULTED, RunUse.CONSULTED),
        (RunUse.DISCOVERED, RunUse.CONSULTED),
        (RunUse.CITED, RunUse.CITED),
        (RunUse.CONSULTED, RunUse.CITED),
    ):
        assert store.link_run(GAME, RUN, [RunLink(sent, version)], at=5) == [held]
    (found,) = sources(store)
    assert (found.use, found.version_id, found.places) == (RunUse.CITED, version, ())


def test_what_a_tool_brought_to_a_run_is_linked_and_rises_from_there(store: CorpusStore) -> None:
    version = version_of(store, "a", record_facts={"run_id": RUN})
    assert [found.use for found in sources(store)] == [RunUse.CONSULTED]
    assert store.link_run(GAME, RUN, [RunLink(RunUse.CITED, version, span=(1, 3))], at=5) == [
        RunUse.CITED
    ]
    (found,) = sources(store)
    assert found.use is RunUse.CITED
    assert found.places == (RunPlace(version, 1, 3, RunUse.CITED),)
    assert (found.canonical_uri, found.family) == ("https://castle.example/a", "gtc_page")


def test_unknown_and_hidden_versions_are_not_linked(store: CorpusStore) -> None:
    seen = version_of(store, "a")
    hidden = record("probe", [page("https://castle.example/p", b"probe")], [b"probe"], probe=True)
    put(store, prepared(hidden))
    before = store.snapshot(GAME)
    links = [RunLink(RunUse.CITED, NEVER), RunLink(RunUse.CITED, artifact_id="art-" + NEVER[4:])]
    assert store.link_run(GAME, RUN, links, at=5) == [None, None]
    assert store.snapshot(GAME) == before
    assert store.link_run(GAME, RUN, [*links, RunLink(RunUse.CITED, seen)], at=5)[2] is RunUse.CITED
    assert len(sources(store)) == 1


def test_an_artifact_can_be_linked_by_its_own_id(store: CorpusStore) -> None:
    artifact = put_page(store, "a").sources[0].artifact_id
    link = RunLink(RunUse.CONSULTED, artifact_id=artifact)
    assert store.link_run(GAME, RUN, [link], at=5) == [RunUse.CONSULTED]
    assert [found.artifact_id for found in sources(store)] == [artifact]


def test_the_same_links_again_make_no_commit(store: CorpusStore) -> None:
    link = RunLink(RunUse.CITED, version_of(store, "a"), span=(0, 2))
    store.link_run(GAME, RUN, [link], at=5)
    before = store.snapshot(GAME)
    store.link_run(GAME, RUN, [link, RunLink(RunUse.CONSULTED, link.version_id)], at=6)
    assert store.snapshot(GAME) == before


def test_sources_of_a_run_page_stably(store: CorpusStore) -> None:
    versions = [version_of(store, f"p{number}", b"%d" % number) for number in range(7)]
    for number in (5, 1, 3, 0):
        store.link_run(GAME, RUN, [RunLink(RunUse.CITED, versions[number])], at=5)
    as_of = store.snapshot(GAME)
    first = sources(store, limit=2, as_of=as_of)
    store.link_run(GAME, RUN, [RunLink(RunUse.CITED, versions[6])], at=6)
    rest = sources(store, limit=9, after=first[-1].row, as_of=as_of)
    assert [found.version_id for found in first + rest] == [versions[n] for n in (0, 1, 3, 5)]
    assert len(sources(store)) == 5
    assert sources(store, run="another") == []


def test_weaker_uses_are_left_out_where_stronger_ones_are_asked(store: CorpusStore) -> None:
    versions = [version_of(store, name, name.encode()) for name in ("a", "b", "c")]
    for version, use in zip(versions, RunUse, strict=True):
        store.link_run(GAME, RUN, [RunLink(use, version)], at=5)
    for use, number in ((RunUse.DISCOVERED, 3), (RunUse.CONSULTED, 2), (RunUse.CITED, 1)):
        assert len(sources(store, least_use=use)) == number


def test_places_are_bounded_and_say_so(store: CorpusStore) -> None:
    version = version_of(store, "a", b"x" * 300)
    links = [RunLink(RunUse.CITED, version, span=(n, n + 1)) for n in range(RUN_PLACES_SHOWN_MAX)]
    store.link_run(GAME, RUN, links, at=5)
    assert not sources(store)[0].places_cut
    store.link_run(GAME, RUN, [RunLink(RunUse.CITED, version, span=(0, 300))], at=5)
    (found,) = sources(store)
    assert (len(found.places), found.places_cut) == (RUN_PLACES_SHOWN_MAX, True)


def test_runs_of_a_source_and_of_one_content(store: CorpusStore) -> None:
    old = version_of(store, "a", b"old", at=1)
    new = put_page(store, "again", b"new", "https://castle.example/a", at=2).sources[0]
    other = version_of(store, "b")
    uses = (
        ("r1", RunUse.CITED, old),
        ("r2", RunUse.CONSULTED, new.version_id),
        ("r3", RunUse.CITED, new.version_id),
        ("r1", RunUse.DISCOVERED, new.version_id),
        ("r4", RunUse.CITED, other),
    )
    for run, use, version in uses:
        store.link_run(GAME, run, [RunLink(use, version)], at=5)

    def runs(**facts: object) -> list[tuple[str, RunUse]]:
        wanted = {"least_use": RunUse.DISCOVERED, "limit": 99} | facts
        found = store.list_citing_runs(GAME, **wanted)  # type: ignore[arg-type]
        return [(run.run_id, run.use) for run in found]

    assert runs(source_id=new.source_id) == [
        ("r3", RunUse.CITED),
        ("r2", RunUse.CONSULTED),
        ("r1", RunUse.CITED),
    ]
    assert runs(version_id=old) == [("r1", RunUse.CITED)]
    assert runs(version_id=new.version_id, least_use=RunUse.CITED) == [("r3", RunUse.CITED)]
    assert runs(source_id=new.source_id, least_use=RunUse.CITED) == [
        ("r3", RunUse.CITED),
        ("r1", RunUse.CITED),
    ]
    assert runs(version_id=NEVER) == []
    first = store.list_citing_runs(
        GAME, source_id=new.source_id, least_use=RunUse.DISCOVERED, limit=1
    )[0]
    behind = (first.sequence, first.run_id)
    assert [run for run, _ in runs(source_id=new.source_id, after=behind)] == ["r2", "r1"]


def test_links_of_another_game_or_epoch_are_refused(store: CorpusStore) -> None:
    with pytest.raises(Failure, match="UNKNOWN_GAME"):
        store.link_run("nowhere", RUN, [RunLink(RunUse.CITED, NEVER)], at=5)
    for call in (
        lambda: sources(store, as_of=Snapshot("another", 0)),
        lambda: store.list_citing_runs(
            GAME,
            version_id=NEVER,
            least_use=RunUse.CITED,
            limit=1,
            as_of=Snapshot("another", 0),
        ),
    ):
        with pytest.raises(Failure, match="SNAPSHOT_CHANGED"):
            call()
