"""A game beside a thousand others, and a search beside one that never ends.

    python -m bench.search.games --corpus FILE [--chunks 10000] [--games 1000]

Both figures come from one store over gRPC. First the same searches of one game before and after the
other games came, while other games are searched in between; then beside queries of beginnings that
run into their deadline.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import grpc

from bench.search.queries import draw_queries
from bench.search.raw_index import RawIndex, build_raw_index, texts_of
from bench.search.run import SEED, corpus_service
from bench.search.stocking import GAME, open_store, read_documents, stock, stock_games
from sourcecorpus.corpus.v1.search_service_pb2 import SearchRequest
from sourcecorpus.corpus.v1.search_service_pb2_grpc import SearchServiceStub

DOCUMENTS_OF_A_GAME: Final = 2
# A search of another game stands between so many of ours.
OTHERS_EVERY: Final = 8
RUNAWAY: Final = " ".join(f"{letter}*" for letter in "abcdefgh")
RUNAWAY_SECONDS: Final = 2.0


def main() -> None:
    """Measures and prints JSON."""
    options = _options()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        documents = read_documents(options.corpus)
        with closing(open_store(folder / "data" / "corpus")) as store:
            chunks = stock(store, documents, chunks_max=options.chunks)
            build_raw_index(store, folder / "raw.db")
            raw = RawIndex(folder / "raw.db")
            drawn = draw_queries(list(texts_of(store)), raw, chunks, ["none"], SEED)
        asked = list({query.typed for found in drawn.values() for query in found if not query.host})
        alone = _times(folder, asked, [])
        with closing(open_store(folder / "data" / "corpus")) as store:
            others = stock_games(store, documents, games=options.games, each=DOCUMENTS_OF_A_GAME)
        among = _times(folder, asked, others)
        alone += _times(folder, asked, [])
        among += _times(folder, asked, others)
        beside = _times(folder, asked, [], runaway=True)
    print(
        json.dumps(
            {
                "chunks": chunks,
                "games": options.games,
                "load": round(os.getloadavg()[0], 1),
                "alone_p50_ms": round(statistics.median(alone), 2),
                "among_games_p50_ms": round(statistics.median(among), 2),
                "ratio": round(statistics.median(among) / statistics.median(alone), 2),
                "beside_runaway_p50_ms": round(statistics.median(beside), 2),
                "beside_runaway_max_ms": round(max(beside), 1),
            },
            indent=1,
        )
    )


def _times(
    folder: Path, asked: list[str], others: list[str], *, runaway: bool = False
) -> list[float]:
    """Every service asks each search once, so that none is remembered."""
    with corpus_service(folder) as address:
        return asyncio.run(_measure(address, asked, others, runaway=runaway))


async def _measure(
    address: str, asked: list[str], others: list[str], *, runaway: bool
) -> list[float]:
    found = []
    async with grpc.aio.insecure_channel(address) as channel:
        search: Any = SearchServiceStub(channel).Search
        await search(SearchRequest(game_id=GAME, query="the first call opens the file"))
        running = asyncio.create_task(_run_away(search)) if runaway else None
        for number, query in enumerate(asked):
            if others and number % OTHERS_EVERY == 0:
                other = others[number % len(others)]
                await search(SearchRequest(game_id=other, query=query))
            began = time.perf_counter()
            await search(SearchRequest(game_id=GAME, query=query))
            found.append((time.perf_counter() - began) * 1e3)
        if running is not None:
            running.cancel()
    return found


async def _run_away(search: Any) -> None:  # noqa: ANN401 - a stub's call
    for number in range(1_000):
        request = SearchRequest(game_id=GAME, query=f"{RUNAWAY} z{number}")
        try:
            await search(request, timeout=RUNAWAY_SECONDS)
        except grpc.aio.AioRpcError:
            continue


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--games", type=int, default=1_000)
    return parser.parse_args()


if __name__ == "__main__":
    main()
