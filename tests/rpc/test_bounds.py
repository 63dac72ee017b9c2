"""Deadlines and bounds of calls under way, on a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from sourcecorpus.rpc import deadline, request_ids
from sourcecorpus.rpc.access import MethodClass
from sourcecorpus.rpc.failures import FailureCode
from sourcecorpus.rpc.interceptors.deadlines import DeadlineInterceptor
from tests.rpc.serving import (
    CREATE_GAME,
    GET_GAME,
    MESSAGES,
    READ_RAW,
    STREAM,
    answer,
    handler_that,
    invoke,
    refused,
    running,
)

PAYLOAD = "the password of " + "alice is hunter2"


def test_a_call_without_a_deadline_gets_the_default_and_ends_by_it() -> None:
    seen: list[float | None] = []

    async def act(request: Any) -> None:
        seen.append(deadline.remaining())
        await asyncio.Event().wait()

    async def main() -> None:
        short = DeadlineInterceptor(default_seconds=0.05, maximum_seconds=0.05)
        handlers = {GET_GAME: handler_that(GET_GAME, act)}
        async with running(handlers, deadlines=short) as system:
            failure, _ = await refused(system, GET_GAME)
            assert failure.code is FailureCode.DEADLINE_EXCEEDED
            failure, _ = await refused(system, GET_GAME, timeout=90)
            assert failure.reason == "DEADLINE_EXCEEDED"
        assert all(left is not None and 0 < left <= 0.05 for left in seen)
        assert len(seen) == 2

    asyncio.run(main())


def test_a_timeout_of_the_handler_itself_is_no_missed_deadline() -> None:
    async def act(request: Any) -> None:
        raise TimeoutError(PAYLOAD)

    async def main() -> None:
        async with running({GET_GAME: handler_that(GET_GAME, act)}) as system:
            failure, _ = await refused(system, GET_GAME)
        assert failure.code is FailureCode.INTERNAL

    asyncio.run(main())


def test_deadline_and_request_id_travel_to_the_next_service() -> None:
    seen: list[tuple[float | None, str]] = []

    async def inner(request: Any) -> None:
        seen.append((deadline.remaining(), request_ids.current()))

    async def main() -> None:
        async with running({GET_GAME: handler_that(GET_GAME, inner)}) as back:

            async def outer(request: Any) -> None:
                await back.call(GET_GAME)(MESSAGES[GET_GAME][0]())

            async with running({GET_GAME: handler_that(GET_GAME, outer)}) as front:
                await invoke(front, GET_GAME, timeout=5, metadata=[("x-request-id", "r-9")])
        left, request_id = seen[0]
        assert left is not None
        assert left < 5
        assert request_id == "r-9"

    asyncio.run(main())


def test_stalled_clients_leave_health_and_other_classes_alone() -> None:
    release = asyncio.Event()
    entered = asyncio.Semaphore(0)

    async def act(request: Any) -> None:
        entered.release()
        await release.wait()

    async def quick(request: Any) -> None:
        return None

    async def main() -> None:
        bounds = {MethodClass.READ: 4, MethodClass.WRITE: 4}
        handlers = {
            GET_GAME: handler_that(GET_GAME, act),
            CREATE_GAME: handler_that(CREATE_GAME, quick),
        }
        async with running(handlers, concurrency=bounds) as system:
            stalled = [asyncio.create_task(invoke(system, GET_GAME)) for _ in range(4)]
            for _ in range(4):
                await entered.acquire()
            assert system.server.concurrency.under_way(MethodClass.READ) == 4
            failure, _ = await refused(system, GET_GAME)
            assert (failure.code.name, failure.reason) == ("RESOURCE_EXHAUSTED", "TOO_MANY_CALLS")
            assert failure.retry_after_seconds == 0.5
            await invoke(system, CREATE_GAME)
            async with asyncio.timeout(1):
                health = await health_pb2_grpc.HealthStub(system.channel).Check(
                    health_pb2.HealthCheckRequest()
                )
            assert health.status == health_pb2.HealthCheckResponse.SERVING
            release.set()
            await asyncio.gather(*stalled)
            await invoke(system, GET_GAME)

    asyncio.run(main())


@pytest.mark.parametrize("method", [READ_RAW, STREAM])
def test_a_client_that_leaves_a_stream_gives_its_place_back(method: str) -> None:
    closed = asyncio.Event()

    async def endless(request: Any, context: Any) -> AsyncIterator[Any]:
        try:
            yield answer(method)
            await asyncio.Event().wait()
        finally:
            closed.set()

    async def main() -> None:
        bounds = {MethodClass.CONTENT_STREAM: 1, MethodClass.CAPTURE_STREAM: 1}
        async with running({method: endless}, concurrency=bounds) as system:
            for _ in range(3):
                closed.clear()
                request = MESSAGES[method][0]()
                call = system.call(method)(iter([request]) if method == STREAM else request)
                assert await call.read() == answer(method)
                failure, _ = await refused(system, method)
                assert failure.code is FailureCode.RESOURCE_EXHAUSTED
                call.cancel()
                await closed.wait()

    asyncio.run(main())
