"""Real results of the real Hermes go in and come back as exact versions, after any restart."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest

from sourcecorpus.bridge.client import SourceCorpusClient
from sourcecorpus.bridge.sample import load_sample
from sourcecorpus.capture.v1.envelope_pb2 import Envelope
from sourcecorpus.corpus.v1.citation_service_pb2 import ResolveCitationsRequest
from sourcecorpus.corpus.v1.search_service_pb2 import SearchRequest
from sourcecorpus.corpus.v1.source_service_pb2 import ReadDocumentRequest
from sourcecorpus.hermes.hook_events import envelope_of_hook_event
from tests.e2e.hermes.local_web import LocalWeb
from tests.e2e.hermes.real_hermes import HERMES_PYTHON, prepare_home, record_calls
from tests.process.calls import (
    GAME,
    deliver,
    document,
    make_game,
    raw,
    refusal,
    search,
    sources,
    versions,
    wait_delivered,
)
from tests.process.captures import digest
from tests.process.conftest import Services

EVENTS = Path(__file__).parents[1] / "tool_families" / "hermes_events"
PAGE = "http://93.184.216.34/wiki/Quench"

pytestmark = [pytest.mark.process, pytest.mark.timeout(180)]


@dataclass(frozen=True)
class Exact:
    """Everything that is exact about one version."""

    facts: bytes
    text: str
    raw: bytes
    citation: bytes


def recorded() -> list[Envelope]:
    found = []
    for path in sorted(EVENTS.iterdir()):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        one = envelope_of_hook_event(json.loads(data))
        if one is not None:
            one.head.game_id = GAME
            found.append(one)
    return found


def everything(client: SourceCorpusClient) -> dict[str, Exact]:
    """Every version of the game, read on every way that names it exactly."""
    found = {}
    for source in sources(client):
        for version in versions(client, source.source_id):
            text = document(client, version.version_id)
            data, content_hash = raw(client, version_id=version.version_id)
            assert content_hash == version.content_hash == digest(data)
            assert len(text) in {version.text_length, version.text_length - 1}
            ref = f"v-{version.version_id.removeprefix('ver-')}#0-{min(version.text_length, 60)}"
            (resolved,) = client.citations.ResolveCitations(
                ResolveCitationsRequest(game_id=GAME, refs=[ref])
            ).results
            citation = resolved.citation
            assert citation.version_id == version.version_id, resolved.failure
            assert text.startswith(citation.quote.rstrip("\n"))
            assert citation.quote_hash == digest(citation.quote.encode())
            found[version.version_id] = Exact(
                version.SerializeToString(deterministic=True),
                text,
                data,
                citation.SerializeToString(deterministic=True),
            )
    return found


def results(client: SourceCorpusClient, envelopes: list[Envelope]) -> dict[str, bytes | str]:
    """The whole result of every envelope, or the reason why readers do not get it."""
    found: dict[str, bytes | str] = {}
    for one in envelopes:
        name = one.head.envelope_id
        try:
            found[name] = raw(client, envelope_id=name)[0]
        except grpc.RpcError as error:
            found[name] = refusal(error)[1]
    return found


def test_recorded_results_of_hermes(services: Services) -> None:
    envelopes = recorded()
    assert len(envelopes) >= 30
    with services.client() as client:
        make_game(client)
        outcomes = deliver(client, envelopes, "recorded")
        found, kept = everything(client), results(client, envelopes)
    assert len(found) > 10
    unmasked = 0
    for one, outcome in zip(envelopes, outcomes, strict=True):
        back = kept[one.head.envelope_id]
        if isinstance(back, bytes) and not outcome.masks:
            unmasked += 1
            assert back == one.result
    assert unmasked > 15
    for name in ("capture", "corpus"):
        assert services.stop(name) == 0
    services.start_both()
    with services.client() as client:
        assert everything(client) == found
        assert results(client, envelopes) == kept
    for name in ("capture", "corpus"):
        services.kill(name)
    services.start_both()
    with services.client() as client:
        assert everything(client) == found
        assert results(client, envelopes) == kept
        again = deliver(client, recorded(), "again")
        # What was stored is known; what was refused or ignored gets the same answer once more.
        stored = [outcome.source_count > 0 for outcome in outcomes]
        assert [one.outcome == 11 for one in again] == stored
        assert everything(client) == found


def test_the_sample_is_found_read_and_cited(services: Services) -> None:
    with services.client() as client:
        outcomes = load_sample(client)
        wait_delivered(client, "sample-emberfall-1")
        assert len(outcomes) > 5
        before = look(client)
        for name in ("corpus", "capture"):
            services.kill(name)
    services.start_both()
    with services.client() as client:
        assert look(client) == before


def look(client: SourceCorpusClient) -> list[tuple[str, str, str]]:
    """What questions of a person find, as refs with the lines and the quotation behind them."""
    seen = []
    for query in ("cold iron", "Saltmouth market", "鐘の塔", "灰烬猎犬", "ember ward"):
        hits = search(client, query)
        assert hits, query
        for hit in hits:
            (resolved,) = client.citations.ResolveCitations(
                ResolveCitationsRequest(game_id=GAME, refs=[hit.ref])
            ).results
            citation = resolved.citation
            read = client.sources.ReadDocument(
                ReadDocumentRequest(game_id=GAME, citation=hit.ref, max_lines=5)
            )
            assert read.version.version_id == citation.version_id == hit.version_id
            assert read.lines[0].number == citation.lines.first
            seen.append((hit.ref, citation.quote_hash, read.lines[0].text))
    return seen


@pytest.fixture
def web() -> Iterator[LocalWeb]:
    pages: dict[str, dict[str, Any]] = {
        PAGE: {"markdown": "# Quench\n\nQuench the blade in brine.\n", "title": "Quench"},
        "/brine": {"body": "<h1>Brine</h1><p>Brine of Saltmouth.</p>", "type": "text/html"},
    }
    hits = [{"url": PAGE, "title": "Quench", "description": "How a blade is quenched."}]
    with LocalWeb(pages, hits) as served:
        yield served


def test_live_results_of_the_real_hermes(services: Services, web: LocalWeb, tmp_path: Path) -> None:
    assert HERMES_PYTHON.exists(), "the real Hermes is missing: make hermes-venv"
    home = tmp_path / "hermes"
    home.mkdir()
    prepare_home(home)
    notes = home / "notes.md"
    notes.write_text("# Notes\n\nBuy brine.\n", encoding="utf-8")
    calls = [
        ("web_search", {"query": "quench a blade", "limit": 1}),
        ("web_extract", {"urls": [PAGE]}),
        ("terminal", {"command": f"curl -s http://127.0.0.1:{web.port}/brine"}),
        ("read_file", {"path": str(notes)}),
    ]
    events = record_calls(
        home,
        web.port,
        [
            {"tool": tool, "args": arguments, "ids": {"session_id": "s"}}
            for tool, arguments in calls
        ],
    )
    envelopes = [one for event in events if (one := envelope_of_hook_event(event)) is not None]
    assert [one.head.tool_name for one in envelopes] == [tool for tool, _ in calls]
    for one in envelopes:
        one.head.game_id = GAME
    with services.client() as client:
        make_game(client)
        deliver(client, envelopes, "live")
        for one in envelopes:
            assert raw(client, envelope_id=one.head.envelope_id)[0] == one.result
        answer = client.search.Search(SearchRequest(game_id=GAME, query="brine"))
        assert {hit.family for hit in answer.hits} == {"gtc_page", "http", "local_file"}
        texts = {document(client, hit.version_id) for hit in answer.hits}
        assert any("Quench the blade in brine." in text for text in texts)
        assert any("Brine of Saltmouth." in text for text in texts)
        assert any("Buy brine." in text for text in texts)
