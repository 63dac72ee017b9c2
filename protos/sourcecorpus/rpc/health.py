"""Standard health service whose watchers end when the service drains.

The stock ``Watch`` writes by itself and never ends, so that one watcher would hold up a drain for
the whole grace; here it is an async generator like every other stream.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any, Final

from grpc_health.v1 import health_pb2, health_pb2_grpc

from sourcecorpus.rpc.failures import Failure, FailureCode

HEALTH_SERVICE: Final = "grpc.health.v1.Health"
_SERVING: Final = health_pb2.HealthCheckResponse.SERVING
_NOT_SERVING: Final = health_pb2.HealthCheckResponse.NOT_SERVING
_UNKNOWN: Final = health_pb2.HealthCheckResponse.SERVICE_UNKNOWN


class HealthServicer(health_pb2_grpc.HealthServicer):  # type: ignore[misc] # the base is untyped
    """Health of the process (empty name) and of each service; belongs to one event loop."""

    def __init__(self, services: Iterable[str]) -> None:
        """Begin with every service NOT_SERVING."""
        self._serving = dict.fromkeys(["", *services], False)
        self._draining = False
        self._changed = asyncio.Event()

    def set_serving(self, serving: bool, service: str = "") -> None:
        """Tell whether a service takes calls; the empty name stands for all of them.

        While the process drains nothing serves any more.
        """
        names = [service] if service else list(self._serving)
        for name in names:
            self._serving[name] = serving and not self._draining
        self._notify()

    def drain(self) -> None:
        """Answer NOT_SERVING from here on and end all watchers."""
        self._draining = True
        self.set_serving(serving=False)

    async def Check(  # noqa: N802 - name of the contract
        self, request: health_pb2.HealthCheckRequest, context: object
    ) -> health_pb2.HealthCheckResponse:
        """Answer the state of one service.

        Raises:
            Failure: NOT_FOUND for a service that is not here.
        """
        del context
        if request.service not in self._serving:
            raise Failure(FailureCode.NOT_FOUND, "SERVICE_NOT_FOUND", "service")
        return health_pb2.HealthCheckResponse(status=self._status(request.service))

    async def Watch(  # noqa: N802 - name of the contract
        self, request: health_pb2.HealthCheckRequest, context: object
    ) -> AsyncIterator[health_pb2.HealthCheckResponse]:
        """Answer the state and each change of it, until the process drains."""
        del context
        told: Any = None
        while True:
            changed = self._changed
            status = self._status(request.service)
            if status != told:
                told = status
                yield health_pb2.HealthCheckResponse(status=status)
            if self._draining:
                return
            await changed.wait()

    def _status(self, service: str) -> Any:  # noqa: ANN401 - an enumeration of generated code
        if service not in self._serving:
            return _UNKNOWN
        return _SERVING if self._serving[service] else _NOT_SERVING

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
