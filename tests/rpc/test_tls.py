"""TLS with and without client certificates, on loopback, with a certificate made for the test."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from pathlib import Path
from typing import Any

import grpc
import pytest

from sourcecorpus.rpc.channels import Identity
from sourcecorpus.rpc.runtime_settings import RuntimeSettings
from sourcecorpus.rpc.settings import SettingsError
from sourcecorpus.rpc.status import failure_from_rpc_error
from tests.rpc.serving import GET_GAME, answer, invoke, running

TOKEN = "t" * 40


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A self-signed certificate for 127.0.0.1, and its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("tls")
    chain, key = folder / "chain.pem", folder / "key.pem"
    command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    command += ["-nodes", "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"]
    command += ["-days", "2", "-keyout", str(key), "-out", str(chain)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return chain, key


async def handler(request: Any, context: Any) -> Any:
    return answer(GET_GAME)


async def outcome(settings: RuntimeSettings, identity: Identity) -> str:
    async with running({GET_GAME: handler}, settings=settings, identity=identity) as system:
        try:
            await invoke(system, GET_GAME, timeout=5)
        except grpc.aio.AioRpcError as error:
            return failure_from_rpc_error(error).code.name
        return "OK"


def test_tls_with_tokens(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    chain, key = certificate
    tokens, own = tmp_path / "tokens", tmp_path / "own"
    tokens.write_text(f"bridge {TOKEN}\n")
    own.write_text(f"{TOKEN}\n")
    tokens.chmod(0o600)
    own.chmod(0o600)
    settings = RuntimeSettings(
        tls_certificate_file=chain,
        tls_key_file=key,
        tls_server_ca_file=chain,
        access="tokens",
        token_file=tokens,
        own_token_file=own,
        drain_seconds=0.1,
    )
    assert asyncio.run(outcome(settings, Identity.from_settings(settings))) == "OK"
    without_token = Identity(server_roots=chain.read_bytes())
    assert asyncio.run(outcome(settings, without_token)) == "UNAUTHENTICATED"
    assert asyncio.run(outcome(settings, Identity(token=TOKEN))) == "UNAVAILABLE"


def test_a_client_without_certificate_is_turned_away(certificate: tuple[Path, Path]) -> None:
    chain, key = certificate
    settings = RuntimeSettings(
        tls_certificate_file=chain, tls_key_file=key, tls_client_ca_file=chain, drain_seconds=0.1
    )
    identity = Identity(server_roots=chain.read_bytes())
    assert asyncio.run(outcome(settings, identity)) == "UNAVAILABLE"


def test_files_of_tls_that_cannot_be_read(tmp_path: Path) -> None:
    absent = tmp_path / "absent.pem"
    with pytest.raises(SettingsError, match="tls_server_ca_file: No such file"):
        Identity.from_settings(RuntimeSettings(tls_server_ca_file=absent))
    with pytest.raises(SettingsError, match="No such file"):
        Identity.from_settings(RuntimeSettings(own_token_file=absent))
    settings = RuntimeSettings(tls_certificate_file=absent, tls_key_file=absent)
    with pytest.raises(SettingsError, match="tls_certificate_file: No such file"):
        asyncio.run(outcome(settings, Identity()))
    with pytest.raises(SettingsError, match="needs tls_certificate_file"):
        asyncio.run(outcome(RuntimeSettings(tls_client_ca_file=absent), Identity()))
