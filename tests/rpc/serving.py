"""A real server on a real socket, with handlers that a test writes."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import pytest

from sourcecorpus.capture.v1 import capture_service_pb2 as capture
from sourcecorpus.corpus.v1 import game_service_pb2 as game
from sourcecorpus.corpus.v1 import ingest_service_pb2 as ingest
from sourcecorpus.corpus.v1 import source_service_pb2 as source
from sourcecorpus.rpc.access import MethodClass
from sourcecorpus.rpc.addresses import Address
from sourcecorpus.rpc.channels import Identity, open_channel
from sourcecorpus.rpc.failures import Failure
from sourcecorpus.rpc.interceptors.concurrency import LIMITS_DEFAULT
from sourcecorpus.rpc.interceptors.deadlines import DeadlineInterceptor
from sourcecorpus.rpc.runtime_settings import RuntimeSettings
from sourcecorpus.rpc.server import ServiceServer
from sourcecorpus.rpc.status import failure_from_rpc_error

GET_GAME = "/sourcecorpus.corpus.v1.GameService/GetGame"
CREATE_GAME = "/sourcecorpus.corpus.v1.GameService/CreateGame"
READ_RAW = "/sourcecorpus.corpus.v1.SourceService/ReadRawContent"
UPLOAD = "/sourcecorpus.corpus.v1.IngestService/UploadContent"
STREAM = "/sourcecorpus.capture.v1.CaptureService/StreamCaptures"

MESSAGES: dict[str, tuple[Any, Any]] = {
    GET_GAME: (game.GetGameRequest, game.GetGameResponse),
    CREATE_GAME: (game.CreateGameRequest, game.CreateGameResponse),
    READ_RAW: (source.ReadRawContentRequest, source.ReadRawContentResponse),
    UPLOAD: (ingest.UploadContentRequest, ingest.UploadContentResponse),
    STREAM: (capture.StreamCapturesRequest, capture.StreamCapturesResponse),
}
MAKERS: dict[str, Any] = {
    GET_GAME: grpc.unary_unary_rpc_method_handler,
    CREATE_GAME: grpc.unary_unary_rpc_method_handler,
    READ_RAW: grpc.unary_stream_rpc_method_handler,
    UPLOAD: grpc.stream_unary_rpc_method_handler,
    STREAM: grpc.stream_stream_rpc_method_handler,
}
LOOPBACK = Address("127.0.0.1", 0)


@dataclass(frozen=True, slots=True)
class Running:
    """A started server and a channel to it."""

    server: ServiceServer
    address: Address
    channel: grpc.aio.Channel

    def call(self, method: str) -> Any:
        return callable_of(self.channel, method)


def callable_of(channel: Any, method: str) -> Any:
    """The multi-callable of a method of ``MESSAGES``, on either kind of channel."""
    request, response = MESSAGES[method]
    kind = MAKERS[method].__name__.removesuffix("_rpc_method_handler")
    return getattr(channel, kind)(
        method,
        request_serializer=request.SerializeToString,
        response_deserializer=response.FromString,
    )


def add_handlers(server: ServiceServer, handlers: Mapping[str, Callable[..., Any]]) -> None:
    """Register handlers by full method name."""
    for method, behaviour in handlers.items():
        request, response = MESSAGES.get(method, MESSAGES[GET_GAME])
        maker = MAKERS.get(method, grpc.unary_unary_rpc_method_handler)
        handler = maker(
            behaviour,
            request_deserializer=request.FromString,
            response_serializer=response.SerializeToString,
        )
        service, _, name = method.lstrip("/").rpartition("/")
        generic = grpc.method_handlers_generic_handler(service, {name: handler})
        server.add_service(service, functools.partial(_add, generic))


def _add(generic: grpc.GenericRpcHandler, server: grpc.aio.Server) -> None:
    server.add_generic_rpc_handlers((generic,))


@asynccontextmanager
async def running(
    handlers: Mapping[str, Callable[..., Any]],
    *,
    settings: RuntimeSettings | None = None,
    concurrency: Mapping[MethodClass, int] = LIMITS_DEFAULT,
    deadlines: DeadlineInterceptor | None = None,
    identity: Identity | None = None,
    address: Address = LOOPBACK,
) -> AsyncIterator[Running]:
    """Serve the handlers until the block ends, then drain."""
    server = ServiceServer(
        settings or RuntimeSettings(drain_seconds=0.2),
        concurrency=concurrency,
        deadlines=deadlines,
    )
    bound = server.bind(address)
    add_handlers(server, handlers)
    await server.start()
    async with open_channel(bound, identity or Identity()) as channel:
        try:
            yield Running(server, bound, channel)
        finally:
            await server.drain()


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
