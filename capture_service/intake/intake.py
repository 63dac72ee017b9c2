"""The way of an envelope through the service: choose its game, prepare it, commit it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Protocol

from capture_service.domain.games import GameChoice
from capture_service.domain.incoming import IncomingEnvelope, RejectedEnvelope
from capture_service.domain.outcomes import EnvelopeOutcome
from capture_service.domain.prepared import PreparedCapture
from capture_service.games.directory import GameDirectory
from capture_service.measurements import DROPS, ENVELOPES, MASKS, OUTBOX
from capture_service.outbox.store import OutboxStore
from capture_service.pipeline.limits import LARGE_ENVELOPE_BYTES
from capture_service.pipeline.pipeline import Arrival
from sourcecorpus.rpc.telemetry import linked_span

Item = IncomingEnvelope | RejectedEnvelope


class Pipeline(Protocol):
    """Prepares envelopes, blocking; see ``pipeline.pipeline``."""

    def prepare(self, arrival: Arrival, capture_session: str) -> PreparedCapture:
        """Take one envelope through all stages."""

    def key_of(self, text: str) -> str:
        """A client's id as it may be stored."""


class CaptureIntake:
    """Takes envelopes. Belongs to one event loop; heavy work runs in the executor."""

    def __init__(
        self,
        store: OutboxStore,
        pipeline: Pipeline,
        directory: GameDirectory,
        executor: Executor,
        *,
        queued: Callable[[int], None],
    ) -> None:
        """Wire the intake.

        Args:
            store: The capture database.
            pipeline: The stages.
            directory: Finds games.
            executor: Runs the stages; its size bounds how many run at once.
            queued: Told how many records wait for delivery because of a commit.
        """
        self._store = store
        self._pipeline = pipeline
        self._directory = directory
        self._executor = executor
        self._queued = queued
        self._large = asyncio.Lock()
        self._room = asyncio.Event()

    async def key_of(self, text: str) -> str:
        """A client's id as it may be stored.

        Raises:
            QuarantineError: Redaction refused it.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, self._pipeline.key_of, text)

    async def prepare(
        self, items: Sequence[Item], session_key: str, age_seconds_max: float
    ) -> list[PreparedCapture]:
        """Prepare envelopes of one capture session, in order.

        Args:
            items: Envelopes; their bytes are handed over.
            session_key: Capture session as it may be stored, "" for unary calls.
            age_seconds_max: How old the game directory may be.

        Raises:
            Failure: UNAVAILABLE where the game of an envelope cannot be told now; nothing was
                prepared and the envelopes still hold their bytes.
        """
        arrivals = await self._arrivals(items, age_seconds_max)
        loop = asyncio.get_running_loop()
        largest = max((getattr(item, "size_bytes", 0) for item in items), default=0)
        if largest < LARGE_ENVELOPE_BYTES:
            return await loop.run_in_executor(
                self._executor, self._prepare_all, arrivals, session_key
            )
        # The parsed form of a large envelope is several times its size: one at a time.
        async with self._large:
            return await loop.run_in_executor(
                self._executor, self._prepare_all, arrivals, session_key
            )

    def _prepare_all(self, arrivals: list[Arrival], session_key: str) -> list[PreparedCapture]:
        return [self._pipeline.prepare(arrival, session_key) for arrival in arrivals]

    async def _arrivals(self, items: Sequence[Item], age_seconds_max: float) -> list[Arrival]:
        chosen: dict[tuple[str, str], GameChoice] = {}
        arrivals = []
        for item in items:
            if isinstance(item, RejectedEnvelope):
                arrivals.append(Arrival(item, GameChoice()))
                continue
            key = (item.game_name, item.facts.session_id)
            if key not in chosen:
                session_id = await self._stored_session_id(*key)
                chosen[key] = await self._directory.choose(
                    item.game_name, session_id, age_seconds_max
                )
            arrivals.append(Arrival(item, chosen[key]))
        return arrivals

    async def _stored_session_id(self, game_name: str, session_id: str) -> str:
        """The Hermes session under the name by which its game is kept."""
        if game_name or not session_id:
            return ""
        return await self.key_of(session_id)

    async def commit(
        self, session_key: str, captures: Sequence[PreparedCapture]
    ) -> tuple[Sequence[EnvelopeOutcome], int]:
        """Commit prepared captures of one capture session durably, in order.

        Returns:
            Outcomes of the first captures, fewer than all where the outbox had no room for more,
            and the session's durable sequence.

        Raises:
            SpoolFullError: There is no room for the first one.
            SpoolBusyError: The writer has too much to do.
            SpoolClosedError: The service shuts down.
        """
        with linked_span("capture.commit", [capture.traceparent for capture in captures]):
            report = await self._store.commit(session_key, captures)
        for outcome in report.outcomes:
            ENVELOPES.add(outcome=outcome.outcome.name)
            for rule, amount in outcome.masks.items():
                MASKS.add(amount, rule=rule)
            for reason, amount in outcome.drops.items():
                DROPS.add(amount, reason=reason)
        OUTBOX.add(report.queued)
        if report.queued:
            self._queued(report.queued)
        return report.outcomes, report.durable_sequence

    def room_made(self) -> None:
        """Say that entries have left the outbox."""
        self._room.set()
        self._room = asyncio.Event()

    async def wait_for_room(self, seconds_max: float) -> None:
        """Wait until entries leave the outbox, or for some seconds: a disk frees itself unseen."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds_max):
                await self._room.wait()
