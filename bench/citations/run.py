"""What citing costs: resolving refs, and verifying quotations against a large version.

    python -m bench.citations.run [--rounds 400] [--documents 200]

One process of the service over a store made for the run. Resolving one ref is set beside a call of a
bare server that does nothing, one after the other; batches and VerifyQuotes are timed at the client
less that empty call, which leaves what the server did and what decoding the answer took. A batch is
also timed in process. Prints JSON, times in milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import grpc

from bench.path.empty_rpc import METHOD
from bench.path.processes import empty_server
from bench.search.run import corpus_service
from bench.search.stocking import GAME, open_store, stock
from bench.store.documents import Document
from corpus_service.domain.queries import SourceFilter
from corpus_service.domain.sources import Version
from corpus_service.servicers.conversions import resolved_response
from corpus_service.services.citations import CitationUseCase
from corpus_service.services.refs import format_ref
from corpus_service.storage.sqlite import SqliteStore
from sourcecorpus.corpus.v1.citation_service_pb2 import ResolveCitationsRequest
from sourcecorpus.corpus.v1.citation_service_pb2_grpc import CitationServiceStub
from sourcecorpus.corpus.v1.quotes_pb2 import QuoteScope, QuoteToVerify, VerifyQuotesRequest

if TYPE_CHECKING:
    from sourcecorpus.corpus.v1.citation_service_pb2_grpc import CitationServiceAsyncStub

SEED: Final = 7
LARGE_BYTES: Final = 1_000_000
BATCH: Final = 100
QUOTES: Final = 20
TEXT: Final = (
    "the keeper closed iron gate before dawn harbour nobody counted coins under lower shaft market"
    " wraiths “ember” wards end at once since patch smith’s blade cold water returned"
)
WORDS: Final = tuple(TEXT.split())
WIDE: Final = "守门人在黎明时分关上了悬空之城的大门他说不会再开了商人数过三百枚金币"

Call = Callable[[], Awaitable[Any]]


def main() -> None:
    """Measures and prints JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--documents", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chance = random.Random(SEED)
        with closing(open_store(folder / "data" / "corpus")) as store:
            stock(store, iter(_documents(chance, options.documents)))
            versions = [
                store.get_versions(GAME, (source.current_version_id,))[source.current_version_id]
                for source, _ in store.list_sources(GAME, SourceFilter(), limit=1_000)
            ]
            texts = {
                version.version_id: store.read_span(
                    GAME, version.version_id, 0, version.text_length
                )
                for version in versions
            }
            handling = _handling(store, versions, options.rounds)
        with corpus_service(folder) as address, empty_server() as floor:
            measured = asyncio.run(_measure(address, floor, versions, texts, options.rounds))
    print(json.dumps(measured | {f"resolve_{BATCH}_handling_p50": handling}, indent=2))


def _handling(store: SqliteStore, versions: list[Version], rounds: int) -> float:
    """Median of resolving a batch in this process: look-ups, messages, their bytes; no transport."""
    chance = random.Random(SEED)
    use_case = CitationUseCase(store)
    refs = _refs(
        [version for version in versions if version.text_length < LARGE_BYTES // 4], chance
    )
    times = []
    for _ in range(rounds // 2):
        some = chance.sample(refs, BATCH)
        began = time.perf_counter()
        resolved_response(use_case.resolve(GAME, some)).SerializeToString()
        times.append((time.perf_counter() - began) * 1_000)
    return round(statistics.median(times), 3)


def _documents(chance: random.Random, count: int) -> Iterator[Document]:
    for number in range(count):
        yield _document(f"https://example.org/{number}", _english(chance, 12_000))
    yield _document("https://example.org/large-english", _english(chance, LARGE_BYTES))
    wide = "".join(
        chance.choice(WIDE) + ("。\n" if number % 30 == 29 else "")
        for number in range(LARGE_BYTES // 3)
    )
    yield _document("https://example.org/large-wide", wide)


def _document(uri: str, text: str) -> Document:
    return Document(uri, "text/plain", text.encode())


def _english(chance: random.Random, length: int) -> str:
    lines, size = [], 0
    while size < length:
        line = " ".join(chance.choices(WORDS, k=14)) + "."
        lines.append(line)
        size += len(line) + 1
    return "\n".join(lines)


async def _measure(
    address: str, floor: str, versions: list[Version], texts: dict[str, str], rounds: int
) -> dict[str, Any]:
    small = [version for version in versions if version.text_length < LARGE_BYTES // 4]
    async with (
        grpc.aio.insecure_channel(address) as channel,
        grpc.aio.insecure_channel(floor) as bare,
    ):
        stub: Any = channel
        nothing: Any = bare.unary_unary(METHOD)
        empty_call: Call = partial(nothing, b"")
        measured = await _resolving(CitationServiceStub(stub), empty_call, small, rounds)
        check: Any = channel.unary_unary("/grpc.health.v1.Health/Check")
        health: Call = partial(check, b"")
        empty, checked = await _beside(empty_call, health, rounds)
        measured["health_check_ratio"] = round(checked / empty, 3)
        for version in versions:
            if version not in small:
                script = version.canonical_uri.rpartition("-")[2]
                found = await _verifying(
                    CitationServiceStub(stub),
                    empty_call,
                    version,
                    texts[version.version_id],
                    rounds,
                )
                measured |= {f"verify_{QUOTES}_{script}_{name}": took for name, took in found}
    return measured


async def _resolving(
    citations: CitationServiceAsyncStub, empty_call: Call, versions: list[Version], rounds: int
) -> dict[str, Any]:
    chance = random.Random(SEED)
    refs = _refs(versions, chance)

    async def resolve(count: int) -> None:
        await citations.ResolveCitations(
            ResolveCitationsRequest(game_id=GAME, refs=chance.sample(refs, count))
        )

    empty, single = await _beside(empty_call, partial(resolve, 1), rounds)
    empty_between, many = await _beside(empty_call, partial(resolve, BATCH), rounds // 4)
    return {
        "empty_call_p50": empty,
        "resolve_one_p50": single,
        "resolve_one_ratio": round(single / empty, 3),
        f"resolve_{BATCH}_server_p50": round(many - empty_between, 3),
    }


async def _verifying(
    citations: CitationServiceAsyncStub,
    empty_call: Call,
    version: Version,
    text: str,
    rounds: int,
) -> list[tuple[str, float]]:
    found = []
    chance = random.Random(SEED)
    for name, mixed in (("held", False), ("half_absent", True)):
        request = _quotes(version, text, chance, mixed)
        verify: Call = partial(citations.VerifyQuotes, request)
        empty, took = await _beside(empty_call, verify, max(rounds // 20, 5))
        found.append((f"{name}_server_p50", round(took - empty, 3)))
    return found


def _refs(versions: list[Version], chance: random.Random) -> list[str]:
    return [_ref(version, chance) for version in versions for _ in range(3)]


def _ref(version: Version, chance: random.Random) -> str:
    start = chance.randrange(version.text_length - 200)
    return format_ref(version.version_id, start, start + 120)


def _quotes(version: Version, text: str, chance: random.Random, mixed: bool) -> VerifyQuotesRequest:
    """Quotations of which every second one is only normalised; with ``mixed`` every second is absent."""
    quotes = []
    for number in range(QUOTES):
        start = chance.randrange(len(text) - 200)
        quote = text[start : start + 120].strip()
        if number % 2:
            quote = quote.replace("\n", "\n ").replace("。", "。\n").upper()
            if mixed:
                quote = quote[:60] + "!!" + quote[62:]
        quotes.append(QuoteToVerify(quote=quote, version_id=version.version_id))
    return VerifyQuotesRequest(game_id=GAME, quotes=quotes, scope=QuoteScope.QUOTE_SCOPE_VERSION)


async def _beside(first: Call, second: Call, rounds: int) -> tuple[float, float]:
    """Medians in milliseconds of two calls made in turn, after a tenth of the rounds as warm-up."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + rounds // 10 + 1):
        for call, kept in zip((first, second), times, strict=True):
            began = time.perf_counter()
            await call()
            if number > rounds // 10:
                kept.append((time.perf_counter() - began) * 1_000)
    return round(statistics.median(times[0]), 3), round(statistics.median(times[1]), 3)


if __name__ == "__main__":
    main()
