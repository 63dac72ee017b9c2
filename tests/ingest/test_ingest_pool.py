"""Texts made in worker processes are those that the service would make itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from corpus_service.extraction import TextExtraction, extractor_versions
from corpus_service.search.preparation import prepare_all_for_index
from corpus_service.services import ingest_pool
from corpus_service.services.ingest_pool import PreparationPool
from corpus_service.services.ingest_texts import ReadingJob, TextPreparation
from corpus_service.storage.preparation import PreparedSource
from tests.storage.records import page


def job(data: bytes) -> ReadingJob:
    return ReadingJob(page(data=data, content_type="text/markdown"), data)


JOBS = [job(f"# Gate {number}\n\nThe drawbridge 悬空.\n".encode() * 3) for number in range(7)]


class Recording:
    """Stands for the service's own maker and notes what it is given."""

    extractors: Sequence[tuple[str, str]] = extractor_versions()

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def read_all(self, jobs: Sequence[ReadingJob]) -> list[PreparedSource | Exception]:
        self.sizes += [len(entry.data) for entry in jobs]
        return [PreparedSource(extraction_failure="LOCAL") for _ in jobs]


@pytest.fixture
def local() -> Recording:
    return Recording()


@pytest.fixture
def pool(local: Recording) -> Iterator[PreparationPool]:
    opened = PreparationPool(local, 2)
    yield opened
    opened.close()


def test_workers_make_the_same_texts_in_the_same_order(
    pool: PreparationPool, local: Recording
) -> None:
    extraction = TextExtraction()
    here = TextPreparation(extraction, extractor_versions(), prepare_all_for_index)
    assert pool.read_all(JOBS) == here.read_all(JOBS)
    assert pool.read_all(JOBS[:1]) == here.read_all(JOBS[:1])
    assert pool.read_all([]) == []
    assert local.sizes == []
    extraction.close()


def test_large_contents_stay_with_the_service(
    pool: PreparationPool, local: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_pool, "PREPARATION_JOB_BYTES_MAX", 10)
    small, large = job(b"small"), job(b"x" * 11)
    first, second, third = pool.read_all([large, small, large])
    assert local.sizes == [11, 11]
    assert isinstance(first, PreparedSource)
    assert isinstance(second, PreparedSource)
    assert (first.extraction_failure, first) == ("LOCAL", third)
    assert second.text is not None


def test_a_worker_that_was_killed_is_replaced(pool: PreparationPool) -> None:
    before = pool.read_all(JOBS)
    for worker in pool._idle:
        assert worker._process is not None
        worker._process.kill()
        worker._process.wait()
    assert pool.read_all(JOBS) == before


def test_a_content_that_brings_workers_down_is_named_and_takes_no_other_along(
    pool: PreparationPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = pool.read_all(JOBS)
    received = ingest_pool._Worker.receive
    sent = ingest_pool._Worker.send
    poisoned: set[int] = set()

    def send(worker: ingest_pool._Worker, jobs: Sequence[ReadingJob]) -> None:
        if any(entry is JOBS[2] for entry in jobs):
            poisoned.add(id(worker))
        sent(worker, jobs)

    def receive(worker: ingest_pool._Worker, deadline: float) -> list[PreparedSource | Exception]:
        if id(worker) in poisoned:
            poisoned.discard(id(worker))
            raise EOFError
        return received(worker, deadline)

    monkeypatch.setattr(ingest_pool._Worker, "send", send)
    monkeypatch.setattr(ingest_pool._Worker, "receive", receive)
    results = pool.read_all(JOBS)
    crashed = results[2]
    assert isinstance(crashed, PreparedSource)
    assert crashed.extraction_failure == "WORKER_CRASHED"
    assert [*results[:2], *results[3:]] == [*whole[:2], *whole[3:]]


def test_the_number_of_workers_is_bounded(local: Recording) -> None:
    for workers in (0, 9):
        with pytest.raises(ValueError, match="from 1 to 8"):
            PreparationPool(local, workers)
