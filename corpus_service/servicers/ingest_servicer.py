"""IngestService: reads messages, calls the use cases, writes messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from typing import Any

import grpc

from corpus_service.servicers.ingest_messages import read_record, write_result
from corpus_service.servicers.refresh_calls import RefreshCalls
from corpus_service.services.failures import invalid
from corpus_service.services.ingest import IngestUseCase
from corpus_service.services.ingest_uploads import ContentUploadUseCase, OpenUpload, UploadHead
from sourcecorpus.corpus.v1 import ingest_service_pb2 as ingest_pb
from sourcecorpus.corpus.v1 import ingest_service_pb2_grpc as ingest_grpc
from sourcecorpus.corpus.v1 import refresh_pb2
from sourcecorpus.rpc.limits import INGEST_BATCH_BYTES_MAX, INGEST_RECORDS_MAX

Context = grpc.aio.ServicerContext[Any, Any]


class IngestServicer(ingest_grpc.IngestServiceServicer):
    """The way into the corpus; blocking work runs in the executor, which the bootstrap owns."""

    def __init__(
        self,
        ingest: IngestUseCase,
        uploads: ContentUploadUseCase,
        refreshes: RefreshCalls,
        executor: Executor,
    ) -> None:
        self._refreshes = refreshes
        self._ingest = ingest
        self._uploads = uploads
        self._executor = executor

    async def IngestCaptures(  # noqa: N802 - name of the contract
        self, request: ingest_pb.IngestCapturesRequest, context: Context
    ) -> ingest_pb.IngestCapturesResponse:
        """See ingest_service.proto.

        Raises:
            Failure: INVALID_ARGUMENT ``BATCH_EMPTY``, ``FIELD_TOO_MANY_VALUES``,
                ``BATCH_TOO_LARGE``.
        """
        if not request.records:
            raise invalid("BATCH_EMPTY", "records")
        if len(request.records) > INGEST_RECORDS_MAX:
            raise invalid("FIELD_TOO_MANY_VALUES", "records", limit=INGEST_RECORDS_MAX)
        # One record may be larger than a batch: its list of sources is bounded on its own.
        if len(request.records) > 1 and request.ByteSize() > INGEST_BATCH_BYTES_MAX:
            raise invalid("BATCH_TOO_LARGE", "records", limit=INGEST_BATCH_BYTES_MAX)
        loop = asyncio.get_running_loop()
        futures = await loop.run_in_executor(
            self._executor,
            lambda: self._ingest.ingest([read_record(record) for record in request.records]),
        )
        results = [await asyncio.wrap_future(future) for future in futures]
        return ingest_pb.IngestCapturesResponse(results=map(write_result, results))

    async def UploadContent(  # noqa: N802 - name of the contract
        self,
        request_iterator: AsyncIterator[ingest_pb.UploadContentRequest],
        context: Context,
    ) -> ingest_pb.UploadContentResponse:
        """See ingest_service.proto. A stream that breaks off leaves nothing.

        Raises:
            Failure: INVALID_ARGUMENT ``HEAD_REQUIRED``, ``HEAD_REPEATED``, ``FRAME_EMPTY`` and
                what `OpenUpload` refuses.
        """
        upload = _Upload(self._uploads, self._executor)
        try:
            async for message in request_iterator:
                await upload.take(message)
            return await upload.finish()
        except BaseException:
            await upload.clean_up()
            raise

    async def TakeRefreshRequests(  # noqa: N802 - name of the contract
        self, request: refresh_pb2.TakeRefreshRequestsRequest, context: Context
    ) -> refresh_pb2.TakeRefreshRequestsResponse:
        """See ingest_service.proto."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, self._refreshes.take, request)

    async def ReportRefresh(  # noqa: N802 - name of the contract
        self, request: refresh_pb2.ReportRefreshRequest, context: Context
    ) -> refresh_pb2.ReportRefreshResponse:
        """See ingest_service.proto."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, self._refreshes.report, request)


class _Upload:
    """The frames of one upload; its blocking steps run one behind another in the executor.

    A step is never abandoned: where the stream is cancelled in the middle of one, it ends before
    what it wrote is dropped.
    """

    def __init__(self, uploads: ContentUploadUseCase, executor: Executor) -> None:
        self._uploads = uploads
        self._executor = executor
        self._opened: OpenUpload | None = None
        self._step: asyncio.Future[None] | None = None
        self._content_hash = ""

    async def take(self, message: ingest_pb.UploadContentRequest) -> None:
        """Take one message."""
        kind = message.WhichOneof("frame")
        if kind is None:
            raise invalid("FRAME_EMPTY", "frame")
        if self._step is None:
            if kind != "head":
                raise invalid("HEAD_REQUIRED", "head")
            head = message.head
            self._content_hash = head.content_hash
            described = UploadHead(head.game_id, head.content_hash, head.size_bytes)
            await self._run(lambda: self._begin(described))
        elif kind == "head":
            raise invalid("HEAD_REPEATED", "head")
        else:
            await self._run(lambda: self._write(message.data))

    async def finish(self) -> ingest_pb.UploadContentResponse:
        """Verify and keep the bytes."""
        opened = self._opened
        if opened is None:
            raise invalid("HEAD_REQUIRED", "head")
        await self._run(opened.finish)
        return ingest_pb.UploadContentResponse(
            content_hash=self._content_hash, already_stored=opened.already_stored
        )

    async def clean_up(self) -> None:
        """Drop what was written, after the step that is under way."""
        if self._step is not None:
            await asyncio.wait({self._step})
        if self._opened is not None:
            await self._run(self._opened.abort)

    async def _run(self, step: Callable[[], None]) -> None:
        self._step = asyncio.get_running_loop().run_in_executor(self._executor, step)
        await asyncio.shield(self._step)

    def _begin(self, head: UploadHead) -> None:
        self._opened = self._uploads.begin(head)

    def _write(self, data: bytes) -> None:
        if self._opened is not None:
            self._opened.write(data)
