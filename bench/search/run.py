"""Searches over gRPC against plain FTS5 in process, on the same passages, in one run.

    python -m bench.search.run --corpus FILE --folder FOLDER [--chunks 100000] [--rounds 3]

The folder keeps the store and the plain index between runs. A class holds its target when the median
over gRPC is at most 1.3 times the median of plain FTS5 in process plus that of an empty call. Queries
of a class take turns with the floor, so that other load falls on both.
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

TARGET: Final = 1.3
QUESTION: Final = "question of five words"
QUESTION_TARGET: Final = 5.0
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
    rows = {name: _row(*found) for name, found in times.items()}
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
Times = tuple[list[float], list[float], list[float]]
"""Seconds of plain FTS5, of the empty call, of the search."""


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
            times: Times = ([], [], [])
            for number in range(rounds + 1):
                for query in asked:
                    one = await _once(raw, empty, search, query)
                    # The first round warms both sides up.
                    if number:
                        for values, value in zip(times, one, strict=True):
                            values.append(value)
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


def _row(raw: list[float], empty: list[float], search: list[float]) -> dict[str, float]:
    raw_ms, empty_ms, search_ms = (statistics.median(one) * 1e3 for one in (raw, empty, search))
    return {
        "raw_ms": round(raw_ms, 2),
        "empty_call_ms": round(empty_ms, 2),
        "search_ms": round(search_ms, 2),
        "search_p95_ms": round(statistics.quantiles(search, n=20)[18] * 1e3, 2),
        "raw_p95_ms": round(statistics.quantiles(raw, n=20)[18] * 1e3, 2),
        "ratio": round(search_ms / (raw_ms + empty_ms), 2),
        "times_faster": round(raw_ms / search_ms, 1),
    }


def _table(rows: dict[str, dict[str, float]]) -> str:
    lines = [
        "| class | plain FTS5 p50 / p95 ms | empty call ms | search p50 / p95 ms | ratio | target |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        if name == QUESTION:
            held, target = row["times_faster"] >= QUESTION_TARGET, f"{QUESTION_TARGET:.0f} × faster"
            ratio = f"{row['times_faster']} × faster"
        else:
            held, target, ratio = row["ratio"] <= TARGET, f"≤ {TARGET}", f"{row['ratio']}"
        lines.append(
            f"| {name} | {row['raw_ms']} / {row['raw_p95_ms']} | {row['empty_call_ms']}"
            f" | {row['search_ms']} / {row['search_p95_ms']} | {ratio}"
            f" | {target}{'' if held else ' (missed)'} |"
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
