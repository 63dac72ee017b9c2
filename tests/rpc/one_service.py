"""A service process for tests: ``python one_service.py`` with SOURCECORPUS_… settings.

GetGame answers at once; StreamCaptures answers once and then waits for the drain, or, where the
environment says STUBBORN, for ever. NO_EXPORTER makes the OTLP exporter one that is not installed.
SIGNAL_WHEN_READY sends SIGTERM at the very moment the ready file is there.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from sourcecorpus.rpc import binding
from sourcecorpus.rpc import server as server_module
from sourcecorpus.rpc.addresses import Address
from sourcecorpus.rpc.runtime_settings import RuntimeSettings
from sourcecorpus.rpc.server import ServiceServer, run_service
from tests.rpc.serving import GET_GAME, MESSAGES, STREAM, add_handlers


async def serve(settings: RuntimeSettings) -> int:
    server = ServiceServer(settings)
    server.bind(settings.corpus_address)
    draining = asyncio.Event()

    async def told() -> None:
        if "STUBBORN" not in os.environ:
            draining.set()

    async def stopped() -> None:
        sys.stdout.write("store closed\n")

    async def answer(request: Any, context: Any) -> Any:
        return MESSAGES[GET_GAME][1]()

    async def stream(requests: Any, context: Any) -> AsyncIterator[Any]:
        yield MESSAGES[STREAM][1]()
        await draining.wait()
        yield MESSAGES[STREAM][1]()

    server.started("store", stopped)
    server.on_drain(told)
    add_handlers(server, {GET_GAME: answer, STREAM: stream})
    return await server.run()


def signal_when_ready(path: Path, address: Address) -> None:
    binding.write_ready_file(path, address)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    if "SIGNAL_WHEN_READY" in os.environ:
        server_module.write_ready_file = signal_when_ready
    if "NO_EXPORTER" in os.environ:
        sys.modules["opentelemetry.exporter"] = None  # type: ignore[assignment] # what import refuses
    sys.exit(run_service("sample", serve))
