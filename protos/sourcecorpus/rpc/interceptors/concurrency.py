"""Bounds the calls under way, each class of methods for itself, so that health always answers.

A call beyond the bound is refused at once with RetryInfo; a queue in front of the handlers would
only turn overload into missed deadlines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sourcecorpus.rpc import telemetry
from sourcecorpus.rpc.access import METHOD_POLICIES, MethodClass
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.interceptors.base import Context, HandlerInterceptor, Method
from sourcecorpus.rpc.limits import (
    BUSY_RETRY_SECONDS,
    CONTENT_STREAMS_MAX,
    STREAMS_MAX,
    SYSTEM_CALLS_MAX,
    UNARY_READS_MAX,
    UNARY_WRITES_MAX,
)

LIMITS_DEFAULT: Final[Mapping[MethodClass, int]] = {
    MethodClass.SYSTEM_STREAM: SYSTEM_CALLS_MAX,
    MethodClass.READ: UNARY_READS_MAX,
    MethodClass.WRITE: UNARY_WRITES_MAX,
    MethodClass.CONTENT_STREAM: CONTENT_STREAMS_MAX,
    MethodClass.CAPTURE_STREAM: STREAMS_MAX,
}
"""Calls under way by class. A health check is one dictionary look-up and has no bound."""

_REFUSED: Final = telemetry.counter(
    "sourcecorpus.rpc.refused_busy", "{call}", "Calls refused because too many were under way."
)


class ConcurrencyInterceptor(HandlerInterceptor):
    """Counts calls by class; belongs to one event loop."""

    def __init__(self, limits: Mapping[MethodClass, int] = LIMITS_DEFAULT) -> None:
        super().__init__()
        self._limits = limits
        self._under_way = dict.fromkeys(MethodClass, 0)

    def before(self, method: Method, context: Context) -> None:
        """Count the call until it is done, however it ends.

        Raises:
            Failure: RESOURCE_EXHAUSTED TOO_MANY_CALLS or TOO_MANY_STREAMS.
        """
        method_class = METHOD_POLICIES[method.full_name].method_class
        limit = self._limits.get(method_class)
        if limit is None:
            return
        if self._under_way[method_class] >= limit:
            _REFUSED.add(method_class=method_class.value)
            captures = method_class is MethodClass.CAPTURE_STREAM
            raise Failure(
                FailureCode.RESOURCE_EXHAUSTED,
                "TOO_MANY_STREAMS" if captures else "TOO_MANY_CALLS",
                retry_after_seconds=BUSY_RETRY_SECONDS,
                metadata={"limit": str(limit)},
            )
        self._under_way[method_class] += 1

        # An abandoned stream's generator may be closed late; the end of the call is certain.
        def done(ctx: Context) -> None:
            del ctx
            self._under_way[method_class] -= 1

        # The stub asks for a callback that is generic over the messages.
        context.add_done_callback(done)  # type: ignore[arg-type]

    def under_way(self, method_class: MethodClass) -> int:
        """Number of calls of a class that have begun and not ended."""
        return self._under_way[method_class]
