"""PDFs that are made to exhaust a reader: each costs its worker at most, and the next document is read."""

from __future__ import annotations

import zlib
from collections.abc import Callable

import pytest

from corpus_service.extraction import (
    ExtractionFailed,
    ExtractionRequest,
    FailureReason,
    WorkerLimits,
)
from corpus_service.extraction.worker_frames import Task
from corpus_service.extraction.workers import Worker
from tests.extraction.document_files import (
    deflated,
    pdf_of_forms,
    pdf_of_itself,
    pdf_of_stream,
)

MEBIBYTE = 1_024 * 1_024
SPACES = b" " * (16 * MEBIBYTE)
WORDS = b"BT /F1 10 Tf 9 9 Td (word word word) Tj ET\n" * 10_000
LIMITS = WorkerLimits(address_space_bytes=1_024 * MEBIBYTE, cpu_seconds=8, wall_seconds=60.0)
KILLED = {
    FailureReason.MEMORY_LIMIT,
    FailureReason.WORKER_CRASHED,
    FailureReason.TIME_LIMIT,
    FailureReason.EXTRACTOR_ERROR,
    FailureReason.MALFORMED,
    FailureReason.TEXT_TOO_LARGE,
}

# Packed bytes of each are at most 2 MB; unpacked they have up to 4 GB.
BOMBS: dict[str, Callable[[], bytes]] = {
    "two gigabytes": lambda: pdf_of_stream(deflated(SPACES, 128)),
    "packed twice": lambda: pdf_of_stream(
        zlib.compress(deflated(SPACES, 256), 9), "/FlateDecode/FlateDecode"
    ),
    "a form that draws itself": lambda: pdf_of_forms(3),
    "a tree of itself": lambda: pdf_of_itself(1_000_000_000),
}
HEAVY: dict[str, Callable[[], bytes]] = {
    "64 megabytes of nothing": lambda: pdf_of_stream(deflated(SPACES, 4)),
    "30 megabytes of drawing": lambda: pdf_of_stream(deflated(WORDS, 70)),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_costs_its_worker_at_most(name: str) -> None:
    content = BOMBS[name]()
    assert len(content) < 3 * MEBIBYTE
    worker = Worker(LIMITS)
    with pytest.raises(ExtractionFailed) as failure:
        worker.run(Task("pdf", ExtractionRequest(content, "application/pdf")))
    assert failure.value.reason in KILLED
    next_page = worker.run(Task("html", ExtractionRequest(b"<p>next", "text/html")))
    assert next_page.text == "next"
    worker.end()


@pytest.mark.parametrize("name", HEAVY)
def test_a_heavy_page_is_read_within_the_limits(name: str) -> None:
    worker = Worker(LIMITS)
    found = worker.run(Task("pdf", ExtractionRequest(HEAVY[name](), "application/pdf")))
    assert len(found.text) < 10_000_000
    worker.end()
