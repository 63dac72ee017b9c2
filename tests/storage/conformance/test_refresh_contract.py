"""Refresh requests on every backend: kept in order, changed as a whole, gone with their source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from corpus_service.domain.deletions import Deletion, DeletionReason
from corpus_service.domain.games import Game
from corpus_service.domain.refreshes import RefreshRefusal, RefreshRequest, RefreshState
from corpus_service.storage.interface import CorpusStore
from sourcecorpus.identity.identifiers import source_id
from tests.storage.records import GAME, SECOND, put_page

URI = "https://castle.example/"


def wish(number: int) -> RefreshRequest:
    uri = f"{URI}{number}"
    return RefreshRequest(f"r{number}", source_id(GAME, uri), uri, uri, "page", "old", SECOND)


def keep(store: CorpusStore, *requests: RefreshRequest) -> None:
    store.change_refresh_requests(GAME, lambda _: (requests, None))


def test_requests_are_kept_as_they_were_given_in_their_order(store: CorpusStore) -> None:
    assert list(store.refresh_requests(GAME)) == []
    ended = replace(
        wish(1),
        state=RefreshState.REFUSED,
        attempts=2,
        lease_end_time=5,
        finished_time=6,
        envelope_id="e",
        refusal=RefreshRefusal.PAYWALL,
    )
    keep(store, wish(2), wish(1))
    keep(store, wish(2), ended, wish(3))
    assert list(store.refresh_requests(GAME)) == [wish(2), ended, wish(3)]
    keep(store, ended, wish(3))
    assert list(store.refresh_requests(GAME)) == [ended, wish(3)]


def test_a_change_sees_what_is_kept_and_its_answer_comes_back(store: CorpusStore) -> None:
    keep(store, wish(1))

    def change(kept: Sequence[RefreshRequest]) -> tuple[Sequence[RefreshRequest], int]:
        return (*kept, wish(2)), len(kept)

    assert store.change_refresh_requests(GAME, change) == 1
    assert len(store.refresh_requests(GAME)) == 2


def test_a_change_that_fails_leaves_everything(store: CorpusStore) -> None:
    keep(store, wish(1))

    def fail(kept: Sequence[RefreshRequest]) -> tuple[Sequence[RefreshRequest], None]:
        raise ValueError

    with pytest.raises(ValueError):
        store.change_refresh_requests(GAME, fail)
    assert list(store.refresh_requests(GAME)) == [wish(1)]


def test_requests_belong_to_a_game_and_go_with_their_source(store: CorpusStore) -> None:
    store.create_game(Game("second-game", created_time=1))
    put_page(store, "e1", b"gate", f"{URI}1")
    keep(store, wish(1), wish(2))
    assert list(store.refresh_requests("second-game")) == []
    deletion = Deletion(source_id(GAME, f"{URI}1"), DeletionReason.UNWANTED, SECOND)
    store.delete_source(GAME, deletion)
    assert list(store.refresh_requests(GAME)) == [wish(2)]
