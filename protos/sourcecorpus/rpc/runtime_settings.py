"""Settings that both services share: where things are, who may call, what is told to whom."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from sourcecorpus.rpc.addresses import Address
from sourcecorpus.rpc.limits import DRAIN_SECONDS_DEFAULT
from sourcecorpus.rpc.settings import setting


def default_data_folder() -> Path:
    """``$XDG_DATA_HOME/sourcecorpus``, or ``~/.local/share/sourcecorpus`` (XDG Base Directory)."""
    base = os.environ.get("XDG_DATA_HOME", "")
    return (Path(base) if base else Path.home() / ".local" / "share") / "sourcecorpus"


@dataclass(frozen=True, slots=True)
class RuntimeSettings:
    """Table ``runtime`` of the configuration file."""

    table: ClassVar[str] = "runtime"

    data_dir: Path = setting(
        "Folder of everything that is kept.", "SOURCECORPUS_DATA_DIR", default_data_folder
    )
    capture_address: Address = setting(
        "Where the capture service listens.",
        "SOURCECORPUS_CAPTURE_ADDRESS",
        Address(host="127.0.0.1", port=50551),
    )
    corpus_address: Address = setting(
        "Where the corpus service listens.",
        "SOURCECORPUS_CORPUS_ADDRESS",
        Address(host="127.0.0.1", port=50552),
    )
    access: str = setting(
        "Who may call: local = every program of this machine, tokens = by bearer token.",
        "SOURCECORPUS_ACCESS",
        "local",
        choices=("local", "tokens"),
    )
    token_file: Path | None = setting(
        "File of mode 0600 with a line 'role[,role] token' for each caller, for access = tokens.",
        "SOURCECORPUS_TOKEN_FILE",
        None,
    )
    own_token_file: Path | None = setting(
        "File of mode 0600 with the bearer token that this program sends to a service.",
        "SOURCECORPUS_OWN_TOKEN_FILE",
        None,
    )
    tls_certificate_file: Path | None = setting(
        "PEM certificate chain of the service; any address beyond loopback needs it.",
        "SOURCECORPUS_TLS_CERTIFICATE_FILE",
        None,
    )
    tls_key_file: Path | None = setting(
        "PEM private key of the service.", "SOURCECORPUS_TLS_KEY_FILE", None
    )
    tls_client_ca_file: Path | None = setting(
        "PEM roots of client certificates; set, every client must present one.",
        "SOURCECORPUS_TLS_CLIENT_CA_FILE",
        None,
    )
    tls_server_ca_file: Path | None = setting(
        "PEM roots that this program checks a service against; set, it connects by TLS.",
        "SOURCECORPUS_TLS_SERVER_CA_FILE",
        None,
    )
    reflection: bool = setting(
        "Let tools such as grpcurl list and describe the services.",
        "SOURCECORPUS_REFLECTION",
        True,
    )
    log_level: str = setting(
        "Least severe level of log lines.",
        "SOURCECORPUS_LOG_LEVEL",
        "info",
        choices=("debug", "info", "warning", "error"),
    )
    telemetry: str = setting(
        "Where traces and metrics go.",
        "SOURCECORPUS_TELEMETRY",
        "none",
        choices=("none", "console", "otlp"),
    )
    telemetry_endpoint: str = setting(
        "OTLP/gRPC endpoint, for telemetry = otlp.",
        "SOURCECORPUS_TELEMETRY_ENDPOINT",
        "http://127.0.0.1:4317",
    )
    drain_seconds: float = setting(
        "How long open calls may go on after the first signal, in seconds.",
        "SOURCECORPUS_DRAIN_SECONDS",
        DRAIN_SECONDS_DEFAULT,
        minimum=0.0,
        maximum=300.0,
    )
    ready_file: Path | None = setting(
        "File that gets the bound address once the service takes calls.",
        "SOURCECORPUS_READY_FILE",
        None,
    )
