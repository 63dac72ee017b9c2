"""Named points at which a test may end the process: the seam of the kill matrix.

A crash is only reproducible when it happens at a known place. Code that has such a place calls
``reach("capture.before_ack")``; without a plan that costs one comparison. A plan comes from the
environment variable ``SOURCECORPUS_FAULT_POINT`` ("name" or "name:count", the count-th time the
point is reached) and sends SIGKILL to the own process, because nothing may run after a crash: no
handler, no flush, no ``finally``. The variable is a test seam; a service logs at start that it is
set.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

FAULT_POINT_VARIABLE: Final = "SOURCECORPUS_FAULT_POINT"
FAULT_COUNT_MAX: Final = 1_000_000


class FaultPlanError(ValueError):
    """The value of the environment variable is not "name" or "name:count"."""


def _kill_own_process() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@dataclass(slots=True)
class FaultPlan:
    """Acts the ``count``-th time that ``point`` is reached, and once only.

    Attributes:
        point: Name of the point, such as "capture.before_ack".
        count: How often the point must be reached, from 1.
        action: What happens then; SIGKILL to the own process unless a test says otherwise.
    """

    point: str
    count: int = 1
    action: Callable[[], None] = _kill_own_process
    _reached: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def reach(self) -> None:
        """Count one arrival and act when it is the planned one."""
        with self._lock:
            self._reached += 1
            due = self._reached == self.count
        if due:
            self.action()


def plan_from_environment(environment: Mapping[str, str]) -> FaultPlan | None:
    """Read the plan of a process; None where the variable is absent or empty.

    Raises:
        FaultPlanError: The value cannot be read; the message does not repeat it.
    """
    value = environment.get(FAULT_POINT_VARIABLE, "")
    if not value:
        return None
    point, separator, count_text = value.partition(":")
    if not separator:
        count_text = "1"
    if not point or not count_text.isascii() or not count_text.isdigit():
        raise FaultPlanError(f"{FAULT_POINT_VARIABLE} must be a point name or name:count")
    count = int(count_text)
    if not 1 <= count <= FAULT_COUNT_MAX:
        raise FaultPlanError(f"{FAULT_POINT_VARIABLE} must count from 1 to {FAULT_COUNT_MAX}")
    return FaultPlan(point=point, count=count)


_plans: dict[str, FaultPlan] = {}


def arm(plan: FaultPlan) -> None:
    """Make the plan effective in this process; it replaces a plan for the same point."""
    _plans[plan.point] = plan


def arm_from_environment(environment: Mapping[str, str] | None = None) -> str:
    """Arm what the environment asks for; a bootstrap calls this before it opens anything.

    Returns:
        The name of the armed point, "" where none is asked for.

    Raises:
        FaultPlanError: The variable cannot be read.
    """
    plan = plan_from_environment(os.environ if environment is None else environment)
    if plan is None:
        return ""
    arm(plan)
    return plan.point


@contextmanager
def armed(point: str, action: Callable[[], None], *, count: int = 1) -> Iterator[FaultPlan]:
    """Arm a point for the length of a ``with`` block, for tests inside one process."""
    plan = FaultPlan(point=point, count=count, action=action)
    arm(plan)
    try:
        yield plan
    finally:
        _plans.pop(point, None)


def reach(point: str) -> None:
    """Say that the process has come to a named point; acts only where a plan names it."""
    if not _plans:
        return
    plan = _plans.get(point)
    if plan is not None:
        plan.reach()
