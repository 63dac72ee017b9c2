"""A capture service in the test's own process: keeps envelopes in memory, acknowledges as the contract says.

Its memory survives a restart of its server, as the real one's disk does.
"""

import hashlib
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import grpc
from grpc_status import rpc_status

from sourcecorpus.capture.v1 import capture_service_pb2 as pb
from sourcecorpus.capture.v1 import capture_service_pb2_grpc
from sourcecorpus.capture.v1.envelope_pb2 import Envelope
from sourcecorpus.capture.v1.outcome_pb2 import CaptureOutcome
from sourcecorpus.capture.v1.refresh_pb2 import ReportRefreshRequest, ReportRefreshResponse
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.status import status_of


def refuse(context: Any, failure: Failure) -> None:
    context.abort_with_status(rpc_status.to_status(status_of(failure)))


class CaptureMemory:
    """What the service has taken."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.envelopes: list[Envelope] = []
        self.duplicates = 0
        self.durable: dict[str, int] = {}
        self.games: dict[str, str] = {}
        self.refresh_reports: list[ReportRefreshRequest] = []
        self.known_games = {
            "emberfall": "emberfall",
            "ember": "emberfall",
            "saltmouth": "saltmouth",
        }

    def take(self, session: str, envelope: Envelope) -> CaptureOutcome.ValueType:
        with self.lock:
            known = any(
                seen.head.envelope_id == envelope.head.envelope_id for seen in self.envelopes
            )
            self.durable[session] = max(self.durable.get(session, 0), envelope.head.sequence)
            if known:
                self.duplicates += 1
                return CaptureOutcome.CAPTURE_OUTCOME_DUPLICATE_ENVELOPE
            self.envelopes.append(envelope)
            return CaptureOutcome.CAPTURE_OUTCOME_STORED

    def snapshot(self) -> list[Envelope]:
        with self.lock:
            return list(self.envelopes)


class CaptureDouble(capture_service_pb2_grpc.CaptureServiceServicer):
    """The servicer and its server; ``address`` stays the same over restarts."""

    def __init__(self, memory: CaptureMemory | None = None) -> None:
        self.memory = memory or CaptureMemory()
        self._port = 0
        self._server: grpc.Server | None = None
        self.break_after: int | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._port}"

    def start(self) -> None:
        self._server = grpc.server(ThreadPoolExecutor(16), options=[("grpc.so_reuseport", 0)])
        capture_service_pb2_grpc.add_CaptureServiceServicer_to_server(self, self._server)
        self._port = self._server.add_insecure_port(f"127.0.0.1:{self._port}")
        self._server.start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.stop(0).wait()
            self._server = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def StreamCaptures(self, request_iterator: Any, context: Any) -> Any:  # noqa: N802
        session, envelope, digest = "", Envelope(), hashlib.sha256()
        for request in request_iterator:
            kind = request.WhichOneof("frame")
            if kind == "open":
                session = request.open.capture_session_id
                durable = self.memory.durable.get(session, 0)
                yield pb.StreamCapturesResponse(
                    opened=pb.Opened(
                        resume_after_sequence=durable, window_messages=8, window_bytes=4_000_000
                    )
                )
            elif kind == "envelope":
                expected = self.memory.durable.get(session, 0)
                if request.envelope.sequence > expected + 8:
                    refuse(context, Failure(FailureCode.FAILED_PRECONDITION, "SEQUENCE_GAP"))
                envelope, digest = Envelope(head=request.envelope), hashlib.sha256()
            elif kind == "side_file":
                envelope.side_files.add(
                    name=request.side_file.name, media_type=request.side_file.media_type
                )
            elif kind == "data":
                digest.update(request.data)
                if envelope.side_files:
                    envelope.side_files[-1].data += request.data
                else:
                    envelope.result += request.data
            elif kind == "end":
                assert request.end.content_hash == f"sha256:{digest.hexdigest()}"
                yield self._ack(session, envelope, context)
            else:
                durable = self.memory.durable.get(session, 0)
                yield pb.StreamCapturesResponse(finished=pb.Finished(durable_sequence=durable))
                return

    def _ack(self, session: str, envelope: Envelope, context: Any) -> pb.StreamCapturesResponse:
        outcome = self.memory.take(session, envelope)
        if self.break_after is not None:
            self.break_after -= 1
            if self.break_after < 0:
                self.break_after = None
                refuse(context, Failure(FailureCode.UNAVAILABLE, "DRAINING"))
        ack = pb.Ack(durable_sequence=self.memory.durable[session])
        ack.outcomes.add(
            envelope_id=envelope.head.envelope_id,
            sequence=envelope.head.sequence,
            outcome=outcome,
        )
        return pb.StreamCapturesResponse(ack=ack)

    def GetSessionGame(self, request: Any, context: Any) -> Any:  # noqa: N802
        del context
        return pb.GetSessionGameResponse(game_id=self.memory.games.get(request.session_id, ""))

    def SetSessionGame(self, request: Any, context: Any) -> Any:  # noqa: N802
        if request.game_id and request.game_id not in self.memory.known_games:
            refuse(context, Failure(FailureCode.NOT_FOUND, "UNKNOWN_GAME", "game_id"))
        game = self.memory.known_games.get(request.game_id, "")
        self.memory.games[request.session_id] = game
        return pb.SetSessionGameResponse(game_id=game)

    def ReportRefresh(self, request: Any, context: Any) -> Any:  # noqa: N802
        del context
        with self.memory.lock:
            self.memory.refresh_reports.append(request)
        return ReportRefreshResponse()
