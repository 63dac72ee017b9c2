"""Channels bound every call, repeat only what may be repeated, and find a service again."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import grpc
import pytest

from sourcecorpus.rpc import channels
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.status import failure_from_rpc_error
from tests.rpc.serving import CREATE_GAME, GET_GAME, handler_that, invoke, refused, running


def test_a_service_that_is_not_there_is_named_as_such() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"

        async def main() -> None:
            async with channels.open_channel(address) as channel:
                call: Any = channel.unary_unary(GET_GAME)
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await call(b"", timeout=20)
            failure = failure_from_rpc_error(caught.value)
            assert (failure.code.name, failure.reason) == ("UNAVAILABLE", "SERVICE_UNREACHABLE")
            assert failure.transient

        asyncio.run(main())


def test_the_deadline_of_the_service_config_ends_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    config = json.loads(channels.service_config())
    for entry in config["methodConfig"]:
        entry["timeout"] = "0.2s"
    monkeypatch.setattr(channels, "service_config", lambda: json.dumps(config))

    async def act(request: Any) -> None:
        await asyncio.Event().wait()

    async def main() -> None:
        async with running({GET_GAME: handler_that(GET_GAME, act)}) as system:
            failure, _ = await refused(system, GET_GAME)
        assert failure.code is FailureCode.DEADLINE_EXCEEDED

    asyncio.run(main())


@pytest.mark.parametrize(("method", "calls"), [(GET_GAME, 3), (CREATE_GAME, 1)])
def test_only_idempotent_calls_are_repeated(method: str, calls: int) -> None:
    seen = []

    async def act(request: Any) -> None:
        seen.append(request)
        if len(seen) < 3:
            raise Failure(FailureCode.UNAVAILABLE, "STORE_UNAVAILABLE")

    async def main() -> None:
        async with running({method: handler_that(method, act)}) as system:
            if calls == 1:
                failure, _ = await refused(system, method)
                assert failure.reason == "STORE_UNAVAILABLE"
            else:
                await invoke(system, method)

    asyncio.run(main())
    assert len(seen) == calls


def test_a_refusal_for_good_is_not_repeated() -> None:
    seen = []

    async def act(request: Any) -> None:
        seen.append(request)
        raise Failure(FailureCode.DATA_LOSS, "STORED_HASH_MISMATCH")

    async def main() -> None:
        async with running({GET_GAME: handler_that(GET_GAME, act)}) as system:
            await refused(system, GET_GAME)

    asyncio.run(main())
    assert len(seen) == 1


def test_a_malformed_address_is_refused_before_a_channel_is_made() -> None:
    with pytest.raises(ValueError, match="expected host:port"):
        channels.open_sync_channel("somewhere")
