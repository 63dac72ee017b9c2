"""``CaptureService``: reads requests, calls the intake, writes responses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from functools import partial
from typing import Any, Final, TypeAlias

import grpc

from capture_service.games.directory import GameDirectory
from capture_service.intake.intake import CaptureIntake
from capture_service.intake.limits import (
    OUTBOX_RETRY_SECONDS,
    UNARY_WAIT_SECONDS_MAX,
)
from capture_service.intake.memory_budget import MemoryBudget, Reservation
from capture_service.intake.session_queries import SessionQueries
from capture_service.measurements import STREAMS
from capture_service.pipeline.redact import QuarantineError
from capture_service.refresh.watching import RefreshWatching
from capture_service.servicers import limits
from capture_service.servicers.envelope_reading import is_printable_id, read_envelope
from capture_service.servicers.outcome_writing import outcome_message
from capture_service.servicers.stream_parts import StreamTimes
from capture_service.servicers.stream_session import StreamSession
from capture_service.spool import SpoolBusyError, SpoolClosedError, SpoolFullError
from sourcecorpus.capture.v1 import capture_service_pb2 as pb
from sourcecorpus.capture.v1 import capture_service_pb2_grpc, refresh_pb2
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import (
    CAPTURE_SESSION_ID_CHARACTERS_MAX,
    IDENTIFIER_BYTES_MAX,
    SUBMIT_BYTES_MAX,
    SUBMIT_ENVELOPES_MAX,
)

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
_INVALID: Final = FailureCode.INVALID_ARGUMENT


class CaptureServicer(capture_service_pb2_grpc.CaptureServiceServicer):
    """The service of the Hermes side. Belongs to one event loop."""

    def __init__(
        self,
        intake: CaptureIntake,
        directory: GameDirectory,
        queries: SessionQueries,
        budget: MemoryBudget,
        watching: RefreshWatching,
        *,
        wall_milliseconds: Callable[[], int],
        times: StreamTimes | None = None,
    ) -> None:
        """Wire the servicer; ``times`` are for tests."""
        self._intake = intake
        self._directory = directory
        self._queries = queries
        self._budget = budget
        self._watching = watching
        self._wall_milliseconds = wall_milliseconds
        self._times = times or StreamTimes()
        self._streams: dict[str, StreamSession] = {}
        self._open_streams: set[StreamSession] = set()
        self._draining = False

    async def drain(self) -> None:
        """Tell all streams to come back later; what has ended is acknowledged first."""
        self._draining = True
        self._watching.drain()
        for stream in tuple(self._open_streams):
            stream.drain()

    async def StreamCaptures(  # noqa: N802 - name of the contract
        self, request_iterator: AsyncIterator[pb.StreamCapturesRequest], context: Context
    ) -> AsyncIterator[pb.StreamCapturesResponse]:
        """Take envelopes from a stream."""
        del context
        self._refuse_while_draining()
        stream = StreamSession(self._intake, self._budget, self._open_session, self._times)
        self._open_streams.add(stream)
        STREAMS.add(1)
        try:
            async with aclosing(stream.responses(aiter(request_iterator))) as responses:
                async for response in responses:
                    yield response
        finally:
            self._open_streams.discard(stream)
            STREAMS.add(-1)
            for key, owner in tuple(self._streams.items()):
                if owner is stream:
                    del self._streams[key]

    async def _open_session(self, stream: StreamSession, session_id: str) -> tuple[str, int]:
        key = await self._key(session_id, "open.capture_session_id")
        older = self._streams.get(key)
        self._streams[key] = stream
        if older is not None:
            older.close(Failure(FailureCode.ABORTED, "STREAM_REPLACED"))
        try:
            return key, await self._queries.open(key, self._wall_milliseconds())
        except SpoolFullError as full:
            raise _no_room(full) from None
        except (SpoolBusyError, SpoolClosedError):
            raise _store_away() from None

    async def SubmitCaptures(  # noqa: N802 - name of the contract
        self, request: pb.SubmitCapturesRequest, context: Context
    ) -> pb.SubmitCapturesResponse:
        """Take a small batch of whole envelopes."""
        del context
        self._refuse_while_draining()
        if not request.envelopes:
            raise Failure(_INVALID, "BATCH_EMPTY", "envelopes")
        if len(request.envelopes) > SUBMIT_ENVELOPES_MAX:
            raise _too_many(SUBMIT_ENVELOPES_MAX)
        size_bytes = request.ByteSize()
        if size_bytes > SUBMIT_BYTES_MAX:
            raise Failure(
                _INVALID, "BATCH_TOO_LARGE", "envelopes", metadata={"limit": str(SUBMIT_BYTES_MAX)}
            )
        reservation = Reservation()
        try:
            async with asyncio.timeout(UNARY_WAIT_SECONDS_MAX):
                await self._budget.grow(reservation, size_bytes)
            return await self._submit(request)
        except TimeoutError:
            raise Failure(
                FailureCode.RESOURCE_EXHAUSTED,
                "WRITER_BUSY",
                retry_after_seconds=OUTBOX_RETRY_SECONDS,
            ) from None
        finally:
            await self._budget.release(reservation)

    async def _submit(self, request: pb.SubmitCapturesRequest) -> pb.SubmitCapturesResponse:
        items = [read_envelope(envelope) for envelope in request.envelopes]
        captures = await self._intake.prepare(items, "", 0.0)
        response = pb.SubmitCapturesResponse()
        while len(response.outcomes) < len(captures):
            try:
                outcomes, _ = await self._intake.commit("", captures[len(response.outcomes) :])
            except SpoolFullError as full:
                # What was committed before is answered as a duplicate when it is sent again.
                raise _no_room(full) from None
            except SpoolBusyError:
                raise Failure(
                    FailureCode.RESOURCE_EXHAUSTED,
                    "WRITER_BUSY",
                    retry_after_seconds=limits.BUSY_RETRY_SECONDS,
                ) from None
            except SpoolClosedError:
                raise _store_away() from None
            response.outcomes.extend(
                outcome_message(outcome, limits.UNARY_OUTCOME_BYTES_MAX) for outcome in outcomes
            )
        return response

    async def GetCaptureSession(  # noqa: N802 - name of the contract
        self, request: pb.GetCaptureSessionRequest, context: Context
    ) -> pb.GetCaptureSessionResponse:
        """Tell how far a capture session is."""
        del context
        session_id = request.capture_session_id
        if not session_id:
            raise Failure(_INVALID, "FIELD_REQUIRED", "capture_session_id")
        if not is_printable_id(session_id, CAPTURE_SESSION_ID_CHARACTERS_MAX):
            raise Failure(_INVALID, "FIELD_INVALID", "capture_session_id")
        state = await self._queries.state(await self._key(session_id, "capture_session_id"))
        if state is None:
            raise Failure(FailureCode.NOT_FOUND, "SESSION_NOT_FOUND", "capture_session_id")
        response = pb.GetCaptureSessionResponse(
            capture_session_id=session_id,
            durable_sequence=state.session.durable_sequence,
            outcomes=state.outcomes,
            ignored_tools=state.ignored_tools,
            outbox_envelopes=state.waiting,
            delivered_envelopes=state.session.delivered,
        )
        response.opened_time.FromMilliseconds(state.session.opened_milliseconds)
        response.last_seen_time.FromMilliseconds(state.session.last_seen_milliseconds)
        return response

    async def SetSessionGame(  # noqa: N802 - name of the contract
        self, request: pb.SetSessionGameRequest, context: Context
    ) -> pb.SetSessionGameResponse:
        """Set the game of a Hermes session."""
        del context
        _require_session_id(request.session_id)
        key = await self._key(request.session_id, "session_id")
        game_id = ""
        if request.game_id:
            game = await self._directory.find(request.game_id, 0.0)
            if game is None:
                raise Failure(FailureCode.NOT_FOUND, "UNKNOWN_GAME", "game_id")
            game_id = game.game_id
        try:
            await self._queries.set_game(key, game_id, self._wall_milliseconds())
        except SpoolFullError as full:
            raise _no_room(full) from None
        except (SpoolBusyError, SpoolClosedError):
            raise _store_away() from None
        return pb.SetSessionGameResponse(game_id=game_id)

    async def GetSessionGame(  # noqa: N802 - name of the contract
        self, request: pb.GetSessionGameRequest, context: Context
    ) -> pb.GetSessionGameResponse:
        """Tell the game of a Hermes session."""
        del context
        _require_session_id(request.session_id)
        key = await self._key(request.session_id, "session_id")
        return pb.GetSessionGameResponse(game_id=await self._queries.game(key))

    async def WatchRefreshRequests(  # noqa: N802 - name of the contract
        self, request: refresh_pb2.WatchRefreshRequestsRequest, context: Context
    ) -> AsyncIterator[refresh_pb2.WatchRefreshRequestsResponse]:
        """Hand out refresh requests of a session's game, or of a game."""
        del context
        self._refuse_while_draining()
        match request.WhichOneof("scope"):
            case "session_id":
                _require_session_id(request.session_id)
                game = partial(
                    self._queries.game, await self._key(request.session_id, "session_id")
                )
            case "game_id" if request.game_id:
                found = await self._directory.find(request.game_id, 0.0)
                if found is None:
                    raise Failure(FailureCode.NOT_FOUND, "UNKNOWN_GAME", "game_id")
                game = partial(_same, found.game_id)
            case _:
                raise Failure(_INVALID, "FIELD_REQUIRED", "scope")
        async with aclosing(self._watching.requests(game)) as requests:
            async for leased in requests:
                yield refresh_pb2.WatchRefreshRequestsResponse(request=leased)

    async def ReportRefresh(  # noqa: N802 - name of the contract
        self, request: refresh_pb2.ReportRefreshRequest, context: Context
    ) -> refresh_pb2.ReportRefreshResponse:
        """Pass on what came of a refresh request."""
        del context
        if request.WhichOneof("outcome") is None:
            raise Failure(_INVALID, "FIELD_REQUIRED", "outcome")
        return refresh_pb2.ReportRefreshResponse(request=await self._watching.report(request))

    async def _key(self, session_id: str, field: str) -> str:
        """The name under which a session is kept: ids are free text and are redacted too."""
        try:
            return await self._intake.key_of(session_id)
        except QuarantineError:
            raise Failure(_INVALID, "FIELD_INVALID", field) from None

    def _refuse_while_draining(self) -> None:
        if self._draining:
            raise Failure(
                FailureCode.UNAVAILABLE,
                "DRAINING",
                retry_after_seconds=limits.DRAIN_RETRY_SECONDS,
            )


async def _same(game_id: str) -> str:
    return game_id


def _require_session_id(session_id: str) -> None:
    if not session_id:
        raise Failure(_INVALID, "FIELD_REQUIRED", "session_id")
    if len(session_id.encode("utf-8")) > IDENTIFIER_BYTES_MAX:
        raise Failure(_INVALID, "FIELD_TOO_LARGE", "session_id")


def _no_room(full: SpoolFullError) -> Failure:
    return Failure(
        FailureCode.RESOURCE_EXHAUSTED, full.reason, retry_after_seconds=OUTBOX_RETRY_SECONDS
    )


def _store_away() -> Failure:
    return Failure(
        FailureCode.UNAVAILABLE, "STORE_UNAVAILABLE", retry_after_seconds=OUTBOX_RETRY_SECONDS
    )


def _too_many(limit: int) -> Failure:
    return Failure(_INVALID, "FIELD_TOO_MANY_VALUES", "envelopes", metadata={"limit": str(limit)})
