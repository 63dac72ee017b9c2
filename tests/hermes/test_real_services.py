"""The plugin's side against both real services, with kills of the sidecar and of the capture service under load."""

import json
import os
import random
import signal
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sidecar_double import until

from sourcecorpus.bridge.cli.processes import ServicePair
from sourcecorpus.bridge.client import SourceCorpusClient
from sourcecorpus.corpus.v1.game_pb2 import Game
from sourcecorpus.corpus.v1.game_service_pb2 import CreateGameRequest
from sourcecorpus.corpus.v1.source_pb2 import Source
from sourcecorpus.corpus.v1.source_service_pb2 import ListSourcesRequest
from sourcecorpus.hermes.plugin import launcher
from sourcecorpus.hermes.plugin.recorder import Recorder

pytestmark = pytest.mark.process
EVENTS = 500
PREFIX = "http://93.184.216.34/page/"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as opened:
        return int(opened.getsockname()[1])


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServicePair]:
    monkeypatch.setenv("SOURCECORPUS_DATA_DIR", str(tmp_path / "data"))
    # A restarted service must come back under the address that the sidecar was told.
    monkeypatch.setenv("SOURCECORPUS_CAPTURE_ADDRESS", f"127.0.0.1:{free_port()}")
    monkeypatch.setenv("SOURCECORPUS_CORPUS_ADDRESS", f"127.0.0.1:{free_port()}")
    monkeypatch.setenv("SOURCECORPUS_SIDECAR_IDLE_SECONDS", "1")
    monkeypatch.setattr(launcher, "LAUNCH_PAUSE_SECONDS_MIN", 0.05)
    monkeypatch.setattr(launcher, "LAUNCH_PAUSE_SECONDS_MAX", 0.05)
    with ServicePair(None) as pair:
        pair.start()
        with pair.client() as client:
            client.games.CreateGame(CreateGameRequest(game=Game(game_id="emberfall", title="E")))
        yield pair


def sources(client: SourceCorpusClient) -> list[Source]:
    found: list[Source] = []
    token = ""
    while True:
        request = ListSourcesRequest(
            game_id="emberfall", uri_prefix=PREFIX, page_size=500, page_token=token
        )
        answer = client.sources.ListSources(request)
        found += answer.sources
        token = answer.next_page_token
        if not token:
            return found


def call_all(recorder: Recorder) -> None:
    chooser = random.Random(3)
    for number in range(EVENTS):
        text = f"# Page {number}\n\n" + "Cold iron. " * chooser.choice([3, 30, 2_000])
        page = {
            "url": f"{PREFIX}{number}",
            "title": f"Page {number}",
            "content": text,
            "error": None,
        }
        recorder.post_tool_call(
            tool_name="web_extract",
            args={"urls": [page["url"]]},
            result=json.dumps({"results": [page]}, ensure_ascii=False, indent=2),
            session_id="session",
            tool_call_id=f"call-{number}",
            status="ok",
            duration_ms=3,
        )


def kill_sidecar(data_dir: Path) -> None:
    document = json.loads((data_dir / "hermes" / "sidecar.json").read_text("utf-8"))
    os.kill(document["pid"], signal.SIGKILL)


def kill_capture(services: ServicePair) -> None:
    child = services._children["capture"]
    child.kill()
    child.wait()
    (services._ready_folder / "capture.ready").unlink(missing_ok=True)
    services._start_one("capture", "capture_service", {})


def test_every_result_is_in_the_corpus_once(services: ServicePair, tmp_path: Path) -> None:
    recorder = Recorder("emberfall")
    calling = threading.Thread(target=call_all, args=(recorder,))
    try:
        with services.client() as client:
            calling.start()
            for wanted in (20, 150, 300):
                until(lambda wanted=wanted: len(sources(client)) >= wanted)
                kill_sidecar(tmp_path / "data")
                kill_capture(services)
            calling.join()
            until(lambda: recorder.queue.waiting() == 0)
            until(lambda: len(sources(client)) == EVENTS)
            found = sources(client)
            until(lambda: all(source.current_version_id for source in sources(client)))
        counts = Counter((source.version_count, source.observation_count) for source in found)
        assert set(counts) == {(1, 1)}
        assert recorder.queue.losses() == {}
    finally:
        recorder.close()
        child = recorder.sender._launcher._child
        if child is not None:
            child.wait(30)
