"""Texts made in processes beside the corpus service are the texts it makes itself."""

import pytest

from sourcecorpus.bridge.sample import SAMPLE_GAME, SAMPLE_SESSION, load_sample
from sourcecorpus.capture.v1.capture_service_pb2 import GetCaptureSessionRequest
from sourcecorpus.corpus.v1.source_service_pb2 import ListSourcesRequest
from tests.process.conftest import Services
from tests.process.waiting import until

pytestmark = pytest.mark.process


def versions_of_the_sample(services: Services) -> set[str]:
    with services.client() as client:
        load_sample(client)
        session = GetCaptureSessionRequest(capture_session_id=SAMPLE_SESSION)
        until(lambda: client.captures.GetCaptureSession(session).outbox_envelopes == 0)
        found = client.sources.ListSources(ListSourcesRequest(game_id=SAMPLE_GAME)).sources
        assert len(found) == 8
        return {source.current_version_id for source in found}


def test_workers_make_the_same_versions(services: Services) -> None:
    alone = versions_of_the_sample(services)
    other = Services(services.folder / "with-workers")
    other.folder.mkdir()
    try:
        other.start("corpus", SOURCECORPUS_CORPUS_PREPARATION_WORKERS="2")
        other.start("capture")
        assert versions_of_the_sample(other) == alone
    finally:
        other.close()
