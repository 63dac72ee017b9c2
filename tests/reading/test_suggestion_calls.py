"""Suggestions over a real socket: completions, corrections, what may have been meant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corpus_service.domain.deletions import Deletion, DeletionReason
from sourcecorpus.corpus.v1 import search_service_pb2, suggestions_pb2
from sourcecorpus.identity.identifiers import source_id
from sourcecorpus.rpc.limits import SUGGESTED_TEXT_CODE_POINTS_MAX, SUGGESTIONS_MAX
from tests.reading.stocked import BACKENDS, GAME, Stock, Stubs, over_socket, refused, stocks

COMPLETION = suggestions_pb2.SUGGESTION_KIND_COMPLETION
CORRECTION = suggestions_pb2.SUGGESTION_KIND_CORRECTION


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


async def suggestions(stubs: Stubs, text: str, limit: int = 0) -> list[suggestions_pb2.Suggestion]:
    request = suggestions_pb2.SuggestTermsRequest(game_id=GAME, text=text, suggestions_max=limit)
    return list((await stubs.search.SuggestTerms(request)).suggestions)


async def words(stubs: Stubs, text: str, limit: int = 0) -> list[str]:
    return [one.word for one in await suggestions(stubs, text, limit)]


async def meant(stubs: Stubs, query: str) -> str:
    request = search_service_pb2.SearchRequest(game_id=GAME, query=query)
    return (await stubs.search.Search(request)).explanation.suggested_query


def test_the_last_word_is_completed(stock: Stock) -> None:
    stock.add("https://one.example/a", "A Sword and a swamp")
    stock.add("https://one.example/b", "the sword of Ärger")
    stock.add("https://one.example/c", "swords, swordfish, an argument")

    async def body(stubs: Stubs) -> None:
        first, *rest = await suggestions(stubs, "iron sw")
        assert (first.kind, first.word, first.text) == (COMPLETION, "sword", "iron sword")
        assert (first.typed.start, first.typed.end) == (5, 7)
        assert (first.documents, first.at_least) == (2, False)
        assert [one.word for one in rest] == ["swamp", "swordfish", "swords"]
        assert await words(stubs, "SWORD") == ["swordfish", "swords"]
        assert await words(stubs, "ärg") == ["Ärger", "argument"]
        assert await words(stubs, "sw", 1) == ["sword"]
        # Something stands behind the last word.
        assert await words(stubs, "sw ") == []
        assert await words(stubs, "s") == []

    over_socket(stock, body)


def test_words_that_nothing_holds_are_corrected(stock: Stock) -> None:
    stock.add("https://one.example/a", "The Portcullis of the castle")
    stock.add("https://one.example/b", "a cattle market")
    stock.add("https://one.example/c", "this castle")

    async def body(stubs: Stubs) -> None:
        first, second = await suggestions(stubs, "portcullsi casle ")
        assert (first.kind, first.text) == (CORRECTION, "Portcullis casle ")
        assert (second.text, second.typed.start, second.documents) == ("portcullsi castle ", 11, 2)
        assert await words(stubs, "caste") == ["castle"]
        # Of words that are equally near, those of most documents come first.
        assert await words(stubs, "catle ") == ["castle", "cattle"]
        assert await words(stubs, "castle market ") == []
        assert await words(stubs, "zzzz zzzzzzzzzzz ") == []

    over_socket(stock, body)


def test_scripts_without_spaces_have_no_words_to_suggest(stock: Stock) -> None:
    stock.add("https://one.example/a", "血魔大君 ドクターは 관리자 𠮷野家 ガラス")

    async def body(stubs: Stubs) -> None:
        for text in ("血", "血魔大", "ドク", "관", "ガラ", "𠮷", "血魔大軍 ", "ドクタ", "\ud7ff"):
            assert await words(stubs, text) == []
            assert await meant(stubs, text) == ""
        assert await words(stubs, "血魔大君 sw") == []

    over_socket(stock, body)


def test_deleted_superseded_and_hidden_words_are_not_suggested(stock: Stock) -> None:
    stock.add("https://one.example/old", "portcullis")
    stock.add("https://one.example/old", "drawbridge")
    stock.add("https://one.example/gone", "barbican")
    stock.add("https://one.example/probe", "battlement", probe=True)

    async def body(stubs: Stubs) -> None:
        assert await words(stubs, "barb") == await words(stubs, "barbicna") == ["barbican"]
        stock.store.delete_source(
            GAME,
            Deletion(source_id(GAME, "https://one.example/gone"), DeletionReason.WRONG, 1, "", ""),
        )
        for typed in ("barb", "barbicna", "portc", "portcullsi", "battl", "battlemnet"):
            assert await words(stubs, typed) == []
            assert await meant(stubs, typed) == ""
        assert await words(stubs, "drawb") == ["drawbridge"]

    over_socket(stock, body)


def test_a_search_says_what_may_have_been_meant(stock: Stock) -> None:
    stock.add("https://one.example/a", "The Portcullis of the castle is down")
    stock.add("https://one.example/b", "castle walls")

    async def body(stubs: Stubs) -> None:
        assert await meant(stubs, "portcullsi") == "Portcullis"
        assert await meant(stubs, "portculis of a casle -walls") == "Portcullis of a castle -walls"
        assert await meant(stubs, "walls portculis") == "walls Portcullis"
        assert await meant(stubs, "castle") == ""
        assert await meant(stubs, "dolphin") == ""
        request = search_service_pb2.SearchRequest(game_id=GAME, query="castle portculis here now")
        answer = await stubs.search.Search(request)
        assert answer.explanation.relaxed
        assert answer.explanation.suggested_query == "castle Portcullis here now"

    over_socket(stock, body)


def test_bad_requests(stock: Stock) -> None:
    stock.add("https://one.example/a", "word")

    async def body(stubs: Stubs) -> None:
        async def suggest(**fields: Any) -> tuple[str, str, str]:
            request = suggestions_pb2.SuggestTermsRequest(**fields)
            return await refused(stubs.search.SuggestTerms(request))

        invalid = "INVALID_ARGUMENT"
        assert await suggest(text="x") == (invalid, "FIELD_REQUIRED", "game_id")
        assert await suggest(game_id=GAME) == (invalid, "QUERY_EMPTY", "text")
        long = await suggest(game_id=GAME, text="x" * (SUGGESTED_TEXT_CODE_POINTS_MAX + 1))
        assert long == (invalid, "QUERY_TOO_LONG", "text")
        few = await suggest(game_id=GAME, text="x", suggestions_max=-1)
        assert few == (invalid, "FIELD_INVALID", "suggestions_max")
        for text in ("word", "!?"):
            unknown = await suggest(game_id="nobody", text=text)
            assert unknown == ("NOT_FOUND", "UNKNOWN_GAME", "game_id")

    over_socket(stock, body)


def test_so_many_suggestions_and_no_more(stock: Stock) -> None:
    stock.add("https://one.example/a", " ".join(f"word{number:03}" for number in range(60)))

    async def body(stubs: Stubs) -> None:
        assert len(await words(stubs, "word", 100)) == SUGGESTIONS_MAX
        assert await words(stubs, "word", 3) == ["word000", "word001", "word002"]

    over_socket(stock, body)
