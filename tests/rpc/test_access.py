"""The access table is complete, denies by default, and asks for tokens before anything else."""

from __future__ import annotations

import asyncio
import importlib
import json
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import FileDescriptor, MethodDescriptor
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from sourcecorpus.capture.v1 import capture_service_pb2
from sourcecorpus.rpc.access import METHOD_POLICIES, AccessPolicy, MethodClass, Role
from sourcecorpus.rpc.channels import Identity, channel_options, service_config
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.runtime_settings import RuntimeSettings
from sourcecorpus.rpc.settings import SettingsError
from sourcecorpus.rpc.status import failure_from_rpc_error
from tests.rpc.serving import GET_GAME, MESSAGES, running

FILES_WITH_SERVICES = [
    "sourcecorpus.capture.v1.capture_service",
    "sourcecorpus.corpus.v1.citation_service",
    "sourcecorpus.corpus.v1.game_service",
    "sourcecorpus.corpus.v1.ingest_service",
    "sourcecorpus.corpus.v1.search_service",
    "sourcecorpus.corpus.v1.source_service",
]
HERMES_TOKEN = "h" * 40
BRIDGE_TOKEN = "b" * 40


def proto_files() -> list[str]:
    """Every .proto file of the contract that declares a service."""
    root = Path(capture_service_pb2.__file__).parents[3]
    found = [
        path
        for path in (root / "sourcecorpus").rglob("*.proto")
        if "\nservice " in path.read_text()
    ]
    return sorted(".".join(path.relative_to(root).with_suffix("").parts) for path in found)


def methods() -> dict[str, MethodDescriptor]:
    descriptors: list[FileDescriptor] = [
        importlib.import_module(f"{name}_pb2").DESCRIPTOR for name in proto_files()
    ]
    descriptors += [health_pb2.DESCRIPTOR, reflection_pb2.DESCRIPTOR]
    return {
        f"/{service.full_name}/{method.name}": method
        for descriptor in descriptors
        for service in descriptor.services_by_name.values()
        for method in service.methods
    }


def test_every_file_with_a_service_is_found() -> None:
    assert set(proto_files()) >= set(FILES_WITH_SERVICES)


def test_every_method_has_a_policy_and_every_policy_a_method() -> None:
    # A newer health library may list services; it is refused by default until it is wanted.
    wanted = {name for name in methods() if not name.endswith("Health/List")}
    assert set(METHOD_POLICIES) == wanted


def test_policies_fit_the_shape_of_their_methods() -> None:
    described = methods()
    for name, policy in METHOD_POLICIES.items():
        method = described[name]
        streaming = (method.client_streaming, method.server_streaming)
        if name.startswith("/sourcecorpus."):
            assert policy.roles, name
            expected = {
                (False, False): {MethodClass.READ, MethodClass.WRITE},
                (True, False): {MethodClass.CONTENT_STREAM},
                (False, True): {MethodClass.CONTENT_STREAM},
                (True, True): {MethodClass.CAPTURE_STREAM},
            }[streaming]
            assert policy.method_class in expected, name


def test_only_hermes_captures_and_only_capture_ingests() -> None:
    for name, policy in METHOD_POLICIES.items():
        if "IngestService" in name:
            assert policy.roles == {Role.CAPTURE}
        if name.endswith(("StreamCaptures", "SubmitCaptures")):
            assert policy.roles == {Role.HERMES}


def token_file(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "tokens"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_tokens_have_the_roles_of_their_lines(tmp_path: Path) -> None:
    policy = AccessPolicy.from_token_file(
        token_file(
            tmp_path, f"# callers\n\nhermes {HERMES_TOKEN}\nbridge,operator   {BRIDGE_TOKEN}\n"
        )
    )
    policy.check(GET_GAME, f"Bearer {BRIDGE_TOKEN}")
    policy.check(GET_GAME, f"bearer {BRIDGE_TOKEN}")
    policy.check("/grpc.health.v1.Health/Check", "")
    with pytest.raises(Failure, match="PERMISSION_DENIED ROLE_NOT_ALLOWED"):
        policy.check(GET_GAME, f"Bearer {HERMES_TOKEN}")
    with pytest.raises(Failure, match="UNAUTHENTICATED CREDENTIALS_INVALID"):
        policy.check(GET_GAME, f"Bearer {HERMES_TOKEN}x")
    for authorization in ("", "Bearer", "Bearer ", f"Basic {BRIDGE_TOKEN}", BRIDGE_TOKEN):
        with pytest.raises(Failure, match="UNAUTHENTICATED CREDENTIALS_REQUIRED"):
            policy.check(GET_GAME, authorization)


def test_an_unlisted_method_is_denied_even_locally() -> None:
    with pytest.raises(Failure, match="PERMISSION_DENIED"):
        AccessPolicy.local().check("/sourcecorpus.corpus.v1.AdminService/Anything", "")


@pytest.mark.parametrize(
    ("text", "mode", "problem"),
    [
        (f"hermes {HERMES_TOKEN}\n", 0o640, "others may read it; its mode must be 0600"),
        ("hermes short\n", 0o600, "tokens:1: token_file: expected 'role[,role] token'"),
        (f"\nking {HERMES_TOKEN}\n", 0o600, "tokens:2: token_file: roles are hermes, capture"),
    ],
)
def test_bad_token_files(tmp_path: Path, text: str, mode: int, problem: str) -> None:
    with pytest.raises(SettingsError) as caught:
        AccessPolicy.from_token_file(token_file(tmp_path, text, mode))
    assert problem in str(caught.value)
    assert HERMES_TOKEN not in str(caught.value)


def test_access_by_token_on_the_wire(tmp_path: Path) -> None:
    reached = []

    async def handler(request: Any, context: Any) -> Any:
        reached.append(request)
        return MESSAGES[GET_GAME][1]()

    settings = RuntimeSettings(
        access="tokens",
        token_file=token_file(tmp_path, f"hermes {HERMES_TOKEN}\nbridge {BRIDGE_TOKEN}\n"),
        drain_seconds=0.1,
    )

    async def code(token: str) -> str:
        identity = Identity(token=token)
        async with running({GET_GAME: handler}, settings=settings, identity=identity) as system:
            try:
                await system.call(GET_GAME)(MESSAGES[GET_GAME][0]())
            except grpc.aio.AioRpcError as error:
                return failure_from_rpc_error(error).code.name
            return "OK"

    async def main() -> None:
        assert await code("") == FailureCode.UNAUTHENTICATED.name
        assert await code(HERMES_TOKEN) == FailureCode.PERMISSION_DENIED.name
        assert reached == []
        assert await code(BRIDGE_TOKEN) == "OK"

    asyncio.run(main())


def test_tokens_without_a_file_are_a_settings_error() -> None:
    async def main() -> None:
        async with running({}, settings=RuntimeSettings(access="tokens")):
            pass

    with pytest.raises(SettingsError, match="access = tokens needs a token file"):
        asyncio.run(main())


def test_the_service_config_names_methods_that_exist() -> None:
    described = methods()
    config = json.loads(service_config())
    named = [
        f"/{name['service']}/{name['method']}"
        for entry in config["methodConfig"]
        for name in entry["name"]
    ]
    assert len(named) == len(set(named))
    assert set(named) <= set(described)
    calls_with_an_end = {
        name
        for name, method in described.items()
        if name.startswith("/sourcecorpus.")
        and not (method.client_streaming and method.server_streaming)
    }
    assert calls_with_an_end <= set(named), "every call that ends has a deadline"


def test_only_idempotent_unary_calls_are_retried_and_only_on_unavailable() -> None:
    described = methods()
    for entry in json.loads(service_config())["methodConfig"]:
        policy = entry.get("retryPolicy")
        if policy is None:
            continue
        assert policy["retryableStatusCodes"] == ["UNAVAILABLE"]
        assert policy["maxAttempts"] <= 5
        for name in entry["name"]:
            method = described[f"/{name['service']}/{name['method']}"]
            assert not method.client_streaming
            assert not method.server_streaming
            assert name["method"] not in {"CreateGame", "UpdateGame"}


def test_clients_ping_less_often_than_servers_tolerate() -> None:
    from sourcecorpus.rpc.server import server_options

    client, server = dict(channel_options()), dict(server_options())
    tolerated = server["grpc.http2.min_recv_ping_interval_without_data_ms"]
    assert int(client["grpc.keepalive_time_ms"]) > tolerated
    assert server["grpc.so_reuseport"] == 0
    assert server["grpc.max_receive_message_length"] == client["grpc.max_send_message_length"]
    assert client["grpc.max_receive_message_length"] == server["grpc.max_send_message_length"]
