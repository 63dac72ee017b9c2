"""Any mixture of drops, repetitions, cancellations and restarts stores each envelope once, in order."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from capture_service.domain.games import Directory, GameEntry
from capture_service.games.directory import GameDirectory
from capture_service.intake.intake import CaptureIntake
from capture_service.intake.memory_budget import MemoryBudget
from capture_service.intake.session_queries import SessionQueries
from capture_service.outbox import counters
from capture_service.outbox.store import OutboxStore
from capture_service.refresh.watching import RefreshWatching
from capture_service.servicers.capture_servicer import CaptureServicer
from capture_service.servicers.stream_parts import StreamTimes
from capture_service.spool import QueueLimits, queue
from sourcecorpus.capture.v1 import capture_service_pb2 as pb
from sourcecorpus.capture.v1 import refresh_pb2
from tests.capture.frames import GAME, data, finish, head, opening, whole
from tests.capture.plain_pipeline import PlainPipeline

SESSION = "session"
ENVELOPES_MAX = 40
Request = pb.StreamCapturesRequest


class NoRefreshes:
    """A corpus without refresh requests."""

    async def take(self, game_id: str) -> refresh_pb2.RefreshRequest | None:
        return None

    async def report(self, report: refresh_pb2.ReportRefreshRequest) -> refresh_pb2.RefreshRequest:
        return refresh_pb2.RefreshRequest()


class Games:
    async def list_games(self) -> list[GameEntry]:
        return [GameEntry(GAME)]


def content(number: int) -> bytes:
    return b"content %d" % number


class StreamResume(RuleBasedStateMachine):
    """A client that behaves as badly as networks do, beside a model of what it was promised."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.executor = ThreadPoolExecutor(2)
        self.acknowledged = 0
        self.next_sequence = 1
        self.requests: asyncio.Queue[Request | None] | None = None
        self.responses: Any = None
        self.in_envelope = False
        self._start()

    def _start(self) -> None:
        path = Path(self.folder.name) / "capture.db"
        self.store = OutboxStore(path, QueueLimits(), lambda: 1)
        directory = GameDirectory(
            Games(),
            self.store,
            monotonic_seconds=self.loop.time,
            wall_milliseconds=lambda: 1,
        )
        directory._directory = Directory.of([GameEntry(GAME)])
        intake = CaptureIntake(
            self.store, PlainPipeline(), directory, self.executor, queued=lambda _: None
        )
        self.budget = MemoryBudget()
        self.servicer = CaptureServicer(
            intake,
            directory,
            SessionQueries(self.store),
            self.budget,
            RefreshWatching(NoRefreshes()),
            wall_milliseconds=lambda: 1,
            times=StreamTimes(finish_grace=0.0),
        )

    def _run(self, activity: Any) -> Any:
        return self.loop.run_until_complete(asyncio.wait_for(activity, 20))

    async def _incoming(self, requests: asyncio.Queue[Request | None]) -> AsyncIterator[Request]:
        while (message := await requests.get()) is not None:
            yield message

    async def _open(self) -> None:
        self.requests = asyncio.Queue()
        self.requests.put_nowait(opening(SESSION))
        self.responses = self.servicer.StreamCaptures(
            self._incoming(self.requests),
            None,  # type: ignore[arg-type]
        )
        first = await anext(self.responses)
        resume = first.opened.resume_after_sequence
        assert resume >= self.acknowledged
        self.acknowledged = resume
        self.next_sequence = resume + 1
        self.in_envelope = False

    def _send(self, *messages: Request) -> None:
        assert self.requests is not None
        for message in messages:
            self.requests.put_nowait(message)

    async def _read_acks(self, sequence: int) -> None:
        while self.acknowledged < sequence:
            response = await anext(self.responses)
            assert response.ack.durable_sequence >= self.acknowledged
            self.acknowledged = response.ack.durable_sequence
            for outcome in response.ack.outcomes:
                assert outcome.sequence <= self.acknowledged

    async def _break(self) -> None:
        responses, self.responses, self.requests = self.responses, None, None
        await responses.aclose()

    def is_open(self) -> bool:
        return self.responses is not None

    @precondition(lambda self: not self.is_open())
    @rule()
    def open(self) -> None:
        self._run(self._open())

    @precondition(lambda self: self.is_open() and not self.in_envelope)
    @rule(count=st.integers(1, 5))
    def send_envelopes(self, count: int) -> None:
        for _ in range(count):
            if self.next_sequence <= ENVELOPES_MAX:
                self._send(*whole(self.next_sequence, content(self.next_sequence)))
                self.next_sequence += 1

    @precondition(lambda self: self.is_open() and not self.in_envelope)
    @rule(back=st.integers(0, 4))
    def send_an_old_envelope_again(self, back: int) -> None:
        sequence = self.acknowledged - back
        if sequence >= 1:
            self._send(*whole(sequence, content(sequence)))

    @precondition(lambda self: self.is_open() and not self.in_envelope)
    @rule()
    def begin_an_envelope_only(self) -> None:
        self._send(head(self.next_sequence), data(b"half of it"))
        self.in_envelope = True

    @precondition(lambda self: self.is_open())
    @rule()
    def read_acknowledgements(self) -> None:
        self._run(self._read_acks(self.next_sequence - 1))

    @precondition(lambda self: self.is_open())
    @rule(turns=st.integers(0, 30))
    def let_the_service_work(self, turns: int) -> None:
        async def work() -> None:
            for _ in range(turns):
                await asyncio.sleep(0)

        self._run(work())

    @precondition(lambda self: self.is_open())
    @rule()
    def break_off(self) -> None:
        self._run(self._break())

    @rule()
    def restart_the_service(self) -> None:
        if self.is_open():
            self._run(self._break())
        self.store.close()
        self._start()

    @precondition(lambda self: not self.is_open())
    @invariant()
    def nothing_is_held_for_streams_that_are_gone(self) -> None:
        assert self.budget.held_bytes == 0

    def teardown(self) -> None:
        try:
            if self.is_open():
                self._run(self._break())
            self._run(self._send_the_rest())
            self._check()
        finally:
            self.store.close()
            self.executor.shutdown()
            self.loop.close()
            self.folder.cleanup()

    async def _send_the_rest(self) -> None:
        await self._open()
        for sequence in range(self.next_sequence, ENVELOPES_MAX + 1):
            self._send(*whole(sequence, content(sequence)))
        self._send(finish())
        await self._read_acks(ENVELOPES_MAX)
        finished = await anext(self.responses)
        assert finished.finished.durable_sequence == ENVELOPES_MAX
        await self._break()

    def _check(self) -> None:
        entries = self._run(
            self.store.read(
                lambda connection: queue.peek(
                    connection, entries_max=1_000, payload_bytes_max=10**9
                )
            )
        )
        assert [entry.sequence for entry in entries] == list(range(1, ENVELOPES_MAX + 1))
        counted = self._run(self.store.counters(SESSION, counters.OUTCOME))
        stored = sum(amount for name, amount in counted.items() if name != "DUPLICATE_ENVELOPE")
        assert stored == ENVELOPES_MAX


TestStreamResume = StreamResume.TestCase
TestStreamResume.settings = settings(
    max_examples=25,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
