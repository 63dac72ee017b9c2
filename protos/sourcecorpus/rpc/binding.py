"""Taking an address: exactly one service on it, plaintext only where no other machine reaches it."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import grpc

from sourcecorpus.rpc.addresses import Address
from sourcecorpus.rpc.channels import read_file
from sourcecorpus.rpc.settings import SettingsError

if TYPE_CHECKING:
    from sourcecorpus.rpc.runtime_settings import RuntimeSettings

_IN_USE: Final = "in use by another process"
_PROBLEMS: Final = {
    errno.EADDRINUSE: _IN_USE,
    errno.EACCES: "not permitted",
    errno.EADDRNOTAVAIL: "not an address of this machine",
}


class StartError(Exception):
    """The service cannot start; the message is one line for people."""


class Binding:
    """An address that this process holds.

    Attributes:
        address: The address with the port that was really bound.
    """

    def __init__(self, address: Address, lock: int | None = None) -> None:
        self.address: Final = address
        self._lock = lock

    def release(self) -> None:
        """Give a Unix socket's path free; TCP ports are freed by the server itself."""
        if self._lock is not None:
            Path(self.address.unix_path).unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None


def bind(server: grpc.aio.Server, address: Address, settings: RuntimeSettings) -> Binding:
    """Bind a server that has not started.

    Args:
        server: Made with ``grpc.so_reuseport`` off, otherwise two processes share a port.
        address: Where to listen.
        settings: TLS files and access.

    Raises:
        SettingsError: The address reaches beyond this machine and TLS or tokens are missing, or a
            file of TLS cannot be read.
        StartError: The address is in use or cannot be used.
    """
    credentials = server_credentials(settings)
    if not address.local:
        if credentials is None:
            problem = "beyond loopback set tls_certificate_file and tls_key_file"
            raise SettingsError("address", str(address), problem)
        if settings.access != "tokens":
            raise SettingsError("address", str(address), "beyond loopback set access = tokens")
    if address.unix_path:
        return _bind_unix(server, address, credentials)
    # gRPC is content when one of the addresses behind a name is free; an exact one cannot be shared.
    exact = Address(host="127.0.0.1", port=address.port) if address.host == "localhost" else address
    _probe(exact, str(address))
    try:
        port = _add_port(server, str(exact), credentials)
    except RuntimeError as error:
        raise StartError(f"{address}: cannot be bound") from error
    return Binding(address.with_port(port))


def server_credentials(settings: RuntimeSettings) -> grpc.ServerCredentials | None:
    """TLS of the server; None where no certificate is set.

    Raises:
        SettingsError: Only one of certificate and key is set, or a file cannot be read.
    """
    if settings.tls_certificate_file is None and settings.tls_key_file is None:
        if settings.tls_client_ca_file is not None:
            raise SettingsError("tls_client_ca_file", "", "needs tls_certificate_file")
        return None
    if settings.tls_certificate_file is None or settings.tls_key_file is None:
        raise SettingsError("tls_key_file", "", "certificate and key go together")
    certificate = read_file(settings.tls_certificate_file, "tls_certificate_file")
    key = read_file(settings.tls_key_file, "tls_key_file")
    roots = None
    if settings.tls_client_ca_file is not None:
        roots = read_file(settings.tls_client_ca_file, "tls_client_ca_file")
    return grpc.ssl_server_credentials([(key, certificate)], roots, roots is not None)


def write_ready_file(path: Path, address: Address) -> None:
    """Tell the bound address: into a FIFO that somebody reads, otherwise as a file that appears whole.

    A FIFO lets a parent wait without polling.

    Raises:
        StartError: The file cannot be written.
    """
    line = f"{address}\n".encode()
    try:
        if path.exists() and stat.S_ISFIFO(path.stat().st_mode):
            descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
            with os.fdopen(descriptor, "wb") as fifo:
                fifo.write(line)
            return
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(line)
        Path(file.name).replace(path)
    except OSError as error:
        raise StartError(f"{path}: {error.strerror or 'cannot be written'}") from error


def _bind_unix(
    server: grpc.aio.Server, address: Address, credentials: grpc.ServerCredentials | None
) -> Binding:
    path = Path(address.unix_path)
    lock = _lock(path)
    try:
        if path.exists() and not stat.S_ISSOCK(path.stat().st_mode):
            raise StartError(f"{address}: a file that is no socket is in the way")
        # With the lock held, a socket that is still there belongs to a process that has ended.
        path.unlink(missing_ok=True)
        # The socket must never exist with wider permissions, not even for a moment.
        previous = os.umask(0o177)
        try:
            _add_port(server, str(address), credentials)
        finally:
            os.umask(previous)
    except RuntimeError as error:
        os.close(lock)
        raise StartError(f"{address}: cannot be bound") from error
    except BaseException:
        os.close(lock)
        raise
    return Binding(address, lock)


def _lock(path: Path) -> int:
    """Lock the path for this process; the lock file stays, because removing it would race."""
    lock_path = path.with_name(f"{path.name}.lock")
    try:
        lock = os.open(lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        problem = error.strerror or "cannot be written"
        raise StartError(f"{lock_path}: {problem}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise StartError(f"unix:{path}: {_IN_USE}") from error
    return lock


def _add_port(
    server: grpc.aio.Server, target: str, credentials: grpc.ServerCredentials | None
) -> int:
    if credentials is None:
        return server.add_insecure_port(target)
    return server.add_secure_port(target, credentials)


def _probe(address: Address, shown: str) -> None:
    """Ask the system first: gRPC tells only that it failed, and writes lines of its own."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    with socket.socket(family) as probe:
        # As gRPC does: connections that have ended do not keep the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address.host, address.port))
        except socket.gaierror as error:
            raise StartError(f"{shown}: the host is unknown") from error
        except OSError as error:
            problem = _PROBLEMS.get(error.errno or 0, error.strerror or "cannot be bound")
            raise StartError(f"{shown}: {problem}") from error
