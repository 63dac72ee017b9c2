"""Where a service listens: ``host:port`` or ``unix:path``.

Imports: standard library only. No name is resolved here: only ``localhost`` and IP literals of the
loopback range count as local.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Final

_UNIX_PREFIX: Final = "unix:"
# sockaddr_un of Linux holds 108 bytes, the closing NUL included; other systems hold fewer.
UNIX_PATH_BYTES_MAX: Final = 103
_PORT_MAX: Final = 65_535


@dataclass(frozen=True, slots=True)
class Address:
    """One listening address.

    Attributes:
        host: Host name or IP literal without brackets; empty for a Unix socket.
        port: TCP port, 0 for any free one; 0 for a Unix socket.
        unix_path: Path of the Unix socket; empty for TCP.
    """

    host: str = ""
    port: int = 0
    unix_path: str = ""

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read ``host:port``, ``[ipv6]:port``, ``unix:path`` or ``unix:///path``.

        Raises:
            ValueError: The text is none of these; the message does not repeat it.
        """
        if text.startswith(_UNIX_PREFIX):
            return cls(unix_path=_unix_path(text.removeprefix(_UNIX_PREFIX)))
        host, colon, port = text.rpartition(":")
        if not colon or not host or not (port.isascii() and port.isdigit()):
            raise ValueError("expected host:port or unix:path")
        if int(port) > _PORT_MAX:
            raise ValueError(f"the port must be at most {_PORT_MAX}")
        bracketed = host.startswith("[") and host.endswith("]")
        if ":" in host and not bracketed:
            raise ValueError("an IPv6 host needs brackets: [host]:port")
        return cls(host=host[1:-1] if bracketed else host, port=int(port))

    def __str__(self) -> str:
        if self.unix_path:
            return f"{_UNIX_PREFIX}{self.unix_path}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def local(self) -> bool:
        """Whether only programs of this machine reach it: a Unix socket or loopback."""
        if self.unix_path or self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def with_port(self, port: int) -> Address:
        """The same host with the port that was really bound."""
        return self if self.unix_path else Address(host=self.host, port=port)


def _unix_path(text: str) -> str:
    path = text.removeprefix("//") if text.startswith("///") else text
    if not path or "\0" in path:
        raise ValueError("expected a path after unix:")
    if len(path.encode()) > UNIX_PATH_BYTES_MAX:
        raise ValueError(f"the path of a Unix socket may have at most {UNIX_PATH_BYTES_MAX} bytes")
    return path
