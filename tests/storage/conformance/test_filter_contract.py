"""Filters that look at more than the version itself."""

from __future__ import annotations

from corpus_service.domain.deletions import Deletion, DeletionReason
from corpus_service.domain.queries import Or, PassageFilter, Query, SearchFilter, Term
from corpus_service.domain.sources import Snapshot
from corpus_service.domain.vocabulary import JOB_FAMILY, SourceRole
from corpus_service.search.exact_view import fold_title
from corpus_service.storage.interface import CorpusStore
from sourcecorpus.identity.identifiers import source_id
from tests.storage.records import GAME, page, prepared, put, put_page, record, text_of

SITE = "https://castle.example/"


def put_job(
    store: CorpusStore, uri: str, title: str, names: str, *, at: int = 1, family: str = JOB_FAMILY
) -> None:
    """A job that lists a page for each character."""
    manifest = f"{title} {names} {at}".encode()
    job = page(uri, manifest, title=title, family=family, role=SourceRole.ARTIFACT)
    texts = {name: f"gate {name}".encode() for name in names}
    pages = [page(SITE + name, text, title=name, parent_position=1) for name, text in texts.items()]
    contents = [manifest, *texts.values()]
    put(store, prepared(record(f"{uri} {at}", [job, *pages], contents, at=at)))


def found(store: CorpusStore, *collections: str, as_of: Snapshot | None = None) -> set[str]:
    """Titles of what a search in these collections finds, the same by each way."""
    narrowing = SearchFilter(collections=tuple(fold_title(name) for name in collections))
    candidates = store.search(GAME, Term("gate"), narrowing, limit=50, as_of=as_of)
    ids = {candidate.version_id for candidate in candidates}
    scanned = store.scan_versions(
        GAME, None, narrowing, first_row=0, limit=50, as_of=as_of
    ).versions
    titles = {version.title for version in store.get_versions(GAME, list(ids)).values()}
    all_titles = store.get_versions(GAME, [version for _, version in scanned])
    assert titles == {version.title for version in all_titles.values()}
    counted = store.count_documents(GAME, Term("gate"), narrowing, (), passages_max=50, as_of=as_of)
    assert counted.documents == len(titles)
    return titles


def test_collections_by_id_and_by_whole_title(store: CorpusStore) -> None:
    put_job(store, "tool:crawl/1", "Ｃastle  guide", "ab")
    put_job(store, "tool:crawl/2", "Castle", "bc", at=2)
    put_job(store, "tool:search/1", "Castle", "de", at=3, family="gtc_discovery")
    put_page(store, "alone", b"gate alone", f"{SITE}alone", at=4, title="alone")
    assert found(store, "castle guide") == {"a", "b"}
    assert found(store, "Castle") == {"b", "c"}
    assert found(store, source_id(GAME, "tool:crawl/1"), "CASTLE") == {"a", "b", "c"}
    assert found(store, source_id(GAME, "tool:search/1")) == set()
    assert found(store, "cast") == set()


def test_what_a_job_lists_later_is_not_in_an_earlier_snapshot(store: CorpusStore) -> None:
    put_page(store, "c", b"gate c", f"{SITE}c", title="c")
    put_job(store, "tool:crawl/1", "Castle", "ab", at=2)
    before = store.snapshot(GAME)
    put_job(store, "tool:crawl/1", "Castle", "abc", at=3)
    assert found(store, "castle", as_of=before) == {"a", "b"}
    assert found(store, "castle") == {"a", "b", "c"}


def test_a_deleted_job_and_a_hidden_listing_admit_nothing(store: CorpusStore) -> None:
    put_job(store, "tool:crawl/1", "Castle", "ab")
    manifest = b"probe"
    job = page("tool:crawl/2", manifest, title="Probe", family=JOB_FAMILY, role=SourceRole.ARTIFACT)
    listed = page(f"{SITE}a", b"gate a", title="a", parent_position=1)
    probe = record("probe", [job, listed], [manifest, b"gate a"], at=2, probe=True)
    put(store, prepared(probe))
    assert found(store, "probe") == set()
    put_page(store, "a again", b"gate a", f"{SITE}a", at=3, title="a")
    store.delete_source(GAME, Deletion(source_id(GAME, "tool:crawl/1"), DeletionReason.WRONG, 9))
    assert found(store, "castle") == set()


def passages(store: CorpusStore, query: Query, **within: tuple[str, ...]) -> set[str]:
    """Texts of the passages that a search finds; the counts of their documents agree."""
    chosen = PassageFilter(
        **{name: tuple(map(fold_title, values)) for name, values in within.items()}
    )
    candidates = store.search(GAME, query, SearchFilter(), limit=50, within=chosen)
    few = store.search(GAME, query, SearchFilter(), limit=1, within=chosen)
    assert list(few) == list(candidates)[:1]
    counted = store.count_documents(GAME, query, SearchFilter(), (), passages_max=50, within=chosen)
    assert counted.documents == len({candidate.version_id for candidate in candidates})
    found = store.passages(GAME, [candidate.row for candidate in candidates])
    return {passage.text for passage in found.values()}


def test_sections_are_whole_headings_on_any_level(store: CorpusStore) -> None:
    for name, headings in (
        ("a", ("Guide", "Ｂosses  of old")), ("b", ("Guide",)), ("c", ("Bosses",)), ("d", ()),
    ):  # fmt: skip
        data = f"gate {name}".encode()
        captured = record(name, [page(SITE + name, data)], [data])
        put(store, prepared(captured, [text_of(data, headings=headings)]))
    gate = Term("gate")
    assert passages(store, gate, sections=("guide",)) == {"gate a", "gate b"}
    assert passages(store, gate, sections=("BOSSES OF OLD", "bosses")) == {"gate a", "gate c"}
    assert passages(store, gate, sections=("boss",)) == set()
    assert len(passages(store, gate)) == 4
    assert passages(store, Or((gate, Term("d"))), sections=("bosses",)) == {"gate c"}


def test_speakers_are_those_of_lines_that_begin_in_the_passage(store: CorpusStore) -> None:
    for name, text in (
        ("a", "Ｗ：博士 gate"), ("b", "gate, said W: hello"), ("c", "**W**: gate\nX: no"),
        ("d", "？？？: gate"), ("e", "gate at 10:30, W"),
    ):  # fmt: skip
        put_page(store, name, text.encode(), SITE + name)
    gate = Term("gate")
    assert passages(store, gate, speakers=("w",)) == {"Ｗ：博士 gate", "**W**: gate\nX: no"}
    assert passages(store, gate, speakers=("x", "???")) == {"**W**: gate\nX: no", "？？？: gate"}
    assert passages(store, gate, speakers=("10",)) == set()


def test_a_passage_that_begins_within_a_line_begins_no_speech(store: CorpusStore) -> None:
    for name, text in (("a", "gate one\nW: gate"), ("b", "gate one W: gate")):
        data = text.encode()
        captured = record(name, [page(SITE + name, data)], [data])
        put(store, prepared(captured, [text_of(data, chunk_characters=9)]))
    assert passages(store, Term("gate"), speakers=("w",)) == {"W: gate"}
    found = store.search(
        GAME, Term("gate"), SearchFilter(), limit=9, within=PassageFilter(speakers=("w",))
    )
    assert len(found) == 1
