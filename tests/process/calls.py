"""Calls that several process tests make, each one over a real socket."""

import hashlib
from collections import Counter
from collections.abc import Iterable

import grpc

from sourcecorpus.bridge.capture_stream import stream_envelopes
from sourcecorpus.bridge.client import SourceCorpusClient
from sourcecorpus.capture.v1.capture_service_pb2 import GetCaptureSessionRequest
from sourcecorpus.capture.v1.envelope_pb2 import Envelope
from sourcecorpus.capture.v1.outcome_pb2 import CaptureOutcome, EnvelopeOutcome
from sourcecorpus.corpus.v1.game_pb2 import Game
from sourcecorpus.corpus.v1.game_service_pb2 import CreateGameRequest
from sourcecorpus.corpus.v1.ingest_service_pb2 import UploadContentRequest, UploadHead
from sourcecorpus.corpus.v1.ingest_service_pb2_grpc import IngestServiceStub
from sourcecorpus.corpus.v1.search_service_pb2 import SearchHit, SearchRequest
from sourcecorpus.corpus.v1.source_pb2 import Source, Version
from sourcecorpus.corpus.v1.source_service_pb2 import (
    ListSourcesRequest,
    ListVersionsRequest,
    ReadDocumentRequest,
    ReadRawContentRequest,
)
from sourcecorpus.rpc.limits import DATA_FRAME_BYTES_MAX
from sourcecorpus.rpc.status import failure_from_rpc_error
from tests.process.waiting import until

GAME = "emberfall"


def make_game(client: SourceCorpusClient, game: str = GAME) -> None:
    client.games.CreateGame(CreateGameRequest(game=Game(game_id=game)))


def send(
    client: SourceCorpusClient, envelopes: Iterable[Envelope], session: str
) -> list[EnvelopeOutcome]:
    return list(stream_envelopes(client.captures, envelopes, capture_session_id=session))


def wait_delivered(client: SourceCorpusClient, session: str) -> None:
    """Return when the corpus has everything that the session has sent."""
    request = GetCaptureSessionRequest(capture_session_id=session)
    until(lambda: client.captures.GetCaptureSession(request).outbox_envelopes == 0)


def deliver(
    client: SourceCorpusClient, envelopes: Iterable[Envelope], session: str
) -> list[EnvelopeOutcome]:
    """Send everything and wait until the corpus has it."""
    outcomes = send(client, envelopes, session)
    wait_delivered(client, session)
    return outcomes


def outcome_names(outcomes: Iterable[EnvelopeOutcome]) -> list[str]:
    return [
        CaptureOutcome.Name(outcome.outcome).removeprefix("CAPTURE_OUTCOME_")
        for outcome in outcomes
    ]


def raw(client: SourceCorpusClient, *, game: str = GAME, **locator: str) -> tuple[bytes, str]:
    """Stored bytes and the hash that came with them; the locator is one field of the request."""
    request = ReadRawContentRequest(game_id=game)
    for field, value in locator.items():
        setattr(request, field, value)
    parts = list(client.sources.ReadRawContent(request))
    return b"".join(part.data for part in parts), parts[-1].content_hash


def upload(client: SourceCorpusClient, data: bytes, game: str = GAME) -> None:
    """Give the corpus a content that no record refers to."""
    frames = [
        UploadContentRequest(
            head=UploadHead(
                game_id=game,
                content_hash=f"sha256:{hashlib.sha256(data).hexdigest()}",
                size_bytes=len(data),
            )
        )
    ]
    frames += [
        UploadContentRequest(data=data[start : start + DATA_FRAME_BYTES_MAX])
        for start in range(0, len(data), DATA_FRAME_BYTES_MAX)
    ]
    channel = client.channel(client.addresses.corpus)
    IngestServiceStub(channel).UploadContent(iter(frames))


def search(client: SourceCorpusClient, query: str, game: str = GAME) -> list[SearchHit]:
    return list(client.search.Search(SearchRequest(game_id=game, query=query)).hits)


def sources(client: SourceCorpusClient, game: str = GAME) -> list[Source]:
    found: list[Source] = []
    token = ""
    while True:
        answer = client.sources.ListSources(
            ListSourcesRequest(game_id=game, page_size=500, page_token=token)
        )
        found += answer.sources
        token = answer.next_page_token
        if not token:
            return found


def versions(client: SourceCorpusClient, source_id: str, game: str = GAME) -> list[Version]:
    request = ListVersionsRequest(game_id=game, source_id=source_id, page_size=500)
    answer = client.sources.ListVersions(request)
    assert not answer.next_page_token
    return list(answer.versions)


def document(client: SourceCorpusClient, version_id: str, game: str = GAME) -> str:
    """The whole text of a version, by following every continuation."""
    request = ReadDocumentRequest(game_id=game, version_id=version_id, max_chars=200_000)
    pieces: list[str] = []
    while True:
        answer = client.sources.ReadDocument(request)
        pieces += [line.text + ("" if line.partial else "\n") for line in answer.lines]
        if not answer.HasField("continuation"):
            return "".join(pieces).removesuffix("\n")
        request = answer.continuation


def counts(client: SourceCorpusClient, game: str = GAME) -> Counter[str]:
    found: Counter[str] = Counter()
    for source in sources(client, game):
        found["sources"] += 1
        found["versions"] += source.version_count
        found["observations"] += source.observation_count
    return found


def refusal(error: grpc.RpcError) -> tuple[str, str]:
    """Canonical code and reason of an error."""
    failure = failure_from_rpc_error(error)
    return failure.code.name, failure.reason
