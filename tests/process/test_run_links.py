"""Runs over both services: uses survive a kill, and an answer can never become a version of a source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import grpc
import pytest
from google.protobuf import message_factory
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message

from sourcecorpus.bridge.client import SourceCorpusClient
from sourcecorpus.capture.v1 import capture_service_pb2
from sourcecorpus.corpus.v1 import (
    citation_service_pb2,
    discovery_service_pb2,
    game_service_pb2,
    search_service_pb2,
    source_service_pb2,
)
from sourcecorpus.corpus.v1.run_links_pb2 import (
    RUN_USE_CITED,
    RUN_USE_DISCOVERED,
    LinkRunSourcesRequest,
    ListRunSourcesRequest,
    RunSourceLink,
)
from tests.process.calls import GAME, deliver, make_game, search
from tests.process.captures import envelope
from tests.process.conftest import Services
from tests.process.files import CORPUS, row_counts

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]

ANSWER: Final = "Zyzzyvas guard the northern gate, said the assistant in its final answer."
RUN: Final = "run-1"
# What tools returned comes through these; an answer of a model is no result of a tool.
CARRIES_TOOL_RESULTS: Final = {"StreamCaptures", "SubmitCaptures"}
# What a game or a deletion is called is about them; no reader is shown it as a source.
NAMES_OF_GAMES: Final = {"CreateGame", "UpdateGame"}
CONTENTS: Final = (
    "sources",
    "source_artifacts",
    "document_versions",
    "source_chunks",
    "blobs",
    "blob_pieces",
    "observations",
    "envelopes",
)
SERVICES: Final = (
    capture_service_pb2,
    citation_service_pb2,
    discovery_service_pb2,
    game_service_pb2,
    search_service_pb2,
    source_service_pb2,
)


def test_uses_are_there_after_a_kill_and_never_fall(stopped_services: Services) -> None:
    services = stopped_services
    services.start_both()
    with services.client() as client:
        make_game(client)
        deliver(client, [envelope(1, GAME)], "links")
        version = search(client, "Report")[0].version_id
        linked = client.citations.LinkRunSources(link(version, RUN_USE_CITED))
        assert linked.results[0].use == RUN_USE_CITED
        services.kill("corpus")
    services.start("corpus")
    with services.client() as client:
        again = client.citations.LinkRunSources(link(version, RUN_USE_DISCOVERED))
        assert again.results[0].use == RUN_USE_CITED
        listed = client.citations.ListRunSources(ListRunSourcesRequest(game_id=GAME, run_id=RUN))
        assert [(one.version_id, one.use) for one in listed.sources] == [(version, RUN_USE_CITED)]


def link(version: str, use: Any) -> LinkRunSourcesRequest:
    return LinkRunSourcesRequest(
        game_id=GAME, run_id=RUN, links=[RunSourceLink(version_id=version, use=use)]
    )


def test_an_answer_given_to_every_call_becomes_no_version(stopped_services: Services) -> None:
    services = stopped_services
    services.start_both()
    file = services.folder / CORPUS
    with services.client() as client:
        make_game(client)
        deliver(client, [envelope(number, GAME) for number in range(1, 6)], "answer")
        before = {name: row_counts(file)[name] for name in CONTENTS}
        assert all(before[name] for name in CONTENTS)
        called = set()
        for method in methods():
            for request in requests(method):
                send(client, method, request)
                called.add(method.name)
        assert called >= {
            "LinkRunSources",
            "ProposeCitations",
            "PutReceipt",
            "SetSessionGame",
            "VerifyQuotes",
        }
        assert {name: row_counts(file)[name] for name in CONTENTS} == before
        assert not search(client, "Zyzzyvas")
    for name in ("capture", "corpus"):
        services.kill(name)
        assert "Zyzzyvas" not in services.log(name)
    for path in (services.folder / "data" / "corpus" / "games").iterdir():
        assert b"zyzzyvas" not in path.read_bytes().lower(), path.name


def methods() -> Iterator[MethodDescriptor]:
    """Every call of the clients that does not carry what a tool returned."""
    for module in SERVICES:
        for service in module.DESCRIPTOR.services_by_name.values():
            for method in service.methods:
                if method.name not in CARRIES_TOOL_RESULTS | NAMES_OF_GAMES:
                    yield method


def requests(method: MethodDescriptor) -> Iterator[Message]:
    """Requests that hold the answer in one text field, and one with all of them."""
    kind = message_factory.GetMessageClass(method.input_type)
    yield filled(kind(), None)
    for field in method.input_type.fields:
        if field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES):
            yield filled(kind(), field.name)


def filled(message: Message, only: str | None) -> Message:
    """Fills text with the answer; ids of game and run stay good, so that the call gets far."""
    for field in message.DESCRIPTOR.fields:
        good = {"game_id": GAME, "run_id": RUN}.get(field.name, "")
        value: Any = None
        if field.type == FieldDescriptor.TYPE_STRING:
            value = good if good and only != field.name else ANSWER
            if only not in (None, field.name) and not good:
                continue
        elif field.type == FieldDescriptor.TYPE_BYTES:
            value = ANSWER.encode()
        elif field.type == FieldDescriptor.TYPE_ENUM:
            value = 1
        elif (
            field.message_type is not None and "google.protobuf" not in field.message_type.full_name
        ):
            set_message(message, field)
            continue
        if value is not None:
            if field.is_repeated:
                getattr(message, field.name).append(value)
            else:
                setattr(message, field.name, value)
    return message


def set_message(message: Message, field: Any) -> None:
    """Fills a message inside a message; a continuation holds itself, so depth is one of them."""
    if field.message_type is message.DESCRIPTOR:
        return
    target = getattr(message, field.name)
    filled(target.add() if field.is_repeated else target, None)


def send(client: SourceCorpusClient, method: MethodDescriptor, request: Message) -> None:
    """Makes a call; whether it is refused does not matter here."""
    address = (
        client.addresses.capture
        if method.containing_service.name == "CaptureService"
        else client.addresses.corpus
    )
    channel = client.channel(address)
    name = f"/{method.containing_service.full_name}/{method.name}"
    answer = message_factory.GetMessageClass(method.output_type)
    serialize: Any = type(request).SerializeToString
    try:
        if method.server_streaming:
            stream = channel.unary_stream(name, serialize, answer.FromString)(request, timeout=5)
            for _ in stream:
                break
            stream.cancel()
        else:
            channel.unary_unary(name, serialize, answer.FromString)(request, timeout=20)
    except grpc.RpcError:
        pass
