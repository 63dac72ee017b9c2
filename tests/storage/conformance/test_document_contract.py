"""Documents by title, by the job that fetched them, and by their headings."""

from __future__ import annotations

import pytest

from corpus_service.domain.deletions import Deletion, DeletionReason
from corpus_service.domain.vocabulary import JOB_FAMILY, SourceRole
from corpus_service.storage.interface import CorpusStore
from sourcecorpus.identity.identifiers import source_id
from sourcecorpus.rpc.failures import Failure
from tests.storage.records import GAME, page, prepared, put, put_page, record, text_of

JOB = "tool:crawl/1"
SITE = "https://castle.example/"


def put_job(
    store: CorpusStore, envelope_id: str, names: str, *, at: int = 1, family: str = JOB_FAMILY
) -> None:
    """A job that lists a page for each character."""
    manifest = f"{envelope_id} {names}".encode()
    job = page(JOB, manifest, title="Castle", family=family, role=SourceRole.ARTIFACT)
    pages = [page(SITE + name, name.encode(), title=name, parent_position=1) for name in names]
    contents = [manifest, *(name.encode() for name in names)]
    put(store, prepared(record(envelope_id, [job, *pages], contents, at=at)))


def walk(store: CorpusStore) -> str:
    """Titles of the job's documents, from the first on."""
    found = ""
    document = store.first_document(GAME, source_id(GAME, JOB))
    while document is not None:
        found += document.title
        place = store.place(GAME, document.source_id, source_id(GAME, JOB))
        assert place is not None
        document = place.following
    return found


def test_documents_of_a_job_keep_the_order_in_which_it_first_listed_them(
    store: CorpusStore,
) -> None:
    put_page(store, "e0", b"c", SITE + "c", title="c")
    put_job(store, "e1", "bca")
    assert walk(store) == "bca"
    put_job(store, "e2", "adcb", at=2)
    assert walk(store) == "bcad"
    (place,) = store.places(GAME, source_id(GAME, SITE + "c"), limit=9)
    assert (place.collection.title, place.collection.document_count) == ("Castle", 4)
    assert place.previous is not None
    assert place.following is not None
    assert (place.previous.title, place.following.title) == ("b", "a")
    deletion = Deletion(source_id(GAME, SITE + "a"), DeletionReason.WRONG, 9)
    store.delete_source(GAME, deletion)
    assert walk(store) == "bcd"


def test_only_jobs_order_documents(store: CorpusStore) -> None:
    put_job(store, "e1", "ab", family="gtc_discovery")
    assert store.places(GAME, source_id(GAME, SITE + "a"), limit=9) == []
    assert store.find_collections(GAME, "castle", limit=9).total == 0
    assert store.first_document(GAME, source_id(GAME, JOB)) is None
    assert store.place(GAME, "src-none", source_id(GAME, JOB)) is None


def test_names_count_everything_and_show_a_few(store: CorpusStore) -> None:
    for number in range(5):
        put_page(store, f"e{number}", b"%d" % number, f"{SITE}{number}", title="Ｇate  Hall")
    put_page(store, "hidden", b"x", SITE + "hidden", title="Gate Hall", role=SourceRole.FAILED)
    found = store.find_titled(GAME, "gate hall", limit=2)
    assert found.total == 5
    assert [entry.source_id for entry in found.documents] == [
        source_id(GAME, f"{SITE}{number}") for number in range(2)
    ]
    assert store.find_titled(GAME, "gate", limit=2).total == 0
    put_job(store, "e9", "ab")
    found = store.find_collections(GAME, "castle", limit=2)
    assert (found.total, found.collections[0].document_count) == (1, 2)


def test_headings_stand_with_the_first_line_of_each_chunk(store: CorpusStore) -> None:
    data = b"one\ntwo\nthree"
    text = text_of(data, chunk_characters=8, headings=("Castle", "Gate"))
    ready = prepared(record("e1", [page(data=data)], [data]), [text])
    version = put(store, ready).sources[0].version_id
    headings = store.list_headings(GAME, version)
    assert [(entry.first_line, entry.heading_path) for entry in headings] == [
        (1, ("Castle", "Gate")),
        (3, ("Castle", "Gate")),
    ]
    with pytest.raises(Failure) as refused:
        store.list_headings(GAME, "ver-none")
    assert refused.value.reason == "VERSION_NOT_FOUND"
