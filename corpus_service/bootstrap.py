"""Puts the corpus service together: nothing but wiring."""

from __future__ import annotations

import asyncio
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

from corpus_service.data_folder import DataFolder
from corpus_service.extraction import TextExtraction, extractor_versions
from corpus_service.search.preparation import (
    PREPARATION_VERSION,
    prepare_all_for_index,
    prepare_for_index,
)
from corpus_service.servicers import (
    citation_servicer,
    discovery_servicer,
    game_servicer,
    ingest_servicer,
    search_servicer,
    source_servicer,
)
from corpus_service.servicers.execution import ReadPool
from corpus_service.servicers.refresh_calls import RefreshCalls
from corpus_service.servicers.run_calls import RunCalls
from corpus_service.servicers.transfer_calls import TransferCalls
from corpus_service.services.exports import ExportUseCase
from corpus_service.services.games import GameUseCase
from corpus_service.services.ingest import IngestUseCase
from corpus_service.services.ingest_pool import PreparationPool
from corpus_service.services.ingest_texts import TextMaker, TextPreparation
from corpus_service.services.ingest_uploads import ContentUploadUseCase
from corpus_service.services.limits import TRANSFER_THREADS
from corpus_service.services.receipts import ReceiptUseCase
from corpus_service.services.refresh import RefreshUseCase
from corpus_service.services.run_links import RunUseCase
from corpus_service.settings import CorpusSettings
from corpus_service.storage.interface import CorpusStore
from corpus_service.storage.sqlite import SqliteStore
from corpus_service.storage.sqlite.failures import StoreOpenError, failures
from corpus_service.storage.sqlite.index_upkeep import IndexPreparation
from sourcecorpus.corpus.v1 import (
    citation_service_pb2_grpc,
    discovery_service_pb2_grpc,
    game_service_pb2_grpc,
    ingest_service_pb2_grpc,
    search_service_pb2_grpc,
    source_service_pb2_grpc,
)
from sourcecorpus.rpc import faults
from sourcecorpus.rpc.binding import StartError
from sourcecorpus.rpc.failures import Failure
from sourcecorpus.rpc.page_tokens import PageTokenSigner, load_or_create_key
from sourcecorpus.rpc.runtime_settings import RuntimeSettings
from sourcecorpus.rpc.server import ServiceServer, run_service
from sourcecorpus.rpc.settings import load

NAME: Final = "corpus"
INGEST_SERVICE: Final = "sourcecorpus.corpus.v1.IngestService"
PREPARATION: Final = IndexPreparation(PREPARATION_VERSION, prepare_for_index)


def run(configuration_file: Path | None = None) -> int:
    """Runs the service until it is told to stop; returns the exit code of the process.

    Args:
        configuration_file: TOML file; None takes the path in SOURCECORPUS_CONFIG, if any.
    """
    return run_service(
        NAME, partial(_serve, configuration_file=configuration_file), configuration_file
    )


async def _serve(runtime: RuntimeSettings, *, configuration_file: Path | None) -> int:
    settings = load(CorpusSettings, file=configuration_file)
    faults.arm_from_environment()
    server = ServiceServer(runtime)
    server.bind(runtime.corpus_address)
    # Until the store is open nothing needs to be undone: the kernel frees address and lock.
    folder = DataFolder(runtime.data_dir)
    server.started("data folder", folder.release)
    signer = PageTokenSigner(_page_token_key(folder.path))
    store = _open_store(folder.path)
    server.started("store", partial(asyncio.to_thread, store.close))
    try:
        add_services(server, store, signer, settings, folder.path)
        add_ingest(server, store, signer, settings)
        return await server.run()
    except StartError:
        store.close()
        raise


def add_services(
    server: ServiceServer,
    store: CorpusStore,
    signer: PageTokenSigner,
    settings: CorpusSettings,
    scratch: Path | None = None,
) -> None:
    """Adds every service of the corpus to a server that is bound and not started.

    Args:
        server: The server.
        store: The store.
        signer: Signs page tokens.
        settings: Settings of the service.
        scratch: Folder for files without a name; None is the system's own.
    """
    pool = ReadPool(settings.read_threads)
    server.started("read pool", partial(asyncio.to_thread, pool.close))
    runs = RunCalls(store, RunUseCase(store, time.time_ns), signer)
    server.add_service(
        search_servicer.SERVICE,
        partial(
            search_service_pb2_grpc.add_SearchServiceServicer_to_server,
            search_servicer.SearchServicer(store, signer, pool),
        ),
    )
    server.add_service(
        source_servicer.SERVICE,
        partial(
            source_service_pb2_grpc.add_SourceServiceServicer_to_server,
            source_servicer.SourceServicer(
                store, runs, _refresh_calls(store, signer), signer, pool
            ),
        ),
    )
    server.add_service(
        citation_servicer.SERVICE,
        partial(
            citation_service_pb2_grpc.add_CitationServiceServicer_to_server,
            citation_servicer.CitationServicer(store, runs, pool),
        ),
    )
    server.add_service(
        discovery_servicer.SERVICE,
        partial(
            discovery_service_pb2_grpc.add_DiscoveryServiceServicer_to_server,
            discovery_servicer.DiscoveryServicer(
                store, ReceiptUseCase(store, time.monotonic_ns), signer, pool
            ),
        ),
    )
    _add_games(server, store, signer, pool, scratch)


def _add_games(
    server: ServiceServer,
    store: CorpusStore,
    signer: PageTokenSigner,
    pool: ReadPool,
    scratch: Path | None,
) -> None:
    # Reading never waits behind exports and imports.
    transfers = ReadPool(TRANSFER_THREADS)
    server.started("transfer pool", partial(asyncio.to_thread, transfers.close))
    server.add_service(
        game_servicer.SERVICE,
        partial(
            game_service_pb2_grpc.add_GameServiceServicer_to_server,
            game_servicer.GameServicer(
                GameUseCase(store, time.time_ns),
                TransferCalls(ExportUseCase(store, scratch), store, transfers),
                signer,
                pool,
            ),
        ),
    )


def add_ingest(
    server: ServiceServer, store: CorpusStore, signer: PageTokenSigner, settings: CorpusSettings
) -> None:
    """Adds the way into the corpus, with threads of its own: reading never waits behind it."""
    extraction = TextExtraction()
    server.started("extraction", partial(asyncio.to_thread, extraction.close))
    threads = ThreadPoolExecutor(settings.ingest_threads, thread_name_prefix="ingest")
    server.started("ingest threads", partial(asyncio.to_thread, threads.shutdown))
    texts = _text_maker(server, extraction, settings)
    servicer = ingest_servicer.IngestServicer(
        IngestUseCase(store, texts, time.time_ns),
        ContentUploadUseCase(store),
        _refresh_calls(store, signer),
        threads,
    )
    server.add_service(
        INGEST_SERVICE,
        partial(ingest_service_pb2_grpc.add_IngestServiceServicer_to_server, servicer),
    )


def _refresh_calls(store: CorpusStore, signer: PageTokenSigner) -> RefreshCalls:
    use_case = RefreshUseCase(store, time.time_ns, lambda: f"rfr-{secrets.token_hex(10)}")
    return RefreshCalls(use_case, signer)


def _text_maker(
    server: ServiceServer, extraction: TextExtraction, settings: CorpusSettings
) -> TextMaker:
    """Makes texts in this process, or in processes beside it where cores are to spare."""
    local = TextPreparation(extraction, extractor_versions(), prepare_all_for_index)
    if not settings.preparation_workers:
        return local
    pool = PreparationPool(local, settings.preparation_workers)
    server.started("preparation workers", partial(asyncio.to_thread, pool.close))
    return pool


def _page_token_key(folder: Path) -> bytes:
    try:
        return load_or_create_key(folder)
    except OSError as error:
        raise StartError(f"{folder}: {error.strerror or 'cannot be written'}") from error
    except ValueError as error:
        raise StartError(f"{folder}: {error}") from error


def _open_store(folder: Path) -> SqliteStore:
    try:
        with failures():
            return SqliteStore(folder, PREPARATION)
    except StoreOpenError as error:
        raise StartError(str(error)) from error
    except Failure as error:
        raise StartError(f"{folder}: {error.message}") from error
