"""What came of a record: once, whole, in the right order of witnesses."""

from __future__ import annotations

from dataclasses import replace
from threading import Thread

import pytest

from corpus_service.domain.games import Game
from corpus_service.domain.queries import SearchFilter, SourceFilter, Term
from corpus_service.domain.records import (
    Claim,
    IngestResult,
    Representation,
    Window,
)
from corpus_service.domain.vocabulary import (
    Completeness,
    Derivation,
    IngestStatus,
    Outcome,
    SourceRole,
)
from corpus_service.storage.interface import CorpusStore
from sourcecorpus.rpc.failures import Failure
from tests.storage.records import (
    GAME,
    SECOND,
    hash_of,
    page,
    prepared,
    put,
    put_page,
    record,
    text_of,
    without_bytes,
)

URI = "https://castle.example/"


def current_text(store: CorpusStore, uri: str = URI) -> str:
    source = store.get_source(GAME, store.find_source(GAME, uri))
    assert source is not None
    version = store.get_versions(GAME, [source.current_version_id])[source.current_version_id]
    return store.read_span(GAME, version.version_id, 0, version.text_length)


def test_a_b_a_is_three_observations_two_versions_and_current_a(store: CorpusStore) -> None:
    outcomes = [
        put_page(store, "e1", b"A", at=1).outcome,
        put_page(store, "e2", b"B", at=2).outcome,
        put_page(store, "e3", b"A", at=3).outcome,
    ]
    assert outcomes == [Outcome.STORED, Outcome.NEW_VERSION, Outcome.OBSERVED_AGAIN]
    source = store.get_source(GAME, store.find_source(GAME, URI))
    assert source is not None
    assert (source.observation_count, source.version_count) == (3, 2)
    assert current_text(store) == "A"
    listed = store.list_versions(GAME, source.source_id, limit=10)
    assert [version.current for version, _ in listed] == [False, True]
    assert [version.observation_count for version, _ in listed] == [1, 2]
    assert len(store.list_observations(GAME, source.source_id, limit=10)) == 3


def test_a_repeated_envelope_is_a_duplicate_with_the_same_answer(store: CorpusStore) -> None:
    first = put_page(store, "e1", b"A")
    put_page(store, "e2", b"B", at=2)
    again = put_page(store, "e1", b"A")
    assert again == replace(first, status=IngestStatus.DUPLICATE)
    assert len(store.list_observations(GAME, first.sources[0].source_id, limit=10)) == 2


def test_an_envelope_id_with_other_content_is_rejected(store: CorpusStore) -> None:
    put_page(store, "e1", b"A")
    other = record("e1", [page(data=b"B")], [b"B"], envelope_fingerprint=hash_of(b"other"))
    before = store.snapshot(GAME)
    result = put(store, prepared(other))
    assert (result.status, result.reason) == (IngestStatus.REJECTED, "ENVELOPE_ID_REUSED")
    assert store.snapshot(GAME) == before
    assert store.missing_contents(GAME, [hash_of(b"B")]) == {hash_of(b"B")}


def test_the_same_envelope_from_many_threads_is_stored_once(store: CorpusStore) -> None:
    results: list[IngestResult] = []
    threads = [Thread(target=lambda: results.append(put_page(store, "e1", b"A"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    statuses = sorted(result.status for result in results)
    assert statuses == [IngestStatus.COMMITTED] + [IngestStatus.DUPLICATE] * 7
    source = store.get_source(GAME, results[0].sources[0].source_id)
    assert source is not None
    assert source.observation_count == 1


def test_missing_content_is_asked_for_and_nothing_is_written(store: CorpusStore) -> None:
    whole = record("e1", [page(data=b"A")], [b"A"], result_hash=hash_of(b"A"))
    before = store.snapshot(GAME)
    result = put(store, prepared(without_bytes(whole)))
    assert result.status is IngestStatus.NEED_CONTENT
    assert result.missing_content_hashes == (hash_of(b"A"),)
    assert store.snapshot(GAME) == before
    assert store.find_source(GAME, URI) == ""
    assert put(store, prepared(whole)).status is IngestStatus.COMMITTED
    assert current_text(store) == "A"


def test_content_that_nobody_could_read_is_asked_for_again(store: CorpusStore) -> None:
    put_page(store, "e1", b"A")
    known = without_bytes(record("e2", [page(data=b"A")], [b"A"], at=2))
    result = put(store, prepared(known, unread_contents=frozenset([hash_of(b"A")])))
    assert result.status is IngestStatus.NEED_CONTENT


def test_a_known_content_needs_no_bytes(store: CorpusStore) -> None:
    put_page(store, "e1", b"A")
    known = without_bytes(record("e2", [page(data=b"A")], [b"A"], at=2))
    result = put(store, prepared(known))
    assert result.outcome is Outcome.OBSERVED_AGAIN
    assert result.sources[0].version_id
    uri = "https://castle.example/copy"
    copy = record("e3", [page(uri, b"A")], [b"A"], at=3)
    assert put(store, prepared(without_bytes(copy), [text_of(b"A")])).outcome is Outcome.STORED
    assert current_text(store, uri) == "A"


@pytest.mark.parametrize(
    "part", [Completeness.WINDOWED, Completeness.TRUNCATED, Completeness.SUMMARISED]
)
def test_a_part_never_displaces_a_whole(store: CorpusStore, part: Completeness) -> None:
    put_page(store, "e1", b"part one", at=1, completeness=part)
    assert current_text(store) == "part one"
    put_page(store, "e2", b"part two", at=2, completeness=part)
    assert current_text(store) == "part two"
    put_page(store, "e3", b"the whole", at=1)
    assert current_text(store) == "the whole"
    put_page(store, "e4", b"part three", at=9, completeness=part)
    assert current_text(store) == "the whole"


def test_a_stale_cached_copy_is_a_version_and_not_current(store: CorpusStore) -> None:
    put_page(store, "e1", b"new", at=10)
    result = put_page(store, "e2", b"old", at=20, fetched_time=5 * SECOND)
    assert result.outcome is Outcome.NEW_VERSION
    assert current_text(store) == "new"
    put_page(store, "e3", b"nobody knows", at=30, fetch_time_unknown=True)
    assert current_text(store) == "new"
    put_page(store, "e4", b"newest", at=30)
    assert current_text(store) == "newest"


def test_a_known_time_comes_before_an_unknown_one(store: CorpusStore) -> None:
    put_page(store, "e1", b"when", at=10, fetch_time_unknown=True)
    put_page(store, "e2", b"later", at=20, fetch_time_unknown=True)
    assert current_text(store) == "later"
    put_page(store, "e3", b"known", at=30, fetched_time=SECOND)
    assert current_text(store) == "known"


def test_what_must_not_become_current_does_not(store: CorpusStore) -> None:
    put_page(store, "e1", b"diff view", at=1, never_current=True)
    source = store.get_source(GAME, store.find_source(GAME, URI))
    assert source is not None
    assert (source.current_version_id, source.version_count) == ("", 1)
    put_page(store, "e2", b"page", at=2)
    put_page(store, "e3", b"other diff", at=3, never_current=True)
    assert current_text(store) == "page"


def test_unchanged_means_the_content_of_the_same_session(store: CorpusStore) -> None:
    put_page(store, "e1", b"A", at=1, record_facts={"session_id": "one"})
    put_page(store, "e2", b"B", at=2, record_facts={"session_id": "two"})
    again = page(data=None, repeats_earlier_content=True)
    of_session = put(store, prepared(record("e3", [again], at=3, session_id="one")))
    source = store.get_source(GAME, of_session.sources[0].source_id)
    assert source is not None
    assert source.observation_count == 3
    assert current_text(store) == "A"
    other = put(store, prepared(record("e4", [again], at=4, session_id="three")))
    assert other.sources[0].artifact_id == of_session.sources[0].artifact_id
    assert other.sources[0].version_id == source.current_version_id


def test_unchanged_is_an_observation_although_it_brings_a_stub(store: CorpusStore) -> None:
    put_page(store, "e1", b"A", at=1, record_facts={"session_id": "one"})
    again = page(
        data=None,
        repeats_earlier_content=True,
        role=SourceRole.STUB,
        completeness=Completeness.STUB,
    )
    result = put(store, prepared(record("e2", [again], at=2, session_id="one")))
    seen = store.list_observations(GAME, result.sources[0].source_id, limit=9)
    assert [entry.envelope_id for entry in seen] == ["e2", "e1"]
    assert seen[0].artifact_id == seen[1].artifact_id
    source = store.get_source(GAME, result.sources[0].source_id)
    assert source is not None
    assert (source.completeness, source.version_count) == (Completeness.FULL, 1)


@pytest.mark.parametrize(
    "completeness",
    [
        Completeness.UNSPECIFIED,
        Completeness.WINDOWED,
        Completeness.TRUNCATED,
        Completeness.SUMMARISED,
        Completeness.SHELL,
        Completeness.UNKNOWN,
    ],
)
def test_nothing_but_a_whole_content_displaces_a_whole_one(
    store: CorpusStore, completeness: Completeness
) -> None:
    put_page(store, "e1", b"whole", at=1)
    put_page(store, "e2", b"perhaps", at=2, completeness=completeness)
    assert current_text(store) == "whole"
    put_page(store, "e3", b"newer", at=3)
    assert current_text(store) == "newer"


def test_a_content_that_may_be_whole_stands_before_a_part(store: CorpusStore) -> None:
    put_page(store, "e1", b"perhaps", at=1, completeness=Completeness.UNKNOWN)
    put_page(store, "e2", b"part", at=2, completeness=Completeness.WINDOWED)
    assert current_text(store) == "perhaps"
    put_page(store, "e3", b"perhaps newer", at=3, completeness=Completeness.UNKNOWN)
    assert current_text(store) == "perhaps newer"


def test_unchanged_without_a_content_is_a_stub(store: CorpusStore) -> None:
    again = page(data=None, repeats_earlier_content=True)
    result = put(store, prepared(record("e1", [again], at=1, session_id="one")))
    assert result.status is IngestStatus.COMMITTED
    assert store.find_source(GAME, URI) == ""


def test_every_fact_of_an_observation_comes_back(store: CorpusStore) -> None:
    html = b"<p>A</p>"
    parent = page("tool:gtc_search/search?q=a", b"list", role=SourceRole.ARTIFACT, kind="search")
    child = page(
        data=b"A",
        requested_uri="http://castle.example",
        final_uri="https://castle.example/?a",
        window=Window("lines", 1, 5, 9),
        completeness=Completeness.WINDOWED,
        derivation=Derivation.PAGE_WINDOW,
        http_status=203,
        claims=(Claim("og:url", "https://other.example/"),),
        representations=(Representation("rawHtml", "text/html", hash_of(html)),),
        metadata_json='{"a":1}',
        rank=3,
        parent_position=1,
        upstream_masked=True,
        fetched_time=7,
    )
    whole = record(
        "e1",
        [parent, child],
        [b"A", b"list", html],
        run_id="r",
        session_id="s",
        tool_call_id="t",
        result_hash=hash_of(b"list"),
    )
    result = put(store, prepared(whole))
    (seen,) = store.list_observations(GAME, result.sources[1].source_id, limit=9)
    assert seen.observation_id == result.sources[1].observation_id
    assert (seen.envelope_id, seen.run_id, seen.session_id) == ("e1", "r", "s")
    assert (seen.tool_call_id, seen.tool_name) == ("t", "web_extract")
    assert (seen.window, seen.completeness) == (child.window, child.completeness)
    assert (seen.claims, seen.representations) == (child.claims, child.representations)
    assert (seen.requested_uri, seen.final_uri) == (child.requested_uri, child.final_uri)
    assert (seen.metadata_json, seen.rank, seen.http_status) == ('{"a":1}', 3, 203)
    assert (seen.derivation, seen.upstream_masked) == (Derivation.PAGE_WINDOW, True)
    assert (seen.observed_time, seen.fetched_time) == (SECOND, 7)
    assert seen.parent_source_id == result.sources[0].source_id
    assert seen.result_hash == hash_of(b"list")
    assert b"".join(store.open_content(GAME, hash_of(html)).pieces()) == html


def test_a_run_finds_what_it_was_given(store: CorpusStore) -> None:
    put_page(store, "e1", b"A", "https://a.example/", record_facts={"run_id": "one"})
    put_page(store, "e2", b"B", "https://b.example/", at=2, record_facts={"run_id": "two"})
    listed = store.list_sources(GAME, SourceFilter(run_id="one"), limit=9)
    assert [source.canonical_uri for source, _ in listed] == ["https://a.example/"]
    narrowing = SearchFilter(run_ids=("two", "three"))
    assert store.search(GAME, Term("a"), narrowing, limit=9) == []
    assert len(store.search(GAME, Term("b"), narrowing, limit=9)) == 1


def test_games_do_not_see_each_other(store: CorpusStore) -> None:
    store.create_game(Game("other"))
    first = put_page(store, "e1", b"A")
    same = put_page(store, "e1", b"A", record_facts={"game_id": "other"})
    assert same.status is IngestStatus.COMMITTED
    assert same.sources[0].source_id != first.sources[0].source_id
    assert store.get_source("other", first.sources[0].source_id) is None
    assert store.get_versions("other", [first.sources[0].version_id]) == {}
    assert [
        found.version_id for found in store.search("other", Term("a"), SearchFilter(), limit=9)
    ] == [same.sources[0].version_id]
    with pytest.raises(Failure) as refused:
        put_page(store, "e1", b"A", record_facts={"game_id": "unknown"})
    assert refused.value.reason == "UNKNOWN_GAME"


def test_a_source_twice_in_a_record_is_one_source(store: CorpusStore) -> None:
    whole = record("e1", [page(data=b"A"), page(data=b"B")], [b"A", b"B"])
    result = put(store, prepared(whole))
    assert [found.outcome for found in result.sources] == [Outcome.STORED, Outcome.NEW_VERSION]
    source = store.get_source(GAME, result.sources[0].source_id)
    assert source is not None
    assert (source.observation_count, source.version_count) == (2, 2)
    assert current_text(store) == "B"


def test_extraction_is_known_by_extractor_version(store: CorpusStore) -> None:
    made = put_page(store, "e1", b"A").sources[0]
    ids = [made.artifact_id, "art-unknown"]
    assert store.extracted_artifacts(GAME, ids, [("plain", "1")]) == {made.artifact_id}
    assert store.extracted_artifacts(GAME, ids, [("plain", "2")]) == frozenset()
    newer = replace(text_of(b"A"), extractor_version="2")
    result = put(store, prepared(record("e2", [page(data=b"A")], [b"A"], at=2), [newer]))
    assert result.outcome is Outcome.OBSERVED_AGAIN
    assert result.sources[0].version_id != made.version_id
    source = store.get_source(GAME, made.source_id)
    assert source is not None
    assert (source.current_version_id, source.version_count) == (result.sources[0].version_id, 2)
