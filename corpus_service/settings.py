"""Settings of the corpus service alone; shared ones stand in `sourcecorpus.rpc.runtime_settings`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

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
