"""Plain channels: a call on a closed one is an error, never the end of the process."""

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest

from sourcecorpus.capture.v1 import capture_service_pb2 as capture
from sourcecorpus.capture.v1.capture_service_pb2_grpc import CaptureServiceStub
from sourcecorpus.corpus.v1 import ingest_service_pb2, source_service_pb2
from sourcecorpus.corpus.v1.ingest_service_pb2_grpc import IngestServiceStub
from sourcecorpus.corpus.v1.source_service_pb2_grpc import SourceServiceStub
from sourcecorpus.rpc.channels import open_sync_channel
from sourcecorpus.rpc.failures import FailureCode
from sourcecorpus.rpc.status import failure_from_rpc_error
from sourcecorpus.rpc.sync_calls import ChannelClosedError

NOBODY = "127.0.0.1:1"


def unary(channel: grpc.Channel) -> Callable[[], Any]:
    stub = SourceServiceStub(channel)
    return lambda: stub.GetSource(source_service_pb2.GetSourceRequest(), timeout=5)


def with_call(channel: grpc.Channel) -> Callable[[], Any]:
    stub = SourceServiceStub(channel)
    return lambda: stub.GetSource.with_call(source_service_pb2.GetSourceRequest(), timeout=5)


def future(channel: grpc.Channel) -> Callable[[], Any]:
    stub = SourceServiceStub(channel)
    return lambda: stub.GetSource.future(source_service_pb2.GetSourceRequest(), timeout=5).result()


def server_stream(channel: grpc.Channel) -> Callable[[], Any]:
    stub = SourceServiceStub(channel)
    return lambda: list(stub.ReadRawContent(source_service_pb2.ReadRawContentRequest(), timeout=5))


def client_stream(channel: grpc.Channel) -> Callable[[], Any]:
    stub = IngestServiceStub(channel)
    frames = [ingest_service_pb2.UploadContentRequest()]
    return lambda: stub.UploadContent(iter(frames), timeout=5)


def both_streams(channel: grpc.Channel) -> Callable[[], Any]:
    stub = CaptureServiceStub(channel)
    frames = [capture.StreamCapturesRequest()]
    return lambda: list(stub.StreamCaptures(iter(frames), timeout=5))


KINDS = (unary, with_call, future, server_stream, client_stream, both_streams)


@pytest.mark.parametrize("kind", KINDS)
def test_a_call_on_a_closed_channel_is_unavailable(kind: Any) -> None:
    channel = open_sync_channel(NOBODY)
    call = kind(channel)
    channel.close()
    with pytest.raises(ChannelClosedError) as caught:
        call()
    assert failure_from_rpc_error(caught.value).code is FailureCode.UNAVAILABLE


@pytest.mark.parametrize("kind", KINDS)
def test_a_stub_made_on_a_closed_channel_is_unavailable(kind: Any) -> None:
    with open_sync_channel(NOBODY) as channel:
        pass
    with pytest.raises(ChannelClosedError):
        kind(channel)()


@pytest.mark.parametrize("kind", KINDS)
def test_an_open_channel_without_a_service_is_grpcs_own_error(kind: Any) -> None:
    with open_sync_channel(NOBODY) as channel, pytest.raises(grpc.RpcError) as caught:
        kind(channel)()
    assert not isinstance(caught.value, ChannelClosedError)
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


def test_what_a_caller_does_wrong_is_told_as_grpc_tells_it() -> None:
    with open_sync_channel(NOBODY) as channel, pytest.raises(TypeError):
        SourceServiceStub(channel).GetSource(source_service_pb2.GetSourceRequest(), unknown=1)


def close_while_threads_call() -> None:
    """Many rounds of calls from several threads while the channel is being closed."""
    codes: set[grpc.StatusCode] = set()

    def call(channel: grpc.Channel, ready: threading.Barrier) -> None:
        ready.wait()
        for _ in range(20):
            try:
                unary(channel)()
            except grpc.RpcError as error:
                codes.add(error.code())

    with ThreadPoolExecutor(5) as pool:
        for _ in range(30):
            channel = open_sync_channel(NOBODY)
            ready = threading.Barrier(5)
            callers = [pool.submit(call, channel, ready) for _ in range(4)]
            ready.wait()
            channel.close()
            for caller in callers:
                caller.result()
    assert codes <= {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}, codes


def test_closing_while_threads_call_ends_no_process() -> None:
    code = "from tests.rpc.test_sync_calls import close_while_threads_call as run; run()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2_000:]
