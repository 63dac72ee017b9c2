"""Interceptors on a real server, over all four kinds of call."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, cast

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status

from sourcecorpus.corpus.v1 import game_pb2
from sourcecorpus.rpc import deadline, request_ids
from sourcecorpus.rpc.access import MethodClass
from sourcecorpus.rpc.channels import open_sync_channel
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.interceptors.deadlines import DeadlineInterceptor
from sourcecorpus.rpc.limits import ERROR_DETAIL_BYTES_MAX
from sourcecorpus.rpc.logs import JsonFormatter
from sourcecorpus.rpc.status import failure_from_rpc_error
from tests.rpc.serving import (
    CREATE_GAME,
    GET_GAME,
    MESSAGES,
    READ_RAW,
    STREAM,
    UPLOAD,
    Running,
    callable_of,
    running,
)

PAYLOAD = "the password of " + "alice is hunter2"
KINDS = [GET_GAME, READ_RAW, UPLOAD, STREAM]


def answer(method: str) -> Any:
    return MESSAGES[method][1]()


def handler_that(
    method: str, act: Callable[[Any], Coroutine[Any, Any, None]]
) -> Callable[..., Any]:
    """A handler of the method's kind that acts, then answers once."""

    async def unary(request: Any, context: Any) -> Any:
        await act(request)
        return answer(method)

    async def stream(request: Any, context: Any) -> AsyncIterator[Any]:
        await act(request)
        yield answer(method)

    return stream if method in (READ_RAW, STREAM) else unary


async def invoke(system: Running, method: str, **options: Any) -> Any:
    """Call once with one empty message; the response, or the last one of a stream."""
    request = MESSAGES[method][0]()
    sent = iter([request]) if method in (UPLOAD, STREAM) else request
    call = system.call(method)(sent, **options)
    if method in (READ_RAW, STREAM):
        responses = [response async for response in call]
        return responses[-1]
    return await call


async def refused(
    system: Running, method: str, **options: Any
) -> tuple[Failure, grpc.aio.AioRpcError]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await invoke(system, method, **options)
    return failure_from_rpc_error(caught.value), caught.value


@pytest.mark.parametrize("method", KINDS)
def test_a_failure_arrives_with_code_reason_field_and_request_id(method: str) -> None:
    async def act(request: Any) -> None:
        raise Failure(FailureCode.NOT_FOUND, "UNKNOWN_GAME", "game_id", metadata={"limit": "7"})

    async def main() -> None:
        async with running({method: handler_that(method, act)}) as system:
            metadata = [("x-request-id", "r-1")]
            failure, error = await refused(system, method, metadata=metadata)
        assert (failure.code, failure.reason) == (FailureCode.NOT_FOUND, "UNKNOWN_GAME")
        assert failure.field == "game_id"
        assert dict(failure.metadata) == {"limit": "7", "request_id": "r-1"}
        assert dict(error.trailing_metadata() or ())["x-request-id"] == "r-1"
        assert error.details() == "no such game (field game_id, limit 7)"

    asyncio.run(main())


@pytest.mark.parametrize("method", KINDS)
def test_an_unknown_exception_leaks_nothing(method: str) -> None:
    log = io.StringIO()
    capturing = logging.StreamHandler(log)
    capturing.setFormatter(JsonFormatter("test"))
    logging.getLogger().addHandler(capturing)

    async def act(request: Any) -> None:
        raise RuntimeError(PAYLOAD)

    async def main() -> None:
        async with running({method: handler_that(method, act)}) as system:
            failure, error = await refused(system, method)
        assert (failure.code, failure.reason) == (FailureCode.INTERNAL, "INTERNAL")
        assert error.details() == "the service failed"
        assert "hunter2" not in repr(error)
        assert "hunter2" not in repr(error.trailing_metadata())
        line = next(json.loads(row) for row in log.getvalue().splitlines() if "call_failed" in row)
        assert line["request_id"] == failure.metadata["request_id"]
        assert line["error_type"] == "RuntimeError"
        assert any("test_interceptors.py" in place for place in line["error_places"])

    try:
        asyncio.run(main())
    finally:
        logging.getLogger().removeHandler(capturing)
    assert "hunter2" not in log.getvalue()


@pytest.mark.parametrize("method", KINDS)
def test_bytes_that_are_no_message_are_refused_as_such(method: str) -> None:
    reached = []

    async def act(request: Any) -> None:
        if method in (UPLOAD, STREAM):
            reached.extend([message async for message in request])
        else:
            reached.append(request)

    async def main() -> None:
        async with running({method: handler_that(method, act)}) as system:
            raw_bytes = b"\xff\xff" + PAYLOAD.encode()
            kind = {GET_GAME: "unary_unary", READ_RAW: "unary_stream", UPLOAD: "stream_unary"}
            call = getattr(system.channel, kind.get(method, "stream_stream"))(method)
            begun = call(iter([raw_bytes]) if method in (UPLOAD, STREAM) else raw_bytes)
            ended = begun.read() if method in (READ_RAW, STREAM) else begun
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await ended
        failure = failure_from_rpc_error(caught.value)
        assert (failure.code.name, failure.reason) == ("INVALID_ARGUMENT", "UNDECODABLE_MESSAGE")
        assert reached == []

    asyncio.run(main())


def test_a_response_beyond_the_message_limit_is_refused_by_the_server() -> None:
    async def handler(request: Any, context: Any) -> Any:
        return MESSAGES[GET_GAME][1](game=game_pb2.Game(title="x" * (4 << 20)))

    async def main() -> None:
        async with running({GET_GAME: handler}) as system:
            failure, _ = await refused(system, GET_GAME)
        assert failure.reason == "MESSAGE_TOO_LARGE"
        assert failure.metadata["limit"] == str(4 << 20)

    asyncio.run(main())


def test_a_request_beyond_the_message_limit_never_reaches_the_handler() -> None:
    reached = []

    async def handler(request: Any, context: Any) -> Any:
        reached.append(request)
        return answer(GET_GAME)

    async def main() -> None:
        async with running({GET_GAME: handler}) as system:
            request = MESSAGES[GET_GAME][0](game_id="x" * (4 << 20))
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await system.call(GET_GAME)(request)
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert reached == []

    asyncio.run(main())


def test_details_stay_below_their_limit_and_say_that_something_is_missing() -> None:
    metadata = {f"candidate_{number}": "c" * 300 for number in range(20)}

    async def act(request: Any) -> None:
        raise Failure(
            FailureCode.FAILED_PRECONDITION, "AMBIGUOUS_LOCATOR", "title", metadata=metadata
        )

    async def main() -> None:
        async with running({GET_GAME: handler_that(GET_GAME, act)}) as system:
            failure, error = await refused(system, GET_GAME)
        trailers = dict(error.trailing_metadata() or ())
        assert len(trailers["grpc-status-details-bin"]) <= ERROR_DETAIL_BYTES_MAX
        assert failure.reason == "AMBIGUOUS_LOCATOR"
        assert failure.field == "title"
        assert failure.metadata["truncated"] == "true"

    asyncio.run(main())


def test_one_error_info_and_at_most_one_further_detail() -> None:
    async def act(request: Any) -> None:
        raise Failure(
            FailureCode.RESOURCE_EXHAUSTED, "OUTBOX_FULL", "envelopes", retry_after_seconds=1.5
        )

    async def main() -> None:
        async with running({GET_GAME: handler_that(GET_GAME, act)}) as system:
            failure, error = await refused(system, GET_GAME)
        status = rpc_status.from_call(error)
        assert [detail.TypeName() for detail in status.details] == [
            "google.rpc.ErrorInfo",
            "google.rpc.RetryInfo",
        ]
        info = error_details_pb2.ErrorInfo()
        assert status.details[0].Unpack(info)
        assert info.domain == "sourcecorpus"
        assert failure.retry_after_seconds == 1.5
        assert failure.transient

    asyncio.run(main())


def test_an_ill_formed_request_id_is_replaced() -> None:
    seen = []

    async def act(request: Any) -> None:
        seen.append(request_ids.current())

    async def main() -> None:
        async with running({GET_GAME: handler_that(GET_GAME, act)}) as system:
            call = system.call(GET_GAME)(
                MESSAGES[GET_GAME][0](), metadata=[("x-request-id", "two words " + "x" * 90)]
            )
            await call
            trailers = dict(await call.trailing_metadata())
            assert trailers["x-request-id"] == seen[0]
            assert len(seen[0]) == 32

    asyncio.run(main())


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


def test_an_unknown_method_is_unimplemented_and_an_unlisted_one_denied() -> None:
    unlisted = "/sourcecorpus.corpus.v1.GameService/Unlisted"

    async def handler(request: Any, context: Any) -> Any:
        return answer(GET_GAME)

    async def main() -> None:
        async with running({unlisted: handler}) as system:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await cast("Any", system.channel).unary_unary(unlisted)(b"")
            assert failure_from_rpc_error(caught.value).code is FailureCode.PERMISSION_DENIED
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await cast("Any", system.channel).unary_unary("/nobody.Has/This")(b"")
            assert failure_from_rpc_error(caught.value).reason == "METHOD_NOT_IMPLEMENTED"

    asyncio.run(main())


def test_a_plain_program_calls_through_the_sync_channel() -> None:
    seen = []

    async def act(request: Any) -> None:
        seen.append(request_ids.current())

    ready, release = threading.Event(), threading.Event()
    addresses = []

    async def serve() -> None:
        async with running({GET_GAME: handler_that(GET_GAME, act)}) as system:
            addresses.append(str(system.address))
            ready.set()
            await asyncio.to_thread(release.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert ready.wait(20)
        with open_sync_channel(addresses[0]) as channel:
            call = callable_of(channel, GET_GAME)
            assert call(MESSAGES[GET_GAME][0]()) == answer(GET_GAME)
        assert len(seen[0]) == 32
    finally:
        release.set()
        thread.join()
