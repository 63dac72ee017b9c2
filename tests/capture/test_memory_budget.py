"""The memory of open envelopes is bounded, and nobody waits for ever."""

from __future__ import annotations

import asyncio

from capture_service.intake.memory_budget import MemoryBudget, Reservation
from tests.capture.running import run


def test_small_ones_share_and_one_large_one_goes_beyond() -> None:
    async def test() -> None:
        budget = MemoryBudget(shared_bytes_max=10)
        first, second, third = Reservation(), Reservation(), Reservation()
        await budget.grow(first, 6)
        await budget.grow(second, 4)
        await budget.grow(first, 50)
        assert (first.large, first.size_bytes, budget.held_bytes) == (True, 56, 60)
        await budget.grow(third, 6)
        waiting = asyncio.create_task(budget.grow(second, 1))
        await asyncio.sleep(0)
        assert not waiting.done()
        await budget.release(third)
        await waiting
        assert (second.large, second.size_bytes) == (False, 5)
        await budget.release(first)
        await budget.release(second)
        await budget.release(second)
        assert budget.held_bytes == 0

    run(test())


def test_two_that_are_half_received_do_not_wait_for_each_other() -> None:
    async def grow_to_the_end(budget: MemoryBudget, reservation: Reservation) -> None:
        for _ in range(20):
            await budget.grow(reservation, 5)
            await asyncio.sleep(0)
        await budget.release(reservation)

    async def test() -> None:
        budget = MemoryBudget(shared_bytes_max=20)
        await asyncio.gather(*(grow_to_the_end(budget, Reservation()) for _ in range(6)))
        assert budget.held_bytes == 0

    run(test())


def test_a_waiter_that_is_cancelled_holds_nothing() -> None:
    async def test() -> None:
        budget = MemoryBudget(shared_bytes_max=1)
        large, small, waiter = Reservation(), Reservation(), Reservation()
        await budget.grow(large, 5)
        await budget.grow(small, 1)
        waiting = asyncio.create_task(budget.grow(waiter, 1))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert budget.held_bytes == 6
        await budget.release(large)
        await budget.release(small)
        assert budget.held_bytes == 0

    run(test())
