"""A span and a duration for each call; for a stream one span over the session.

Attributes are service, method and status code only. The stock instrumentation is not used: it
records rich statuses as OK and breaks streaming handlers of grpc.aio.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, Final, cast

import grpc
from opentelemetry import context as otel_context
from opentelemetry import trace

from sourcecorpus.rpc import telemetry
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.interceptors.base import (
    Context,
    HandlerInterceptor,
    Method,
    Request,
    Response,
    Stream,
    Unary,
    metadata_value,
)

# Codes that say the server failed; all others are the caller's doing.
_SERVER_FAULTS: Final = frozenset(
    code.value
    for code in (
        FailureCode.UNKNOWN,
        FailureCode.DEADLINE_EXCEEDED,
        FailureCode.UNIMPLEMENTED,
        FailureCode.INTERNAL,
        FailureCode.UNAVAILABLE,
        FailureCode.DATA_LOSS,
    )
)
_OK: Final = 0
_DURATION: Final = telemetry.histogram("rpc.server.duration", "s", "Duration of calls.")
_UNDER_WAY: Final = telemetry.up_down_counter(
    "rpc.server.active_requests", "{call}", "Calls under way."
)


class TelemetryInterceptor(HandlerInterceptor):
    """Measures calls and continues the caller's trace."""

    async def around_unary(
        self, method: Method, proceed: Unary, request: Request, context: Context
    ) -> Response:
        """Measure a call with one response."""
        call = _Call(method, context)
        try:
            response = await proceed(request, context)
        except BaseException as error:
            call.end(_code_of(error, context))
            raise
        call.end(_OK)
        return response

    async def around_stream(
        self, method: Method, proceed: Stream, request: Request, context: Context
    ) -> AsyncIterator[Response]:
        """Measure a session."""
        call = _Call(method, context)
        try:
            async with aclosing(cast("Any", proceed(request, context))) as responses:
                async for response in responses:
                    yield response
        except BaseException as error:
            call.end(_code_of(error, context))
            raise
        call.end(_OK)


class _Call:
    """One call that is being measured.

    The span becomes current and is never detached: gRPC runs each call in a task, and so in a
    context, of its own, while a generator may be closed in the context of another.
    """

    def __init__(self, method: Method, context: Context) -> None:
        self._began = time.perf_counter()
        self._span: trace.Span | None = None
        self._key = (("method", method.name), ("service", method.service))
        _UNDER_WAY.record_series(1, self._key)
        traceparent = metadata_value(context, telemetry.TRACEPARENT_KEY)
        tracer = telemetry.tracer()
        if tracer is None:
            if traceparent:
                # Without exporter the caller's trace is still passed on to outgoing calls.
                otel_context.attach(telemetry.context_of(traceparent))
            return
        self._span = tracer.start_span(
            f"{method.service}/{method.name}",
            context=telemetry.context_of(traceparent),
            kind=trace.SpanKind.SERVER,
            attributes={
                "rpc.system": "grpc",
                "rpc.service": method.service,
                "rpc.method": method.name,
            },
            record_exception=False,
        )
        otel_context.attach(trace.set_span_in_context(self._span))

    def end(self, code: int) -> None:
        """End the measurement with a canonical code."""
        _UNDER_WAY.record_series(-1, self._key)
        _DURATION.record_series(time.perf_counter() - self._began, (("code", code), *self._key))
        if self._span is not None:
            self._span.set_attribute("rpc.grpc.status_code", code)
            if code in _SERVER_FAULTS:
                self._span.set_status(trace.StatusCode.ERROR)
            self._span.end()


def _code_of(error: BaseException, context: Context) -> int:
    if isinstance(error, Failure):
        return error.code.value
    if isinstance(error, (asyncio.CancelledError, GeneratorExit)):
        return FailureCode.CANCELLED.value
    if isinstance(error, grpc.aio.AbortError):
        # The stub says that a code is always there; before an abort it is None.
        code = cast("grpc.StatusCode | None", context.code())
        return code.value[0] if code else FailureCode.UNKNOWN.value
    return FailureCode.INTERNAL.value
