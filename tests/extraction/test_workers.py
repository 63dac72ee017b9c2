"""Workers: limits that hold, processes that are replaced, answers that are only data."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from corpus_service.extraction import (
    ExtractionFailed,
    ExtractionRequest,
    FailureReason,
    Flag,
    TextExtraction,
    WorkerLimits,
    WorkerPool,
)
from corpus_service.extraction.worker_frames import Answer, Task, decode_answer, decode_task, encode
from corpus_service.extraction.workers import Worker

_PAGE = b"<h1>Big</h1>" + b"<p>ordinary words of a page</p>" * 3_000


def _task(content: bytes, extractor: str = "html") -> Task:
    return Task(extractor, ExtractionRequest(content, "text/html"))


@pytest.fixture
def worker() -> Iterator[Worker]:
    one = Worker(WorkerLimits())
    yield one
    one.end()


def test_a_large_page_reads_the_same_in_a_worker(worker: Worker) -> None:
    extraction = TextExtraction()
    small = extraction.extract(ExtractionRequest(_PAGE[:50_000], "text/html"))
    assert worker.run(_task(_PAGE[:50_000])) == small
    large = extraction.extract(ExtractionRequest(_PAGE, "text/html"))
    assert large.text.count("ordinary words") == 3_000
    extraction.close()


def test_a_failure_in_a_worker_keeps_its_reason_and_the_process(worker: Worker) -> None:
    with pytest.raises(ExtractionFailed) as failure:
        worker.run(_task(b"%PDF-1.4 broken", "pdf"))
    assert failure.value.reason is FailureReason.MALFORMED
    before = worker.process_id
    assert worker.run(_task(b"<p>next")).text == "next"
    assert worker.process_id == before


def test_cpu_time_is_limited_and_the_next_task_is_served() -> None:
    worker = Worker(WorkerLimits(cpu_seconds=1))
    # Start tags with many attributes are compared pairwise; a tag under the size that is refused.
    attributes = b" ".join(b"a%d" % number for number in range(9_000))
    with pytest.raises(ExtractionFailed) as failure:
        worker.run(_task(b"<html>" + (b"<p " + attributes + b">x") * 60))
    assert failure.value.reason is FailureReason.TIME_LIMIT
    assert worker.run(_task(b"<p>next")).text == "next"
    worker.end()


def test_wall_clock_time_is_limited(worker: Worker) -> None:
    worker.run(_task(b"<p>warm"))
    process = worker.process_id
    assert process is not None
    os.kill(process, signal.SIGSTOP)
    stuck = Worker(WorkerLimits(wall_seconds=0.2))
    stuck._process, worker._process = worker._process, None
    with pytest.raises(ExtractionFailed) as failure:
        stuck.run(_task(b"<p>x"))
    assert failure.value.reason is FailureReason.TIME_LIMIT
    assert stuck.process_id is None


def test_memory_is_limited() -> None:
    worker = Worker(WorkerLimits(address_space_bytes=700 << 20))
    with pytest.raises(ExtractionFailed) as failure:
        worker.run(_task(b"<p>x</p>" * 1_900_000))
    assert failure.value.reason in {FailureReason.MEMORY_LIMIT, FailureReason.WORKER_CRASHED}
    assert worker.run(_task(b"<p>next")).text == "next"
    worker.end()


def test_a_killed_worker_is_replaced(worker: Worker) -> None:
    worker.run(_task(b"<p>first"))
    process = worker.process_id
    assert process is not None
    os.kill(process, signal.SIGKILL)
    with pytest.raises(ExtractionFailed) as failure:
        worker.run(_task(b"<p>second"))
    assert failure.value.reason is FailureReason.WORKER_CRASHED
    assert worker.run(_task(b"<p>third")).text == "third"


def test_a_worker_is_replaced_after_its_share_of_tasks() -> None:
    worker = Worker(WorkerLimits(extractions_max=2))
    worker.run(_task(b"<p>1"))
    first = worker.process_id
    worker.run(_task(b"<p>2"))
    assert worker.process_id is None
    worker.run(_task(b"<p>3"))
    assert worker.process_id not in {None, first}
    worker.end()


def test_a_worker_has_nothing_of_the_environment(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_CORPUS_TEST_CANARY", "must not be inherited")
    worker.run(_task(b"<p>x"))
    with open(f"/proc/{worker.process_id}/environ", "rb") as environment:  # noqa: PTH123
        assert b"CANARY" not in environment.read()


def test_a_pool_is_shared_by_threads_and_closes() -> None:
    pool = WorkerPool(workers_max=1)
    texts: list[str] = []

    def read(number: int) -> None:
        request = ExtractionRequest(b"<p>%d" % number, "text/html")
        texts.append(pool.run("html", request).text)

    threads = [threading.Thread(target=read, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(texts) == ["0", "1", "2", "3"]
    assert len(pool._idle) == 1
    process = pool._idle[0].process_id
    pool.close()
    pool.close()
    assert process is not None
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    with pytest.raises(ExtractionFailed) as failure:
        read(5)
    assert failure.value.reason is FailureReason.CLOSED


def test_frames_come_back_as_they_were() -> None:
    task = Task(
        "html",
        ExtractionRequest(b"\x00\xff", "text/html; charset=x", "https://x.example/", "page", "de"),
    )
    assert decode_task(encode(task)[8:]) == task
    answer = Answer(failure=FailureReason.MALFORMED, resident_bytes_max=5)
    assert decode_answer(encode(answer)[8:]) == answer


@pytest.mark.parametrize(
    ("content", "content_type", "flag"),
    [
        (b"<div>" * 100_000 + b"deep", "text/html", Flag.TREE_SKIPPED),
        (b"<ul><li>" * 50_000 + b"deep", "text/html", Flag.TREE_SKIPPED),
        (b"<b>" * 100_000 + b"deep", "text/html", Flag.TREE_SKIPPED),
        (b"<div " + b"a " * 200_000 + b">deep", "text/html", Flag.TREE_SKIPPED),
        (b"[" * 2_000_000, "application/json", Flag.INVALID_SYNTAX),
    ],
)  # fmt: skip
def test_hostile_nesting_gives_text_in_bounded_time(
    content: bytes, content_type: str, flag: str
) -> None:
    extraction = TextExtraction()
    found = extraction.extract(ExtractionRequest(content, content_type))
    assert flag in found.flags
    assert found.text.endswith(("deep", "["))
    extraction.close()


def test_7_megabytes_of_json_in_one_line_are_read() -> None:
    extraction = TextExtraction()
    content = b'{"items":[' + b'{"name":"some words","price":1.10},' * 200_000 + b"0]}"
    found = extraction.extract(ExtractionRequest(content, "application/json"))
    assert found.text.count('"price": 1.10') == 200_000
    extraction.close()
