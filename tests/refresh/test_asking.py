"""Asking for sources while they are deleted, on both backends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from corpus_service.domain.deletions import Deletion, DeletionReason
from corpus_service.domain.games import Game
from corpus_service.services.locating import SourceLocator
from corpus_service.services.refresh import RefreshUseCase
from corpus_service.storage.interface import CorpusStore
from corpus_service.storage.memory import MemoryStore
from corpus_service.storage.refresh_interface import Answer, Change
from corpus_service.storage.sqlite import SqliteStore
from sourcecorpus.identity.identifiers import source_id
from sourcecorpus.rpc.failures import Failure
from tests.storage.records import GAME, PREPARATION, SECOND, put_page

URIS = ("https://castle.example/gate", "https://castle.example/keep")


@pytest.fixture(params=["sqlite", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CorpusStore]:
    made: CorpusStore = (
        SqliteStore(tmp_path, PREPARATION) if request.param == "sqlite" else MemoryStore()
    )
    made.create_game(Game(GAME, created_time=1))
    for number, uri in enumerate(URIS):
        put_page(made, f"e{number}", b"text", uri)
    yield made
    made.close()


def use_case(store: CorpusStore) -> RefreshUseCase:
    names = iter(f"request-{number}" for number in range(99))
    return RefreshUseCase(store, lambda: SECOND, lambda: next(names))


def test_a_source_deleted_between_look_up_and_note_leaves_no_request(
    store: CorpusStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = store.change_refresh_requests

    def delete_first(game_id: str, change: Change[Answer]) -> Answer:
        monkeypatch.setattr(store, "change_refresh_requests", note)
        gone = Deletion(source_id(GAME, URIS[0]), DeletionReason.SENSITIVE, SECOND)
        store.delete_source(GAME, gone)
        return note(game_id, change)

    monkeypatch.setattr(store, "change_refresh_requests", delete_first)
    with pytest.raises(Failure) as refused:
        use_case(store).ask(GAME, [SourceLocator(uri=uri) for uri in URIS], "")
    assert refused.value.reason == "SOURCE_NOT_FOUND"
    assert kept_uris(store) == [URIS[1]]


def test_sources_that_stay_are_asked_for(store: CorpusStore) -> None:
    use_case(store).ask(GAME, [SourceLocator(uri=uri) for uri in URIS], "")
    assert kept_uris(store) == list(URIS)


def kept_uris(store: CorpusStore) -> Sequence[str]:
    return [entry.canonical_uri for entry in store.refresh_requests(GAME)]
