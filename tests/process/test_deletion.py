"""A source is captured, deleted and captured again, with both services as processes."""

from __future__ import annotations

import json

import pytest

from sourcecorpus.bridge.client import SourceCorpusClient
from sourcecorpus.capture.v1.envelope_pb2 import Envelope
from sourcecorpus.capture.v1.refresh_pb2 import (
    REFRESH_STATE_DONE,
    REFRESH_STATE_TAKEN,
    ReportRefreshRequest,
    WatchRefreshRequestsRequest,
)
from sourcecorpus.corpus.v1.deletion_pb2 import DELETION_REASON_SENSITIVE, DeleteSourceRequest
from sourcecorpus.corpus.v1.refresh_pb2 import ListRefreshRequestsRequest, RequestRefreshRequest
from tests.process.calls import GAME, deliver, document, make_game, search, sources, versions
from tests.process.captures import envelope
from tests.process.conftest import Services
from tests.process.files import all_files

PLANTED = "zxqvplanted"
URI = "https://castle.example/planted"

pytestmark = [pytest.mark.process, pytest.mark.timeout(180)]


def page(number: int) -> Envelope:
    """The planted page as one more call of the tool returns it."""
    one = envelope(number, GAME, prefix="planted")
    result = {"success": True, "results": [{"url": URI, "content": f"the {PLANTED} gate"}]}
    one.head.tool_name = "web_extract"
    one.head.arguments = json.dumps({"urls": [URI]}).encode()
    one.result = json.dumps(result).encode()
    return one


def planted(client: SourceCorpusClient) -> str:
    (source,) = [source for source in sources(client) if source.canonical_uri == URI]
    return source.source_id


def files_with_it(services: Services) -> list[str]:
    """Files of the corpus that hold the planted word, write-ahead logs and all."""
    needle = PLANTED.encode()
    return [
        path.name
        for path in all_files(services.folder / "data")
        if not path.name.startswith("capture.db") and needle in path.read_bytes()
    ]


def test_deleted_captured_again_and_refreshed(services: Services) -> None:
    with services.client() as client:
        make_game(client)
        deliver(client, [page(0)], "first")
        source = planted(client)
        (version,) = versions(client, source)
        assert search(client, PLANTED)
        assert files_with_it(services) != []
        reply = client.sources.DeleteSource(
            DeleteSourceRequest(game_id=GAME, source_id=source, reason=DELETION_REASON_SENSITIVE)
        )
        assert reply.source_deleted
        assert list(reply.version_ids) == [version.version_id]
        assert not search(client, PLANTED)
        assert files_with_it(services) == []
        # The capture service still takes the content for known: the corpus asks for it again.
        deliver(client, [page(1)], "second")
        assert planted(client) == source
        assert [found.version_id for found in versions(client, source)] == [version.version_id]
        assert PLANTED in document(client, version.version_id)
        refresh(client, source)


def refresh(client: SourceCorpusClient, source: str) -> None:
    asked = client.sources.RequestRefresh(
        RequestRefreshRequest(game_id=GAME, source_ids=[source])
    ).requests[0]
    watch = client.captures.WatchRefreshRequests(WatchRefreshRequestsRequest(game_id=GAME))
    leased = next(iter(watch)).request
    watch.cancel()
    assert (leased.request_id, leased.uri) == (asked.request_id, URI)
    assert leased.state == REFRESH_STATE_TAKEN
    client.captures.ReportRefresh(
        ReportRefreshRequest(game_id=GAME, request_id=leased.request_id, envelope_id="again")
    )
    (listed,) = client.sources.ListRefreshRequests(
        ListRefreshRequestsRequest(game_id=GAME)
    ).requests
    assert (listed.state, listed.envelope_id) == (REFRESH_STATE_DONE, "again")
