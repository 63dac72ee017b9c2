"""The floor of a call: a bare grpc.aio server whose one method takes bytes and gives bytes.

No interceptors, no messages, no look-up. Prints its port and serves until its input closes.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import grpc

METHOD = "/floor.Empty/Call"


async def serve() -> None:
    async def answer(request: bytes, _context: object) -> bytes:
        return request

    handler: Any = grpc.unary_unary_rpc_method_handler(answer)
    server = grpc.aio.server()
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("floor.Empty", {"Call": handler}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    await server.stop(0)


if __name__ == "__main__":
    asyncio.run(serve())
