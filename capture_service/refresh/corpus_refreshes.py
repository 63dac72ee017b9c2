"""The refresh requests that the corpus keeps."""

from __future__ import annotations

import grpc

from capture_service.refresh.limits import CALL_SECONDS_MAX
from sourcecorpus.capture.v1 import refresh_pb2 as messages
from sourcecorpus.corpus.v1 import ingest_service_pb2_grpc
from sourcecorpus.corpus.v1 import refresh_pb2 as corpus_messages
from sourcecorpus.rpc.status import failure_from_rpc_error


class CorpusRefreshes:
    """Takes refresh requests and reports about them over a channel."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = ingest_service_pb2_grpc.IngestServiceStub(channel)

    async def take(self, game_id: str) -> messages.RefreshRequest | None:
        """Lease one waiting request of a game; None where none waits.

        Raises:
            Failure: What the corpus answers, UNAVAILABLE among it.
        """
        try:
            response = await self._stub.TakeRefreshRequests(
                corpus_messages.TakeRefreshRequestsRequest(game_id=game_id, limit=1),
                timeout=CALL_SECONDS_MAX,
            )
        except grpc.aio.AioRpcError as error:
            raise failure_from_rpc_error(error) from None
        return response.requests[0] if response.requests else None

    async def report(self, report: messages.ReportRefreshRequest) -> messages.RefreshRequest:
        """Tell what came of a request.

        Raises:
            Failure: What the corpus answers, UNAVAILABLE among it.
        """
        request = corpus_messages.ReportRefreshRequest(
            game_id=report.game_id, request_id=report.request_id
        )
        if report.WhichOneof("outcome") == "envelope_id":
            request.envelope_id = report.envelope_id
        else:
            request.refusal = report.refusal
        try:
            response = await self._stub.ReportRefresh(request, timeout=CALL_SECONDS_MAX)
        except grpc.aio.AioRpcError as error:
            raise failure_from_rpc_error(error) from None
        return response.request
