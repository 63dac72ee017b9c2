"""Settings of the Hermes side: table ``client`` of the configuration file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sourcecorpus.hermes.sidecar.limits import (
    IDLE_SECONDS_DEFAULT,
    MEBIBYTE,
    SPOOL_BYTES_MAX_DEFAULT,
)
from sourcecorpus.rpc.settings import setting


@dataclass(frozen=True, slots=True)
class SidecarSettings:
    """What the user may choose."""

    table: ClassVar[str] = "client"

    spool_bytes_max: int = setting(
        "Bytes that may wait for the capture service; beyond them results are refused and counted.",
        "SOURCECORPUS_SPOOL_BYTES_MAX",
        SPOOL_BYTES_MAX_DEFAULT,
        minimum=MEBIBYTE,
    )
    idle_seconds: float = setting(
        "How long the sidecar stays without any Hermes and with nothing to send, in seconds.",
        "SOURCECORPUS_SIDECAR_IDLE_SECONDS",
        IDLE_SECONDS_DEFAULT,
        minimum=1.0,
        maximum=86_400.0,
    )
    transport: str = setting(
        "How Hermes reaches the sidecar: a Unix socket where there is one, or loopback TCP with a token.",
        "SOURCECORPUS_SIDECAR_TRANSPORT",
        "auto",
        choices=("auto", "tcp"),
    )
