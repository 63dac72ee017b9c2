"""One trace from the caller to the corpus, and no payload or secret anywhere but where it belongs."""

import json
import re
from collections.abc import Callable

import grpc
import pytest

from sourcecorpus.bridge.client import SourceCorpusClient
from sourcecorpus.capture.v1.capture_service_pb2 import (
    GetCaptureSessionRequest,
    SubmitCapturesRequest,
)
from sourcecorpus.capture.v1.envelope_pb2 import Envelope
from sourcecorpus.corpus.v1.search_service_pb2 import SearchFilter, SearchRequest
from sourcecorpus.corpus.v1.source_service_pb2 import ReadDocumentRequest
from tests.process.calls import GAME, deliver, make_game, raw, search
from tests.process.captures import envelope
from tests.process.conftest import Services
from tests.process.files import all_files
from tests.process.waiting import until

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
TRACEPARENT = f"00-{TRACE}-00f067aa0ba902b7-01"
# A word of the payload that no message, log line or span may repeat.
PAYLOAD = "quillwort" + "-of-" + "marrowfen"
SECRETS = {
    "github": "ghp_" + "a1B2" * 9,
    "aws": "AKIA" + "QZ7XWVU5TSRP4NML",
    "anthropic": "sk-ant-api03-" + "Zx9_Yw8-" * 11 + "AA",
    "bearer": "Bearer "
    + ".".join(["eyJhbGciOi" + "JIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", "c2lnbmF0dXJl" * 3]),
    "password": "postgres://reader:" + "hunter2-Correct-Horse" + "@db.example/stock",
}
PLANTED = [
    SECRETS["github"],
    SECRETS["aws"],
    SECRETS["anthropic"],
    SECRETS["bearer"].removeprefix("Bearer "),
    "hunter2-Correct-Horse",
]

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]


def spans(log: str) -> list[dict[str, object]]:
    """Spans as the console exporter prints them: JSON objects among other lines."""
    found, decoder, position = [], json.JSONDecoder(), 0
    while (position := log.find("{", position)) >= 0:
        try:
            value, position = decoder.raw_decode(log, position)
        except json.JSONDecodeError:
            position += 1
            continue
        if isinstance(value, dict) and "context" in value:
            found.append(value)
    return found


def names_of_trace(log: str) -> set[str]:
    return {
        str(span["name"])
        for span in spans(log)
        if TRACE in json.dumps(span["context"]) or TRACE in json.dumps(span.get("links"))
    }


def test_one_trace_from_the_caller_to_the_commit(stopped_services: Services) -> None:
    services = stopped_services
    services.environment["SOURCECORPUS_TELEMETRY"] = "console"
    services.start_both()
    with services.client() as client:
        make_game(client)
        # The exporter loads beside the first calls, so calls go on until it tells of one.
        numbers = iter(range(1, 10_000))

        def traced() -> bool:
            one = envelope(next(numbers), GAME, prefix="traced")
            one.head.traceparent = TRACEPARENT
            client.captures.SubmitCaptures(
                SubmitCapturesRequest(envelopes=[one]), metadata=(("traceparent", TRACEPARENT),)
            )
            return TRACE in services.log("capture") and TRACE in services.log("corpus")

        until(traced, 60)
    for name in ("capture", "corpus"):
        assert services.stop(name) == 0
    capture, corpus = (names_of_trace(services.log(name)) for name in ("capture", "corpus"))
    assert "sourcecorpus.capture.v1.CaptureService/SubmitCaptures" in capture
    assert "sourcecorpus.corpus.v1.IngestService/IngestCaptures" in corpus


def secret_envelopes() -> list[Envelope]:
    found = []
    for number, (name, secret) in enumerate(SECRETS.items()):
        text = f"# {PAYLOAD}\n\nThe {PAYLOAD} grows.\n\nAuthorization: {secret}\ntoken={secret}\n"
        page = envelope(1, GAME, prefix=f"secret-{name}")
        page.head.tool_name = "web_extract"
        url = f"http://93.184.216.34/{name}"
        page.head.arguments = json.dumps({"urls": [f"{url}?access_token={secret}"]}).encode()
        results = [{"url": url, "title": "A page", "content": text, "error": None}]
        page.result = json.dumps({"results": results}).encode()
        page.head.error = f"failed with {secret}"
        page.side_files.add(name=f"{name}.md", media_type="text/markdown", data=text.encode())
        command = envelope(2, GAME, prefix=f"secret-{name}-{number}")
        header = f"curl -s -H 'Authorization: {secret}' http://127.0.0.1:18803/{name}"
        command.head.arguments = json.dumps({"command": header}).encode()
        command.result = json.dumps({"output": text, "exit_code": 0, "error": None}).encode()
        found += [page, command]
    return found


def test_no_secret_and_no_payload_leaks(stopped_services: Services) -> None:
    services = stopped_services
    services.environment |= {
        "SOURCECORPUS_TELEMETRY": "console",
        "SOURCECORPUS_LOG_LEVEL": "debug",
    }
    services.start_both()
    errors: list[str] = []
    with services.client() as client:
        make_game(client)
        deliver(client, secret_envelopes(), "secrets")
        assert search(client, PAYLOAD)
        check_files(services)
        for one in secret_envelopes():
            data, _ = raw(client, envelope_id=one.head.envelope_id)
            assert PAYLOAD.encode() in data
            assert not any(secret.encode() in data for secret in PLANTED)
        errors += refused_calls(client)
    assert len(errors) == 5
    for name in ("capture", "corpus"):
        services.kill(name)
    # What a crash leaves behind, logs of the databases included.
    check_files(services)
    services.start_both()
    with services.client() as client:
        # The exporter loads beside the first calls, so calls go on until it tells of one.
        numbers = iter(range(10_000))

        def told_of_spans() -> bool:
            deliver(client, secret_envelopes(), f"again-{next(numbers)}")
            errors.extend(refused_calls(client))
            return all("trace_id" in services.log(name) for name in ("capture", "corpus"))

        until(told_of_spans, 60)
    for name in ("capture", "corpus"):
        assert services.stop(name) == 0
    check_files(services)
    told = [services.log("capture"), services.log("corpus"), *errors]
    assert spans(told[0])
    assert spans(told[1])
    for text in told:
        assert PAYLOAD not in text
        assert not any(secret in text for secret in PLANTED)
        assert not re.search("hunter2|quillwort|marrowfen", text)


def check_files(services: Services) -> None:
    """No planted secret is in any byte of the data folder, in any common form."""
    forms = [secret.encode() for secret in PLANTED]
    forms += [secret.encode("utf-16-le") for secret in PLANTED]
    for path in all_files(services.folder / "data"):
        data = path.read_bytes()
        found = [form for form in forms if form in data]
        assert not found, path.name


def refused_calls(client: SourceCorpusClient) -> list[str]:
    """What calls say that carry payload and are refused."""
    text = f"{PAYLOAD} {SECRETS['github']}"
    wrong = envelope(1, GAME, prefix="wrong")
    wrong.head.envelope_id = ""
    wrong.head.tool_name = text
    told = []
    calls: list[Callable[[], object]] = [
        lambda: client.search.Search(SearchRequest(game_id=GAME, query=text, page_token=text)),
        lambda: client.search.Search(
            SearchRequest(game_id=GAME, query=text, filter=SearchFilter(families=[text] * 17))
        ),
        lambda: client.sources.ReadDocument(ReadDocumentRequest(game_id=GAME, version_id=text)),
        lambda: client.captures.GetCaptureSession(
            GetCaptureSessionRequest(capture_session_id=f"{text}\n")
        ),
        lambda: raw(client, game=text, envelope_id=text),
    ]
    for call in calls:
        with pytest.raises(grpc.RpcError) as error:
            call()
        told.append(f"{error.value} {error.value.trailing_metadata()}")
    (outcome,) = client.captures.SubmitCaptures(SubmitCapturesRequest(envelopes=[wrong])).outcomes
    assert text not in str(outcome)
    return told
