"""WatchRefreshRequests and ReportRefresh over sockets, beside a corpus that answers as it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from capture_service.refresh.watching import WatchTimes
from sourcecorpus.capture.v1 import capture_service_pb2 as pb
from sourcecorpus.capture.v1 import refresh_pb2
from sourcecorpus.corpus.v1 import refresh_pb2 as corpus_messages
from sourcecorpus.corpus.v1 import source_service_pb2_grpc
from sourcecorpus.rpc.status import failure_from_rpc_error
from tests.capture.fake_corpus import FakeCorpus
from tests.capture.frames import GAME
from tests.capture.running import run, running
from tests.reading.stocked import BACKENDS, Stock, Stubs, over_socket, refused, stocks
from tests.reading.stocked import GAME as STOCKED_GAME

QUICK = WatchTimes(poll=0.01, failure_pause=0.01, watch_max=60.0)


def wish(name: str) -> refresh_pb2.RefreshRequest:
    return refresh_pb2.RefreshRequest(request_id=name, game_id=GAME, uri="https://a.example/")


def test_a_watcher_gets_each_request_and_its_report_arrives(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path, watch_times=QUICK) as service:
            service.corpus.refreshes += [wish("r1"), wish("r2")]
            # An alias names the game as well.
            watch = service.stub.WatchRefreshRequests(
                refresh_pb2.WatchRefreshRequestsRequest(game_id="Ember Fall")
            )
            first, second = await watch.read(), await watch.read()
            assert [first.request.request_id, second.request.request_id] == ["r1", "r2"]
            service.corpus.refreshes.append(wish("r3"))
            assert (await watch.read()).request.request_id == "r3"
            watch.cancel()
            reply = await service.stub.ReportRefresh(
                refresh_pb2.ReportRefreshRequest(game_id=GAME, request_id="r1", envelope_id="e1")
            )
            assert reply.request.envelope_id == "e1"
            await service.stub.ReportRefresh(
                refresh_pb2.ReportRefreshRequest(
                    game_id=GAME, request_id="r2", refusal=refresh_pb2.REFRESH_REFUSAL_ROBOTS
                )
            )
            assert [report.refusal for report in service.corpus.reports] == [
                refresh_pb2.REFRESH_REFUSAL_UNSPECIFIED,
                refresh_pb2.REFRESH_REFUSAL_ROBOTS,
            ]

    run(test())


def test_a_session_gets_the_requests_of_its_game_once_it_has_one(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path, watch_times=QUICK) as service:
            service.corpus.refreshes.append(wish("r1"))
            watch = service.stub.WatchRefreshRequests(
                refresh_pb2.WatchRefreshRequestsRequest(session_id="hermes-1")
            )
            reading = asyncio.ensure_future(watch.read())
            await service.stub.SetSessionGame(
                pb.SetSessionGameRequest(session_id="hermes-1", game_id=GAME)
            )
            assert (await reading).request.request_id == "r1"
            watch.cancel()

    run(test())


def test_a_watch_outlives_a_corpus_that_is_away_and_ends_by_itself(tmp_path: Path) -> None:
    async def test() -> None:
        corpus = FakeCorpus()
        await corpus.start()
        times = WatchTimes(poll=0.01, failure_pause=0.01, watch_max=0.5)
        async with running(tmp_path, corpus, watch_times=times) as service:
            watch = service.stub.WatchRefreshRequests(
                refresh_pb2.WatchRefreshRequestsRequest(game_id=GAME)
            )
            await watch.wait_for_connection()
            await corpus.stop()
            assert await watch.read() is grpc.aio.EOF
            assert await watch.code() is grpc.StatusCode.OK

    run(test())


async def watch_reason(service: Any, **scope: str) -> str:
    watch = service.stub.WatchRefreshRequests(refresh_pb2.WatchRefreshRequestsRequest(**scope))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await watch.read()
    return failure_from_rpc_error(caught.value).reason


def test_what_cannot_be_watched_is_refused(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path, watch_times=QUICK) as service:
            assert await watch_reason(service) == "FIELD_REQUIRED"
            assert await watch_reason(service, game_id="nowhere") == "UNKNOWN_GAME"
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await service.stub.ReportRefresh(
                    refresh_pb2.ReportRefreshRequest(game_id=GAME, request_id="r1")
                )
            assert failure_from_rpc_error(caught.value).reason == "FIELD_REQUIRED"

    run(test())


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def test_the_bridge_asks_and_lists_by_pages(stock: Stock) -> None:
    for number in range(3):
        stock.add(f"https://a.example/{number}", f"gate {number}")

    async def body(stubs: Stubs) -> None:
        source: source_service_pb2_grpc.SourceServiceAsyncStub = stubs.source
        asked = await source.RequestRefresh(
            corpus_messages.RequestRefreshRequest(
                game_id=STOCKED_GAME,
                uris=[f"HTTPS://A.example/{number}#top" for number in range(3)],
                reason="a season ago",
            )
        )
        assert [entry.uri for entry in asked.requests] == [
            f"https://a.example/{number}" for number in range(3)
        ]
        assert {entry.state for entry in asked.requests} == {refresh_pb2.REFRESH_STATE_PENDING}
        again = await source.RequestRefresh(
            corpus_messages.RequestRefreshRequest(
                game_id=STOCKED_GAME, source_ids=[asked.requests[1].source_id]
            )
        )
        assert again.requests[0].request_id == asked.requests[1].request_id
        listing = corpus_messages.ListRefreshRequestsRequest(game_id=STOCKED_GAME, page_size=2)
        first = await source.ListRefreshRequests(listing)
        listing.page_token = first.next_page_token
        second = await source.ListRefreshRequests(listing)
        listed = [entry.request_id for entry in (*first.requests, *second.requests)]
        assert listed == [entry.request_id for entry in reversed(asked.requests)]
        assert not second.next_page_token

    over_socket(stock, body)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ("INVALID_ARGUMENT", "BATCH_EMPTY", "source_ids")),
        ({"source_ids": ["x"] * 21}, ("INVALID_ARGUMENT", "FIELD_TOO_MANY_VALUES", "source_ids")),
        ({"uris": ["https://b.example/"]}, ("NOT_FOUND", "SOURCE_NOT_FOUND", "uri")),
        (
            {"uris": ["https://a.example/"], "reason": "x" * 201},
            ("INVALID_ARGUMENT", "FIELD_TOO_LARGE", "reason"),
        ),
    ],
)
def test_bad_wishes_are_refused(
    stock: Stock, fields: dict[str, Any], expected: tuple[str, str, str]
) -> None:
    stock.add("https://a.example/", "gate")

    async def body(stubs: Stubs) -> None:
        request = corpus_messages.RequestRefreshRequest(game_id=STOCKED_GAME, **fields)
        assert await refused(stubs.source.RequestRefresh(request)) == expected

    over_socket(stock, body)
