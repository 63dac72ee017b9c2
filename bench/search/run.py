"""Searches over gRPC against plain FTS5 in process, on the same passages, in one run.

    python -m bench.search.run --corpus FILE --folder FOLDER [--chunks 100000] [--rounds 3]

The folder keeps the store and the plain index between runs. A class holds its target when the median
over gRPC is at most 1.3 times the median of plain FTS5 in process plus that of an empty call. Queries
of a class take turns with the floor, so that other load falls on both. ``first`` are searches that
neither side has seen before, ``again`` the same ones repeated: SQLite has the pages of the file at
hand then, and the service remembers the answers of an unchanged game.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc

from bench.path.empty_rpc import METHOD
from bench.path.processes import empty_server
from bench.search.queries import BenchQuery, draw_queries
from bench.search.raw_index import RawIndex, build_raw_index, texts_of
from bench.search.stocking import GAME, open_store, read_documents, stock
from sourcecorpus.corpus.v1.search_service_pb2 import SearchFilter, SearchRequest
from sourcecorpus.corpus.v1.search_service_pb2_grpc import SearchServiceStub

QUESTION: Final = "question of five words"
SEED: Final = 5
START_SECONDS_MAX: Final = 60.0
STOP_SECONDS_MAX: Final = 15.0


def main() -> None:
    """Fills what is missing, measures, prints JSON and a table in Markdown."""
    options = _options()
    options.folder.mkdir(parents=True, exist_ok=True)
    data = options.folder / "data"
    with closing(open_store(data / "corpus")) as store:
        if store.get_game(GAME) is None:
            stock(store, read_documents(options.corpus), chunks_max=options.chunks)
        build_raw_index(store, options.folder / "raw.db")
        texts = list(texts_of(store))
        with store._reader(GAME) as reader:  # noqa: SLF001 - whole tables are no reader's need
            chunks: int = reader.execute("SELECT count(*) FROM source_chunks").get
            hosts = [str(row[0]) for row in reader.execute("SELECT DISTINCT host FROM sources")]
    raw = RawIndex(options.folder / "raw.db")
    queries = draw_queries(texts, raw, chunks, sorted(hosts), SEED)
    with corpus_service(options.folder) as address, empty_server() as empty_address:
        times = asyncio.run(_measure(address, empty_address, raw, queries, options.rounds))
    rows = {name: _row(found) for name, found in times.items()}
    result = {"chunks": chunks, "load": round(os.getloadavg()[0], 1), "classes": rows}
    print(json.dumps(result, indent=1, ensure_ascii=False))
    print(_table(rows))


@contextmanager
def corpus_service(folder: Path) -> Iterator[str]:
    """The service over the folder's store; gives its address."""
    ready = folder / "corpus.ready"
    ready.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "SOURCECORPUS_DATA_DIR": str(folder / "data"),
        "SOURCECORPUS_CORPUS_ADDRESS": "127.0.0.1:0",
        "SOURCECORPUS_READY_FILE": str(ready),
    }
    with subprocess.Popen([sys.executable, "-m", "corpus_service"], env=environment) as child:
        try:
            deadline = time.monotonic() + START_SECONDS_MAX
            while not ready.exists():
                if child.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError("the corpus service does not start")
                time.sleep(0.01)
            yield ready.read_text("utf-8").strip()
        finally:
            child.terminate()
            child.wait(STOP_SECONDS_MAX)


Call = Callable[[Any], Awaitable[Any]]


@dataclass(slots=True)
class Times:
    """Seconds of the empty call, of plain FTS5 and of a search, each for the first time and again."""

    raw_first: list[float] = field(default_factory=list)
    raw: list[float] = field(default_factory=list)
    empty: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)


async def _measure(
    address: str,
    empty_address: str,
    raw: RawIndex,
    queries: dict[str, list[BenchQuery]],
    rounds: int,
) -> dict[str, Times]:
    found: dict[str, Times] = {}
    async with (
        grpc.aio.insecure_channel(empty_address) as empty_channel,
        grpc.aio.insecure_channel(address) as channel,
    ):
        empty: Call = empty_channel.unary_unary(METHOD)
        search: Call = SearchServiceStub(channel).Search
        for name, asked in queries.items():
            times = Times()
            for number in range(rounds + 1):
                for query in asked:
                    raw_seconds, empty_seconds, seconds = await _once(raw, empty, search, query)
                    times.empty.append(empty_seconds)
                    if number:
                        times.raw.append(raw_seconds)
                        times.again.append(seconds)
                    else:
                        times.raw_first.append(raw_seconds)
                        times.first.append(seconds)
            found[name] = times
    return found


async def _once(
    raw: RawIndex, empty: Call, search: Call, query: BenchQuery
) -> tuple[float, float, float]:
    request = SearchRequest(
        game_id=GAME,
        query=query.typed,
        filter=SearchFilter(hosts=[query.host] if query.host else []),
    )
    began = time.perf_counter()
    raw.search(query.expression, query.host)
    after_raw = time.perf_counter()
    await empty(b"")
    after_empty = time.perf_counter()
    await search(request)
    end = time.perf_counter()
    return after_raw - began, after_empty - after_raw, end - after_empty


def _row(times: Times) -> dict[str, float]:
    raw_first, raw, empty, first, again = (
        statistics.median(one) * 1e3
        for one in (times.raw_first, times.raw, times.empty, times.first, times.again)
    )
    return {
        "raw_first_ms": round(raw_first, 2),
        "raw_first_p95_ms": round(_p95_ms(times.raw_first), 2),
        "raw_again_ms": round(raw, 2),
        "empty_call_ms": round(empty, 2),
        "first_ms": round(first, 2),
        "first_p95_ms": round(_p95_ms(times.first), 2),
        "again_ms": round(again, 2),
        "first_ratio": round(first / (raw_first + empty), 2),
        "again_ratio": round(again / (raw + empty), 2),
        "first_times_faster": round(raw_first / first, 1),
        "again_times_faster": round(raw / again, 1),
    }


def _p95_ms(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=20)[18] * 1e3


def _table(rows: dict[str, dict[str, float]]) -> str:
    lines = [
        "| class | FTS5 first p50 / p95 ms, again p50 | empty call | search first p50 / p95, again p50"
        " | first | again |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        if name == QUESTION:
            ratios = [f"{row[f'{kind}_times_faster']} × faster" for kind in ("first", "again")]
        else:
            ratios = [f"{row[f'{kind}_ratio']}" for kind in ("first", "again")]
        lines.append(
            f"| {name} | {row['raw_first_ms']} / {row['raw_first_p95_ms']}, {row['raw_again_ms']}"
            f" | {row['empty_call_ms']} | {row['first_ms']} / {row['first_p95_ms']},"
            f" {row['again_ms']} | {ratios[0]} | {ratios[1]} |"
        )
    return "\n".join(lines)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--corpus", type=Path, required=True, help="JSON Lines of bench.quality.build"
    )
    parser.add_argument("--folder", type=Path, required=True, help="keeps store and plain index")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    main()
