"""The seam of the kill matrix acts at the planned arrival and nowhere else."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sourcecorpus.rpc import faults


class CrashError(Exception):
    """Stands for the kill inside one process."""


def crash() -> None:
    raise CrashError


def test_acts_at_the_counted_arrival_only() -> None:
    with faults.armed("point.a", crash, count=3):
        faults.reach("point.a")
        faults.reach("point.b")
        faults.reach("point.a")
        with pytest.raises(CrashError):
            faults.reach("point.a")
        faults.reach("point.a")
    faults.reach("point.a")


@pytest.mark.parametrize("value", [":1", "a:0", "a:-1", "a:x", "a:", "a:1000001", "a:²"])
def test_refuses_a_plan_that_cannot_be_read(value: str) -> None:
    with pytest.raises(faults.FaultPlanError):
        faults.plan_from_environment({faults.FAULT_POINT_VARIABLE: value})


def test_no_variable_no_plan() -> None:
    assert faults.plan_from_environment({}) is None
    assert faults.arm_from_environment({faults.FAULT_POINT_VARIABLE: ""}) == ""


def test_the_environment_kills_the_process() -> None:
    program = (
        "from sourcecorpus.rpc import faults\n"
        "faults.arm_from_environment({'SOURCECORPUS_FAULT_POINT': 'x.y:2'})\n"
        "faults.reach('x.y'); print('first', flush=True)\n"
        "faults.reach('x.y'); print('second', flush=True)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert ended.returncode == -9
    assert ended.stdout == b"first\n"
