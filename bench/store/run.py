"""Ratios of our store to the floor, in one run: ingest with full text, look-ups, reads.

    python -m bench.store.run [--corpus FILE] [--count N] [--mid] [--rounds N] [--workers N]

Rounds of floor and ours alternate; figures are medians with their spread, CPU seconds beside wall.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.store import floor
from bench.store.documents import Document, from_file, made_up
from corpus_service.domain.games import Game
from corpus_service.domain.queries import SearchFilter, Term
from corpus_service.domain.records import CapturedSource, CaptureRecord, Content
from corpus_service.domain.vocabulary import Completeness, SourceRole
from corpus_service.extraction import TextExtraction, extractor_versions
from corpus_service.search.preparation import (
    PREPARATION_VERSION,
    prepare_all_for_index,
    prepare_for_index,
)
from corpus_service.services.ingest import IngestUseCase
from corpus_service.services.ingest_pool import PreparationPool
from corpus_service.services.ingest_texts import TextMaker, TextPreparation
from corpus_service.storage.sqlite import SqliteStore
from corpus_service.storage.sqlite.index_upkeep import IndexPreparation
from sourcecorpus.identity import content_hash

GAME = "bench"
RECORDS_PER_BATCH = 16
LOOK_UPS = 2_000


def main() -> None:
    options = _options()
    documents = (
        from_file(options.corpus, count=options.count, mid=options.mid)
        if options.corpus
        else made_up(count=options.count)
    )
    extraction = TextExtraction()
    texts: TextMaker = TextPreparation(extraction, extractor_versions(), prepare_all_for_index)
    pool = PreparationPool(texts, options.workers) if options.workers else None
    size = sum(len(document.body) for document in documents) / 1e6
    print(f"{len(documents)} documents, {size:.1f} MB, load {os.getloadavg()[0]:.1f}")
    if options.profile:
        _ours(documents[:20], pool or texts)
        profile = cProfile.Profile()
        profile.enable()
        _ours(documents, pool or texts)
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)
        return
    # Models of the extractors are loaded once in the life of a process.
    _ours(documents[:20], pool or texts)
    rates: dict[str, list[float]] = {"floor": [], "ours": []}
    cpu: dict[str, list[float]] = {"floor": [], "ours": []}
    programs: dict[str, Callable[[Sequence[Document]], None]] = {
        "floor": _floor,
        "ours": lambda found: _ours(found, pool or texts),
    }
    for _ in range(options.rounds):
        for name, program in programs.items():
            wall, busy = time.perf_counter(), time.process_time()
            program(documents)
            rates[name].append(len(documents) / (time.perf_counter() - wall))
            cpu[name].append((time.process_time() - busy) / len(documents) * 1e6)
    for name, found in rates.items():
        print(
            f"{name:6} {statistics.median(found):8.0f} documents/s"
            f" ({min(found):.0f} to {max(found):.0f}),"
            f" {statistics.median(cpu[name]):6.0f} µs CPU each"
        )
    ratio = statistics.median(rates["ours"]) / statistics.median(rates["floor"])
    print(f"ours / floor {ratio:.2f}")
    if pool:
        pool.close()
    extraction.close()


def _floor(documents: Sequence[Document]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        connection = floor.open_floor(Path(folder) / "floor.db")
        floor.store_all(connection, documents)
        connection.close()


def _ours(documents: Sequence[Document], texts: TextMaker) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder), IndexPreparation(PREPARATION_VERSION, prepare_for_index))
        store.create_game(Game(GAME, created_time=1))
        ingest = IngestUseCase(store, texts, time.time_ns)
        pending = []
        for start in range(0, len(documents), RECORDS_PER_BATCH):
            batch = documents[start : start + RECORDS_PER_BATCH]
            records = [_record(start + offset, entry) for offset, entry in enumerate(batch)]
            pending += ingest.ingest(records)
        for future in pending:
            result = future.result()
            if result.reason:
                raise RuntimeError(result.reason)
        _look_up(store)
        store.close()


def _look_up(store: SqliteStore) -> None:
    hits = store.search(GAME, Term("the"), SearchFilter(), limit=1)
    if not hits:
        return
    start = time.perf_counter()
    for _ in range(LOOK_UPS):
        store.get_versions(GAME, (hits[0].version_id,))
    each = (time.perf_counter() - start) / LOOK_UPS * 1e6
    print(f"       a version by id: {each:.1f} µs")


def _record(number: int, document: Document) -> CaptureRecord:
    name = content_hash(document.body)
    source = CapturedSource(
        canonical_uri=document.uri,
        family="gtc_page",
        kind="page",
        role=SourceRole.DOCUMENT,
        completeness=Completeness.FULL,
        content_hash=name,
        content_type=document.media_type,
    )
    return CaptureRecord(
        game_id=GAME,
        envelope_id=f"e{number}",
        envelope_fingerprint=name,
        tool_name="web_extract",
        finished_time=number + 1,
        received_time=number + 1,
        run_id="run",
        result_hash=name,
        sources=(source,),
        contents=(Content(name, len(document.body), document.body),),
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--mid", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2, help="0 makes texts in process")
    parser.add_argument("--profile", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
