"""Parts of the Hermes side in one process, with fakes for what lies outside."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e" / "hermes"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from capture_double import CaptureDouble
from sidecar_double import RunningSidecar

from tests.compiled_rules import compile_rules


@pytest.fixture(scope="session", autouse=True)
def compiled_rules() -> None:
    """No sidecar of a test compiles the rules while somebody waits for its answer."""
    compile_rules()


@pytest.fixture
def capture() -> Iterator[CaptureDouble]:
    with CaptureDouble() as double:
        yield double


@pytest.fixture
def running(tmp_path: Path, capture: CaptureDouble) -> Iterator[RunningSidecar]:
    with RunningSidecar(tmp_path / "data", capture.address) as sidecar:
        yield sidecar
