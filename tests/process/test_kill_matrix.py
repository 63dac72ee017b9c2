"""kill -9 at named points under 1,000 mixed envelopes: what was acknowledged is there exactly once."""

import random
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import grpc
import pytest

from sourcecorpus.capture.v1.capture_service_pb2 import GetCaptureSessionRequest
from tests.process.calls import (
    GAME,
    counts,
    deliver,
    make_game,
    outcome_names,
    raw,
    search,
    send,
    upload,
    wait_delivered,
)
from tests.process.captures import digest, envelope, mixed
from tests.process.conftest import Services
from tests.process.files import CAPTURE, CORPUS, number, sound
from tests.process.sending import Sender

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
]
CORPUS_POINTS = [
    ("corpus.before_commit", 4),
    ("corpus.after_commit_before_answer", 4),
    ("corpus.mid_batch", 25),
    ("corpus.mid_upload", 3),
    ("corpus.during_checkpoint", 1),
]
# The log of a game goes into its file at 32 MiB: the envelopes alone bring nearly as much.
BALLAST_BYTES = 16 * 1024 * 1024

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]


@cache
def expected_hashes() -> tuple[tuple[str, str], ...]:
    return tuple((one.head.envelope_id, digest(one.result)) for one in mixed(ENVELOPES, GAME))


def check_everything_is_there_once(
    services: Services, acknowledged: Mapping[str, int], *, delivered_before: int = 0
) -> None:
    assert set(acknowledged) == {name for name, _ in expected_hashes()}
    with services.client() as client:
        wait_delivered(client, SESSION)
        request = GetCaptureSessionRequest(capture_session_id=SESSION)
        session = client.captures.GetCaptureSession(request)
        assert session.durable_sequence == ENVELOPES
        assert session.delivered_envelopes == ENVELOPES - delivered_before
        for envelope_id, content_hash in expected_hashes():
            data, told = raw(client, envelope_id=envelope_id)
            assert (digest(data), told) == (content_hash, content_hash)
        found = counts(client)
    found.update(stored_counts(services.folder))
    assert found == undisturbed_counts(services)
    for name in ("capture", "corpus"):
        assert services.stop(name) == 0
    assert sound(services.folder / CORPUS)
    assert sound(services.folder / CAPTURE)


def stored_counts(folder: Path) -> Counter[str]:
    """Ledgers, contents and what a crash could leave behind."""
    corpus, capture = folder / CORPUS, folder / CAPTURE
    statements = {
        "ledger of the corpus": "SELECT count(DISTINCT envelope_id) FROM envelopes",
        "rows of its ledger": "SELECT count(*) FROM envelopes",
        "contents": "SELECT count(DISTINCT hash) FROM blobs WHERE complete = 1 AND referenced = 1",
        "contents that are not whole": "SELECT count(*) FROM blobs WHERE complete = 0",
        "observations of every kind": "SELECT count(*) FROM observations",
        "chunks": "SELECT count(*) FROM source_chunks",
        "indexed chunks": "SELECT count(*) FROM passage_index_docsize",
    }
    found = Counter({name: number(corpus, text) for name, text in statements.items()})
    found["ledger of capture"] = number(capture, "SELECT count(*) FROM ledger")
    found["waiting"] = number(capture, "SELECT count(*) FROM queue_entries")
    found["dead letters"] = number(capture, "SELECT count(*) FROM queue_dead_letters")
    found["waiting contents"] = number(capture, "SELECT count(*) FROM queue_contents")
    found["waiting bytes"] = number(capture, "SELECT stored_bytes FROM queue_totals")
    return found


_UNDISTURBED: Counter[str] = Counter()


def undisturbed_counts(services: Services) -> Counter[str]:
    """What a run without a crash gives; measured once, in a data folder of its own."""
    if not _UNDISTURBED:
        undisturbed = Services(services.folder / "undisturbed")
        undisturbed.folder.mkdir()
        try:
            undisturbed.start_both()
            with undisturbed.client() as client:
                make_game(client)
                assert len(send(client, mixed(ENVELOPES, GAME), SESSION)) == ENVELOPES
                wait_delivered(client, SESSION)
                found = counts(client)
            found.update(stored_counts(undisturbed.folder))
        finally:
            undisturbed.close()
        assert found["ledger of the corpus"] == found["rows of its ledger"] == ENVELOPES
        assert found["ledger of capture"] == ENVELOPES
        assert not found["waiting"] + found["dead letters"] + found["waiting contents"]
        assert not found["waiting bytes"] + found["contents that are not whole"]
        assert found["observations"] >= ENVELOPES * 4 // 5
        _UNDISTURBED.update(found)
    return _UNDISTURBED


def send_through_a_crash(services: Services, victim: str) -> dict[str, int]:
    sender = Sender(services, mixed(ENVELOPES, GAME), SESSION).start()
    services.wait_for_death(victim)
    services.start(victim)
    return sender.join()


def start_into_death(services: Services, name: str, point: str) -> None:
    with pytest.raises(AssertionError, match="ended with -9"):
        services.start(name, SOURCECORPUS_FAULT_POINT=point)
    services.children.pop(name)


@pytest.mark.parametrize(("point", "count"), CAPTURE_POINTS)
def test_killed_capture_service(stopped_services: Services, point: str, count: int) -> None:
    stopped_services.start("corpus")
    stopped_services.start("capture", SOURCECORPUS_FAULT_POINT=f"{point}:{count}")
    with stopped_services.client() as client:
        make_game(client)
    acknowledged = send_through_a_crash(stopped_services, "capture")
    check_everything_is_there_once(stopped_services, acknowledged)


@pytest.mark.parametrize(("point", "count"), CORPUS_POINTS)
def test_killed_corpus_service(stopped_services: Services, point: str, count: int) -> None:
    stopped_services.start("corpus", SOURCECORPUS_FAULT_POINT=f"{point}:{count}")
    stopped_services.start("capture")
    with stopped_services.client() as client:
        make_game(client)
        if point.endswith("checkpoint"):
            upload(client, random.Random(1).randbytes(BALLAST_BYTES))
    acknowledged = send_through_a_crash(stopped_services, "corpus")
    check_everything_is_there_once(stopped_services, acknowledged)


def test_killed_while_migrating(stopped_services: Services) -> None:
    services = stopped_services
    # The catalog is made at the start, a game's file at its first use, by two migrations.
    start_into_death(services, "corpus", "corpus.during_migration")
    services.start("corpus", SOURCECORPUS_FAULT_POINT="corpus.during_migration:2")
    start_into_death(services, "capture", "capture.during_migration")
    services.start("capture")
    with services.client() as client:
        make_game(client)
    sender = Sender(services, mixed(ENVELOPES, GAME), SESSION).start()
    services.wait_for_death("corpus")
    services.start("corpus", SOURCECORPUS_FAULT_POINT="corpus.during_migration:2")
    services.wait_for_death("corpus")
    services.start("corpus")
    check_everything_is_there_once(services, sender.join())


def test_corpus_down_the_whole_time_then_up(services: Services) -> None:
    with services.client() as client:
        make_game(client)
        warm_up = [envelope(1, GAME)]
        deliver(client, warm_up, "warm-up")
        services.kill("corpus")
        outcomes = send(client, mixed(ENVELOPES, GAME), SESSION)
        with pytest.raises(grpc.RpcError):
            search(client, "ember")
    # The first envelope was there before, so this session has brought one less.
    assert outcome_names(outcomes[:1]) == ["DUPLICATE_ENVELOPE"]
    services.start("corpus")
    acknowledged = {outcome.envelope_id: outcome.outcome for outcome in outcomes}
    check_everything_is_there_once(services, acknowledged, delivered_before=1)


def test_the_redaction_key_outlives_a_crash(services: Services) -> None:
    secret = "ghp_" + "a1B2" * 9
    result = f"export GITHUB_TOKEN={secret}\n".encode()

    def capture(name: str) -> tuple[bytes, str]:
        with services.client() as client:
            one = envelope(2, GAME, prefix=name)
            one.result = result
            deliver(client, [one], name)
            return raw(client, envelope_id=f"{name}-2")

    with services.client() as client:
        make_game(client)
    key = services.folder / "data" / "keys" / "redaction.key"
    before, key_before = capture("before"), key.read_bytes()
    for name in ("capture", "corpus"):
        services.kill(name)
    services.start_both()
    assert capture("after") == before
    assert key.read_bytes() == key_before
    assert secret.encode() not in before[0]
