"""Deletion on every backend: gone from every answer, nothing else touched, tombstones, re-adding."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpus_service.domain.deletions import Deletion, DeletionReason, DeletionResult
from corpus_service.domain.games import Game
from corpus_service.domain.queries import SearchFilter, SourceFilter, Term
from corpus_service.domain.vocabulary import Completeness, IngestStatus, VersionScope
from corpus_service.storage.interface import CorpusStore
from corpus_service.storage.preparation import PreparedRecord
from sourcecorpus.identity.identifiers import source_id
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
    without_bytes,
)

URI = "https://castle.example/"
OTHER = "https://castle.example/garden"
ALL = SearchFilter(version_scope=VersionScope.ALL)


def delete(
    store: CorpusStore,
    uri: str = URI,
    *,
    version_id: str = "",
    reason: DeletionReason = DeletionReason.WRONG,
    game: str = GAME,
) -> DeletionResult:
    return store.delete_source(
        game,
        Deletion(source_id(game, uri), reason, 9 * SECOND, version_id, "a fake"),
    )


def found(store: CorpusStore, token: str, narrowing: SearchFilter = ALL) -> list[str]:
    return [entry.version_id for entry in store.search(GAME, Term(token), narrowing, limit=10)]


def test_a_deleted_source_is_gone_from_every_answer(store: CorpusStore) -> None:
    version = put_page(store, "e1", b"gate portcullis").sources[0]
    kept = put_page(store, "e2", b"roses", OTHER).sources[0]
    result = delete(store)
    assert (result.source_deleted, result.version_ids) == (True, (version.version_id,))
    assert (result.artifact_count, result.observation_count, result.chunk_count) == (1, 1, 1)
    assert (result.content_count, result.content_bytes) == (1, len(b"gate portcullis"))
    assert result.text_length == len("gate portcullis")
    assert result.current_version_id == ""
    assert store.get_source(GAME, version.source_id) is None
    assert store.find_source(GAME, URI) == ""
    assert store.stored_source(GAME, URI) == ""
    assert store.get_versions(GAME, [version.version_id]) == {}
    assert store.list_observations(GAME, version.source_id, limit=10) == []
    assert found(store, "portcullis") == []
    assert list(store.tokens(GAME, "port", limit=5)) == []
    listed = store.list_sources(GAME, SourceFilter(), limit=10)
    assert [source.source_id for source, _ in listed] == [kept.source_id]
    assert [
        name for _, name in store.scan_versions(GAME, None, ALL, first_row=0, limit=9).versions
    ] == [kept.version_id]
    with pytest.raises(Failure, match="no such content"):
        store.open_content(GAME, hash_of(b"gate portcullis"))
    assert found(store, "roses") == [kept.version_id]


def test_a_tombstone_tells_when_why_and_what(store: CorpusStore) -> None:
    version = put_page(store, "e1", b"gate", title="The gate", at=3).sources[0].version_id
    assert store.tombstones(GAME, [version]) == {}
    delete(store)
    assert store.deleted_versions(GAME, [version, "v-unknown"]) == {version}
    tombstone = store.tombstones(GAME, [version])[version]
    assert (tombstone.canonical_uri, tombstone.title) == (URI, "The gate")
    assert tombstone.content_hash == hash_of(b"gate")
    assert (tombstone.fetched_time, tombstone.deleted_time) == (3 * SECOND, 9 * SECOND)
    assert (tombstone.reason, tombstone.note) == (DeletionReason.WRONG, "a fake")


def test_a_sensitive_tombstone_keeps_no_names(store: CorpusStore) -> None:
    version = put_page(store, "e1", b"gate", title="The gate").sources[0].version_id
    delete(store, reason=DeletionReason.SENSITIVE)
    tombstone = store.tombstones(GAME, [version])[version]
    assert (tombstone.canonical_uri, tombstone.title) == ("", "")
    assert tombstone.content_hash == hash_of(b"gate")


def test_pages_begun_before_are_void(store: CorpusStore) -> None:
    put_page(store, "e1", b"gate")
    before = store.snapshot(GAME)
    delete(store)
    after = store.snapshot(GAME)
    assert after.epoch != before.epoch
    assert after.sequence > before.sequence
    with pytest.raises(Failure, match="since the first page"):
        store.search(GAME, Term("gate"), ALL, limit=1, as_of=before)
    with pytest.raises(Failure, match="since the first page"):
        store.list_sources(GAME, SourceFilter(), limit=1, as_of=before)


def test_the_same_content_can_come_again(store: CorpusStore) -> None:
    first = put_page(store, "e1", b"gate").sources[0]
    delete(store)
    lacking = put(store, without_bytes_of(b"gate", "e2"))
    assert lacking.status is IngestStatus.NEED_CONTENT
    assert lacking.missing_content_hashes == (hash_of(b"gate"),)
    again = put_page(store, "e2", b"gate").sources[0]
    assert (again.source_id, again.artifact_id, again.version_id) == (
        first.source_id,
        first.artifact_id,
        first.version_id,
    )
    assert store.read_span(GAME, first.version_id, 0, 4) == "gate"
    assert store.deleted_versions(GAME, [first.version_id]) == frozenset()
    assert store.tombstones(GAME, [first.version_id]) == {}
    assert found(store, "gate") == [first.version_id]
    delete(store)
    assert store.deleted_versions(GAME, [first.version_id]) == {first.version_id}


def without_bytes_of(data: bytes, envelope_id: str) -> PreparedRecord:
    captured = without_bytes(record(envelope_id, [page(URI, data)], [data]))
    return prepared(captured)


def test_a_repeated_envelope_brings_nothing_back(store: CorpusStore) -> None:
    put_page(store, "e1", b"gate")
    delete(store)
    again = put_page(store, "e1", b"gate")
    assert (again.status, again.sources) == (IngestStatus.DUPLICATE, ())
    # The number of the deleted observation is given again, to another envelope.
    put_page(store, "e2", b"roses", OTHER)
    assert put_page(store, "e1", b"gate").sources == ()


def test_a_withdrawn_version_hands_on_to_the_best_remaining(store: CorpusStore) -> None:
    first = put_page(store, "e1", b"gate one", at=1, title="First").sources[0].version_id
    second = put_page(store, "e2", b"gate two", at=2, title="Second").sources[0].version_id
    third = put_page(store, "e3", b"gate three", at=3, title="Third").sources[0].version_id
    result = delete(store, version_id=third)
    assert not result.source_deleted
    assert (result.version_ids, result.current_version_id) == ((third,), second)
    source = store.get_source(GAME, source_id(GAME, URI))
    assert source is not None
    assert (source.current_version_id, source.title) == (second, "Second")
    assert (source.version_count, source.observation_count) == (2, 2)
    assert source.last_observed_time == 2 * SECOND
    assert found(store, "gate", SearchFilter()) == [second]
    assert set(found(store, "gate")) == {first, second}
    assert store.deleted_versions(GAME, [first, second, third]) == {third}
    with pytest.raises(Failure, match="was deleted"):
        delete(store, version_id=third)
    earlier = delete(store, version_id=first)
    assert (earlier.version_ids, earlier.current_version_id) == ((first,), second)


def test_the_last_version_takes_its_source_along(store: CorpusStore) -> None:
    version = put_page(store, "e1", b"gate").sources[0]
    assert delete(store, version_id=version.version_id).source_deleted
    assert store.get_source(GAME, version.source_id) is None


def test_a_part_does_not_become_current_before_a_whole(store: CorpusStore) -> None:
    whole = put_page(store, "e1", b"gate one", at=1).sources[0].version_id
    put_page(store, "e2", b"gate", at=2, completeness=Completeness.WINDOWED)
    newest = put_page(store, "e3", b"gate three", at=3).sources[0].version_id
    assert delete(store, version_id=newest).current_version_id == whole


def test_contents_that_others_refer_to_stay(store: CorpusStore) -> None:
    put_page(store, "e1", b"shared")
    other = put_page(store, "e2", b"shared", OTHER).sources[0]
    assert delete(store).content_count == 0
    content = store.open_content(GAME, hash_of(b"shared"))
    assert b"".join(content.pieces()) == b"shared"
    assert store.read_span(GAME, other.version_id, 0, 6) == "shared"


def test_the_whole_result_of_the_call_goes_and_its_other_sources_stay(store: CorpusStore) -> None:
    whole = b"gate and roses"
    captured = record(
        "e1",
        [page(URI, b"gate"), page(OTHER, b"roses")],
        [b"gate", b"roses", whole],
        result_hash=hash_of(whole),
        arguments=b'{"q": "gate"}',
    )
    other = put(store, prepared(captured)).sources[1]
    result = delete(store)
    assert result.related_source_ids == (other.source_id,)
    assert (result.envelope_count, result.content_count) == (1, 2)
    with pytest.raises(Failure, match="no such content"):
        store.open_content(GAME, hash_of(whole))
    with pytest.raises(Failure, match="no such content"):
        store.envelope_content(GAME, "e1")
    assert store.read_span(GAME, other.version_id, 0, 5) == "roses"
    repeated = put(store, prepared(captured))
    assert repeated.status is IngestStatus.DUPLICATE
    assert [source.source_id for source in repeated.sources] == [other.source_id]


def test_other_games_are_untouched(store: CorpusStore) -> None:
    store.create_game(Game("second-game", created_time=1))
    put_page(store, "e1", b"gate")
    captured = replace(record("e1", [page(URI, b"gate")], [b"gate"]), game_id="second-game")
    theirs = put(store, prepared(captured)).sources[0]
    before = store.snapshot("second-game")
    delete(store)
    assert store.snapshot("second-game") == before
    assert store.read_span("second-game", theirs.version_id, 0, 4) == "gate"


def test_what_is_not_there_is_refused_and_changes_nothing(store: CorpusStore) -> None:
    put_page(store, "e1", b"gate")
    before = store.snapshot(GAME)
    with pytest.raises(Failure, match="no such source"):
        delete(store, "https://nowhere.example/")
    with pytest.raises(Failure, match="no such version"):
        delete(store, version_id="v-unknown")
    assert store.snapshot(GAME) == before


def test_links_of_runs_go_with_their_artifact(store: CorpusStore) -> None:
    put_page(store, "e1", b"gate", record_facts={"run_id": "run"})
    put_page(store, "e2", b"roses", OTHER, record_facts={"run_id": "run"})
    delete(store)
    listed = store.list_sources(GAME, SourceFilter(run_id="run"), limit=10)
    assert [source.canonical_uri for source, _ in listed] == [OTHER]
