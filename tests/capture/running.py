"""The real capture service on a real socket, beside a fake corpus, in the test's own process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import grpc

from capture_service.bootstrap import add_capture_service
from capture_service.redaction import RedactionKey, RedactionPolicy
from capture_service.refresh.watching import WatchTimes
from capture_service.servicers.stream_parts import StreamTimes
from capture_service.settings import CaptureSettings
from sourcecorpus.capture.v1 import capture_service_pb2 as pb
from sourcecorpus.capture.v1 import capture_service_pb2_grpc
from sourcecorpus.rpc.addresses import Address
from sourcecorpus.rpc.channels import open_channel
from sourcecorpus.rpc.failures import Failure
from sourcecorpus.rpc.runtime_settings import RuntimeSettings
from sourcecorpus.rpc.server import ServiceServer
from sourcecorpus.rpc.status import failure_from_rpc_error
from tests.capture.fake_corpus import FakeCorpus, stop_all
from tests.capture.frames import opening

LOOPBACK = "127.0.0.1"
SECONDS_MAX = 20.0


@dataclass
class Running:
    """A capture service that takes calls."""

    stub: Any
    corpus: FakeCorpus
    server: ServiceServer

    async def submit(self, *envelopes: Any) -> list[Any]:
        request = pb.SubmitCapturesRequest(envelopes=envelopes)
        response = await self.stub.SubmitCaptures(request)
        return list(response.outcomes)

    async def session(self, session: str = "session-1") -> pb.GetCaptureSessionResponse:
        response: pb.GetCaptureSessionResponse = await self.stub.GetCaptureSession(
            pb.GetCaptureSessionRequest(capture_session_id=session)
        )
        return response

    async def stream(self, messages: Iterable[pb.StreamCapturesRequest]) -> Stream:
        stream = Stream(self.stub.StreamCaptures())
        for message in messages:
            await stream.send(message)
        return stream

    async def delivered(self, count: int) -> None:
        """Wait until the corpus has so many records."""
        await until(lambda: len(self.corpus.records) >= count)


class Stream:
    """The client's side of one capture stream, frame by frame."""

    def __init__(self, call: Any) -> None:
        self._call = call
        self.outcomes: list[Any] = []
        self.durable_sequence = 0
        self.slow_downs: list[str] = []

    async def send(self, message: pb.StreamCapturesRequest) -> None:
        await self._call.write(message)

    async def send_all(self, messages: Iterable[pb.StreamCapturesRequest]) -> None:
        for message in messages:
            await self.send(message)

    async def next(self) -> pb.StreamCapturesResponse | None:
        """The next response; None at the end."""
        async with asyncio.timeout(SECONDS_MAX):
            response = await self._call.read()
        if response is grpc.aio.EOF:
            await self.end()
            return None
        kind = response.WhichOneof("frame")
        if kind == "ack":
            self.outcomes += response.ack.outcomes
            self.durable_sequence = response.ack.durable_sequence
        elif kind == "slow_down":
            self.slow_downs.append(response.slow_down.reason)
        elif kind == "finished":
            self.durable_sequence = response.finished.durable_sequence
        else:
            self.durable_sequence = response.opened.resume_after_sequence
        return response  # type: ignore[no-any-return]

    async def acknowledged(self, count: int) -> list[Any]:
        """Read until so many envelopes are acknowledged."""
        while len(self.outcomes) < count:
            assert await self.next() is not None
        return self.outcomes

    async def end(self) -> None:
        """Read until the end.

        Raises:
            Failure: The stream ended with an error.
        """
        async with asyncio.timeout(SECONDS_MAX):
            if await self._call.code() is grpc.StatusCode.OK:
                return
        raise await failure_of(self._call)

    async def drained(self) -> None:
        """Read all responses, then see how the stream ended."""
        try:
            while await self.next() is not None:
                pass
        except grpc.aio.AioRpcError as error:
            raise failure_from_rpc_error(error) from None

    async def half_close(self) -> None:
        await self._call.done_writing()

    def cancel(self) -> None:
        self._call.cancel()


async def failure_of(call: Any) -> Failure:
    metadata = await call.trailing_metadata()
    error = grpc.aio.AioRpcError(
        await call.code(), grpc.aio.Metadata(), metadata, await call.details()
    )
    return failure_from_rpc_error(error)


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that other tasks bring about."""
    async with asyncio.timeout(SECONDS_MAX):
        while not condition():  # noqa: ASYNC110 - what it waits for has no event
            await asyncio.sleep(0.005)


@lru_cache(maxsize=1)
def compiled_policy() -> RedactionPolicy:
    """Compiling takes half a second; no test needs a key of its own."""
    return RedactionPolicy.build(RedactionKey.ephemeral())


@asynccontextmanager
async def running(
    folder: Path,
    corpus: FakeCorpus | None = None,
    settings: CaptureSettings | None = None,
    times: StreamTimes | None = None,
    watch_times: WatchTimes | None = None,
) -> AsyncIterator[Running]:
    """Start the service over a data folder; a corpus that is given may be stopped."""
    given = corpus or FakeCorpus()
    if corpus is None:
        await given.start()
    runtime = RuntimeSettings(
        data_dir=folder,
        capture_address=Address(host=LOOPBACK, port=0),
        corpus_address=Address(host=LOOPBACK, port=given.port),
        drain_seconds=1.0,
    )
    server = ServiceServer(runtime)
    address = server.bind(runtime.capture_address)
    await add_capture_service(
        server,
        settings or CaptureSettings(),
        runtime,
        policy=compiled_policy(),
        times=times,
        watch_times=watch_times,
    )
    await server.start()
    channel = open_channel(address)
    try:
        stub = capture_service_pb2_grpc.CaptureServiceStub(channel)
        yield Running(stub, given, server)
    finally:
        await channel.close()
        await server.drain()
        if corpus is None:
            await given.stop()


def run(test: Awaitable[None]) -> None:
    async def bounded() -> None:
        try:
            async with asyncio.timeout(60):
                await test
        finally:
            await stop_all()

    asyncio.run(bounded())


def opened(*messages: pb.StreamCapturesRequest) -> list[pb.StreamCapturesRequest]:
    return [opening(), *messages]
