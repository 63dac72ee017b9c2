"""One run of the real Hermes against both real services: fetch, search, read, cite, and the bridge resolves."""

import json
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from agent_run import HermesHome
from local_web import LocalWeb

from sourcecorpus.bridge.cli.processes import ServicePair
from sourcecorpus.corpus.v1.citation_service_pb2 import ResolveCitationsRequest
from sourcecorpus.corpus.v1.run_links_pb2 import (
    CitingRun,
    ListCitingRunsRequest,
    ListRunSourcesRequest,
    RunUse,
)
from sourcecorpus.corpus.v1.source_service_pb2 import ListSourcesRequest

pytestmark = pytest.mark.process

PAGE = "http://93.184.216.34/wiki/Cold_iron"
SENTENCE = "Cold iron ends every ember ward within nine breaths."
TEXT = (
    "# Cold iron\n\n"
    + SENTENCE
    + "\n\n"
    + "".join(
        f"Ingot {number} is sold in Saltmouth, stall {number % 9}.\n\n" for number in range(300)
    )
)


def last_answer(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The newest tool result as the model sees it."""
    content = messages[-1]["content"]
    answer: dict[str, Any] = json.loads(content[content.index("{") : content.rindex("}") + 1])
    return answer


def answers_of(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for message in messages:
        if message["role"] == "tool":
            yield last_answer([message])


def wait_for_source(services: ServicePair) -> None:
    deadline = time.monotonic() + 60
    with services.client() as client:
        request = ListSourcesRequest(game_id="emberfall", uri_prefix=PAGE)
        while not any(
            source.current_version_id for source in client.sources.ListSources(request).sources
        ):
            assert time.monotonic() < deadline, "the page did not come to the corpus"
            time.sleep(0.05)


def runs_of(services: ServicePair) -> list[CitingRun]:
    """The run that fetched the page and the one that answered with it, in this order, once both are linked."""
    deadline = time.monotonic() + 60
    with services.client() as client:
        listed = ListSourcesRequest(game_id="emberfall", uri_prefix=PAGE)
        (source,) = client.sources.ListSources(listed).sources
        request = ListCitingRunsRequest(
            game_id="emberfall", source_id=source.source_id, least_use=RunUse.RUN_USE_DISCOVERED
        )
        while True:
            runs = list(client.sources.ListCitingRuns(request).runs)
            if len(runs) == 2 and runs[0].use == RunUse.RUN_USE_CITED:
                return runs[::-1]
            assert time.monotonic() < deadline, "the runs did not come to the corpus"
            time.sleep(0.05)


def check_runs(services: ServicePair, *, cited: str, consulted: list[str]) -> None:
    fetching, answering = runs_of(services)
    assert fetching.use == RunUse.RUN_USE_CONSULTED
    assert answering.use == RunUse.RUN_USE_CITED
    assert fetching.run_id != answering.run_id
    with services.client() as client:
        request = ListRunSourcesRequest(game_id="emberfall", run_id=answering.run_id)
        (source,) = client.citations.ListRunSources(request).sources
    assert source.canonical_uri == PAGE
    uses = {place.ref: place.use for place in source.refs}
    assert uses[cited] == RunUse.RUN_USE_CITED
    assert {uses[ref] for ref in consulted} == {RunUse.RUN_USE_CONSULTED}


def search(_: list[dict[str, Any]]) -> dict[str, Any]:
    return {"calls": [("corpus_search", {"query": '"nine breaths" ember ward', "limit": 3})]}


def find(_: list[dict[str, Any]]) -> dict[str, Any]:
    return {"calls": [("corpus_find", {"text": "NINE  breaths", "url_prefix": PAGE})]}


def read(messages: list[dict[str, Any]]) -> dict[str, Any]:
    ref = next(answer for answer in answers_of(messages) if "hits" in answer)["hits"][0]["ref"]
    return {"calls": [("corpus_read", {"ref": ref, "first_line": 1, "max_lines": 40})]}


def read_on(messages: list[dict[str, Any]]) -> dict[str, Any]:
    return {"calls": [("corpus_read", {"page": last_answer(messages)["next_page"]})]}


def cite(messages: list[dict[str, Any]]) -> dict[str, Any]:
    first = next(answer for answer in answers_of(messages) if "lines_in_all" in answer)
    citations = [
        {"ref": first["ref"], "quote": SENTENCE},
        {"ref": first["ref"], "quote": SENTENCE.replace("nine", "ten")},
        {"ref": first["ref"], "quote": "Ingot 299 is sold in Saltmouth, stall 2."},
        {"ref": "v-ver-unknown#0-5"},
    ]
    return {"calls": [("corpus_cite", {"citations": citations}), ("corpus_sources", {})]}


def answer(messages: list[dict[str, Any]]) -> dict[str, Any]:
    cited = next(answer for answer in answers_of(messages) if "citations" in answer)
    return {"text": f"{SENTENCE} [{cited['citations'][0]['quote_ref']}]"}


def test_agent_fetches_searches_reads_and_cites_and_the_bridge_resolves(
    home_of: Callable[..., HermesHome],
    model_of: Any,
    web: LocalWeb,
    services: ServicePair,
) -> None:
    web.pages[PAGE] = {"markdown": TEXT, "title": "Cold iron"}
    model = model_of(
        {
            "FETCH": [{"calls": [("web_extract", {"urls": [PAGE]})]}, {"text": "fetched"}],
            "ANSWER": [search, find, read, read_on, cite, answer],
        }
    )
    home = home_of()
    home.capture_address = services.addresses.capture
    home.variables["SOURCECORPUS_CORPUS_ADDRESS"] = services.addresses.corpus
    home.converse(["FETCH"], model, web)
    wait_for_source(services)
    home.run("ANSWER", model, web)
    messages = model.requests[-1]["messages"]
    found = list(answers_of(messages))
    searched, exactly, first, second, cited, listed = found[:6]
    assert exactly["exhausted"]
    assert [document["url"] for document in exactly["documents"]] == [PAGE]
    assert exactly["documents"][0]["passages"][0]["matching_lines"] == [3]
    assert searched["game"] == "emberfall"
    assert searched["hits"][0]["url"] == PAGE
    assert (first["first_line"], first["last_line"]) == (1, 40)
    assert second["first_line"] == 41
    assert SENTENCE in first["text"]
    exact, changed, elsewhere, unknown = cited["citations"]
    assert exact["verdict"] == "EXACT"
    assert changed["verdict"] == "ABSENT"
    assert changed["nearest_text"]
    assert (elsewhere["verdict"], elsewhere["inside_ref"]) == ("EXACT", False)
    assert unknown["error"] in {"VERSION_NOT_FOUND", "INVALID_REF"}
    assert PAGE in [source["url"] for source in listed["sources"]]
    shown = json.dumps(found)
    assert not re.search(r'"(?:src|chk|art|game)[-_]id"|src-|art-', shown)
    with services.client() as client:
        request = ResolveCitationsRequest(
            game_id="emberfall", refs=[exact["quote_ref"], elsewhere["quote_ref"]]
        )
        quotes = [
            result.citation.quote for result in client.citations.ResolveCitations(request).results
        ]
    assert quotes == [SENTENCE, "Ingot 299 is sold in Saltmouth, stall 2."]
    check_runs(services, cited=exact["quote_ref"], consulted=[first["ref"], second["ref"]])
    assert home.status()["counters"]["linked"] == {"cited": 1, "consulted": 2}
    # What the agent's own tools answer is not captured again.
    assert "lost" not in home.status()["counters"]
    assert home.status()["counters"]["taken"] == {"envelopes": 1}
