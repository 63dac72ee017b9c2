"""A plain channel whose calls carry what each call of ours carries, and whose end is an error like any other.

Interceptors of grpc's plain channels look a method up anew for each call, and on a closed channel that look-up ends the
process (grpcio 1.85). So the multi-callables, which are made once, are wrapped instead.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import grpc

Prepare = Callable[[float | None, Any], tuple[float | None, list[tuple[str, str | bytes]]]]
"""Gives timeout and metadata of a call from those that its caller asked for."""


class ChannelClosedError(grpc.RpcError):
    """The channel was closed before the call began; nothing was sent."""

    def code(self) -> grpc.StatusCode:
        """UNAVAILABLE: another channel may reach the service."""
        return grpc.StatusCode.UNAVAILABLE

    def details(self) -> str:
        """Fixed text."""
        return "the channel is closed"

    def trailing_metadata(self) -> tuple[()]:
        """None: no service answered."""
        return ()


class SyncChannel(grpc.Channel):
    """Wraps a plain channel; safe for several threads."""

    def __init__(self, channel: grpc.Channel, prepare: Prepare) -> None:
        """Wrap it; the wrapped channel is closed with this one."""
        self._channel = channel
        self._prepare = prepare
        self._lock = threading.Lock()
        self._closed = False

    def subscribe(
        self,
        callback: Callable[[grpc.ChannelConnectivity], None],
        try_to_connect: bool = False,
    ) -> None:
        """See ``grpc.Channel``."""
        self._channel.subscribe(callback, try_to_connect)

    def unsubscribe(self, callback: Callable[[grpc.ChannelConnectivity], None]) -> None:
        """See ``grpc.Channel``."""
        self._channel.unsubscribe(callback)

    def unary_unary(self, *names: Any, **options: Any) -> Any:  # noqa: ANN401
        """See ``grpc.Channel``."""
        return self._method(self._channel.unary_unary, names, options)

    def unary_stream(self, *names: Any, **options: Any) -> Any:  # noqa: ANN401
        """See ``grpc.Channel``."""
        return self._method(self._channel.unary_stream, names, options)

    def stream_unary(self, *names: Any, **options: Any) -> Any:  # noqa: ANN401
        """See ``grpc.Channel``."""
        return self._method(self._channel.stream_unary, names, options)

    def stream_stream(self, *names: Any, **options: Any) -> Any:  # noqa: ANN401
        """See ``grpc.Channel``."""
        return self._method(self._channel.stream_stream, names, options)

    def close(self) -> None:
        """Close it; calls under way end with CANCELLED, later ones with ``ChannelClosedError``."""
        with self._lock:
            self._closed = True
            self._channel.close()

    def _method(
        self, make: Callable[..., Any], names: tuple[Any, ...], options: dict[str, Any]
    ) -> _Call:
        # A closed channel must not be asked for a method: see above.
        with self._lock:
            return _Call(_Refusal() if self._closed else make(*names, **options), self._prepare)

    def __enter__(self) -> SyncChannel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Refusal:
    """A method of a channel that was closed before the method was looked up."""

    def __call__(self, *_: Any, **__: Any) -> Any:  # noqa: ANN401
        raise ChannelClosedError

    with_call = future = __call__


class _Call:
    """A method of a service. ``with_call`` and ``future`` are there where grpc has them: unary answers."""

    def __init__(self, call: Any, prepare: Prepare) -> None:  # noqa: ANN401
        self._call = call
        self._prepare = prepare

    def __call__(self, request: Any, timeout: float | None = None, **options: Any) -> Any:  # noqa: ANN401
        return self._begin(self._call, request, timeout, options)

    def with_call(self, request: Any, timeout: float | None = None, **options: Any) -> Any:  # noqa: ANN401
        """The answer and the call."""
        return self._begin(self._call.with_call, request, timeout, options)

    def future(self, request: Any, timeout: float | None = None, **options: Any) -> Any:  # noqa: ANN401
        """The call, begun; its answer comes later."""
        return self._begin(self._call.future, request, timeout, options)

    def _begin(
        self,
        begin: Callable[..., Any],
        request: Any,  # noqa: ANN401
        timeout: float | None,
        options: dict[str, Any],
    ) -> Any:  # noqa: ANN401
        seconds, metadata = self._prepare(timeout, options.pop("metadata", None))
        try:
            return begin(request, timeout=seconds, metadata=metadata, **options)
        except ValueError as error:
            # What grpc raises for a closed channel; everything else that it refuses is a defect of the caller.
            if "closed" in str(error).lower():
                raise ChannelClosedError from None
            raise
