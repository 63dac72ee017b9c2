"""What runs met: the version of that moment, and nothing of what was deleted."""

from __future__ import annotations

from dataclasses import replace

from corpus_service.domain.deletions import Deletion, DeletionReason
from corpus_service.domain.run_links import RunLink, RunSource
from corpus_service.domain.vocabulary import RunUse
from corpus_service.storage.interface import CorpusStore
from sourcecorpus.identity import source_id
from tests.storage.records import GAME, page, prepared, put, put_page, record, text_of

RUN = "run-1"
URI = "https://castle.example/"


def presented(store: CorpusStore, run: str = RUN) -> list[RunSource]:
    return list(store.list_presented(GAME, run, limit=99))


def labels(store: CorpusStore, run: str = RUN) -> list[tuple[str, str, RunUse]]:
    return [(one.version_id, one.title, one.use) for one in presented(store, run)]


def test_a_newer_content_changes_nothing(store: CorpusStore) -> None:
    first = put_page(store, "e1", b"stone", record_facts={"run_id": RUN}, title="Old").sources[0]
    before = labels(store)
    put_page(store, "e2", b"glass", at=2, title="New")
    assert labels(store) == before
    assert before == [(first.version_id, "Old", RunUse.CONSULTED)]


def test_a_newer_text_of_the_same_content_changes_nothing(store: CorpusStore) -> None:
    first = put_page(store, "e1", b"stone", record_facts={"run_id": RUN}).sources[0].version_id
    before = labels(store)
    again = record("e2", [page(data=b"stone")], [b"stone"], at=2)
    text = replace(text_of(b"stone"), extractor_version="2", title="Read anew")
    second = put(store, prepared(again, [text])).sources[0].version_id
    assert second != first
    assert labels(store) == before
    assert before == [(first, "", RunUse.CONSULTED)]
    (now,) = store.list_run_sources(GAME, RUN, least_use=RunUse.DISCOVERED, limit=9)
    assert now.version_id == second
    store.link_run(GAME, "run-2", [RunLink(RunUse.CITED, version_id=second)], at=3)
    assert [one.version_id for one in presented(store, "run-2")] == [second]


def test_a_content_without_text_has_no_version(store: CorpusStore) -> None:
    captured = record("e1", [page(title="Gate")], [b"stone"], run_id=RUN)
    put(store, prepared(captured, [None]))
    assert labels(store) == [("", "", RunUse.CONSULTED)]


def test_places_of_what_was_deleted_do_not_come_back(store: CorpusStore) -> None:
    version = put_page(store, "e1", b"stone").sources[0].version_id
    cited = RunLink(RunUse.CITED, version_id=version, span=(0, 3))
    store.link_run(GAME, RUN, [cited], at=2)
    assert len(presented(store)[0].places) == 1
    store.delete_source(GAME, Deletion(source_id(GAME, URI), DeletionReason.WRONG, 3, "", ""))
    assert presented(store) == []
    assert put_page(store, "e2", b"stone", at=4).sources[0].version_id == version
    store.link_run(GAME, RUN, [RunLink(RunUse.CONSULTED, version_id=version)], at=5)
    (again,) = presented(store)
    assert (again.use, again.places) == (RunUse.CONSULTED, ())
