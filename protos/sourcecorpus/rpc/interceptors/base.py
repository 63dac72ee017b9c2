"""How an interceptor wraps a handler: once for each method, for all four kinds of call.

What is known of a call beforehand is its method; all else (metadata, peer, time) is read from the
context when it runs. So a handler is wrapped once and kept, and a call costs one look-up.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, cast

import grpc

Request = Any
Response = Any
# Generic only in the type stubs, not at run time, hence the quotes.
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Unary: TypeAlias = "Callable[[Request, Context], Awaitable[Response]]"
Stream: TypeAlias = "Callable[[Request, Context], AsyncIterator[Response]]"


@dataclass(frozen=True, slots=True)
class Method:
    """One method of a service.

    Attributes:
        full_name: ``/package.Service/Method``.
        service: ``package.Service``.
        name: ``Method``.
        request_streaming: The client sends a stream.
        response_streaming: The server sends a stream.
    """

    full_name: str
    service: str
    name: str
    request_streaming: bool
    response_streaming: bool


class HandlerInterceptor(grpc.aio.ServerInterceptor):
    """Base of our interceptors.

    Handlers are coroutines, or async generators where the response is a stream. Unknown methods
    pass through, so that gRPC answers UNIMPLEMENTED.
    """

    def __init__(self) -> None:
        # One entry for each method that the server has; unknown names never get here.
        self._wrapped: dict[str, tuple[Handler, Handler]] = {}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """Give the wrapped handler of a method; None where nobody has it."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        known = self._wrapped.get(handler_call_details.method)
        if known is None or known[0] is not handler:
            known = (handler, self.wrap(handler_call_details.method, handler))
            self._wrapped[handler_call_details.method] = known
        return known[1]

    def before(self, method: Method, context: Context) -> None:
        """Run in front of the handler.

        Raises:
            Failure: The call is refused.
        """

    async def around_unary(
        self, method: Method, proceed: Unary, request: Request, context: Context
    ) -> Response:
        """Run a handler with one response."""
        self.before(method, context)
        return await proceed(request, context)

    async def around_stream(
        self, method: Method, proceed: Stream, request: Request, context: Context
    ) -> AsyncIterator[Response]:
        """Run a handler with a stream of responses."""
        self.before(method, context)
        async with aclosing(cast("Any", proceed(request, context))) as responses:
            async for response in responses:
                yield response

    def wrap(self, full_name: str, handler: Handler) -> Handler:
        """Wrap the handler of a method."""
        service, _, name = full_name.lstrip("/").rpartition("/")
        method = Method(
            full_name, service, name, handler.request_streaming, handler.response_streaming
        )
        inner = behaviour_of(handler)
        if handler.response_streaming:

            async def stream(request: Request, context: Context) -> AsyncIterator[Response]:
                around = self.around_stream(method, inner, request, context)
                async with aclosing(cast("Any", around)) as responses:
                    async for response in responses:
                        yield response

            return rebuilt(handler, stream)

        if type(self).around_unary is HandlerInterceptor.around_unary:

            async def behind(request: Request, context: Context) -> Response:
                self.before(method, context)
                return await inner(request, context)

            return rebuilt(handler, behind)
        # A coroutine function of its own would cost every call one more frame.
        return rebuilt(handler, partial(self.around_unary, method, inner))


class InterceptorChain(HandlerInterceptor):
    """Several interceptors as one, so that gRPC asks once for each call and not once for each."""

    def __init__(self, *interceptors: HandlerInterceptor) -> None:
        """Take the interceptors, outermost first."""
        super().__init__()
        self._interceptors = interceptors

    def wrap(self, full_name: str, handler: Handler) -> Handler:
        """Wrap the handler of a method by each of them."""
        for interceptor in reversed(self._interceptors):
            handler = interceptor.wrap(full_name, handler)
        return handler


def rebuilt(
    handler: Handler,
    behaviour: Callable[..., Any],
    *,
    request_deserializer: Callable[[bytes], Any] | None = None,
    response_serializer: Callable[[Any], bytes] | None = None,
) -> Handler:
    """The same handler with another behaviour, and other serializers where they are given."""
    makers = {
        (False, False): grpc.unary_unary_rpc_method_handler,
        (False, True): grpc.unary_stream_rpc_method_handler,
        (True, False): grpc.stream_unary_rpc_method_handler,
        (True, True): grpc.stream_stream_rpc_method_handler,
    }
    make: Any = makers[handler.request_streaming, handler.response_streaming]
    made: Handler = make(
        behaviour,
        request_deserializer=request_deserializer or handler.request_deserializer,
        response_serializer=response_serializer or handler.response_serializer,
    )
    return made


def metadata_value(context: Context, key: str) -> str:
    """The first value of a metadata key as text; empty where there is none."""
    for name, value in context.invocation_metadata() or ():
        if name == key:
            return value if isinstance(value, str) else ""
    return ""


def behaviour_of(handler: Handler) -> Any:  # noqa: ANN401 - one of four shapes
    """The function behind a handler.

    Raises:
        TypeError: It is neither a coroutine function nor, for a stream, an async generator.
    """
    inner = (
        handler.unary_unary or handler.unary_stream or handler.stream_unary or handler.stream_stream
    )
    wanted = (
        inspect.isasyncgenfunction if handler.response_streaming else inspect.iscoroutinefunction
    )
    if not wanted(inner):
        # A synchronous handler would block every call of the loop, and a handler that writes by
        # itself would pass by the interceptors.
        raise TypeError("a handler is a coroutine, or an async generator for a stream")
    return inner
