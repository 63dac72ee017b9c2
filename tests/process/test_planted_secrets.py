"""Secrets of every kind go through the services: no byte of them is left in files, logs, spans and errors."""

from collections import Counter
from collections.abc import Iterator

import grpc
import kingfisher_sdk
import pytest

from sourcecorpus.bridge.client import SourceCorpusClient
from sourcecorpus.capture.v1.envelope_pb2 import Envelope
from sourcecorpus.corpus.v1.search_service_pb2 import SearchRequest
from sourcecorpus.corpus.v1.source_service_pb2 import ReadDocumentRequest
from tests.process.calls import (
    GAME,
    document,
    make_game,
    outcome_names,
    raw,
    send,
    sources,
    versions,
    wait_delivered,
)
from tests.process.conftest import Services
from tests.process.files import all_files
from tests.process.planted import Search, planted_cases, planted_envelopes, planted_strings
from tests.process.waiting import until
from tests.redaction.cases.model import NAMES_ONLY

pytestmark = [pytest.mark.process, pytest.mark.timeout(600)]


def test_nothing_of_a_planted_secret_is_left(stopped_services: Services) -> None:
    services = stopped_services
    services.environment |= {
        "SOURCECORPUS_TELEMETRY": "console",
        "SOURCECORPUS_LOG_LEVEL": "debug",
    }
    cases = planted_cases()
    secrets = planted_strings(cases)
    assert len(secrets) > 800
    search = Search(secrets)
    envelopes = planted_envelopes(cases)
    before = b"\n".join(
        bytes(part) for one in envelopes for part in (one.result, one.head.arguments)
    )
    assert len(search.found(before)) > 500
    services.start_both()
    with services.client() as client:
        make_game(client)
        outcomes = send(client, envelopes, "planted")
        counted = Counter(outcome_names(outcomes))
        assert counted.total() == len(envelopes)
        assert set(counted) <= {"STORED", "OBSERVED_AGAIN", "NEW_VERSION"}
        wait_delivered(client, "planted")
        # While the services hold their databases open, write-ahead logs and all.
        assert left_in_files(services, search) == {}
        export = b"\n".join(exported(client, envelopes))
        errors = "\n".join(refusals(client, sorted(secrets)[::40]))
    assert search.found(export) == set()
    assert search.found(errors.encode("utf-8", "surrogatepass")) == set()
    until(lambda: all("trace_id" in services.log(name) for name in ("capture", "corpus")))
    for name in ("capture", "corpus"):
        services.kill(name)
    assert left_in_files(services, search) == {}
    for name in ("capture", "corpus"):
        assert search.found(services.log(name).encode("utf-8", "surrogatepass")) == set()
    assert len(independent_findings(before)) > 200
    assert independent_findings(export) == set()


def left_in_files(services: Services, search: Search) -> dict[str, set[bytes]]:
    """What is found in the data folder, by file."""
    found = {}
    for path in all_files(services.folder / "data"):
        hits = search.found(path.read_bytes())
        if hits:
            found[path.name] = hits
    return found


def exported(client: SourceCorpusClient, envelopes: list[Envelope]) -> Iterator[bytes]:
    """Every stored result and every text, unpacked."""
    for one in envelopes:
        data, _ = raw(client, envelope_id=one.head.envelope_id)
        assert data
        yield data
    for source in sources(client):
        yield source.SerializeToString()
        for version in versions(client, source.source_id):
            yield version.SerializeToString()
            yield document(client, version.version_id).encode("utf-8", "surrogatepass")


def refusals(client: SourceCorpusClient, secrets: list[str]) -> list[str]:
    """What calls say that carry a secret and are refused."""
    told = []
    for secret in secrets:
        text = secret.encode("utf-8", "replace").decode()
        for call in (
            lambda text=text: client.search.Search(
                SearchRequest(game_id=GAME, query=text, page_token=text)
            ),
            lambda text=text: client.sources.ReadDocument(
                ReadDocumentRequest(game_id=GAME, version_id=text)
            ),
            lambda text=text: raw(client, game=text, envelope_id=text),
        ):
            with pytest.raises(grpc.RpcError) as error:
                call()
            told.append(f"{error.value} {error.value.trailing_metadata()}")
    return told


def independent_findings(data: bytes) -> set[tuple[str, str]]:
    """Rules and secrets that another scanner sees; its validators, which use the network, are never called."""
    rules = kingfisher_sdk.Rules(confidence="low", cache=False)
    scanner = kingfisher_sdk.Scanner(rules, base64=True)
    return {
        (one.rule_id, one.secret)
        for one in scanner.scan(data)
        if "REDACTED~" not in one.secret and one.rule_id not in NAMES_ONLY
    }
