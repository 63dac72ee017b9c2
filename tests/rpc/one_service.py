"""A service process for tests: ``python one_service.py`` with SOURCECORPUS_… settings.

GetGame answers at once; StreamCaptures answers once and then waits for the drain, or, where the
environment says STUBBORN, for ever. NO_EXPORTER makes the OTLP exporter one that is not installed.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from typing import Any

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
    await server.start()
    return await server.run_until_stopped()


if __name__ == "__main__":
    if "NO_EXPORTER" in os.environ:
        sys.modules["opentelemetry.exporter"] = None  # type: ignore[assignment] # what import refuses
    sys.exit(run_service("sample", serve))
