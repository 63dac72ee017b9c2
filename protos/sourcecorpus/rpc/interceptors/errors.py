"""Error mapping, the outermost interceptor: nothing of an exception's text leaves the process.

A ``Failure`` becomes its status. Anything else becomes INTERNAL with a fixed text and the request
id, and a log line with type and places. Messages that cannot be decoded, and responses that cannot
be encoded or are too large, end here as well, because gRPC would answer them with its own text.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, Final, NoReturn

import grpc

from sourcecorpus.rpc import request_ids
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.interceptors.base import (
    Context,
    Handler,
    HandlerInterceptor,
    Request,
    Response,
    behaviour_of,
    rebuilt,
)
from sourcecorpus.rpc.limits import MESSAGE_BYTES_MAX
from sourcecorpus.rpc.logs import log_event
from sourcecorpus.rpc.status import STATUS_METADATA_KEY, grpc_code, status_of

_LOGGER: Final = logging.getLogger(__name__)
_UNDECODABLE: Final = object()


class ErrorInterceptor(HandlerInterceptor):
    """Turns exceptions into statuses."""

    def wrap(self, full_name: str, handler: Handler) -> Handler:
        """Wrap behaviour and serializers of a method."""
        inner = behaviour_of(handler)
        encode = _encoder(handler.response_serializer)
        decode = _decoder(handler.request_deserializer, streaming=handler.request_streaming)

        async def unary(request: Request, context: Context) -> bytes:
            try:
                return encode(await inner(_decoded(request), context))
            except Exception as error:  # noqa: BLE001 - the last place that can map it
                return await _answer(error, full_name, context)

        async def stream(request: Request, context: Context) -> AsyncIterator[bytes]:
            try:
                async with aclosing(inner(_decoded(request), context)) as responses:
                    async for response in responses:
                        yield encode(response)
            except Exception as error:  # noqa: BLE001 - the last place that can map it
                await _answer(error, full_name, context)

        behaviour = stream if handler.response_streaming else unary
        return rebuilt(handler, behaviour, request_deserializer=decode, response_serializer=bytes)


async def _answer(error: Exception, method: str, context: Context) -> NoReturn:
    if isinstance(error, grpc.aio.BaseError):
        # gRPC's own signals: an abort that was sent already, a server that has stopped.
        raise error
    # Interceptors that fail before the id is set must not leave the log line without one.
    request_id = request_ids.current() or request_ids.begin()
    if isinstance(error, Failure):
        failure = error
    else:
        failure = Failure(FailureCode.INTERNAL, "INTERNAL")
        log_event(_LOGGER, logging.ERROR, "call_failed", error=error, method=method)
    status = status_of(failure, request_id)
    await context.abort(
        grpc_code(failure.code),
        status.message,
        (
            (request_ids.REQUEST_ID_KEY, request_id),
            (STATUS_METADATA_KEY, status.SerializeToString()),
        ),
    )


def _decoder(
    deserialize: Callable[[bytes], Any] | None, *, streaming: bool
) -> Callable[[bytes], Any]:
    def decode(raw: bytes) -> Any:  # noqa: ANN401 - a message of the contract
        try:
            return deserialize(raw) if deserialize else raw
        except Exception:  # noqa: BLE001 - protobuf raises several types
            if streaming:
                # Comes out of the handler's own loop over the requests.
                raise _undecodable() from None
            # A single request is decoded in front of every interceptor, so the refusal waits.
            return _UNDECODABLE

    return decode


def _decoded(request: Request) -> Request:
    if request is _UNDECODABLE:
        raise _undecodable()
    return request


def _undecodable() -> Failure:
    return Failure(FailureCode.INVALID_ARGUMENT, "UNDECODABLE_MESSAGE")


def _encoder(serialize: Callable[[Any], bytes] | None) -> Callable[[Response], bytes]:
    def encode(response: Response) -> bytes:
        encoded: bytes = serialize(response) if serialize else response
        if len(encoded) > MESSAGE_BYTES_MAX:
            raise Failure(
                FailureCode.RESOURCE_EXHAUSTED,
                "MESSAGE_TOO_LARGE",
                metadata={"limit": str(MESSAGE_BYTES_MAX)},
            )
        return encoded

    return encode
