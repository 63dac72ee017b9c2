"""Brings links of runs to the corpus, in order, as often as it takes."""

from __future__ import annotations

import logging
import random
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import apsw

from capture_service.spool import SpoolClosedError, SpoolFullError
from sourcecorpus.hermes.sidecar import limits
from sourcecorpus.hermes.sidecar.run_links import RunLink, next_links, remove_links
from sourcecorpus.hermes.sidecar.store import CounterKey, SidecarStore, raise_counters
from sourcecorpus.rpc.failures import Failure
from sourcecorpus.rpc.logs import log_event

_LOGGER: Final = logging.getLogger(__name__)
LinkCall = Callable[[Sequence[RunLink]], Sequence[str]]


class Linker:
    """Links on a thread of its own. A link that the corpus refuses for good is counted and dropped."""

    def __init__(
        self,
        store: SidecarStore,
        link: LinkCall,
        *,
        pause: Callable[[float], object] | None = None,
    ) -> None:
        """Wire it; nothing happens before ``start``.

        Args:
            store: Holds what waits.
            link: Links one run of one game; gives for each link why it was refused, "" where it was taken. Raises
                ``Failure`` for all of them.
            pause: Waits some seconds after a failure; tests need not.
        """
        self._store = store
        self._link = link
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._pause = pause or self._stopping.wait
        self._failures = 0
        self._thread = threading.Thread(target=self._run, name="linking", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def notify(self) -> None:
        """Tell that links were kept."""
        self._wake.set()

    def stop(self, seconds: float) -> None:
        """End within a bounded time; what is not taken stays in the file."""
        self._stopping.set()
        self._wake.set()
        self._thread.join(seconds)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake.clear()
            try:
                if not self.link_once():
                    self._wake.wait()
                self._failures = 0
            except SpoolClosedError:
                return
            except Exception as error:  # noqa: BLE001 - linking goes on, whatever it was
                if not isinstance(error, Failure | SpoolFullError):
                    log_event(_LOGGER, logging.ERROR, "linking_failed", error=error)
                self._failures += 1
                seconds = limits.RETRY_SECONDS_MIN * 2.0 ** min(self._failures, 10)
                seconds = min(seconds, limits.RETRY_SECONDS_MAX)
                self._pause(seconds * random.uniform(0.5, 1.0))  # noqa: S311 - spreads retries

    def link_once(self) -> bool:
        """Bring the oldest links of one run and game.

        Returns:
            Whether there were any.

        Raises:
            Failure: The corpus takes nothing now; nothing changed.
            SpoolFullError: The disk is full; the same links are brought again, which changes nothing.
        """
        waiting = self._store.read(next_links)
        if not waiting:
            return False
        try:
            reasons = self._link([item.link for item in waiting])
        except Failure as failure:
            if failure.transient:
                raise
            reasons = [failure.reason or failure.code.name] * len(waiting)
        counts: Counter[CounterKey] = Counter()
        for item, reason in zip(waiting, reasons, strict=True):
            counts[("link_refused", reason) if reason else ("linked", item.link.use)] += 1
        link_ids = [item.link_id for item in waiting]

        def work(connection: apsw.Connection) -> None:
            remove_links(connection, link_ids)
            raise_counters(connection, counts)

        self._store.write(work).result()
        return True
