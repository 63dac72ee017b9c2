"""A person without a program of ours: the real grpcurl and the real buf."""

import base64
import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from tests.process.calls import GAME
from tests.process.conftest import Services
from tests.process.waiting import until

SCRIPTS = Path(sysconfig.get_path("scripts"))
RUN_SECONDS_MAX = 30
CAPTURE = "sourcecorpus.capture.v1"
CORPUS = "sourcecorpus.corpus.v1"

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]


def run(tool: str, *arguments: str) -> str:
    ended = subprocess.run(
        [str(SCRIPTS / tool), *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS_MAX,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def call(address: str, method: str, request: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages that a call answers with."""
    text = run("grpcurl", "-plaintext", "-d", json.dumps(request), address, method)
    decoder, found, position = json.JSONDecoder(), [], 0
    while position < len(text.rstrip()):
        message, position = decoder.raw_decode(text, position)
        found.append(message)
        position = len(text) - len(text[position:].lstrip())
    return found


def test_services_list_and_describe_themselves(shared_services: Services) -> None:
    addresses = shared_services.addresses
    listed = run("grpcurl", "-plaintext", addresses["capture"], "list").split()
    assert f"{CAPTURE}.CaptureService" in listed
    listed = run("grpcurl", "-plaintext", addresses["corpus"], "list").split()
    names = ("Ingest", "Search", "Source", "Citation", "Game")
    assert {f"{CORPUS}.{name}Service" for name in names} <= set(listed)
    described = run(
        "grpcurl", "-plaintext", addresses["corpus"], "describe", f"{CORPUS}.SourceService"
    )
    assert "// Reads stored bytes exactly, verified; a mismatch is DATA_LOSS." in described
    described = run(
        "grpcurl", "-plaintext", addresses["capture"], "describe", f"{CAPTURE}.EnvelopeHead"
    )
    assert "// Required. Idempotency key made by the client" in described


@pytest.mark.parametrize("name", ["capture", "corpus"])
def test_health(shared_services: Services, name: str) -> None:
    services = {
        "capture": [f"{CAPTURE}.CaptureService"],
        "corpus": [f"{CORPUS}.SearchService", f"{CORPUS}.IngestService"],
    }
    for service in ["", *services[name]]:
        (answer,) = call(
            shared_services.addresses[name], "grpc.health.v1.Health/Check", {"service": service}
        )
        assert answer == {"status": "SERVING"}


def test_a_capture_by_hand_is_found_and_read(shared_services: Services) -> None:
    capture, corpus = (shared_services.addresses[name] for name in ("capture", "corpus"))
    result = json.dumps({"output": "The lamp of Grebe burns.", "exit_code": 0, "error": None})
    head = {
        "envelope_id": "by-hand",
        "game_id": GAME,
        "tool_name": "terminal",
        "arguments": encoded(json.dumps({"command": "curl -s http://127.0.0.1:18803/grebe"})),
    }
    request = {"envelopes": [{"head": head, "result": encoded(result)}]}
    (answer,) = call(capture, f"{CAPTURE}.CaptureService/SubmitCaptures", request)
    assert answer["outcomes"][0]["outcome"] == "CAPTURE_OUTCOME_STORED"
    query = {"game_id": GAME, "query": "Grebe lamp"}
    search = f"{CORPUS}.SearchService/Search"
    until(lambda: bool(call(corpus, search, query)[0].get("hits")))
    (hit,) = call(corpus, search, query)[0]["hits"]
    (read,) = call(
        corpus,
        f"{CORPUS}.SourceService/ReadDocument",
        {"game_id": GAME, "version_id": hit["versionId"]},
    )
    assert [line["text"] for line in read["lines"]] == ["The lamp of Grebe burns."]
    parts = call(
        corpus,
        f"{CORPUS}.SourceService/ReadRawContent",
        {"game_id": GAME, "envelope_id": "by-hand"},
    )
    data = b"".join(base64.b64decode(part.get("data", "")) for part in parts)
    assert data == result.encode()


def test_buf_speaks_to_the_services_too(shared_services: Services) -> None:
    address = f"http://{shared_services.addresses['corpus']}/{CORPUS}.GameService/ListGames"
    answer = run("buf", "curl", "--http2-prior-knowledge", "--protocol", "grpc", address)
    assert [game["gameId"] for game in json.loads(answer)["games"]] == [GAME]


def test_an_error_names_its_reason(shared_services: Services) -> None:
    ended = subprocess.run(
        [
            str(SCRIPTS / "grpcurl"),
            "-plaintext",
            "-format-error",
            "-d",
            json.dumps({"game_id": GAME, "version_id": "ver-unknown"}),
            shared_services.addresses["corpus"],
            f"{CORPUS}.SourceService/GetVersion",
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS_MAX,
    )
    assert ended.returncode != 0
    assert "VERSION_NOT_FOUND" in ended.stderr


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
