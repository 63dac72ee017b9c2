"""Interceptors on a real server, over all four kinds of call."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import threading
from typing import Any, cast

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from sourcecorpus.corpus.v1 import game_pb2
from sourcecorpus.rpc import request_ids
from sourcecorpus.rpc.channels import open_sync_channel
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import ERROR_DETAIL_BYTES_MAX
from sourcecorpus.rpc.logs import JsonFormatter
from sourcecorpus.rpc.status import failure_from_rpc_error
from tests.rpc.serving import (
    GET_GAME,
    MESSAGES,
    READ_RAW,
    STREAM,
    UPLOAD,
    answer,
    callable_of,
    handler_that,
    refused,
    running,
)

PAYLOAD = "the password of " + "alice is hunter2"
KINDS = [GET_GAME, READ_RAW, UPLOAD, STREAM]


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
