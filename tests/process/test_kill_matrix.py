"""kill -9 at every named point under 1,000 mixed envelopes: what was acknowledged is there exactly once."""

from collections import Counter

import grpc
import pytest

from sourcecorpus.bridge.capture_stream import stream_envelopes
from sourcecorpus.bridge.client import SourceCorpusClient
from sourcecorpus.capture.v1.capture_service_pb2 import GetCaptureSessionRequest
from sourcecorpus.corpus.v1.game_pb2 import Game
from sourcecorpus.corpus.v1.game_service_pb2 import CreateGameRequest
from sourcecorpus.corpus.v1.source_service_pb2 import ListSourcesRequest, ReadRawContentRequest

from tests.process.captures import digest, envelope, mixed
from tests.process.conftest import GAME, Services
from tests.process.waiting import until

ENVELOPES = 1_000
SESSION = "kill-matrix"
CAPTURE_POINTS = [
    ("capture.before_outbox_commit", 5),
    ("capture.after_outbox_commit", 5),
    ("capture.before_ack", 6),
    ("capture.after_ack", 7),
    ("capture.mid_batch_before_send", 3),
    ("capture.after_corpus_answer_before_settle", 3),
    ("capture.during_checkpoint", 1),
    ("capture.during_migration", 1),
]
CORPUS_POINTS = [
    ("corpus.before_commit", 4),
    ("corpus.after_commit_before_answer", 4),
    ("corpus.mid_batch", 5),
    ("corpus.during_checkpoint", 1),
    ("corpus.during_migration", 1),
    ("corpus.mid_upload", 1),
]

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]


def make_game(client: SourceCorpusClient) -> None:
    client.games.CreateGame(CreateGameRequest(game=Game(game_id=GAME)))


def send_all(services: Services, acknowledged: dict[str, int]) -> None:
    """Send everything, starting over after a break, until every envelope was acknowledged."""
    with services.client() as client:
        outcomes = stream_envelopes(
            client.captures, mixed(ENVELOPES, GAME), capture_session_id=SESSION
        )
        for outcome in outcomes:
            acknowledged[outcome.envelope_id] = outcome.outcome


def check_everything_is_there_once(services: Services, acknowledged: dict[str, int]) -> None:
    assert len(acknowledged) == ENVELOPES
    with services.client() as client:
        request = GetCaptureSessionRequest(capture_session_id=SESSION)
        until(lambda: client.captures.GetCaptureSession(request).outbox_envelopes == 0)
        session = client.captures.GetCaptureSession(request)
        assert session.durable_sequence == ENVELOPES
        assert session.delivered_envelopes == ENVELOPES
        for number in range(1, ENVELOPES + 1):
            expected = envelope(number, GAME)
            parts = list(
                client.sources.ReadRawContent(
                    ReadRawContentRequest(game_id=GAME, envelope_id=expected.head.envelope_id)
                )
            )
            assert b"".join(part.data for part in parts) == expected.result
            assert parts[-1].content_hash == digest(expected.result)
        assert counts(client) == expected_counts(services)


def counts(client: SourceCorpusClient) -> Counter[str]:
    found: Counter[str] = Counter()
    token = ""
    while True:
        answer = client.sources.ListSources(
            ListSourcesRequest(game_id=GAME, page_size=500, page_token=token)
        )
        for source in answer.sources:
            found["sources"] += 1
            found["versions"] += source.version_count
            found["observations"] += source.observation_count
        token = answer.next_page_token
        if not token:
            return found


_EXPECTED: Counter[str] = Counter()


def expected_counts(services: Services) -> Counter[str]:
    """What an undisturbed run gives; measured once, in a data folder of its own."""
    if not _EXPECTED:
        undisturbed = Services(services.folder / "undisturbed")
        undisturbed.folder.mkdir()
        try:
            undisturbed.start_both()
            with undisturbed.client() as client:
                make_game(client)
                send_all(undisturbed, {})
                request = GetCaptureSessionRequest(capture_session_id=SESSION)
                until(lambda: client.captures.GetCaptureSession(request).outbox_envelopes == 0)
                _EXPECTED.update(counts(client))
        finally:
            undisturbed.close()
        assert _EXPECTED["observations"] >= ENVELOPES * 4 // 5
    return _EXPECTED


def send_through_a_crash(services: Services, victim: str) -> dict[str, int]:
    acknowledged: dict[str, int] = {}
    sender = Sender(services, acknowledged)
    sender.start()
    services.wait_for_death(victim)
    services.start(victim)
    sender.join()
    return acknowledged


class Sender:
    """Sends in a thread and keeps what it was told; a broken stream is its own business."""

    def __init__(self, services: Services, acknowledged: dict[str, int]) -> None:
        import threading

        self._services, self._acknowledged = services, acknowledged
        self._fault: BaseException | None = None
        self._thread = threading.Thread(target=self._run)

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        self._thread.join()
        if self._fault is not None:
            raise self._fault

    def _run(self) -> None:
        try:
            send_all(self._services, self._acknowledged)
        except (grpc.RpcError, AssertionError) as fault:
            self._fault = fault


@pytest.mark.parametrize(("point", "count"), CAPTURE_POINTS)
def test_killed_capture_service(stopped_services: Services, point: str, count: int) -> None:
    stopped_services.start("corpus")
    plan = {"SOURCECORPUS_FAULT_POINT": f"{point}:{count}"}
    kill_in_start = point.endswith("migration")
    if kill_in_start:
        expect_death_at_start(stopped_services, "capture", plan)
        stopped_services.start("capture")
    else:
        stopped_services.start("capture", **plan)
    with stopped_services.client() as client:
        make_game(client)
    if kill_in_start:
        acknowledged: dict[str, int] = {}
        send_all(stopped_services, acknowledged)
    else:
        acknowledged = send_through_a_crash(stopped_services, "capture")
    check_everything_is_there_once(stopped_services, acknowledged)


def expect_death_at_start(services: Services, name: str, plan: dict[str, str]) -> None:
    with pytest.raises(AssertionError, match="ended with -9"):
        services.start(name, **plan)
    services.children.pop(name)


def test_corpus_down_the_whole_time_then_up(services: Services) -> None:
    with services.client() as client:
        make_game(client)
        warm_up = [envelope(1, GAME, prefix="warm-up")]
        list(stream_envelopes(client.captures, warm_up, capture_session_id="warm-up"))
        request = GetCaptureSessionRequest(capture_session_id="warm-up")
        until(lambda: client.captures.GetCaptureSession(request).outbox_envelopes == 0)
    services.kill("corpus")
    acknowledged: dict[str, int] = {}
    send_all(services, acknowledged)
    services.start("corpus")
    assert len(acknowledged) == ENVELOPES
    with services.client() as client:
        request = GetCaptureSessionRequest(capture_session_id=SESSION)
        until(lambda: client.captures.GetCaptureSession(request).outbox_envelopes == 0)
        assert client.captures.GetCaptureSession(request).delivered_envelopes == ENVELOPES
