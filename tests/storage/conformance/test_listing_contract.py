"""Lists page without repeating or skipping; the catalog keeps its names apart."""

from __future__ import annotations

import pytest

from corpus_service.domain.games import Game, GameChange
from corpus_service.domain.queries import SourceFilter, SourcePosition
from corpus_service.domain.sources import Source
from corpus_service.storage.interface import CorpusStore
from sourcecorpus.rpc.failures import Failure
from tests.storage.records import GAME, put_page


def uris(listed: list[tuple[Source, SourcePosition]]) -> list[str]:
    return [source.canonical_uri for source, _ in listed]


def test_sources_page_stably_while_others_are_observed(store: CorpusStore) -> None:
    for number in range(9):
        put_page(store, f"e{number}", b"x", f"https://a.example/{number}", at=number % 4 + 1)
    before = store.snapshot(GAME)
    whole = uris(list(store.list_sources(GAME, SourceFilter(), limit=99)))
    assert whole == [f"https://a.example/{number}" for number in (7, 3, 6, 2, 5, 1, 8, 4, 0)]
    paged: list[str] = []
    position: SourcePosition | None = None
    while True:
        part = list(store.list_sources(GAME, SourceFilter(), limit=2, after=position, as_of=before))
        if not part:
            break
        paged += uris(part)
        position = part[-1][1]
        # The last of the list comes to its front, and a new source joins.
        put_page(store, f"again{len(paged)}", b"x", "https://a.example/0", at=100 + len(paged))
        put_page(store, f"new{len(paged)}", b"x", f"https://new.example/{len(paged)}", at=100)
    assert paged == whole
    assert uris(list(store.list_sources(GAME, SourceFilter(), limit=1))) == ["https://a.example/0"]


def test_sources_are_narrowed(store: CorpusStore) -> None:
    put_page(store, "e1", b"1", "https://a.example/1", kind="page")
    put_page(store, "e2", b"2", "https://a.example/2", family="gtc_manual", kind="manual")
    put_page(store, "e3", b"3", "https://b.example/3", kind="thread")
    for narrowing, expected in (
        (SourceFilter(families=("gtc_manual",)), {2}),
        (SourceFilter(kinds=("page", "thread")), {1, 3}),
        (SourceFilter(kinds=("page",), families=("gtc_manual",)), set()),
        (SourceFilter(uri_prefix="https://a.example/"), {1, 2}),
        (SourceFilter(uri_prefix="https://%"), set()),
    ):
        listed = uris(list(store.list_sources(GAME, narrowing, limit=9)))
        assert {int(uri[-1]) for uri in listed} == expected


def test_versions_page_newest_first_and_hide_later_ones(store: CorpusStore) -> None:
    for number in range(5):
        source_id = (
            put_page(store, f"e{number}", b"%d" % number, at=number + 1).sources[0].source_id
        )
    before = store.snapshot(GAME)
    first = store.list_versions(GAME, source_id, limit=2, as_of=before)
    put_page(store, "e9", b"9", at=9)
    rest = store.list_versions(GAME, source_id, limit=9, after=first[-1][1], as_of=before)
    texts = [store.read_span(GAME, version.version_id, 0, 1) for version, _ in (*first, *rest)]
    assert texts == ["4", "3", "2", "1", "0"]


def test_games_are_listed_by_id_in_pages(store: CorpusStore) -> None:
    for name in ("b", "a", "c"):
        store.create_game(Game(name, title=name.upper(), created_time=5))
    listed = [game.game_id for game in store.list_games(after="", limit=2)]
    listed += [game.game_id for game in store.list_games(after=listed[-1], limit=9)]
    assert listed == ["a", "b", "c", GAME]


def test_aliases_and_ids_share_one_name_space(store: CorpusStore) -> None:
    store.create_game(Game("hollow", title="Hollow", aliases=("空洞", "hk"), created_time=5))
    assert (
        store.get_game("空洞")
        == store.get_game("hollow")
        == Game("hollow", "Hollow", ("空洞", "hk"), created_time=5)
    )
    assert store.get_game("Hollow") is None
    for game, reason in (
        (Game("hollow"), "GAME_ALREADY_EXISTS"),
        (Game("hk"), "ALIAS_TAKEN"),
        (Game("new", aliases=("hollow",)), "ALIAS_TAKEN"),
        (Game("new", aliases=("hk",)), "ALIAS_TAKEN"),
    ):
        with pytest.raises(Failure) as refused:
            store.create_game(game)
        assert refused.value.reason == reason
    assert store.get_game("new") is None


def test_a_game_changes_only_what_is_named(store: CorpusStore) -> None:
    store.create_game(Game("hollow", "Hollow", ("hk",), created_time=5))
    assert store.update_game("hollow", GameChange(paused=True)) == Game(
        "hollow", "Hollow", ("hk",), True, 5
    )
    store.update_game("hollow", GameChange(aliases=("knight",), title=""))
    assert store.get_game("knight") == Game("hollow", "", ("knight",), True, 5)
    assert store.get_game("hk") is None
    with pytest.raises(Failure) as refused:
        store.update_game("unknown", GameChange(paused=True))
    assert refused.value.reason == "UNKNOWN_GAME"
