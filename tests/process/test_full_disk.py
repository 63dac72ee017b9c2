"""A disk without room: a clear answer, nothing acknowledged is lost, and work goes on with room."""

import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from sourcecorpus.bridge.client import SourceCorpusClient
from sourcecorpus.capture.v1.capture_service_pb2 import SubmitCapturesRequest
from sourcecorpus.capture.v1.envelope_pb2 import Envelope
from tests.process.calls import GAME, make_game, raw, refusal, wait_delivered
from tests.process.captures import envelope, mixed
from tests.process.conftest import Services
from tests.process.files import CAPTURE, CORPUS, number, sound
from tests.process.sending import Sender
from tests.process.test_refusals_at_start import NAMES, start, the_line

DISK_MEBIBYTES = 48
ENVELOPES = 300

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system that is quickly filled."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEBIBYTES}m", "tmpfs", str(place)],
        check=False,
        capture_output=True,
    )
    if mounted.returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4_096))
        except OSError:
            return


@pytest.mark.parametrize("name", NAMES)
def test_a_full_disk_at_the_start(small_disk: Path, name: str) -> None:
    filler = small_disk / "filler"
    fill(filler)
    line = the_line(start(name, small_disk / "data"), name)
    assert "disk is full" in line or "No space left" in line
    filler.unlink()
    services = Services(small_disk)
    services.start(name)
    assert services.stop(name) == 0


@pytest.fixture
def services_on_it(small_disk: Path) -> Iterator[Services]:
    services = Services(small_disk)
    try:
        services.start_both()
        yield services
    finally:
        services.close()


def is_full(client: SourceCorpusClient) -> bool:
    """Whether a capture is refused for want of room."""
    request = SubmitCapturesRequest(envelopes=[envelope(ENVELOPES + 1, GAME, prefix="more")])
    try:
        client.captures.SubmitCaptures(request)
    except grpc.RpcError as error:
        return refusal(error) == ("RESOURCE_EXHAUSTED", "DISK_FULL")
    return False


def second_half_after(event: threading.Event) -> Iterator[Envelope]:
    for position, one in enumerate(mixed(ENVELOPES, GAME)):
        if position == ENVELOPES // 2:
            event.wait()
        yield one


def test_a_disk_that_fills_up_under_load(services_on_it: Services) -> None:
    services = services_on_it
    with services.client() as client:
        make_game(client)
        filled = threading.Event()
        sender = Sender(services, second_half_after(filled), "full").start()
        assert sender.some.wait(20)
        filler = services.folder / "filler"
        fill(filler)
        filled.set()
        # A log that was longer once has room in itself; it ends, and then nothing is taken.
        assert any(is_full(client) for _ in range(2_000))
        assert len(sender.acknowledged) < ENVELOPES
        filler.unlink()
        acknowledged = sender.join()
        assert len(acknowledged) == ENVELOPES
        wait_delivered(client, "full")
        for one in mixed(ENVELOPES, GAME):
            assert raw(client, envelope_id=one.head.envelope_id)[0] == one.result
    for name in NAMES:
        assert services.stop(name) == 0
    corpus, capture = services.folder / CORPUS, services.folder / CAPTURE
    assert number(capture, "SELECT count(*) FROM queue_dead_letters") == 0
    assert sound(corpus)
    assert sound(capture)
