"""Versions, repetitions, repair and damage, seen through both services."""

import json
import threading
from collections.abc import Iterator

import grpc
import pytest

from sourcecorpus.bridge.client import SourceCorpusClient
from sourcecorpus.capture.v1.envelope_pb2 import Envelope
from sourcecorpus.corpus.v1.citation_service_pb2 import ResolveCitationsRequest
from sourcecorpus.corpus.v1.source_service_pb2 import (
    GetSourceRequest,
    GetVersionRequest,
    ReadDocumentRequest,
    ReadRawContentRequest,
)
from tests.process import files
from tests.process.calls import (
    GAME,
    counts,
    deliver,
    document,
    outcome_names,
    raw,
    refusal,
    search,
    send,
    sources,
    versions,
    wait_delivered,
)
from tests.process.captures import digest, envelope
from tests.process.conftest import Services
from tests.process.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
def client(shared_services: Services) -> Iterator[SourceCorpusClient]:
    with shared_services.client() as client:
        yield client


def page(name: str, url: str, text: str) -> Envelope:
    one = envelope(1, GAME, prefix=name)
    one.head.tool_name = "web_extract"
    one.head.arguments = json.dumps({"urls": [url]}).encode()
    content = {"url": url, "title": "A page", "content": text, "error": None}
    one.result = json.dumps({"results": [content]}).encode()
    return one


def test_contents_a_b_a(client: SourceCorpusClient) -> None:
    url = "http://93.184.216.34/wiki/aba"
    texts = ["# Gate\n\nThe gate is open.\n", "# Gate\n\nThe gate is shut.\n"]
    captures = [page(f"aba-{n}", url, texts[n % 2]) for n in range(3)]
    outcomes = deliver(client, captures, "aba")
    assert outcome_names(outcomes) == ["STORED", "NEW_VERSION", "OBSERVED_AGAIN"]
    answer = client.sources.GetSource(GetSourceRequest(game_id=GAME, uri=url))
    assert answer.source.observation_count == 3
    assert answer.source.version_count == 2
    found = versions(client, answer.source.source_id)
    by_text = {document(client, version.version_id).strip(): version for version in found}
    assert set(by_text) == {text.strip() for text in texts}
    current = by_text[texts[0].strip()]
    assert answer.source.current_version_id == current.version_id
    assert [version.current for version in by_text.values()].count(True) == 1
    assert [observation.envelope_id for observation in answer.observations] == [
        capture.head.envelope_id for capture in reversed(captures)
    ]


def test_an_identical_fetch_adds_an_observation_alone(client: SourceCorpusClient) -> None:
    url, text = "http://93.184.216.34/wiki/same", "# Bell\n\nThe bell rings at noon.\n"
    deliver(client, [page("same-1", url, text)], "same-1")
    before = counts(client)
    again = deliver(client, [page("same-2", url, text)], "same-2")
    assert outcome_names(again) == ["OBSERVED_AGAIN"]
    before["observations"] += 1
    assert counts(client) == before


def test_two_clients_with_the_same_envelope_at_once(shared_services: Services) -> None:
    captures = [
        page(f"twice-{number}", f"http://93.184.216.34/twice/{number}", f"Twice {number}.\n")
        for number in range(50)
    ]
    outcomes: dict[int, list[str]] = {}
    start = threading.Barrier(2)

    def run(number: int) -> None:
        own = [Envelope.FromString(capture.SerializeToString()) for capture in captures]
        with shared_services.client() as client:
            start.wait()
            outcomes[number] = outcome_names(send(client, own, f"twice-{number}"))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pairs = [sorted(pair) for pair in zip(outcomes[0], outcomes[1], strict=True)]
    assert pairs == [["DUPLICATE_ENVELOPE", "STORED"]] * 50
    with shared_services.client() as client:
        wait_delivered(client, "twice-0")
        wait_delivered(client, "twice-1")
        found = [one for one in sources(client) if "/twice/" in one.canonical_uri]
    assert [one.observation_count for one in found] == [1] * 50


def test_the_same_envelope_id_with_other_content_is_refused(client: SourceCorpusClient) -> None:
    url = "http://93.184.216.34/wiki/reused"
    deliver(client, [page("reused", url, "One text.\n")], "reused-1")
    (outcome,) = deliver(client, [page("reused", url, "Another text.\n")], "reused-2")
    assert outcome_names([outcome]) == ["REJECTED"]
    assert outcome.reason == "ENVELOPE_ID_REUSED"


def test_a_probe_is_in_no_reading_path(shared_services: Services) -> None:
    url = "http://93.184.216.34/wiki/probed"
    text = "# Quern\n\nThe quernstone of Probeham grinds pyrite.\n"
    with shared_services.client() as client:
        before = counts(client)
        probe = page("probe", url, text)
        probe.head.probe = True
        assert outcome_names(deliver(client, [probe], "probe")) == ["STORED"]
        path = shared_services.folder / files.CORPUS
        assert files.number(path, "SELECT count(*) FROM envelopes WHERE probe = 1") == 1
        assert counts(client) == before
        assert not search(client, "quernstone")
        for locator in ({"uri": url},):
            with pytest.raises(grpc.RpcError) as error:
                client.sources.GetSource(GetSourceRequest(game_id=GAME, **locator))
            assert refusal(error.value)[0] == "NOT_FOUND"
        for locator in ({"envelope_id": "probe-1"}, {"content_hash": digest(probe.result)}):
            with pytest.raises(grpc.RpcError) as error:
                raw(client, **locator)
            assert refusal(error.value)[0] == "NOT_FOUND"
        with pytest.raises(grpc.RpcError) as error:
            client.sources.ReadDocument(ReadDocumentRequest(game_id=GAME, canonical_uri=url))
        assert refusal(error.value)[0] == "NOT_FOUND"
        # A real capture of the same text afterwards is one of its own, and the probe adds nothing.
        (outcome,) = deliver(client, [page("real", url, text)], "real")
        (hit,) = search(client, "quernstone")
        assert hit.canonical_uri == url
        source = client.sources.GetSource(GetSourceRequest(game_id=GAME, uri=url))
        assert source.source.observation_count == source.source.version_count == 1
        assert [one.envelope_id for one in source.observations] == ["real-1"]
        assert outcome_names([outcome]) == ["STORED"]
        (resolved,) = client.citations.ResolveCitations(
            ResolveCitationsRequest(game_id=GAME, refs=[hit.ref])
        ).results
        assert resolved.citation.version_id == hit.version_id


def lose_dedupe_state(services: Services) -> None:
    for table in ("known_contents", "known_sources", "corpus_contents"):
        assert files.change(services.folder / files.CAPTURE, f"DELETE FROM {table}") >= 0


def test_lost_dedupe_state_costs_bytes_and_no_capture(
    client_of_own: SourceCorpusClient, services: Services
) -> None:
    client = client_of_own
    url, text = "http://93.184.216.34/wiki/lost", "# Rope\n\nThe rope is long.\n"
    deliver(client, [page("lost-1", url, text)], "lost-1")
    lose_dedupe_state(services)
    deliver(client, [page("lost-2", url, text)], "lost-2")
    source = client.sources.GetSource(GetSourceRequest(game_id=GAME, uri=url)).source
    assert (source.observation_count, source.version_count) == (2, 1)
    assert raw(client, envelope_id="lost-2-1")[0] == page("", url, text).result


def test_a_content_that_is_gone_is_asked_for_again(
    client_of_own: SourceCorpusClient, services: Services
) -> None:
    client = client_of_own
    url, text = "http://93.184.216.34/wiki/gone", "# Salt\n\nThe salt is white.\n"
    first = page("gone-1", url, text)
    deliver(client, [first], "gone-1")
    corpus = services.folder / files.CORPUS
    row = "(SELECT row FROM blobs WHERE hash = ?)"
    content_hash = digest(first.result)
    files.change(corpus, f"DELETE FROM blob_pieces WHERE row >> 16 = {row}", content_hash)
    assert files.change(corpus, "DELETE FROM blobs WHERE hash = ?", content_hash) == 1
    with pytest.raises(grpc.RpcError) as error:
        raw(client, envelope_id="gone-1-1")
    assert refusal(error.value) == ("DATA_LOSS", "STORED_HASH_MISMATCH")
    # The capture service believes that the corpus has these bytes; the corpus asks for them.
    deliver(client, [page("gone-2", url, text)], "gone-2")
    answered = files.query(
        services.folder / files.CAPTURE,
        "SELECT amount FROM counters WHERE kind = 'delivery' AND name = 'NEED_CONTENT'"
        " AND session = ''",
    )
    assert answered == [(1,)]
    for name in ("gone-1-1", "gone-2-1"):
        assert raw(client, envelope_id=name) == (first.result, content_hash)


@pytest.mark.parametrize("size", [200, 700_000])
def test_a_flipped_byte_is_never_served(
    client_of_own: SourceCorpusClient, services: Services, size: int
) -> None:
    client = client_of_own
    url = f"http://93.184.216.34/wiki/flipped/{size}"
    text = "# Tide\n\n" + "The tide turns twice.\n" * (size // 22)
    first = page("flipped", url, text)
    deliver(client, [first], "flipped")
    (source,) = sources(client)
    version = versions(client, source.source_id)[0]
    corpus = services.folder / files.CORPUS
    rows = files.query(
        corpus,
        "SELECT p.row, p.frame FROM blob_pieces AS p JOIN blobs AS b ON b.row = p.row >> 16"
        " ORDER BY p.row",
    )
    for row, frame in rows:
        assert isinstance(frame, bytes)
        middle = len(frame) // 2
        damaged = frame[:middle] + bytes([frame[middle] ^ 1]) + frame[middle + 1 :]
        files.change(corpus, "UPDATE blob_pieces SET frame = ? WHERE row = ?", damaged, row)
    for locator in (
        {"envelope_id": "flipped-1"},
        {"content_hash": digest(first.result)},
        {"version_id": version.version_id},
        {"artifact_id": version.artifact_id},
    ):
        served: list[bytes] = []
        request = ReadRawContentRequest(game_id=GAME)
        for field, value in locator.items():
            setattr(request, field, value)
        parts = client.sources.ReadRawContent(request)
        with pytest.raises(grpc.RpcError) as error:
            served.extend(part.data for part in parts)
        assert refusal(error.value) == ("DATA_LOSS", "STORED_HASH_MISMATCH")
        assert not served
    # The text is another row and still what it was; the same bytes, sent again, repair the rest.
    assert (
        client.sources.GetVersion(
            GetVersionRequest(game_id=GAME, version_id=version.version_id)
        ).version.text_hash
        == version.text_hash
    )
    deliver(client, [page("mended", url, text)], "mended")
    until(lambda: raw(client, envelope_id="mended-1")[0] == first.result, 10)
    assert raw(client, envelope_id="flipped-1")[0] == first.result


@pytest.fixture
def client_of_own(services: Services) -> Iterator[SourceCorpusClient]:
    from tests.process.calls import make_game

    with services.client() as client:
        make_game(client)
        yield client
