"""Refresh requests between the capture service and a plugin that carries them out."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, Final

import grpc

from sourcecorpus.capture.v1.refresh_pb2 import (
    RefreshRefusal,
    ReportRefreshRequest,
    WatchRefreshRequestsRequest,
)
from sourcecorpus.hermes.plugin.lineage import identifier
from sourcecorpus.hermes.sidecar.games import CurrentGame
from sourcecorpus.hermes.sidecar.limits import (
    REFRESH_REPORT_ATTEMPTS_MAX,
    REFRESH_TAKE_SECONDS,
    REFRESHES_TOGETHER_MAX,
    SET_GAME_CALL_SECONDS_MAX,
)
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.logs import log_event
from sourcecorpus.rpc.status import failure_from_rpc_error

if TYPE_CHECKING:
    from sourcecorpus.hermes.sidecar.services import Services

_LOGGER: Final = logging.getLogger(__name__)
Answer = dict[str, Any]


class RefreshAnswers:
    """``take_refreshes`` and ``refuse_refresh``, and the report of what was captured."""

    def __init__(
        self,
        services: Services,
        current_game: Callable[[dict[str, Any]], CurrentGame],
        reports: Executor,
    ) -> None:
        """Wire it; ``reports`` runs what nobody waits for."""
        self._services = services
        self._current_game = current_game
        self._reports = reports

    def handlers(self) -> dict[str, Callable[[dict[str, Any]], Answer]]:
        """What answers which question."""
        return {"take_refreshes": self.take, "refuse_refresh": self.refuse}

    def take(self, question: dict[str, Any]) -> Answer:
        """Lease what waits for the current game: what comes within a moment, a few at most."""
        game = self._current_game(question)
        if not game.game_id:
            return {"requests": []}
        watching = self._services.captures.WatchRefreshRequests(
            WatchRefreshRequestsRequest(game_id=game.game_id), timeout=REFRESH_TAKE_SECONDS
        )
        requests: list[Answer] = []
        try:
            for response in watching:
                request = response.request
                requests.append(
                    {
                        "game_id": request.game_id,
                        "request_id": request.request_id,
                        "uri": request.uri or request.canonical_uri,
                        "family": request.family,
                    }
                )
                if len(requests) == REFRESHES_TOGETHER_MAX:
                    break
        except grpc.RpcError as error:
            failure = failure_from_rpc_error(error)
            # The end of the moment is what ends an ordinary question.
            if failure.code is not FailureCode.DEADLINE_EXCEEDED and not requests:
                raise failure from None
        finally:
            watching.cancel()
        return {"requests": requests}

    def refuse(self, question: dict[str, Any]) -> Answer:
        """Tell why a source was not captured.

        Raises:
            Failure: An argument is wrong, or the service refuses.
        """
        name = f"REFRESH_REFUSAL_{question.get('refusal')}"
        if name not in RefreshRefusal.keys() or name == "REFRESH_REFUSAL_UNSPECIFIED":  # noqa: SIM118 - no mapping
            raise Failure(FailureCode.INVALID_ARGUMENT, "FIELD_INVALID", "refusal")
        self._report(
            ReportRefreshRequest(
                game_id=identifier(question.get("game_id")),
                request_id=identifier(question.get("request_id")),
                refusal=RefreshRefusal.Value(name),
            )
        )
        return {"reported": True}

    def captured(self, game_id: str, request_id: str, envelope_id: str) -> None:
        """Tell which envelope captured a source again; what fails is told by the end of the lease."""
        request = ReportRefreshRequest(
            game_id=game_id, request_id=request_id, envelope_id=envelope_id
        )
        self._reports.submit(self._report_captured, request)

    def _report_captured(self, request: ReportRefreshRequest) -> None:
        for attempt in range(1, REFRESH_REPORT_ATTEMPTS_MAX + 1):
            try:
                self._report(request)
            except Failure as failure:
                if failure.transient and attempt < REFRESH_REPORT_ATTEMPTS_MAX:
                    continue
                log_event(_LOGGER, logging.WARNING, "refresh_not_reported", reason=failure.reason)
            return

    def _report(self, request: ReportRefreshRequest) -> None:
        try:
            self._services.captures.ReportRefresh(request, timeout=SET_GAME_CALL_SECONDS_MAX)
        except grpc.RpcError as error:
            raise failure_from_rpc_error(error) from None
