"""Gives every call with one response a deadline, and tells storage and outgoing calls about it.

A call without a deadline may hang for ever (gRPC's guide on deadlines), so it gets the default; one
with a longer deadline than the limit is cut to it. Streams of responses have none of their own:
their handlers bound the idle time.
"""

from __future__ import annotations

import asyncio
from typing import cast

from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.interceptors.base import (
    Context,
    HandlerInterceptor,
    Method,
    Request,
    Response,
    Unary,
)
from sourcecorpus.rpc.limits import (
    STREAM_UNARY_DEADLINE_SECONDS_MAX,
    UNARY_DEADLINE_SECONDS_DEFAULT,
    UNARY_DEADLINE_SECONDS_MAX,
)


class DeadlineInterceptor(HandlerInterceptor):
    """Sets ``deadline.remaining()`` for each call and ends calls that outlive the limit."""

    def __init__(
        self,
        default_seconds: float = UNARY_DEADLINE_SECONDS_DEFAULT,
        maximum_seconds: float = UNARY_DEADLINE_SECONDS_MAX,
        stream_unary_seconds: float = STREAM_UNARY_DEADLINE_SECONDS_MAX,
    ) -> None:
        super().__init__()
        self._default_seconds = default_seconds
        self._maximum_seconds = maximum_seconds
        self._stream_unary_seconds = stream_unary_seconds

    def before(self, method: Method, context: Context) -> None:
        """Take the caller's deadline of a stream as it is."""
        del method
        deadline.begin(context.time_remaining())

    async def around_unary(
        self, method: Method, proceed: Unary, request: Request, context: Context
    ) -> Response:
        """Run within the caller's deadline or the limit.

        Raises:
            Failure: DEADLINE_EXCEEDED, where the limit ended the call.
        """
        # The stub leaves out that a call without a deadline gives None.
        given = cast("float | None", context.time_remaining())
        limit, default = self._maximum_seconds, self._default_seconds
        if method.request_streaming:
            limit = default = self._stream_unary_seconds
        seconds = default if given is None else min(given, limit)
        deadline.begin(seconds)
        if seconds == given:
            # gRPC itself cancels the call at the caller's deadline.
            return await proceed(request, context)
        try:
            async with asyncio.timeout(seconds) as timer:
                return await proceed(request, context)
        except TimeoutError:
            if timer.expired():
                raise Failure(FailureCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED") from None
            raise
