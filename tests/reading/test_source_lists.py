"""ListSources over a real socket: orders, filters, tokens, refusals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sourcecorpus.corpus.v1 import source_pb2
from sourcecorpus.corpus.v1 import source_service_pb2 as pb
from tests.reading.stocked import BACKENDS, GAME, SECOND, Stock, Stubs, over_socket, refused, stocks

SITE = "https://example.org/"


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


async def listed(stubs: Stubs, **fields: Any) -> pb.ListSourcesResponse:
    return await stubs.source.ListSources(pb.ListSourcesRequest(game_id=GAME, **fields))


def test_a_sorted_list_pages_while_titles_change(stock: Stock) -> None:
    titles = ["悬空", "gate", "Gate b", "ａlpha", "ward", "x" * 600]
    for number, title in enumerate(titles):
        stock.add(f"{SITE}{number}", f"text {number}", title=title)
    stock.add(SITE + "probe", "a probe", title="a", probe=True)

    async def body(stubs: Stubs) -> None:
        found: list[str] = []
        token = ""
        while True:
            page = await listed(stubs, order=pb.SOURCE_ORDER_TITLE, page_size=2, page_token=token)
            found += [source.canonical_uri.rpartition("/")[2] for source in page.sources]
            token = page.next_page_token
            if not token:
                break
            stock.add(SITE + "0", f"changed {len(found)}", title="a")
            stock.add(SITE + "3", f"changed {len(found)}", title="z")
        assert found == ["3", "1", "2", "4", "5", "0"]
        first = (await listed(stubs, order=pb.SOURCE_ORDER_TITLE, page_size=1)).sources[0]
        assert first.title == "a"
        last = await listed(stubs, order=pb.SOURCE_ORDER_TITLE, descending=True, page_size=1)
        assert last.sources[0].title == "z"

    over_socket(stock, body)


def test_lists_are_narrowed_by_what_a_view_of_sources_offers(stock: Stock) -> None:
    stock.add(SITE + "1", "one", title="Cold Iron")
    stock.add("https://other.example/2", "two", content_type="text/html; charset=utf-8")

    async def body(stubs: Stubs) -> None:
        async def names(**fields: Any) -> list[str]:
            found = (await listed(stubs, order=pb.SOURCE_ORDER_SIZE, **fields)).sources
            return sorted(source.canonical_uri[-1] for source in found)

        assert await names() == ["1", "2"]
        assert await names(hosts=["EXAMPLE.org"]) == ["1"]
        assert await names(content_types=["TEXT/html; x=1"]) == ["2"]
        assert await names(languages=["en-GB"]) == ["1", "2"]
        assert await names(trust=[source_pb2.TRUST_LOCAL]) == []
        assert await names(text="ＣＯＬＤ iron") == ["1"]
        assert await names(text="other.example/2") == ["2"]
        assert await names(fetched_after={"seconds": 2 * SECOND // SECOND}) == ["2"]
        assert await names(fetched_before={"seconds": 2}) == ["1"]

    over_socket(stock, body)


@pytest.mark.parametrize(
    ("fields", "reason", "field"),
    [
        ({"order": 99}, "FIELD_INVALID", "order"),
        ({"trust": [99]}, "FIELD_INVALID", "trust[0]"),
        ({"trust": [0]}, "FIELD_VALUE_EMPTY", "trust[0]"),
        ({"hosts": ["a b"]}, "FIELD_INVALID", "hosts[0]"),
        ({"languages": [" "]}, "FIELD_VALUE_EMPTY", "languages[0]"),
        ({"content_types": ["x"] * 17}, "FIELD_TOO_MANY_VALUES", "content_types"),
        ({"text": "x" * 513}, "FIELD_TOO_LARGE", "text"),
        ({"fetched_after": {"nanos": -1}}, "FIELD_INVALID", "fetched_after"),
    ],
)
def test_lists_refuse_with_reason_and_field(
    stock: Stock, fields: dict[str, Any], reason: str, field: str
) -> None:
    stock.add(SITE, "text")

    async def body(stubs: Stubs) -> None:
        assert await refused(listed(stubs, **fields)) == ("INVALID_ARGUMENT", reason, field)

    over_socket(stock, body)


def test_a_token_belongs_to_its_order(stock: Stock) -> None:
    for number in range(3):
        stock.add(f"{SITE}{number}", f"text {number}")

    async def body(stubs: Stubs) -> None:
        page = await listed(stubs, order=pb.SOURCE_ORDER_TITLE, page_size=1)
        for fields in ({"order": pb.SOURCE_ORDER_SIZE}, {"order": 1, "descending": True}, {}):
            call = listed(stubs, page_size=1, page_token=page.next_page_token, **fields)
            assert (await refused(call))[1] == "PAGE_TOKEN_INVALID"

    over_socket(stock, body)
