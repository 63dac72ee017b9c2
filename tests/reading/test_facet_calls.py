"""What the documents are that a search matches, over a real socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corpus_service.search.limits import FACET_VALUES_MAX
from sourcecorpus.corpus.v1 import search_service_pb2 as pb
from tests.reading.stocked import BACKENDS, GAME, Stock, Stubs, over_socket, refused, stocks

KIND = pb.FACET_FIELD_KIND


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


async def counts(stubs: Stubs, query: str, **fields: Any) -> pb.FacetCounts:
    request = pb.SearchRequest(game_id=GAME, query=query, **{"facets": [KIND], **fields})
    return (await stubs.search.Search(request)).facet_counts


def numbers(found: pb.FacetCounts) -> dict[str, int]:
    (facet,) = found.facets
    return {value.value: value.documents for value in facet.values}


def test_documents_that_hold_every_word_are_counted(stock: Stock) -> None:
    stock.add("https://one.example/a", "iron sword and shield", kind="guide")
    stock.add("https://one.example/b", "sword of iron", kind="guide")
    stock.add("https://one.example/c", "shield alone", kind="patch")
    stock.add("https://one.example/d", "the swords", kind="note")

    async def body(stubs: Stubs) -> None:
        assert numbers(await counts(stubs, "iron sword")) == {"guide": 2}
        assert numbers(await counts(stubs, "the shield")) == {"guide": 1, "patch": 1}
        # No passage holds all three: those with some of them count.
        assert numbers(await counts(stubs, "iron shield swords")) == {
            "guide": 2, "patch": 1, "note": 1,
        }  # fmt: skip
        assert numbers(await counts(stubs, "installing")) == {}
        assert (await counts(stubs, "!?")).documents == 0
        several = await counts(stubs, "iron", facets=[KIND, pb.FACET_FIELD_HOST, KIND])
        assert [facet.field for facet in several.facets] == [KIND, pb.FACET_FIELD_HOST]

    over_socket(stock, body)


def test_a_text_with_hyphens_is_counted_as_it_stands(stock: Stock) -> None:
    stock.add("https://one.example/a", "ld: cannot find -lfoo", kind="log")
    stock.add("https://one.example/b", "ld: cannot find lfoo", kind="note")
    stock.add("https://one.example/c", "ld: cannot find it", kind="page")

    async def body(stubs: Stubs) -> None:
        assert numbers(await counts(stubs, "ld: cannot find -lfoo")) == {"log": 1}
        assert numbers(await counts(stubs, "cannot -lfoo")) == {"page": 1}

    over_socket(stock, body)


def test_counts_come_with_the_first_page_where_they_are_asked_for(stock: Stock) -> None:
    for number in range(3):
        stock.add(f"https://one.example/{number}", "word")

    async def body(stubs: Stubs) -> None:
        request = pb.SearchRequest(game_id=GAME, query="word", page_size=2, facets=[KIND])
        first = await stubs.search.Search(request)
        assert first.facet_counts.documents == 3
        again = await stubs.search.Search(request)
        assert again.facet_counts == first.facet_counts
        request.page_token = first.next_page_token
        second = await stubs.search.Search(request)
        assert len(second.hits) == 1
        assert not second.HasField("facet_counts")
        plain = await stubs.search.Search(pb.SearchRequest(game_id=GAME, query="word"))
        assert not plain.HasField("facet_counts")
        other = pb.SearchRequest(
            game_id=GAME, query="word", page_size=2, page_token=first.next_page_token
        )
        assert (await refused(stubs.search.Search(other)))[1] == "PAGE_TOKEN_INVALID"

    over_socket(stock, body)


def test_the_values_of_most_documents_are_shown(stock: Stock) -> None:
    for number in range(FACET_VALUES_MAX + 2):
        stock.add(f"https://one.example/{number}", "word", kind=f"kind-{number:03}")
    stock.add("https://one.example/last", "word", kind=f"kind-{FACET_VALUES_MAX + 1:03}")

    async def body(stubs: Stubs) -> None:
        (facet,) = (await counts(stubs, "word")).facets
        assert len(facet.values) == FACET_VALUES_MAX
        assert (facet.values[0].value, facet.values[0].documents) == ("kind-051", 2)
        assert facet.values[1].value == "kind-000"
        assert facet.other_documents == 2

    over_socket(stock, body)


@pytest.mark.parametrize("value", [0, 99])
def test_an_unknown_field_is_refused(stock: Stock, value: Any) -> None:
    stock.add("https://one.example/a", "word")

    async def body(stubs: Stubs) -> None:
        answer = await refused(counts(stubs, "word", facets=[KIND, value]))
        assert answer == ("INVALID_ARGUMENT", "FIELD_INVALID", "facets[1]")

    over_socket(stock, body)
