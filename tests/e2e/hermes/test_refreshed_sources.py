"""The bridge asks for sources to be captured again: the real Hermes fetches, both real services keep."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agent_run import HermesHome
from local_web import LocalWeb

from sourcecorpus.bridge.cli.processes import ServicePair
from sourcecorpus.capture.v1.refresh_pb2 import RefreshRefusal, RefreshRequest, RefreshState
from sourcecorpus.corpus.v1.refresh_pb2 import ListRefreshRequestsRequest, RequestRefreshRequest
from sourcecorpus.corpus.v1.source_pb2 import Source
from sourcecorpus.corpus.v1.source_service_pb2 import ListSourcesRequest, ListVersionsRequest

pytestmark = pytest.mark.process

SITE = "http://93.184.216.34/wiki/"
KEPT = f"{SITE}Cold_iron"
GONE = f"{SITE}Marsh_witch"
SECONDS_MAX = 60.0
OPEN = (RefreshState.REFRESH_STATE_PENDING, RefreshState.REFRESH_STATE_TAKEN)


def sources_of(services: ServicePair) -> dict[str, Source]:
    with services.client() as client:
        request = ListSourcesRequest(game_id="emberfall", uri_prefix=SITE)
        listed = client.sources.ListSources(request).sources
    return {source.canonical_uri: source for source in listed if source.current_version_id}


def requests_of(services: ServicePair) -> dict[str, RefreshRequest]:
    with services.client() as client:
        listed = client.sources.ListRefreshRequests(ListRefreshRequestsRequest(game_id="emberfall"))
    return {request.uri: request for request in listed.requests}


def until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def home_with(
    home_of: Callable[..., HermesHome], services: ServicePair, **facts: Any
) -> HermesHome:
    home = home_of(**facts)
    home.capture_address = services.addresses.capture
    home.variables["SOURCECORPUS_CORPUS_ADDRESS"] = services.addresses.corpus
    return home


def answer_requests(home: HermesHome, services: ServicePair, model: Any, web: LocalWeb) -> None:
    """Run one turn that has nothing to do with the requests, and stay until they have ended."""
    end_file = home.folder / "end"
    home.variables["DRIVE_AGENT_END_FILE"] = str(end_file)
    talking = threading.Thread(
        target=home.converse, args=(["TALK"], model, web), kwargs={"wait": SECONDS_MAX}
    )
    talking.start()
    try:
        until(
            lambda: all(request.state not in OPEN for request in requests_of(services).values()),
            "the requests were not carried out",
        )
    finally:
        end_file.touch()
        talking.join()


def ask_for(services: ServicePair, *uris: str) -> None:
    with services.client() as client:
        client.sources.RequestRefresh(
            RequestRefreshRequest(game_id="emberfall", uris=uris, reason="the patch is out")
        )


@pytest.fixture
def model(model_of: Any) -> Any:
    return model_of(
        {
            "FETCH": [{"calls": [("web_extract", {"urls": [KEPT, GONE]})]}, {"text": "fetched"}],
            "TALK": [{"text": "good evening"}],
        }
    )


@pytest.fixture
def site(web: LocalWeb) -> LocalWeb:
    web.pages[KEPT] = {"markdown": "# Cold iron\n\nNine breaths.\n", "title": "Cold iron"}
    web.pages[GONE] = {"markdown": "# Marsh witch\n\nShe sells salt.\n", "title": "Marsh witch"}
    return web


def test_requests_are_carried_out_or_refused_with_a_reason(
    home_of: Callable[..., HermesHome],
    model: Any,
    site: LocalWeb,
    services: ServicePair,
) -> None:
    home = home_with(home_of, services)
    home.converse(["FETCH"], model, site)
    until(lambda: set(sources_of(services)) == {KEPT, GONE}, "the pages did not come")
    site.pages[KEPT]["markdown"] = "# Cold iron\n\nTen breaths since the patch.\n"
    del site.pages[GONE]
    ask_for(services, KEPT, GONE)
    answer_requests(home, services, model, site)
    ended = requests_of(services)
    assert ended[KEPT].state == RefreshState.REFRESH_STATE_DONE
    assert ended[GONE].state == RefreshState.REFRESH_STATE_REFUSED
    assert ended[GONE].refusal == RefreshRefusal.REFRESH_REFUSAL_GONE
    until(lambda: sources_of(services)[KEPT].version_count == 2, "no new version came")
    assert sources_of(services)[GONE].version_count == 1
    with services.client() as client:
        versions = client.sources.ListVersions(
            ListVersionsRequest(game_id="emberfall", source_id=sources_of(services)[KEPT].source_id)
        ).versions
    assert len(versions) == 2
    # The agent saw nothing of it: its conversation had no tool call.
    assert [message["role"] for message in model.requests[-1]["messages"]].count("tool") == 0


def test_a_person_declines_all_requests(
    home_of: Callable[..., HermesHome],
    model: Any,
    site: LocalWeb,
    services: ServicePair,
    tmp_path: Path,
) -> None:
    home_with(home_of, services, name="first").converse(["FETCH"], model, site)
    until(lambda: set(sources_of(services)) == {KEPT, GONE}, "the pages did not come")
    ask_for(services, KEPT)
    entry = {"game": "emberfall", "refresh": False}
    settings = {"plugins": {"enabled": ["source-corpus"], "entries": {"source-corpus": entry}}}
    home = home_with(home_of, services, name="second", settings=settings)
    answer_requests(home, services, model, site)
    (request,) = requests_of(services).values()
    assert request.refusal == RefreshRefusal.REFRESH_REFUSAL_DECLINED
    assert sources_of(services)[KEPT].observation_count == 1
