"""Refresh requests: asked for by the bridge, carried out by the Hermes side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from corpus_service.domain import refreshes
from corpus_service.domain.refreshes import (
    RefreshQueueFullError,
    RefreshRefusal,
    RefreshRequest,
    RefreshState,
)
from corpus_service.domain.vocabulary import Instant
from corpus_service.limits import REFRESH_REASON_CODE_POINTS_MAX, REFRESH_RETRY_SECONDS
from corpus_service.services.failures import invalid, not_found
from corpus_service.services.locating import ReadingStore, SourceLocator
from corpus_service.services.reading import ReadingUseCase
from corpus_service.storage.refresh_interface import RefreshStore
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import REFRESH_SOURCES_MAX, REFRESH_TAKEN_MAX


class RefreshingStore(ReadingStore, RefreshStore, Protocol):
    """What refreshing needs of a store."""


@dataclass(frozen=True, slots=True)
class RefreshOutcome:
    """What came of a request: an envelope, or a refusal."""

    envelope_id: str = ""
    refusal: RefreshRefusal = RefreshRefusal.NONE


class RefreshUseCase:
    """Asks, leases, reports and lists. Safe from any thread."""

    def __init__(
        self,
        store: RefreshingStore,
        clock: Callable[[], Instant],
        new_id: Callable[[], str],
    ) -> None:
        self._store = store
        self._reading = ReadingUseCase(store)
        self._clock = clock
        self._new_id = new_id

    def ask(
        self, game_id: str, locators: Sequence[SourceLocator], reason: str
    ) -> Sequence[RefreshRequest]:
        """Asks for sources to be captured again; all of them, or none.

        Raises:
            Failure: INVALID_ARGUMENT BATCH_EMPTY, FIELD_TOO_MANY_VALUES, FIELD_TOO_LARGE,
                FIELD_INVALID; NOT_FOUND SOURCE_NOT_FOUND; RESOURCE_EXHAUSTED REFRESH_QUEUE_FULL.
        """
        if not locators:
            raise invalid("BATCH_EMPTY", "source_ids")
        if len(locators) > REFRESH_SOURCES_MAX:
            raise invalid("FIELD_TOO_MANY_VALUES", "source_ids", limit=REFRESH_SOURCES_MAX)
        if len(reason) > REFRESH_REASON_CODE_POINTS_MAX:
            raise invalid("FIELD_TOO_LARGE", "reason", limit=REFRESH_REASON_CODE_POINTS_MAX)
        if not reason.isprintable():
            raise invalid("FIELD_INVALID", "reason")
        now = self._clock()
        wanted = []
        for locator in locators:
            source, _ = self._reading.get_source(game_id, locator)
            wanted.append(
                RefreshRequest(
                    self._new_id(),
                    source.source_id,
                    source.canonical_uri,
                    source.original_uri or source.canonical_uri,
                    source.family,
                    reason,
                    now,
                )
            )
        try:
            found = self._store.change_refresh_requests(
                game_id, partial(_ask, wanted=wanted, now=now)
            )
        except RefreshQueueFullError:
            raise Failure(
                FailureCode.RESOURCE_EXHAUSTED,
                "REFRESH_QUEUE_FULL",
                retry_after_seconds=REFRESH_RETRY_SECONDS,
            ) from None
        self._drop_deleted(game_id, found)
        return found

    def _drop_deleted(self, game_id: str, asked: Sequence[RefreshRequest]) -> None:
        """Drop requests whose source was deleted after it was looked up.

        Deleting drops those that it meets; one noted just behind it would keep the address.

        Raises:
            Failure: NOT_FOUND SOURCE_NOT_FOUND; the other requests stay.
        """
        gone = set()
        for entry in asked:
            try:
                self._reading.get_source(game_id, SourceLocator(source_id=entry.source_id))
            except Failure as failure:
                if failure.code is not FailureCode.NOT_FOUND:
                    raise
                gone.add(entry.source_id)
        if gone:
            self._store.change_refresh_requests(
                game_id,
                lambda kept: ([entry for entry in kept if entry.source_id not in gone], None),
            )
            raise not_found("SOURCE_NOT_FOUND", "source_ids")

    def take(self, game_id: str, limit: int) -> Sequence[RefreshRequest]:
        """Leases the oldest waiting requests to the caller; ``limit`` 0 means 1."""
        now = self._clock()
        present = (refreshes.at(entry, now) for entry in self._store.refresh_requests(game_id))
        if not any(entry.state is RefreshState.PENDING for entry in present):
            # Asked every few seconds: nothing is written where nothing waits.
            return ()
        number = min(max(limit, 1), REFRESH_TAKEN_MAX)
        return self._store.change_refresh_requests(
            game_id, lambda kept: refreshes.taken(kept, number, now)
        )

    def report(self, game_id: str, request_id: str, outcome: RefreshOutcome) -> RefreshRequest:
        """Notes what came of a request; returns it.

        Raises:
            Failure: INVALID_ARGUMENT FIELD_REQUIRED; NOT_FOUND REFRESH_NOT_FOUND.
        """
        if not request_id:
            raise invalid("FIELD_REQUIRED", "request_id")
        if not outcome.envelope_id and outcome.refusal is RefreshRefusal.NONE:
            raise invalid("FIELD_REQUIRED", "outcome")
        now = self._clock()
        found = self._store.change_refresh_requests(
            game_id,
            lambda kept: refreshes.reported(
                kept,
                request_id,
                envelope_id=outcome.envelope_id,
                refusal=outcome.refusal,
                now=now,
            ),
        )
        if found is None:
            raise not_found("REFRESH_NOT_FOUND", "request_id")
        return found

    def list(self, game_id: str, *, after: str, limit: int) -> Sequence[RefreshRequest]:
        """Lists requests as they are at present, newest first, behind the one with an id."""
        now = self._clock()
        found = [refreshes.at(entry, now) for entry in self._store.refresh_requests(game_id)]
        found.reverse()
        names = [entry.request_id for entry in found]
        if after:
            # What ended long ago may be gone by the time its page is asked for.
            found = found[names.index(after) + 1 :] if after in names else []
        return found[:limit]


def _ask(
    kept: Sequence[RefreshRequest], *, wanted: Sequence[RefreshRequest], now: Instant
) -> tuple[Sequence[RefreshRequest], Sequence[RefreshRequest]]:
    return refreshes.asked(kept, wanted, now)
