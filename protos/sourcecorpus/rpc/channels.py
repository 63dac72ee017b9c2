"""Channels to the services, for asyncio and for plain programs, with every option stated.

Each outgoing call carries the request id and the trace of the call it is made for, the caller's
token, and the time that is left of the deadline around it. Deadlines and retries of single methods
stand in ``service_config.json``. One channel for each target, reused, closed at the end; never
shared between threads (asyncio) or across a fork.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

import grpc

from sourcecorpus.rpc import deadline, request_ids, telemetry
from sourcecorpus.rpc.access import read_private_file
from sourcecorpus.rpc.addresses import Address
from sourcecorpus.rpc.limits import (
    KEEPALIVE_CLIENT_SECONDS,
    KEEPALIVE_TIMEOUT_SECONDS,
    MESSAGE_BYTES_MAX,
)
from sourcecorpus.rpc.settings import SettingsError
from sourcecorpus.rpc.sync_calls import SyncChannel

if TYPE_CHECKING:
    from collections.abc import Callable

    from sourcecorpus.rpc.runtime_settings import RuntimeSettings

MARGIN_SECONDS: Final = 0.05
"""Part of the deadline that is kept back from outgoing calls, to answer in time."""
_MILLISECONDS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Identity:
    """What a program shows to a service and expects of it.

    Attributes:
        token: Bearer token; empty sends none.
        server_roots: PEM roots for TLS; empty means plaintext, which only loopback allows.
    """

    token: str = ""
    server_roots: bytes = b""

    @classmethod
    def from_settings(cls, settings: RuntimeSettings) -> Identity:
        """Read token and roots from the files that the settings name.

        Raises:
            SettingsError: A file cannot be read, or others may read the token.
        """
        token, roots = "", b""
        if settings.own_token_file:
            token = read_private_file(settings.own_token_file).strip()
        if settings.tls_server_ca_file:
            roots = read_file(settings.tls_server_ca_file, "tls_server_ca_file")
        return cls(token=token, server_roots=roots)


ANONYMOUS: Final = Identity()


def channel_options() -> list[tuple[str, int | str]]:
    """Every option of our channels; names are those of gRPC core's channel arguments."""
    return [
        ("grpc.max_receive_message_length", MESSAGE_BYTES_MAX),
        ("grpc.max_send_message_length", MESSAGE_BYTES_MAX),
        ("grpc.keepalive_time_ms", int(KEEPALIVE_CLIENT_SECONDS * _MILLISECONDS)),
        ("grpc.keepalive_timeout_ms", int(KEEPALIVE_TIMEOUT_SECONDS * _MILLISECONDS)),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.enable_retries", 1),
        ("grpc.service_config", service_config()),
        # A restarted service is found again soon: the default backoff grows to two minutes.
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.min_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 5_000),
        # The environment may name a proxy for other programs; loopback never goes through one.
        ("grpc.enable_http_proxy", 0),
    ]


def service_config() -> str:
    """Deadlines and retries of single methods, as gRPC's JSON."""
    return (resources.files(__package__) / "service_config.json").read_text("utf-8")


def open_sync_channel(address: Address | str, identity: Identity = ANONYMOUS) -> grpc.Channel:
    """Open a channel for a program without asyncio.

    Raises:
        ValueError: The address is malformed.
        SettingsError: The address is not local and the identity has no roots for TLS.
    """
    target = _target(address, identity)
    if identity.server_roots:
        credentials = grpc.ssl_channel_credentials(identity.server_roots)
        channel = grpc.secure_channel(target, credentials, options=channel_options())
    else:
        channel = grpc.insecure_channel(target, options=channel_options())
    return SyncChannel(
        channel,
        lambda timeout, metadata: (
            _timeout(timeout),
            [*(metadata or ()), *call_metadata(identity.token)],
        ),
    )


def open_channel(address: Address | str, identity: Identity = ANONYMOUS) -> grpc.aio.Channel:
    """Open a channel for asyncio; must be called on the loop that uses it.

    Raises:
        ValueError: The address is malformed.
        SettingsError: The address is not local and the identity has no roots for TLS.
    """
    target = _target(address, identity)
    if identity.server_roots:
        credentials = grpc.ssl_channel_credentials(identity.server_roots)
        channel = grpc.aio.secure_channel(target, credentials, options=channel_options())
    else:
        channel = grpc.aio.insecure_channel(target, options=channel_options())
    return _Channel(channel, identity.token)


def call_metadata(token: str = "") -> list[tuple[str, str]]:
    """Metadata of one outgoing call: request id, trace, token."""
    metadata = [(request_ids.REQUEST_ID_KEY, request_ids.current() or uuid.uuid4().hex)]
    traceparent = telemetry.current_traceparent()
    if traceparent:
        metadata.append((telemetry.TRACEPARENT_KEY, traceparent))
    if token:
        metadata.append(("authorization", f"Bearer {token}"))
    return metadata


def read_file(path: Any, key: str) -> bytes:  # noqa: ANN401
    """Read a file that a setting names.

    Raises:
        SettingsError: It cannot be read.
    """
    try:
        content: bytes = path.read_bytes()
    except OSError as error:
        raise SettingsError(key, str(path), error.strerror or "cannot be read") from error
    return content


def _target(address: Address | str, identity: Identity) -> str:
    parsed = Address.parse(address) if isinstance(address, str) else address
    if not parsed.local and not identity.server_roots:
        raise SettingsError("tls_server_ca_file", str(parsed), "TLS is required beyond loopback")
    return str(parsed)


def _timeout(given: float | None) -> float | None:
    left = deadline.remaining(MARGIN_SECONDS)
    if given is None or left is None:
        return left if given is None else given
    return min(given, left)


class _Channel(grpc.aio.Channel):
    """Adds metadata and deadline to each call of an asyncio channel.

    Client interceptors of grpc.aio run every call in a task of its own and leave warnings behind
    when a bidirectional call is aborted, so the multi-callables are wrapped instead.
    """

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self._channel = channel
        self._token = token

    async def __aenter__(self) -> _Channel:
        await self._channel.__aenter__()
        return self

    async def __aexit__(self, *details: Any) -> bool | None:  # noqa: ANN401
        return await self._channel.__aexit__(*details)

    async def close(self, grace: float | None = None) -> None:
        await self._channel.close(grace)

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:
        return self._channel.get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        await self._channel.wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        await self._channel.channel_ready()

    def unary_unary(self, *names: Any, **options: Any) -> Any:  # noqa: ANN401
        return self._wrapped(self._channel.unary_unary(*names, **options))

    def unary_stream(self, *names: Any, **options: Any) -> Any:  # noqa: ANN401
        return self._wrapped(self._channel.unary_stream(*names, **options))

    def stream_unary(self, *names: Any, **options: Any) -> Any:  # noqa: ANN401
        return self._wrapped(self._channel.stream_unary(*names, **options))

    def stream_stream(self, *names: Any, **options: Any) -> Any:  # noqa: ANN401
        return self._wrapped(self._channel.stream_stream(*names, **options))

    def _wrapped(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def begin(
            request: Any = None,  # noqa: ANN401
            *,
            timeout: float | None = None,
            metadata: Any = None,  # noqa: ANN401
            **options: Any,  # noqa: ANN401
        ) -> Any:  # noqa: ANN401
            sent = [*(metadata or ()), *call_metadata(self._token)]
            return call(request, timeout=_timeout(timeout), metadata=sent, **options)

        return begin
