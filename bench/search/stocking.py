"""Fills a store with documents the way the service does: extraction, chunks, index; no network."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from bench.store.documents import Document
from corpus_service.bootstrap import PREPARATION
from corpus_service.domain.games import Game
from corpus_service.domain.records import CapturedSource, CaptureRecord, Content
from corpus_service.domain.vocabulary import Completeness, SourceRole
from corpus_service.extraction import TextExtraction, extractor_versions
from corpus_service.search.preparation import prepare_all_for_index
from corpus_service.services.ingest import IngestUseCase
from corpus_service.services.ingest_pool import PreparationPool
from corpus_service.services.ingest_texts import TextPreparation
from corpus_service.storage.sqlite import SqliteStore
from sourcecorpus.identity import content_hash

GAME: Final = "bench"
RECORDS_PER_BATCH: Final = 16
BATCHES_WAITING: Final = 16
WORKERS: Final = 2


def open_store(folder: Path) -> SqliteStore:
    """Opens a store as the service would; an index of an older policy is made again."""
    return SqliteStore(folder, PREPARATION)


def read_documents(path: Path) -> Iterator[Document]:
    """Reads a corpus of JSON Lines document by document; it may be larger than memory."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            body = row["text"].encode() if "text" in row else base64.b64decode(row["base64"])
            yield Document(row["uri"], row["media_type"], body)


def stock(
    store: SqliteStore, documents: Iterator[Document], *, chunks_max: int = 0, game: str = GAME
) -> int:
    """Stores documents until there are enough chunks (0: all of them); returns their number."""
    store.create_game(Game(game, created_time=1))
    extraction = TextExtraction()
    texts = TextPreparation(extraction, extractor_versions(), prepare_all_for_index)
    pool = PreparationPool(texts, WORKERS)
    ingest = IngestUseCase(store, pool, time.time_ns)
    number = 0
    try:
        while not chunks_max or _chunks(store, game) < chunks_max:
            pending = []
            for _ in range(BATCHES_WAITING):
                batch = list(islice(documents, RECORDS_PER_BATCH))
                records = [_record(number + at, one, game) for at, one in enumerate(batch)]
                number += len(batch)
                pending += ingest.ingest(records) if records else []
            if not pending:
                break
            for future in pending:
                future.result()
    finally:
        pool.close()
        extraction.close()
    return _chunks(store, game)


def stock_games(
    store: SqliteStore, documents: Iterator[Document], *, games: int, each: int
) -> list[str]:
    """Makes games of a few documents; returns their ids."""
    extraction = TextExtraction()
    texts = TextPreparation(extraction, extractor_versions(), prepare_all_for_index)
    ingest = IngestUseCase(store, texts, time.time_ns)
    names = [f"game-{number}" for number in range(games)]
    for name in names:
        store.create_game(Game(name, created_time=1))
        records = [_record(at, one, name) for at, one in enumerate(islice(documents, each))]
        for future in ingest.ingest(records):
            future.result()
    extraction.close()
    return names


def _chunks(store: SqliteStore, game: str) -> int:
    with store._reader(game) as connection:  # noqa: SLF001 - a count that no reader needs
        count: int = connection.execute("SELECT count(*) FROM source_chunks").get
    return count


def _record(number: int, document: Document, game: str) -> CaptureRecord:
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
        game_id=game,
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
