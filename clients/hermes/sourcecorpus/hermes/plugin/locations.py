"""Where the sidecar's files are, found with the standard library alone."""

from __future__ import annotations

import json
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from .limits import ENDPOINT_FILE_BYTES_MAX

DATA_VARIABLE: Final = "SOURCECORPUS_DATA_DIR"
CONFIGURATION_VARIABLE: Final = "SOURCECORPUS_CONFIG"
COMMAND_VARIABLE: Final = "SOURCECORPUS_SIDECAR_COMMAND"
INSTALLATION_FILE: Final = "installation.json"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How to reach the running sidecar.

    Attributes:
        unix_path: Path of its Unix socket; empty where it listens on TCP.
        port: Port on 127.0.0.1; 0 where it listens on a Unix socket.
        token: What a client must show on TCP, where every program of the machine can connect.
    """

    unix_path: str = ""
    port: int = 0
    token: str = ""


def data_folder() -> Path:
    """The folder that the services keep everything in.

    The environment wins over the configuration file, which wins over what ``source-corpus hermes install`` noted.
    """
    named = os.environ.get(DATA_VARIABLE) or _configured_folder() or installation().get("data_dir")
    if isinstance(named, str) and named:
        return Path(named)
    base = os.environ.get("XDG_DATA_HOME", "")
    return (Path(base) if base else Path.home() / ".local" / "share") / "sourcecorpus"


def hermes_folder() -> Path:
    """The sidecar's own folder."""
    return data_folder() / "hermes"


def endpoint_file() -> Path:
    """File that the running sidecar names its socket in."""
    return hermes_folder() / "sidecar.json"


def report_folder() -> Path:
    """Folder in which plugins that reach no sidecar leave their counts."""
    return hermes_folder() / "reports"


def read_endpoint(file: Path | None = None) -> Endpoint | None:
    """The socket of the running sidecar; None where none has named one.

    Args:
        file: The file that it wrote; None takes that of this user.
    """
    document = _json_file(file or endpoint_file())
    path, port, token = (document.get(key) for key in ("unix_path", "port", "token"))
    if isinstance(path, str) and path:
        return Endpoint(unix_path=path)
    if isinstance(port, int) and isinstance(token, str) and 0 < port < 65_536 and token:
        return Endpoint(port=port, token=token)
    return None


def installation() -> dict[str, Any]:
    """What ``source-corpus hermes install`` noted beside the plugin: the sidecar's command, the data folder."""
    return _json_file(Path(__file__).with_name(INSTALLATION_FILE))


def _configured_folder() -> str:
    named = os.environ.get(CONFIGURATION_VARIABLE, "")
    if not named:
        return ""
    try:
        document = tomllib.loads(Path(named).read_text(encoding="utf-8"))
        folder = document["runtime"]["data_dir"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return folder if isinstance(folder, str) else ""


def _json_file(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            document = json.loads(file.read(ENDPOINT_FILE_BYTES_MAX))
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}
