"""Everything that a test with the real Hermes needs; without Hermes the tests say so instead of passing."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from agent_run import HermesHome
from capture_double import CaptureDouble
from local_web import LocalWeb
from real_hermes import HERMES_PYTHON
from scripted_model import ScriptedModel, Step

from sourcecorpus.bridge.cli.processes import ServicePair
from sourcecorpus.corpus.v1.game_pb2 import Game
from sourcecorpus.corpus.v1.game_service_pb2 import CreateGameRequest


@pytest.fixture(autouse=True)
def _real_hermes() -> None:
    if not HERMES_PYTHON.exists():
        pytest.fail("the real Hermes is not installed: make hermes-venv")


@pytest.fixture
def capture() -> Iterator[CaptureDouble]:
    with CaptureDouble() as double:
        yield double


@pytest.fixture
def home_of(tmp_path: Path, capture: CaptureDouble) -> Callable[..., HermesHome]:
    """Makes Hermes homes; the sidecar of each ends by itself soon after."""

    def make(name: str = "home", **facts: Any) -> HermesHome:
        home = HermesHome(tmp_path / name, capture.address, **facts)
        home.folder.mkdir()
        return home

    return make


@pytest.fixture
def model_of() -> Iterator[Callable[[dict[str, list[Step]]], ScriptedModel]]:
    opened: list[ScriptedModel] = []

    def make(scripts: dict[str, list[Step]]) -> ScriptedModel:
        opened.append(ScriptedModel(scripts).__enter__())
        return opened[-1]

    yield make
    for model in opened:
        model.__exit__()


@pytest.fixture
def web() -> Iterator[LocalWeb]:
    with LocalWeb({}, []) as opened:
        yield opened


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServicePair]:
    monkeypatch.setenv("SOURCECORPUS_DATA_DIR", str(tmp_path / "services"))
    monkeypatch.setenv("SOURCECORPUS_CAPTURE_ADDRESS", "127.0.0.1:0")
    monkeypatch.setenv("SOURCECORPUS_CORPUS_ADDRESS", "127.0.0.1:0")
    with ServicePair(None) as pair:
        pair.start()
        with pair.client() as client:
            client.games.CreateGame(CreateGameRequest(game=Game(game_id="emberfall", title="E")))
        yield pair
