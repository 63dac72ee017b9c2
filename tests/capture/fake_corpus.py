"""A corpus in the test's own process that keeps what it gets and answers as it is told."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc

from sourcecorpus.capture.v1 import refresh_pb2 as capture_refresh_pb2
from sourcecorpus.corpus.v1 import (
    capture_record_pb2,
    game_pb2,
    game_service_pb2,
    game_service_pb2_grpc,
    ingest_service_pb2,
    ingest_service_pb2_grpc,
    refresh_pb2,
)
from tests.capture.frames import GAME

Record = capture_record_pb2.CaptureRecord
Result = ingest_service_pb2.IngestResult
Answer = Callable[[Record], Result | None]


_STARTED: list[FakeCorpus] = []


async def stop_all() -> None:
    """Stop what a test left running: gRPC's servers outlive a loop badly."""
    while _STARTED:
        await _STARTED.pop().stop()


class FakeCorpus(
    game_service_pb2_grpc.GameServiceServicer, ingest_service_pb2_grpc.IngestServiceServicer
):
    """Commits a record once, asks for bytes that it lacks, and counts everything."""

    def __init__(self) -> None:
        self.games = {GAME: game_pb2.Game(game_id=GAME, aliases=["Ember Fall"])}
        self.games[GAME].created_time.FromSeconds(1)
        self.records: dict[tuple[str, str], Record] = {}
        self.order: list[str] = []
        self.contents: dict[tuple[str, str], bytes] = {}
        self.batches: list[int] = []
        self.inline_bytes = 0
        self.uploads: list[str] = []
        self.answer: Answer = lambda _: None
        self.refreshes: list[capture_refresh_pb2.RefreshRequest] = []
        self.reports: list[refresh_pb2.ReportRefreshRequest] = []
        self._server: grpc.aio.Server | None = None
        self.port = 0

    async def TakeRefreshRequests(  # noqa: N802 - name of the contract
        self, request: refresh_pb2.TakeRefreshRequestsRequest, context: Any
    ) -> refresh_pb2.TakeRefreshRequestsResponse:
        waiting = [entry for entry in self.refreshes if entry.game_id == request.game_id]
        for entry in waiting[: request.limit]:
            self.refreshes.remove(entry)
        return refresh_pb2.TakeRefreshRequestsResponse(requests=waiting[: request.limit])

    async def ReportRefresh(  # noqa: N802 - name of the contract
        self, request: refresh_pb2.ReportRefreshRequest, context: Any
    ) -> refresh_pb2.ReportRefreshResponse:
        self.reports.append(request)
        return refresh_pb2.ReportRefreshResponse(
            request=capture_refresh_pb2.RefreshRequest(
                request_id=request.request_id, envelope_id=request.envelope_id
            )
        )

    async def start(self) -> None:
        self._server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        game_service_pb2_grpc.add_GameServiceServicer_to_server(self, self._server)
        ingest_service_pb2_grpc.add_IngestServiceServicer_to_server(self, self._server)
        self.port = self._server.add_insecure_port(f"127.0.0.1:{self.port}")
        await self._server.start()
        _STARTED.append(self)

    async def stop(self) -> None:
        if self._server is not None:
            await self._server.stop(0)
            self._server = None

    def forget(self, game_id: str) -> None:
        """Lose every blob of a game, as a deletion behind the capture service's back does."""
        self.contents = {key: data for key, data in self.contents.items() if key[0] != game_id}

    async def ListGames(  # noqa: N802 - name of the contract
        self, request: Any, context: Any
    ) -> game_service_pb2.ListGamesResponse:
        del request, context
        return game_service_pb2.ListGamesResponse(games=self.games.values())

    async def _not_called(self, request: Any, context: Any) -> Any:
        raise NotImplementedError

    GetGame = CreateGame = UpdateGame = _not_called

    async def IngestCaptures(  # noqa: N802 - name of the contract
        self, request: ingest_service_pb2.IngestCapturesRequest, context: Any
    ) -> ingest_service_pb2.IngestCapturesResponse:
        del context
        self.batches.append(len(request.records))
        return ingest_service_pb2.IngestCapturesResponse(
            results=[self.answer(record) or self._commit(record) for record in request.records]
        )

    def _commit(self, record: Record) -> Result:
        key = (record.game_id, record.envelope_id)
        for content in record.contents:
            if content.HasField("data"):
                assert hash_of(content.data) == content.content_hash
                self.inline_bytes += len(content.data)
                self.contents[record.game_id, content.content_hash] = content.data
        missing = [
            content.content_hash
            for content in record.contents
            if (record.game_id, content.content_hash) not in self.contents
        ]
        if missing:
            return Result(
                envelope_id=record.envelope_id,
                status=ingest_service_pb2.INGEST_STATUS_NEED_CONTENT,
                missing_content_hashes=missing,
            )
        status = ingest_service_pb2.INGEST_STATUS_DUPLICATE
        if key not in self.records:
            status = ingest_service_pb2.INGEST_STATUS_COMMITTED
            self.records[key] = record
            self.order.append(record.envelope_id)
        return Result(envelope_id=record.envelope_id, status=status)

    async def UploadContent(  # noqa: N802 - name of the contract
        self, request_iterator: AsyncIterator[Any], context: Any
    ) -> ingest_service_pb2.UploadContentResponse:
        del context
        head, parts = None, []
        async for message in request_iterator:
            if message.WhichOneof("frame") == "head":
                head = message.head
            else:
                assert len(message.data) <= 256 * 1024
                parts.append(message.data)
        assert head is not None
        data = b"".join(parts)
        assert hash_of(data) == head.content_hash
        assert len(data) == head.size_bytes
        self.contents[head.game_id, head.content_hash] = data
        self.uploads.append(head.content_hash)
        return ingest_service_pb2.UploadContentResponse(content_hash=head.content_hash)

    def result_of(self, envelope_id: str, game_id: str = GAME) -> bytes:
        record = self.records[game_id, envelope_id]
        return self.contents[game_id, record.result_hash] if record.result_hash else b""


def hash_of(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
