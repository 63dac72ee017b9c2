"""A run of the real Hermes' API server: its id joins the sources that it used, in the corpus."""

import json
import secrets
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from agent_run import HermesHome
from local_web import LocalWeb
from real_hermes import HERMES_PYTHON

from sourcecorpus.bridge.cli.processes import ServicePair
from sourcecorpus.corpus.v1.run_links_pb2 import ListRunSourcesRequest, RunSource, RunUse

pytestmark = pytest.mark.process

PAGE = "http://93.184.216.34/wiki/Cold_iron"
SECONDS_MAX = 60.0


class RunsApi:
    """The two calls of the Runs API that a client needs."""

    def __init__(self, port: int, key: str) -> None:
        self._address = f"http://127.0.0.1:{port}"
        self._key = key

    def call(self, path: str, document: dict[str, Any] | None = None) -> dict[str, Any]:
        request = urllib.request.Request(
            self._address + path,
            data=None if document is None else json.dumps(document).encode(),
            headers={"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10) as response:
            answer: dict[str, Any] = json.load(response)
        return answer

    def wait_until_up(self, gateway: subprocess.Popen[str]) -> None:
        deadline = time.monotonic() + SECONDS_MAX
        while True:
            try:
                self.call("/health")
            except (urllib.error.URLError, OSError):
                assert gateway.poll() is None, "the gateway ended"
                assert time.monotonic() < deadline, "the gateway does not answer"
                time.sleep(0.1)
            else:
                return

    def run(self, prompt: str) -> str:
        """Start a run, wait for its end, give its id."""
        run_id = str(self.call("/v1/runs", {"input": prompt})["run_id"])
        deadline = time.monotonic() + SECONDS_MAX
        while (status := self.call(f"/v1/runs/{run_id}")["status"]) != "completed":
            assert status in {"queued", "started", "running", "in_progress"}, status
            assert time.monotonic() < deadline, "the run does not end"
            time.sleep(0.1)
        return run_id


@contextmanager
def gateway_of(home: HermesHome, model: Any, web: LocalWeb) -> Iterator[RunsApi]:
    with socket.create_server(("127.0.0.1", 0)) as opened:
        port = int(opened.getsockname()[1])
    key = secrets.token_hex(16)
    home.prepare(model.port)
    with home.folder.joinpath("gateway.log").open("w") as log:
        gateway = subprocess.Popen(
            [str(HERMES_PYTHON.with_name("hermes")), "gateway", "run"],
            env={
                **home.environment(web.port),
                **home.variables,
                "API_SERVER_ENABLED": "true",
                "API_SERVER_KEY": key,
                "API_SERVER_PORT": str(port),
                "API_SERVER_HOST": "127.0.0.1",
            },
            cwd=home.folder,
            stdout=log,
            stderr=subprocess.STDOUT,
            text=True,
        )
    try:
        api = RunsApi(port, key)
        api.wait_until_up(gateway)
        yield api
    finally:
        gateway.terminate()
        try:
            gateway.wait(20)
        except subprocess.TimeoutExpired:
            gateway.kill()
            gateway.wait()


def sources_of(services: ServicePair, run_id: str, use: RunUse.ValueType) -> list[RunSource]:
    """What the corpus says that a run used, once it was used so."""
    deadline = time.monotonic() + SECONDS_MAX
    request = ListRunSourcesRequest(game_id="emberfall", run_id=run_id)
    with services.client() as client:
        while True:
            sources = list(client.citations.ListRunSources(request).sources)
            if any(source.use == use for source in sources):
                return sources
            assert time.monotonic() < deadline, f"the run is not linked: {sources}"
            time.sleep(0.05)


def test_runs_of_the_api_are_joined_by_their_ids(
    home_of: Callable[..., HermesHome],
    model_of: Any,
    web: LocalWeb,
    services: ServicePair,
) -> None:
    web.pages[PAGE] = {"markdown": "# Cold iron\n\nNine breaths.\n", "title": "Cold iron"}

    def cite(messages: list[dict[str, Any]]) -> dict[str, Any]:
        content = messages[-1]["content"]
        found = json.loads(content[content.index("{") : content.rindex("}") + 1])
        return {"text": f"It takes nine breaths [{found['hits'][0]['ref']}]."}

    model = model_of(
        {
            "FETCH": [{"calls": [("web_extract", {"urls": [PAGE]})]}, {"text": "fetched"}],
            "ANSWER": [{"calls": [("corpus_search", {"query": "nine breaths"})]}, cite],
        }
    )
    home = home_of()
    home.capture_address = services.addresses.capture
    home.variables["SOURCECORPUS_CORPUS_ADDRESS"] = services.addresses.corpus
    with gateway_of(home, model, web) as api:
        fetching = api.run("FETCH")
        (fetched,) = sources_of(services, fetching, RunUse.RUN_USE_CONSULTED)
        answering = api.run("ANSWER")
        (answered,) = sources_of(services, answering, RunUse.RUN_USE_CITED)
    assert fetching != answering
    assert fetched.source_id == answered.source_id
    assert fetched.canonical_uri == PAGE
