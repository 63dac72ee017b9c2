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
