"""ListPresentationRecords over a real socket and both stores."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus_service.bootstrap import PREPARATION
from corpus_service.domain.run_links import RunLink
from corpus_service.domain.vocabulary import RunUse, SourceRole
from corpus_service.presentation.limits import RECORDS_MAX
from corpus_service.storage.sqlite import SqliteStore
from sourcecorpus.corpus.v1 import presentation_pb2 as pb
from sourcecorpus.corpus.v1 import run_links_pb2
from tests.reading.stocked import (
    BACKENDS,
    GAME,
    Stock,
    Stubs,
    over_socket,
    refused,
    serving,
    stocks,
)

GATE = "https://castle.example/gate?id=7&lang=en"


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def ask(
    run: str = "r1", *, page_size: int = 0, page_token: str = ""
) -> pb.ListPresentationRecordsRequest:
    return pb.ListPresentationRecordsRequest(
        game_id=GAME, run_id=run, page_size=page_size, page_token=page_token
    )


def test_a_delivered_page_is_consulted_with_its_beginning(stock: Stock) -> None:
    version = stock.add(GATE, "one\ntwo\nthree", title="Gate\u202e", run_id="r1")
    stock.add("https://castle.example/other", "other", run_id="r2")

    async def body(stubs: Stubs) -> None:
        (record,) = (await stubs.discovery.ListPresentationRecords(ask())).records
        assert record.state == run_links_pb2.RUN_USE_CONSULTED
        assert (record.title, record.excerpt) == ("Gate", "one\ntwo\nthree")
        assert record.version_id == version
        assert record.safe_url == GATE
        assert not record.ranges

    over_socket(stock, body)


def test_a_listing_of_a_tool_is_only_discovered(stock: Stock) -> None:
    stock.add("tool:web/search?q=x", "results", run_id="r1", role=SourceRole.ARTIFACT)

    async def body(stubs: Stubs) -> None:
        (record,) = (await stubs.discovery.ListPresentationRecords(ask())).records
        assert record.state == run_links_pb2.RUN_USE_DISCOVERED
        assert (record.excerpt, record.safe_url) == ("", "")

    over_socket(stock, body)


def test_places_show_their_lines_and_the_state_only_rises(stock: Stock) -> None:
    version = stock.add(GATE, "one\ntwo\nthree\nfour", run_id="r1")
    link = [
        RunLink(RunUse.CITED, version_id=version, span=(4, 13)),
        RunLink(RunUse.CONSULTED, version_id=version, span=(4, 12)),
        RunLink(RunUse.DISCOVERED, version_id=version, span=(0, 3)),
    ]
    stock.store.link_run(GAME, "r1", link, at=99)
    stock.store.link_run(GAME, "r1", [RunLink(RunUse.DISCOVERED, version_id=version)], at=100)

    async def body(stubs: Stubs) -> None:
        (record,) = (await stubs.discovery.ListPresentationRecords(ask())).records
        assert record.state == run_links_pb2.RUN_USE_CITED
        assert [(lines.first, lines.last) for lines in record.ranges] == [(2, 3)]
        assert record.excerpt == "two\nthre"
        assert record.ref.startswith(f"v-{version.removeprefix('ver-')}#4-12")

    over_socket(stock, body)


def test_a_newer_version_relabels_nothing(stock: Stock) -> None:
    first = stock.add(GATE, "old words", title="Old", run_id="r1")
    before = stock.store.list_presented(GAME, "r1", limit=9)
    second = stock.add(GATE, "new words", title="New", run_id="r2")
    assert second != first
    assert stock.store.list_presented(GAME, "r1", limit=9) == before

    async def body(stubs: Stubs) -> None:
        (record,) = (await stubs.discovery.ListPresentationRecords(ask())).records
        assert (record.version_id, record.title, record.excerpt) == (first, "Old", "old words")

    over_socket(stock, body)


def test_records_are_the_same_after_a_restart(tmp_path: Path) -> None:
    first = Stock(SqliteStore(tmp_path, PREPARATION))
    first.add(GATE, "old words", title="Old", run_id="r1")
    first.add(GATE, "new words", title="New")

    async def listed(store: SqliteStore) -> pb.ListPresentationRecordsResponse:
        async with serving(store) as stubs:
            return await stubs.discovery.ListPresentationRecords(ask())

    store = first.store
    assert isinstance(store, SqliteStore)
    before = asyncio.run(listed(store))
    store.close()
    again = SqliteStore(tmp_path, PREPARATION)
    assert asyncio.run(listed(again)) == before
    assert before.records[0].title == "Old"
    again.close()


def test_pages_are_bounded_and_say_what_is_left(stock: Stock) -> None:
    for number in range(140):
        stock.add(f"https://castle.example/{number}", f"page {number}", run_id="r1")

    async def body(stubs: Stubs) -> None:
        call = stubs.discovery.ListPresentationRecords
        first = await call(ask(page_size=1_000))
        assert len(first.records) == RECORDS_MAX
        assert first.records_truncated
        rest = await call(ask(page_token=first.next_page_token))
        assert len(rest.records) == 140 - RECORDS_MAX
        assert not rest.records_truncated
        assert not rest.next_page_token
        assert len({record.record_id for record in (*first.records, *rest.records)}) == 140
        other = ask("r2", page_token=first.next_page_token)
        assert (await refused(call(other)))[1] == "PAGE_TOKEN_INVALID"
        assert (await refused(call(ask(page_size=-1))))[1] == "PAGE_SIZE_NEGATIVE"
        assert await refused(call(ask(""))) == ("INVALID_ARGUMENT", "FIELD_REQUIRED", "run_id")

    over_socket(stock, body)
