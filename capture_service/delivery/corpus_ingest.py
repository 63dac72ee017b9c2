"""The corpus service as the sender sees it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Final

import grpc

from capture_service.delivery import limits
from sourcecorpus.corpus.v1 import capture_record_pb2, ingest_service_pb2, ingest_service_pb2_grpc
from sourcecorpus.rpc.limits import DATA_FRAME_BYTES_MAX
from sourcecorpus.rpc.status import failure_from_rpc_error
from sourcecorpus.rpc.telemetry import linked_span

_SPAN: Final = "capture.deliver"


class CorpusIngest:
    """Calls ``IngestService``; its errors come as ``Failure``."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = ingest_service_pb2_grpc.IngestServiceStub(channel)

    async def ingest(
        self, records: Sequence[capture_record_pb2.CaptureRecord]
    ) -> Sequence[ingest_service_pb2.IngestResult]:
        """Send a batch.

        Raises:
            Failure: The call failed; nothing is known about the records.
        """
        request = ingest_service_pb2.IngestCapturesRequest(records=records)
        with linked_span(_SPAN, [record.traceparent for record in records if record.traceparent]):
            try:
                response = await self._stub.IngestCaptures(request, timeout=limits.CALL_SECONDS_MAX)
            except grpc.RpcError as error:
                raise failure_from_rpc_error(error) from None
        return response.results

    async def upload(
        self, game_id: str, content_hash: str, size_bytes: int, pieces: AsyncIterator[bytes]
    ) -> None:
        """Upload a content in frames.

        Raises:
            Failure: The call failed.
        """
        try:
            await self._stub.UploadContent(
                _frames(game_id, content_hash, size_bytes, pieces),
                timeout=limits.UPLOAD_SECONDS_MAX,
            )
        except grpc.RpcError as error:
            raise failure_from_rpc_error(error) from None


async def _frames(
    game_id: str, content_hash: str, size_bytes: int, pieces: AsyncIterator[bytes]
) -> AsyncIterator[ingest_service_pb2.UploadContentRequest]:
    yield ingest_service_pb2.UploadContentRequest(
        head=ingest_service_pb2.UploadHead(
            game_id=game_id, content_hash=content_hash, size_bytes=size_bytes
        )
    )
    async for piece in pieces:
        for start in range(0, len(piece), DATA_FRAME_BYTES_MAX):
            yield ingest_service_pb2.UploadContentRequest(
                data=piece[start : start + DATA_FRAME_BYTES_MAX]
            )
