"""Filters by where a document and a passage stand, over a real socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sourcecorpus.corpus.v1 import search_service_pb2 as pb
from tests.reading.stocked import BACKENDS, GAME, Stock, Stubs, over_socket, refused, stocks


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


async def names(stubs: Stubs, query: str, **fields: Any) -> set[str]:
    answer = await stubs.search.Search(pb.SearchRequest(game_id=GAME, query=query, **fields))
    return {hit.canonical_uri.rpartition("/")[2] for hit in answer.hits}


def test_pages_of_a_job(stock: Stock) -> None:
    stock.add("https://one.example/alone", "word", title="One")
    listed = [
        (f"https://one.example/page-{number}", title, f"word {title}")
        for number, title in ((1, "One"), (2, "Two"))
    ]
    stock.job("tool:crawl/1", "The crawl", listed)

    async def body(stubs: Stubs) -> None:
        async def found(**fields: Any) -> set[str]:
            return await names(stubs, "word", filter=pb.SearchFilter(**fields))

        assert await found() == {"alone", "page-1", "page-2"}
        assert await found(collections=["The  CRAWL"]) == {"page-1", "page-2"}
        assert await found(collections=["the crawl"], titles=["One"]) == {"page-1"}
        assert await found(collections=["crawl"]) == set()
        exact = pb.FindTextRequest(game_id=GAME, query="word")
        exact.filter.collections.append("the crawl")
        documents = (await stubs.search.FindText(exact)).documents
        assert [document.version.title for document in documents] == ["One", "Two"]
        request = pb.SearchRequest(
            game_id=GAME, query="word", filter=pb.SearchFilter(collections=[" "])
        )
        answer = await refused(stubs.search.Search(request))
        assert answer == ("INVALID_ARGUMENT", "FIELD_VALUE_EMPTY", "filter.collections[0]")

    over_socket(stock, body)


def test_sections_and_speakers_of_passages(stock: Stock) -> None:
    stock.add("https://one.example/guide", "# Guide\n\nword one\n\n## Bosses\n\nＷ: word two")
    stock.add("https://one.example/other", "# Other\n\nword of W, and W: nobody")
    stock.add("https://one.example/plain", "X: word")

    async def body(stubs: Stubs) -> None:
        async def found(**fields: Any) -> list[str]:
            request = pb.SearchRequest(game_id=GAME, query="word", **fields)
            return sorted(hit.snippet for hit in (await stubs.search.Search(request)).hits)

        assert len(await found()) == 4
        assert len(await found(sections=["guide"])) == 2
        (boss,) = await found(sections=["BOSSES", "none"])
        assert "word two" in boss
        assert await found(speakers=["w"]) == [boss]
        assert await found(speakers=["w", "x"]) == sorted([boss, "X: word"])
        assert await found(speakers=["x"], sections=["guide"]) == []
        assert (await found(sections=["g" * 300])) == []
        counted = pb.SearchRequest(
            game_id=GAME, query="word", sections=["guide"], facets=[pb.FACET_FIELD_KIND]
        )
        assert (await stubs.search.Search(counted)).facet_counts.documents == 1

    over_socket(stock, body)


def test_pages_of_a_section_belong_to_it(stock: Stock) -> None:
    for number in range(5):
        text = f"# Part {number % 2}\n\n" + "word " * (number + 1)
        stock.add(f"https://one.example/{number}", text)

    async def body(stubs: Stubs) -> None:
        request = pb.SearchRequest(game_id=GAME, query="word", sections=["part 0"], page_size=2)
        first = await stubs.search.Search(request)
        request.page_token = first.next_page_token
        second = await stubs.search.Search(request)
        hits = [hit.canonical_uri[-1] for hit in (*first.hits, *second.hits)]
        assert (len(first.hits), sorted(hits)) == (2, ["0", "2", "4"])
        request.sections[0] = "part 1"
        answer = await refused(stubs.search.Search(request))
        assert answer == ("INVALID_ARGUMENT", "PAGE_TOKEN_INVALID", "page_token")

    over_socket(stock, body)


@pytest.mark.parametrize("field", ["sections", "speakers"])
def test_bad_values_name_their_place(stock: Stock, field: str) -> None:
    stock.add("https://one.example/a", "word")

    async def body(stubs: Stubs) -> None:
        async def search(values: list[str]) -> tuple[str, str, str]:
            fields: dict[str, Any] = {field: values}
            request = pb.SearchRequest(game_id=GAME, query="word", **fields)
            return await refused(stubs.search.Search(request))

        invalid = "INVALID_ARGUMENT"
        assert await search(["a", " "]) == (invalid, "FIELD_VALUE_EMPTY", f"{field}[1]")
        assert await search(["a"] * 17) == (invalid, "FIELD_TOO_MANY_VALUES", field)
        assert await search(["x" * 513]) == (invalid, "FIELD_TOO_LARGE", f"{field}[0]")

    over_socket(stock, body)
