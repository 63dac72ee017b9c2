"""Refresh requests: their states and every change of them, pure.

A request waits, is leased to one client of the Hermes side at a time, and ends done, refused or
expired. The rules work on all requests of a game, whose number is bounded; what has run out is seen
when somebody looks, so nothing has to tick.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

from corpus_service.domain.vocabulary import Instant

# A lease outlives what a tool call may take. Numbers are those of one game.
REFRESH_LEASE_NANOSECONDS: Final = 600 * 10**9
REFRESH_LEASES_MAX: Final = 3
REFRESH_WAIT_NANOSECONDS_MAX: Final = 7 * 24 * 3_600 * 10**9
REFRESH_OPEN_MAX: Final = 256
REFRESH_ENDED_KEPT_MAX: Final = 1_000


class RefreshState(IntEnum):
    """How far a request is; values are those of the contract."""

    PENDING = 1
    TAKEN = 2
    DONE = 3
    REFUSED = 4
    EXPIRED = 5

    @property
    def open(self) -> bool:
        """Whether it can still be carried out."""
        return self in (RefreshState.PENDING, RefreshState.TAKEN)


class RefreshRefusal(IntEnum):
    """Why a source was not captured again; values are those of the contract."""

    NONE = 0
    ROBOTS = 1
    LOGIN = 2
    PAYWALL = 3
    TOOL_MISSING = 4
    GONE = 5
    FAILED = 6
    NOT_REFRESHABLE = 7
    DECLINED = 8


@dataclass(frozen=True, slots=True)
class RefreshRequest:
    """One wish to capture a source again; see the contract's RefreshRequest."""

    request_id: str
    source_id: str
    canonical_uri: str
    uri: str
    family: str
    reason: str
    requested_time: Instant
    state: RefreshState = RefreshState.PENDING
    attempts: int = 0
    lease_end_time: Instant | None = None
    finished_time: Instant | None = None
    envelope_id: str = ""
    refusal: RefreshRefusal = RefreshRefusal.NONE


class RefreshQueueFullError(Exception):
    """A game has as many open requests as it can have."""


def at(request: RefreshRequest, now: Instant) -> RefreshRequest:
    """The request as it is at a time: leases run out, and so does patience."""
    if not request.state.open:
        return request
    left = (request.lease_end_time or 0) - now
    # More than a whole lease is left where the clock was set back: nobody can hold it that long.
    if request.state is RefreshState.TAKEN and 0 < left <= REFRESH_LEASE_NANOSECONDS:
        return request
    waited = now - request.requested_time
    if request.attempts >= REFRESH_LEASES_MAX or waited >= REFRESH_WAIT_NANOSECONDS_MAX:
        return replace(request, state=RefreshState.EXPIRED, lease_end_time=None)
    return replace(request, state=RefreshState.PENDING, lease_end_time=None)


def asked(
    kept: Sequence[RefreshRequest], wanted: Sequence[RefreshRequest], now: Instant
) -> tuple[list[RefreshRequest], list[RefreshRequest]]:
    """Adds requests; a source has one open request at a time.

    Args:
        kept: All requests of the game, oldest first.
        wanted: New ones.
        now: The time.

    Returns:
        All requests afterwards, and for each wanted one the open request of its source.

    Raises:
        RefreshQueueFullError: Nothing is added.
    """
    present = [at(request, now) for request in kept]
    open_ones = {request.source_id: request for request in present if request.state.open}
    answers: list[RefreshRequest] = []
    for request in wanted:
        if request.source_id not in open_ones:
            open_ones[request.source_id] = request
            present.append(request)
        answers.append(open_ones[request.source_id])
    if len(open_ones) > REFRESH_OPEN_MAX:
        raise RefreshQueueFullError
    ended = [request for request in present if not request.state.open]
    dropped = {
        request.request_id for request in ended[: max(0, len(ended) - REFRESH_ENDED_KEPT_MAX)]
    }
    return [request for request in present if request.request_id not in dropped], answers


def taken(
    kept: Sequence[RefreshRequest], limit: int, now: Instant
) -> tuple[list[RefreshRequest], list[RefreshRequest]]:
    """Leases the oldest waiting requests; returns all requests afterwards and the leased ones."""
    after: list[RefreshRequest] = []
    leased: list[RefreshRequest] = []
    for present in (at(entry, now) for entry in kept):
        if present.state is not RefreshState.PENDING or len(leased) == limit:
            after.append(present)
            continue
        leased.append(
            replace(
                present,
                state=RefreshState.TAKEN,
                attempts=present.attempts + 1,
                lease_end_time=now + REFRESH_LEASE_NANOSECONDS,
            )
        )
        after.append(leased[-1])
    return after, leased


def reported(
    kept: Sequence[RefreshRequest],
    request_id: str,
    *,
    envelope_id: str,
    refusal: RefreshRefusal,
    now: Instant,
) -> tuple[list[RefreshRequest], RefreshRequest | None]:
    """Notes what came of a request; the first report stands, one that comes late counts too.

    Returns:
        All requests afterwards and the one reported about, None where it is not known.
    """
    after: list[RefreshRequest] = []
    found: RefreshRequest | None = None
    for request in kept:
        if request.request_id != request_id:
            after.append(request)
            continue
        found = request
        if request.state not in (RefreshState.DONE, RefreshState.REFUSED):
            found = replace(
                request,
                state=RefreshState.DONE if envelope_id else RefreshState.REFUSED,
                envelope_id=envelope_id,
                refusal=refusal,
                lease_end_time=None,
                finished_time=now,
            )
        after.append(found)
    return after, found
