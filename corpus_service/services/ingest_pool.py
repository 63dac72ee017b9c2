"""Makes texts in processes of their own, so that reading and writing use more than one core.

A worker is a plain child process that talks pickled frames over its standard pipes; it ends with
its parent, because its input ends. A content that brings a worker down is read once more alone; if
that fails as well it is stored without a text and says WORKER_CRASHED.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import Final

from corpus_service.domain.records import CapturedSource
from corpus_service.extraction.types import FailureReason
from corpus_service.limits import (
    PREPARATION_JOB_BYTES_MAX,
    PREPARATION_SECONDS_MAX,
    PREPARATION_WORKERS_MAX,
)
from corpus_service.services.ingest_texts import ReadingJob, TextMaker
from corpus_service.storage.preparation import PreparedSource

WORKER_MODULE: Final = "corpus_service.preparation_worker"
LENGTH_BYTES: Final = 8
_CRASHED: Final = PreparedSource(extraction_failure=FailureReason.WORKER_CRASHED.value)


class _Worker:
    """One child process, used by one thread at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def send(self, jobs: Sequence[ReadingJob]) -> None:
        """Hand over a share of the work."""
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603 - fixed arguments, no shell
                [sys.executable, "-m", WORKER_MODULE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                # No secret of the service reaches a process that reads hostile documents.
                env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                # A signal from the terminal is the parent's to act on.
                start_new_session=True,
            )
        frame = pickle.dumps([(job.source, job.data) for job in jobs], pickle.HIGHEST_PROTOCOL)
        assert self._process.stdin is not None
        self._process.stdin.write(len(frame).to_bytes(LENGTH_BYTES) + frame)
        self._process.stdin.flush()

    def receive(self, deadline: float) -> list[PreparedSource | Exception]:
        """Take the results.

        Raises:
            EOFError: The process ended or is late; it is gone then.
        """
        process = self._process
        assert process is not None
        assert process.stdout is not None
        size = int.from_bytes(self._read(process.stdout.fileno(), LENGTH_BYTES, deadline))
        frame = self._read(process.stdout.fileno(), size, deadline)
        results: list[PreparedSource | Exception] = pickle.loads(frame)  # noqa: S301 - our own child
        return results

    @staticmethod
    def _read(descriptor: int, size: int, deadline: float) -> bytearray:
        received = bytearray()
        while len(received) < size:
            if not select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise EOFError
            part = os.read(descriptor, size - len(received))
            if not part:
                raise EOFError
            received += part
        return received

    def end(self) -> None:
        """End the process at once."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                # What was not sent cannot be sent any more.
                with contextlib.suppress(OSError):
                    pipe.close()


class PreparationPool:
    """`TextMaker` over worker processes; large contents are read by ``local``."""

    def __init__(self, local: TextMaker, workers: int) -> None:
        """Take the number of workers; none is started before there is work.

        Raises:
            ValueError: The number is not from 1 to 8.
        """
        if not 1 <= workers <= PREPARATION_WORKERS_MAX:
            raise ValueError(f"workers must be from 1 to {PREPARATION_WORKERS_MAX}")
        self._local = local
        self._available = threading.Condition()
        self._idle = [_Worker() for _ in range(workers)]
        self._closed = False

    @property
    def extractors(self) -> Sequence[tuple[str, str]]:
        """See `TextMaker.extractors`."""
        return self._local.extractors

    def read_all(self, jobs: Sequence[ReadingJob]) -> list[PreparedSource | Exception]:
        """See `TextMaker.read_all`; takes as many idle workers as there is work for."""
        small = [at for at, job in enumerate(jobs) if len(job.data) <= PREPARATION_JOB_BYTES_MAX]
        results: dict[int, PreparedSource | Exception] = {}
        if small:
            workers = self._take(len(small))
            try:
                self._spread(workers, jobs, small, results)
            finally:
                self._give_back(workers)
        large = [at for at in range(len(jobs)) if at not in results]
        results |= zip(large, self._local.read_all([jobs[at] for at in large]), strict=True)
        return [results[at] for at in range(len(jobs))]

    def close(self) -> None:
        """End the workers; later work is done by ``local``."""
        with self._available:
            self._closed = True
            workers, self._idle = self._idle, []
            self._available.notify_all()
        for worker in workers:
            worker.end()

    def _spread(
        self,
        workers: Sequence[_Worker],
        jobs: Sequence[ReadingJob],
        positions: Sequence[int],
        results: dict[int, PreparedSource | Exception],
    ) -> None:
        shares = [positions[start :: len(workers)] for start in range(len(workers))]
        alone: list[tuple[_Worker, int]] = []
        for worker, share in zip(workers, shares, strict=True):
            self._try_send(worker, [jobs[at] for at in share])
        for worker, share in zip(workers, shares, strict=True):
            try:
                found = worker.receive(time.monotonic() + PREPARATION_SECONDS_MAX)
                results |= zip(share, found, strict=True)
            except (EOFError, OSError, pickle.UnpicklingError):
                worker.end()
                alone += [(worker, at) for at in share]
        for worker, at in alone:
            results[at] = self._read_alone(worker, jobs[at])

    @staticmethod
    def _try_send(worker: _Worker, share: Sequence[ReadingJob]) -> None:
        try:
            worker.send(share)
        except OSError:
            # It ended while it was idle; whoever receives next sees that and repeats the share.
            worker.end()
            worker.send(share)

    @staticmethod
    def _read_alone(worker: _Worker, job: ReadingJob) -> PreparedSource | Exception:
        try:
            worker.send([job])
            return worker.receive(time.monotonic() + PREPARATION_SECONDS_MAX)[0]
        except (EOFError, OSError, pickle.UnpicklingError):
            worker.end()
            return _CRASHED

    def _take(self, wanted: int) -> list[_Worker]:
        with self._available:
            while not self._idle and not self._closed:
                self._available.wait()
            if self._closed:
                return [_Worker()]
            taken = self._idle[-wanted:]
            del self._idle[-wanted:]
            return taken

    def _give_back(self, workers: Sequence[_Worker]) -> None:
        with self._available:
            if not self._closed:
                self._idle += workers
                self._available.notify_all()
                return
        for worker in workers:
            worker.end()


def serve(texts: TextMaker) -> None:
    """Answer frames from standard input until it ends; the main loop of a worker."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while length := source.read(LENGTH_BYTES):
        pairs: list[tuple[CapturedSource, bytes]] = pickle.loads(  # noqa: S301 - our own parent
            source.read(int.from_bytes(length))
        )
        results = [
            _portable(result)
            for result in texts.read_all([ReadingJob(source, data) for source, data in pairs])
        ]
        frame = pickle.dumps(results, pickle.HIGHEST_PROTOCOL)
        sink.write(len(frame).to_bytes(LENGTH_BYTES) + frame)
        sink.flush()


def _portable(result: PreparedSource | Exception) -> PreparedSource | Exception:
    """Only the kind of an unknown exception crosses the pipe: its text may be payload."""
    return RuntimeError(type(result).__name__) if isinstance(result, Exception) else result
