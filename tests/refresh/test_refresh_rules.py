"""The rules of refresh requests: pure, with the time by choice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpus_service.domain.refreshes import (
    REFRESH_ENDED_KEPT_MAX,
    REFRESH_LEASE_NANOSECONDS,
    REFRESH_LEASES_MAX,
    REFRESH_OPEN_MAX,
    REFRESH_WAIT_NANOSECONDS_MAX,
    RefreshQueueFullError,
    RefreshRefusal,
    RefreshRequest,
    RefreshState,
    asked,
    at,
    reported,
    taken,
)


def wish(number: int, *, requested_time: int = 0) -> RefreshRequest:
    uri = f"https://a.example/{number}"
    return RefreshRequest(f"r{number}", f"s{number}", uri, uri, "page", "old", requested_time)


def test_a_source_has_one_open_request() -> None:
    kept, first = asked([], [wish(1)], 0)
    kept, second = asked(kept, [replace(wish(1), request_id="again"), wish(2)], 5)
    assert [entry.request_id for entry in kept] == ["r1", "r2"]
    assert second == [first[0], wish(2)]


def test_each_request_is_leased_to_one_client_at_a_time() -> None:
    kept, _ = asked([], [wish(1), wish(2)], 0)
    kept, first = taken(kept, 1, 10)
    kept, second = taken(kept, 5, 11)
    kept, third = taken(kept, 5, 12)
    assert [entry.request_id for entry in first] == ["r1"]
    assert first[0].lease_end_time == 10 + REFRESH_LEASE_NANOSECONDS
    assert [entry.request_id for entry in second] == ["r2"]
    assert third == []


def test_a_lease_of_a_clock_that_was_set_back_is_over() -> None:
    far = 10 * REFRESH_LEASE_NANOSECONDS
    kept, _ = asked([], [wish(1)], 0)
    kept, _ = taken(kept, 1, far)
    assert at(kept[0], far).state is RefreshState.TAKEN
    assert at(kept[0], far - 1).state is RefreshState.PENDING
    assert len(taken(kept, 1, 5)[1]) == 1


def test_a_lease_that_ran_out_is_given_again_and_the_third_was_the_last() -> None:
    kept, _ = asked([], [wish(1)], 0)
    now = 0
    for attempt in range(1, REFRESH_LEASES_MAX + 1):
        kept, leased = taken(kept, 1, now)
        assert [entry.attempts for entry in leased] == [attempt]
        assert at(kept[0], now + REFRESH_LEASE_NANOSECONDS - 1).state is RefreshState.TAKEN
        now += REFRESH_LEASE_NANOSECONDS
    assert at(kept[0], now).state is RefreshState.EXPIRED
    assert taken(kept, 1, now)[1] == []


def test_patience_ends() -> None:
    assert at(wish(1), REFRESH_WAIT_NANOSECONDS_MAX - 1).state is RefreshState.PENDING
    assert at(wish(1), REFRESH_WAIT_NANOSECONDS_MAX).state is RefreshState.EXPIRED


def test_the_first_report_stands_and_a_late_one_counts() -> None:
    kept, _ = asked([], [wish(1)], 0)
    kept, _ = taken(kept, 1, 1)
    late = 2 + REFRESH_LEASE_NANOSECONDS
    kept, done = reported(kept, "r1", envelope_id="e1", refusal=RefreshRefusal.NONE, now=late)
    assert done is not None
    assert (done.state, done.envelope_id, done.finished_time) == (RefreshState.DONE, "e1", late)
    after, again = reported(kept, "r1", envelope_id="", refusal=RefreshRefusal.ROBOTS, now=late + 1)
    assert (after, again) == (kept, done)
    assert reported(kept, "other", envelope_id="e", refusal=RefreshRefusal.NONE, now=1)[1] is None


def test_the_queue_has_a_bound_and_forgets_what_ended_longest_ago() -> None:
    kept, _ = asked([], [wish(number) for number in range(REFRESH_OPEN_MAX)], 0)
    with pytest.raises(RefreshQueueFullError):
        asked(kept, [wish(REFRESH_OPEN_MAX)], 1)
    ended = [
        replace(wish(number), state=RefreshState.DONE)
        for number in range(REFRESH_ENDED_KEPT_MAX + 2)
    ]
    after, _ = asked(ended, [wish(5_000)], 1)
    assert [entry.request_id for entry in after[:1]] == ["r2"]
    assert len(after) == REFRESH_ENDED_KEPT_MAX + 1
