"""Settings of the corpus service alone; shared ones stand in `sourcecorpus.rpc.runtime_settings`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from corpus_service.limits import PREPARATION_WORKERS_MAX
from corpus_service.services.limits import READ_THREADS_DEFAULT
from sourcecorpus.rpc.settings import setting


@dataclass(frozen=True, slots=True)
class CorpusSettings:
    """Table ``corpus`` of the configuration file."""

    table: ClassVar[str] = "corpus"

    read_threads: int = setting(
        "Threads for searches and reads.",
        "SOURCECORPUS_CORPUS_READ_THREADS",
        READ_THREADS_DEFAULT,
        minimum=1,
        maximum=64,
    )
    ingest_threads: int = setting(
        "Threads that read texts of arriving records.",
        "SOURCECORPUS_CORPUS_INGEST_THREADS",
        2,
        minimum=1,
        maximum=64,
    )
    preparation_workers: int = setting(
        "Processes that make texts of arriving records; 0 makes them in the service, which two cores do as fast.",
        "SOURCECORPUS_CORPUS_PREPARATION_WORKERS",
        0,
        minimum=0,
        maximum=PREPARATION_WORKERS_MAX,
    )
