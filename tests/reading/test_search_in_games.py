"""Search in several games at once: fair turns, stable pages, tokens of one set of games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from corpus_service.domain.deletions import Deletion, DeletionReason
from sourcecorpus.corpus.v1 import search_service_pb2 as pb
from sourcecorpus.identity.identifiers import source_id
from sourcecorpus.rpc.limits import SEARCH_GAMES_MAX
from tests.reading.stocked import BACKENDS, Stock, Stubs, over_socket, refused, stocks

GAMES = ("g1", "g2", "g3")


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def asking(query: str, games: Sequence[str] = GAMES, **fields: Any) -> pb.SearchRequest:
    return pb.SearchRequest(game_ids=games, query=query, **fields)


def name(hit: pb.SearchHit) -> str:
    return f"{hit.game_id}/{hit.canonical_uri.rpartition('/')[2]}"


async def turned(stubs: Stubs, request: pb.SearchRequest) -> list[list[pb.SearchHit]]:
    """Every page of a request."""
    pages = []
    while True:
        answer = await stubs.search.Search(request)
        pages.append(list(answer.hits))
        if not answer.next_page_token:
            return pages
        request.page_token = answer.next_page_token


def fill(stock: Stock) -> None:
    """Many hits in the first game, few in the second, one with some of the words in the third."""
    for number in range(7):
        stock.add(f"https://one.example/{number}", "iron sword" + " of old" * number, game="g1")
    for number in range(2):
        stock.add(f"https://two.example/{number}", "iron sword" + " of old" * number, game="g2")
    stock.add("https://two.example/some", "an iron gate", game="g2")
    stock.add("https://three.example/0", "a sword alone", game="g3")


def test_games_take_turns_and_every_word_comes_first(stock: Stock) -> None:
    fill(stock)

    async def body(stubs: Stubs) -> None:
        answer = await stubs.search.Search(asking("iron sword"))
        games = [hit.game_id for hit in answer.hits]
        assert games == ["g1", "g2", "g1", "g2", "g1", "g1", "g1", "g1", "g1", "g3"]
        assert answer.explanation.relaxed
        assert not answer.next_page_token
        turned_round = await stubs.search.Search(asking("iron sword", ("g3", "g2", "g1")))
        assert [hit.game_id for hit in turned_round.hits][:4] == ["g2", "g1", "g2", "g1"]
        first = await stubs.search.Search(asking("iron sword", page_size=3))
        assert [hit.game_id for hit in first.hits] == ["g1", "g2", "g1"]
        assert not first.explanation.relaxed
        # In each game the order is its own.
        alone = await stubs.search.Search(
            pb.SearchRequest(game_id="g1", query="iron sword", page_size=100)
        )
        in_g1 = [hit for hit in answer.hits if hit.game_id == "g1"]
        assert [hit.chunk_id for hit in in_g1] == [hit.chunk_id for hit in alone.hits]

    over_socket(stock, body)


@pytest.mark.parametrize("query", ["iron sword", "the iron swords", "gate of iron here", "sword"])
@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_pages_of_any_size_hold_the_same(stock: Stock, query: str, size: int) -> None:
    fill(stock)
    for number in range(3):
        text = "# Gate\n\n" + "iron sword here, iron gate there. " * 90
        stock.add(f"https://long.example/{number}", text, game=GAMES[number])
    stock.add("https://list.example/0", "iron sword", game="g2", family="gtc_discovery")

    async def body(stubs: Stubs) -> None:
        (whole,) = await turned(stubs, asking(query, page_size=100))
        pages = await turned(stubs, asking(query, page_size=size))
        assert [len(page) for page in pages[:-1]] == [size] * (len(pages) - 1)
        assert [hit.chunk_id for page in pages for hit in page] == [hit.chunk_id for hit in whole]
        assert len({hit.chunk_id for hit in whole}) == len(whole) > 3

    over_socket(stock, body)


def test_what_is_captured_between_pages_stays_out(stock: Stock) -> None:
    fill(stock)

    async def body(stubs: Stubs) -> None:
        request = asking("iron sword", page_size=4)
        first = await stubs.search.Search(request)
        for game in GAMES:
            stock.add("https://late.example/0", "iron sword", game=game)
        request.page_token = first.next_page_token
        second = await turned(stubs, request)
        names = [name(hit) for hit in first.hits] + [name(hit) for page in second for hit in page]
        assert len(names) == len(set(names)) == 10
        fresh = await stubs.search.Search(asking("iron sword", page_size=100))
        assert len(fresh.hits) == 12

    over_socket(stock, body)


def test_a_deletion_in_any_game_ends_the_pages(stock: Stock) -> None:
    fill(stock)

    async def body(stubs: Stubs) -> None:
        request = asking("iron sword", page_size=2)
        request.page_token = (await stubs.search.Search(request)).next_page_token
        assert len((await stubs.search.Search(request)).hits) == 2
        uri = "https://two.example/some"
        stock.store.delete_source(
            "g2", Deletion(source_id("g2", uri), DeletionReason.WRONG, 1, "", "")
        )
        answer = await refused(stubs.search.Search(request))
        assert answer == ("FAILED_PRECONDITION", "SNAPSHOT_CHANGED", "page_token")

    over_socket(stock, body)


def test_tokens_fit_one_set_of_games(stock: Stock) -> None:
    fill(stock)

    async def body(stubs: Stubs) -> None:
        token = (await stubs.search.Search(asking("iron sword", page_size=2))).next_page_token
        single = pb.SearchRequest(game_id="g1", query="iron sword", page_size=2)
        own = (await stubs.search.Search(single)).next_page_token
        for changed in (
            asking("iron sword", ("g1", "g2"), page_token=token),
            asking("iron sword", ("g2", "g1", "g3"), page_token=token),
            asking("iron", page_token=token),
            asking("iron sword", page_token=own),
            pb.SearchRequest(game_id="g1", query="iron sword", page_token=token),
        ):
            answer = await refused(stubs.search.Search(changed))
            assert answer == ("INVALID_ARGUMENT", "PAGE_TOKEN_INVALID", "page_token")
        assert len((await stubs.search.Search(asking("iron sword", page_token=token))).hits) == 8

    over_socket(stock, body)


def test_counts_are_added_and_words_suggested(stock: Stock) -> None:
    fill(stock)

    async def body(stubs: Stubs) -> None:
        request = asking("sword", facets=[pb.FACET_FIELD_HOST])
        counts = (await stubs.search.Search(request)).facet_counts
        hosts = {value.value: value.documents for value in counts.facets[0].values}
        assert hosts == {"one.example": 7, "two.example": 2, "three.example": 1}
        assert counts.documents == 10
        wrong = await stubs.search.Search(asking("alonee gaate"))
        assert wrong.explanation.empty_reason == "NO_MATCH"
        assert wrong.explanation.suggested_query in {"alone gaate", "alonee gate"}
        # No game holds both words, and each is held by one.
        apart = await stubs.search.Search(asking("alone gate"))
        assert apart.explanation.suggested_query == ""
        found = await stubs.search.Search(asking("alone"))
        assert found.explanation.suggested_query == ""

    over_socket(stock, body)


def test_bad_requests(stock: Stock) -> None:
    fill(stock)

    async def body(stubs: Stubs) -> None:
        async def search(*games: str, **fields: Any) -> tuple[str, str, str]:
            return await refused(stubs.search.Search(asking("sword", games, **fields)))

        invalid = "INVALID_ARGUMENT"
        assert await search("g1", game_id="g2") == (invalid, "FIELDS_CONFLICT", "game_ids")
        assert await search("g1", "") == (invalid, "FIELD_REQUIRED", "game_ids[1]")
        many = [f"g{number}" for number in range(SEARCH_GAMES_MAX + 1)]
        assert await search(*many) == (invalid, "FIELD_TOO_MANY_VALUES", "game_ids")
        assert await search("g1", "nobody") == ("NOT_FOUND", "UNKNOWN_GAME", "game_ids[1]")
        twice = await stubs.search.Search(asking("alone", ("g3", "g3")))
        assert [name(hit) for hit in twice.hits] == ["g3/0"]

    over_socket(stock, body)
