"""The whole way against its floors, in one run: ``python -m bench.path.run [--count N]``.

Ingest: documents through client, capture service (redaction, outbox) and corpus service (text, full-text
index) until the corpus has committed the last one, against the smallest honest store called in process
(``bench.store.floor``). Calls: GetVersion and ResolveCitations against an empty call of a bare grpc.aio
server, from the same kind of client. Rounds alternate; figures are medians with their spread.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw
import grpc

from bench.path.empty_rpc import METHOD
from bench.path.envelopes import envelopes
from bench.path.processes import Running, empty_server, services
from bench.store import floor
from bench.store.documents import Document, from_file, made_up
from sourcecorpus.bridge.capture_stream import stream_envelopes
from sourcecorpus.capture.v1.capture_service_pb2 import GetCaptureSessionRequest
from sourcecorpus.corpus.v1.citation_service_pb2 import ResolveCitationsRequest
from sourcecorpus.corpus.v1.citation_service_pb2_grpc import CitationServiceStub
from sourcecorpus.corpus.v1.game_pb2 import Game
from sourcecorpus.corpus.v1.game_service_pb2 import CreateGameRequest
from sourcecorpus.corpus.v1.search_service_pb2 import SearchRequest
from sourcecorpus.corpus.v1.source_service_pb2 import GetVersionRequest
from sourcecorpus.corpus.v1.source_service_pb2_grpc import SourceServiceStub

GAME = "bench"
WARM_UP_DOCUMENTS = 40
CALLS_PER_ROUND = 500
CALLS_PER_TURN = 25
# The first calls of a turn wake a process that has waited.
CALLS_SKIPPED = 5
POLL_SECONDS = 0.02
INGEST_TARGET = 0.45
GET_VERSION_TARGET = 1.4

Figures = dict[str, list[float]]


def main() -> None:
    options = _options()
    documents = (
        from_file(options.corpus, count=options.count, mid=True)
        if options.corpus
        else made_up(count=options.count)
    )
    figures: Figures = {}
    with services() as running, empty_server() as empty_address:
        running.client.games.CreateGame(CreateGameRequest(game=Game(game_id=GAME)))
        # Models and worker processes are loaded once in the life of a service.
        _two_hops(running, documents[:WARM_UP_DOCUMENTS], "warm-up")
        for number in range(options.rounds):
            _note(figures, "floor_docs_per_second", _in_process(documents))
            _note_path(figures, running, documents, f"round-{number}")
        asyncio.run(_calls(figures, running, empty_address, options.rounds))
    _print(figures, documents)


def _in_process(documents: Sequence[Document]) -> float:
    """Documents a second of the floor."""
    with tempfile.TemporaryDirectory() as folder:
        connection = floor.open_floor(Path(folder) / "floor.db")
        began = time.perf_counter()
        floor.store_all(connection, documents)
        seconds = time.perf_counter() - began
        connection.close()
    return len(documents) / seconds


def _note_path(
    figures: Figures, running: Running, documents: Sequence[Document], name: str
) -> None:
    cpu_before, own_before = running.cpu_seconds(), time.process_time()
    acknowledged, delivered = _two_hops(running, documents, name)
    count = len(documents)
    _note(figures, "acknowledged_docs_per_second", count / acknowledged)
    _note(figures, "path_docs_per_second", count / delivered)
    for service, seconds in running.cpu_seconds().items():
        _note(figures, f"{service}_cpu_us", (seconds - cpu_before[service]) / count * 1e6)
    _note(figures, "client_cpu_us", (time.process_time() - own_before) / count * 1e6)


def _two_hops(running: Running, documents: Sequence[Document], name: str) -> tuple[float, float]:
    """Seconds until the last acknowledgement, and until the corpus has committed the last one."""
    captures = running.client.captures
    # Every round has content of its own: a content that is known would be stored once.
    marked = [
        Document(f"{one.uri}?{name}", one.media_type, one.body + f"<!-- {name} -->".encode())
        for one in documents
    ]
    ready = list(envelopes(marked, GAME, name))
    began = time.perf_counter()
    outcomes = list(stream_envelopes(captures, ready, capture_session_id=name))
    acknowledged = time.perf_counter() - began
    assert len(outcomes) == len(documents), "every envelope has an outcome"
    request = GetCaptureSessionRequest(capture_session_id=name)
    while captures.GetCaptureSession(request).delivered_envelopes < len(documents):
        time.sleep(POLL_SECONDS)
    return acknowledged, time.perf_counter() - began


async def _calls(figures: Figures, running: Running, empty_address: str, rounds: int) -> None:
    found = running.client.search.Search(SearchRequest(game_id=GAME, query="page")).hits
    version = GetVersionRequest(game_id=GAME, version_id=found[0].version_id)
    citations = ResolveCitationsRequest(game_id=GAME, refs=[hit.ref for hit in found])
    one_citation = ResolveCitationsRequest(game_id=GAME, refs=[found[0].ref])
    corpus_address = running.client.addresses.corpus
    async with (
        grpc.aio.insecure_channel(empty_address) as empty,
        grpc.aio.insecure_channel(corpus_address) as corpus,
    ):
        empty_call: Any = empty.unary_unary(METHOD)
        sources, citing = SourceServiceStub(corpus), CitationServiceStub(corpus)
        size = (await sources.GetVersion(version)).ByteSize()
        calls: dict[str, Callable[[], Awaitable[Any]]] = {
            "empty_call_us": lambda: empty_call(b""),
            "call_of_same_size_us": lambda: empty_call(bytes(size)),
            "get_version_us": lambda: sources.GetVersion(version),
            "resolve_one_us": lambda: citing.ResolveCitations(one_citation),
            "resolve_ten_us": lambda: citing.ResolveCitations(citations),
        }
        for _ in range(rounds + 1):
            for name, value in (await _p50s_us(calls)).items():
                _note(figures, name, value)
    # The first round warms both sides up.
    for name in calls:
        del figures[name][0]


async def _p50s_us(calls: Mapping[str, Callable[[], Awaitable[Any]]]) -> dict[str, float]:
    """Medians of calls that take turns, so that other load falls on all of them alike."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(CALLS_PER_ROUND // CALLS_PER_TURN):
        for name, call in calls.items():
            for number in range(CALLS_SKIPPED + CALLS_PER_TURN):
                began = time.perf_counter()
                await call()
                if number >= CALLS_SKIPPED:
                    times[name].append(time.perf_counter() - began)
    return {name: statistics.median(found) * 1e6 for name, found in times.items()}


def _note(figures: Figures, name: str, value: float) -> None:
    figures.setdefault(name, []).append(value)


def _print(figures: Figures, documents: Sequence[Document]) -> None:
    middle = {name: statistics.median(values) for name, values in figures.items()}
    ratios = {
        "ingest / floor": middle["path_docs_per_second"] / middle["floor_docs_per_second"],
        "GetVersion / empty call": middle["get_version_us"] / middle["empty_call_us"],
        "ResolveCitations of one / empty call": middle["resolve_one_us"] / middle["empty_call_us"],
        "ResolveCitations of ten / empty call": middle["resolve_ten_us"] / middle["empty_call_us"],
    }
    result = {
        "machine": f"{platform.platform()}, {os.cpu_count()} cores, Python"
        f" {platform.python_version()}, grpcio {grpc.__version__}, SQLite"
        f" {apsw.sqlite_lib_version()}, load {os.getloadavg()[0]:.1f}",
        "documents": len(documents),
        "megabytes": round(sum(len(one.body) for one in documents) / 1e6, 1),
        "ratios": {name: round(value, 2) for name, value in ratios.items()},
        "targets": {
            f"ingest / floor >= {INGEST_TARGET}": ratios["ingest / floor"] >= INGEST_TARGET,
            f"GetVersion / empty call <= {GET_VERSION_TARGET}": ratios["GetVersion / empty call"]
            <= GET_VERSION_TARGET,
        },
        "figures": {
            name: {
                "median": round(middle[name]),
                "low": round(min(values)),
                "high": round(max(values)),
            }
            for name, values in figures.items()
        },
    }
    print(json.dumps(result, indent=2))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, help="JSON Lines; see bench.store.documents")
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    main()
