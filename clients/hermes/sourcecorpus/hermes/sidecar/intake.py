"""Takes the events of one plugin: finds the game, redacts, spools, and says what is durable."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, Final

from capture_service.redaction import RedactionRefused
from capture_service.spool import SpoolBusyError, SpoolClosedError, SpoolFullError
from sourcecorpus.hermes.plugin.frames import FrameError
from sourcecorpus.hermes.sidecar import limits
from sourcecorpus.hermes.sidecar.games import GameBook
from sourcecorpus.hermes.sidecar.incoming import read_cited, read_event, sequence_of
from sourcecorpus.hermes.sidecar.redacting import EventRedactor
from sourcecorpus.hermes.sidecar.run_links import RunLink
from sourcecorpus.hermes.sidecar.store import CounterKey, SidecarStore, SpooledEnvelope
from sourcecorpus.identity.client_ids import ClientIdGenerator
from sourcecorpus.rpc.logs import log_event

_LOGGER: Final = logging.getLogger(__name__)
_REASON_CHARACTERS_MAX: Final = 64


class Intake:
    """What all plugins' events go through. Safe for several threads."""

    def __init__(
        self,
        store: SidecarStore,
        games: GameBook,
        redactor: Callable[[], EventRedactor],
        *,
        spooled: Callable[[], None],
        linked: Callable[[], None] = lambda: None,
        refreshed: Callable[[str, str, str], None] = lambda _game, _request, _envelope: None,
    ) -> None:
        """Wire the intake.

        Args:
            store: Keeps what is durable.
            games: Knows the current game.
            redactor: Gives the redactor, waiting until its rules are compiled.
            spooled: Told after an envelope became durable.
            linked: Told after links of a run became durable.
            refreshed: Told game, refresh request and envelope after a refreshed source became durable.
        """
        self.store = store
        self._games = games
        self._redactor = redactor
        self._spooled = spooled
        self._linked = linked
        self._refreshed = refreshed
        self._ids = ClientIdGenerator()

    def take(
        self, header: Mapping[str, Any], body: bytes, hello: Mapping[str, Any]
    ) -> tuple[int, Future[bool]]:
        """Take one frame of a plugin.

        Args:
            header: Header of an event, of the refs of an answer, or of a loss report.
            body: Body of an event.
            hello: What the plugin said of itself.

        Returns:
            The frame's number, and a future that resolves once it is durable.

        Raises:
            FrameError: The frame cannot be read.
            SpoolClosedError: The sidecar ends.
        """
        sequence = sequence_of(header)
        counts: dict[CounterKey, int] = {}
        envelope: SpooledEnvelope | None = None
        links: list[RunLink] = []
        refresh = ("", "")
        if header.get("kind") == "loss":
            counts = {("lost", name): count for name, count in _loss_counts(header)}
        elif header.get("kind") == "event":
            envelope, counts, refresh = self._envelope(header, body, hello)
        elif header.get("kind") == "cited":
            links, counts = self._links(header, hello)
        else:
            raise FrameError("a frame of an unknown kind")
        instance = str(hello["instance"])
        future = self._submit(instance, sequence, envelope, counts, links)
        if envelope is not None:
            future.add_done_callback(lambda _: self._spooled())
            if all(refresh):
                envelope_id = envelope.envelope_id
                future.add_done_callback(
                    lambda taken: self._tell_refreshed(taken, refresh, envelope_id)
                )
        if links:
            future.add_done_callback(lambda _: self._linked())
        return sequence, future

    def _submit(
        self,
        instance: str,
        sequence: int,
        envelope: SpooledEnvelope | None,
        counts: Mapping[CounterKey, int],
        links: Sequence[RunLink],
    ) -> Future[bool]:
        pause = threading.Event()
        while True:
            try:
                return self.store.take(instance, sequence, envelope, counts, links)
            except SpoolBusyError:
                pause.wait(limits.SPOOL_PAUSE_SECONDS)

    def _envelope(
        self, header: Mapping[str, Any], body: bytes, hello: Mapping[str, Any]
    ) -> tuple[SpooledEnvelope | None, dict[CounterKey, int], tuple[str, str]]:
        client = {name: str(hello.get(name, "")) for name in ("client_name", "client_version")}
        event = read_event(header, body, client)
        redactor = self._redactor()
        try:
            sessions = [redactor.text(session) for session in event.sessions]
            default_game = redactor.text(str(hello.get("default_game") or ""))
            # What answers a request belongs to the request's game, whatever the session has now.
            game_id = event.refresh[0] or self._games.current(sessions, default_game).game_id
            if not game_id:
                return None, {("refused", "NO_GAME"): 1}, event.refresh
            redacted = redactor.redact(event, self._ids.new_id(), game_id)
        except RedactionRefused as refusal:
            return None, {("refused", f"QUARANTINED {refusal.reason}"): 1}, event.refresh
        masks = {("masked", rule): count for rule, count in redacted.masks.items()}
        return redacted.envelope, {("taken", "envelopes"): 1, **masks}, event.refresh

    def _tell_refreshed(
        self, taken: Future[bool], refresh: tuple[str, str], envelope_id: str
    ) -> None:
        # A frame that came twice was told the first time; one that was refused is told by its lease.
        if taken.exception() is None and taken.result():
            self._refreshed(*refresh, envelope_id)

    def _links(
        self, header: Mapping[str, Any], hello: Mapping[str, Any]
    ) -> tuple[list[RunLink], dict[CounterKey, int]]:
        answer = read_cited(header)
        redactor = self._redactor()
        try:
            sessions = [redactor.text(session) for session in answer.sessions]
            run_id = redactor.text(answer.run_id)
            game = self._games.current(
                sessions, redactor.text(str(hello.get("default_game") or ""))
            )
        except RedactionRefused as refusal:
            return [], {("link_refused", f"QUARANTINED {refusal.reason}"): len(answer.refs)}
        if not game.game_id or not run_id:
            reason = "NO_RUN" if game.game_id else "NO_GAME"
            return [], {("link_refused", reason): len(answer.refs)}
        return [RunLink(game.game_id, run_id, ref, "cited") for ref in answer.refs], {}


class Acknowledger:
    """Tells one plugin what is durable, in order, from a thread of its own."""

    def __init__(self, store: SidecarStore, send: Callable[[int], None]) -> None:
        """Start the thread; ``send`` may fail with OSError once the plugin has gone."""
        self._store = store
        self._send = send
        self._waiting: SimpleQueue[tuple[int, Future[bool]] | None] = SimpleQueue()
        self._room = threading.BoundedSemaphore(limits.UNDER_WAY_ENVELOPES_MAX)
        self._gone = False
        self._thread = threading.Thread(target=self._run, name="acknowledger", daemon=True)
        self._thread.start()

    def expect(self, sequence: int, future: Future[bool]) -> None:
        """Acknowledge a number once it is durable; waits while too many are under way."""
        self._room.acquire()
        self._waiting.put((sequence, future))

    def close(self) -> None:
        """Wait until everything expected is settled."""
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (expected := self._waiting.get()) is not None:
            sequence, future = expected
            try:
                settled = self._settle(future)
            finally:
                self._room.release()
            if settled and not self._gone:
                try:
                    self._send(sequence)
                except OSError:
                    # Hermes has ended; what it sent before is taken all the same.
                    self._gone = True

    def _settle(self, future: Future[bool]) -> bool:
        """Wait for one; a refusal of the disk is counted and acknowledged, because nothing better can come of it."""
        try:
            future.result()
        except SpoolClosedError:
            return False
        except SpoolFullError as full:
            reason = "DISK_FULL" if full.reason == "DISK_FULL" else "SPOOL_FULL"
            self._store.count_unwritten(("refused", reason))
        except Exception as error:  # noqa: BLE001 - the event is lost, the sidecar goes on
            log_event(_LOGGER, logging.ERROR, "spool_failed", error=error)
            self._store.count_unwritten(("refused", "SPOOL_FAULT"))
        return True


def _loss_counts(header: Mapping[str, Any]) -> list[tuple[str, int]]:
    counts = header.get("counts")
    if not isinstance(counts, dict):
        raise FrameError("a loss report has no counts")
    return [
        (name[:_REASON_CHARACTERS_MAX], count)
        for name, count in list(counts.items())[:16]
        if isinstance(name, str) and isinstance(count, int) and name.isascii() and 0 < count < 2**40
    ]
