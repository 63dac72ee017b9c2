"""The socket that plugins connect to, its lock, and the file that tells where it is."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import struct
import sys
import tempfile
from pathlib import Path
from typing import IO, Any, Final

from sourcecorpus.hermes.plugin.locations import Endpoint
from sourcecorpus.hermes.sidecar.limits import LISTEN_BACKLOG
from sourcecorpus.rpc.addresses import UNIX_PATH_BYTES_MAX

_PEER: Final = struct.Struct("3i")


class AnotherSidecarError(Exception):
    """A sidecar of this user runs already."""


class Listener:
    """The one listening socket of this user's sidecar.

    The lock is held as long as the process lives and is released by the system when it dies, however it dies.
    """

    def __init__(self, folder: Path, *, use_tcp: bool = False) -> None:
        """Take the lock, listen, and write the file that names the socket.

        Args:
            folder: The sidecar's folder; made with mode 0700.
            use_tcp: Listen on 127.0.0.1 with a token; Windows has no other way.

        Raises:
            AnotherSidecarError: The lock is held.
            OSError: The folder cannot be written or the socket cannot be made.
        """
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.chmod(0o700)
        self._file = folder / "sidecar.json"
        self._lock: IO[str] = (folder / "sidecar.lock").open("a", encoding="utf-8")
        try:
            _lock(self._lock)
        except OSError:
            self._lock.close()
            raise AnotherSidecarError from None
        self._temporary: Path | None = None
        self.endpoint = Endpoint()
        try:
            self.socket = self._listen(folder, use_tcp or not hasattr(socket, "AF_UNIX"))
            self._write_file()
        except OSError:
            self._lock.close()
            raise

    def close(self) -> None:
        """Stop listening and remove what only a running sidecar has."""
        self.socket.close()
        with contextlib.suppress(OSError):
            if self._temporary is not None:
                Path(self.endpoint.unix_path).unlink(missing_ok=True)
                self._temporary.rmdir()
            # In a folder that was removed and made anew, file and socket are another sidecar's.
            if self.is_reachable():
                self._file.unlink(missing_ok=True)
                if self.endpoint.unix_path:
                    Path(self.endpoint.unix_path).unlink(missing_ok=True)
        self._lock.close()

    def is_reachable(self) -> bool:
        """Whether plugins still find this socket: the file is there and names this process."""
        try:
            document = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return isinstance(document, dict) and document.get("pid") == os.getpid()

    def accepts(self, connection: socket.socket, token: object) -> bool:
        """Whether the other end may talk: the same user, or whoever shows the token on TCP."""
        if self.endpoint.token:
            return isinstance(token, str) and secrets.compare_digest(
                token.encode("utf-8", "replace"), self.endpoint.token.encode()
            )
        if sys.platform != "linux":
            # Elsewhere the modes of folder and socket keep other users out.
            return True
        peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
        return int(_PEER.unpack(peer)[1]) == os.getuid()

    def _listen(self, folder: Path, use_tcp: bool) -> socket.socket:
        if use_tcp:
            listening = socket.create_server(("127.0.0.1", 0), backlog=LISTEN_BACKLOG)
            self.endpoint = Endpoint(
                port=listening.getsockname()[1], token=secrets.token_urlsafe(32)
            )
            return listening
        path = folder / "sidecar.sock"
        if len(os.fsencode(path)) > UNIX_PATH_BYTES_MAX:
            self._temporary = Path(tempfile.mkdtemp(prefix="sourcecorpus-"))
            path = self._temporary / "sidecar.sock"
        # Only the holder of the lock comes here, so a file of that name is a dead one's.
        path.unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(str(path))
        path.chmod(0o600)
        listening.listen(LISTEN_BACKLOG)
        self.endpoint = Endpoint(unix_path=str(path))
        return listening

    def _write_file(self) -> None:
        document = {
            "unix_path": self.endpoint.unix_path,
            "port": self.endpoint.port,
            "token": self.endpoint.token,
            "pid": os.getpid(),
        }
        private = self._file.with_suffix(".part")
        private.unlink(missing_ok=True)
        descriptor = os.open(private, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(document, file)
        private.replace(self._file)


def _lock(file: IO[Any]) -> None:
    """Take the lock of a file without waiting.

    Raises:
        OSError: Another process holds it.
    """
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
