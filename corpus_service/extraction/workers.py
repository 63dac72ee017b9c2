"""Worker processes with limits: started when needed, ended when they misbehave.

The environment is emptied, so that no secret of the service reaches a process that reads hostile
documents. Memory and CPU are limited by the kernel, wall-clock time and answer size here.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from typing import Final

import msgspec

from corpus_service.extraction.limits import (
    TEXT_BYTES_MAX,
    WORKER_ADDRESS_SPACE_BYTES,
    WORKER_CPU_SECONDS,
    WORKER_EXTRACTIONS_MAX,
    WORKER_RESIDENT_BYTES_MAX,
    WORKER_WALL_SECONDS,
    WORKERS_MAX,
)
from corpus_service.extraction.types import (
    ExtractedText,
    ExtractionFailed,
    ExtractionRequest,
    FailureReason,
)
from corpus_service.extraction.worker_frames import (
    LENGTH_BYTES,
    Answer,
    Task,
    decode_answer,
    encode,
)

_MODULE: Final = "corpus_service.extraction.worker_main"
_PIPE_BYTES: Final = 1 << 20
# Claims, frame addresses and counts beside the text.
_ANSWER_BYTES_MAX: Final = 4 * TEXT_BYTES_MAX + (8 << 20)


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """What one worker may use; see `limits` for the meanings."""

    address_space_bytes: int = WORKER_ADDRESS_SPACE_BYTES
    cpu_seconds: int = WORKER_CPU_SECONDS
    wall_seconds: float = WORKER_WALL_SECONDS
    extractions_max: int = WORKER_EXTRACTIONS_MAX
    resident_bytes_max: int = WORKER_RESIDENT_BYTES_MAX


class Worker:
    """One process; used by one thread at a time."""

    def __init__(self, limits: WorkerLimits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._served = 0

    @property
    def process_id(self) -> int | None:
        """Id of the running process, None before the first task and after an end."""
        return self._process.pid if self._process else None

    def run(self, task: Task) -> ExtractedText:
        """Carry out one task.

        Raises:
            ExtractionFailed: with the reason the worker gave, or TIME_LIMIT, WORKER_CRASHED,
                TEXT_TOO_LARGE, after which a new process serves the next task.
        """
        process = self._process or self._start()
        try:
            answer = decode_answer(self._exchange(process, encode(task), task.extractor))
        except (OSError, EOFError, msgspec.DecodeError) as error:
            raise ExtractionFailed(self._end_reason(process), task.extractor) from error
        except ExtractionFailed:
            self.end()
            raise
        self._served += 1
        self._retire_if_worn(answer)
        if answer.extracted is None:
            raise ExtractionFailed(answer.failure or FailureReason.EXTRACTOR_ERROR, task.extractor)
        return answer.extracted

    def interrupt(self) -> None:
        """End the process of a task that another thread waits for; that thread then cleans up."""
        process = self._process
        if process is not None and process.poll() is None:
            process.kill()

    def end(self) -> None:
        """End the process, at once and with everything it may have started."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    def _start(self) -> subprocess.Popen[bytes]:
        limits = self._limits
        environment = {
            "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
            # One thread each: thread stacks and arenas count against the address space.
            "OPENBLAS_NUM_THREADS": "1",
            "MALLOC_ARENA_MAX": "1",
        }
        self._process = subprocess.Popen(  # noqa: S603 -- fixed arguments, no shell
            [
                sys.executable,
                "-m",
                _MODULE,
                str(limits.address_space_bytes),
                str(limits.cpu_seconds),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd="/",
            bufsize=0,
            start_new_session=True,
        )
        self._served = 0
        return self._process

    def _exchange(self, process: subprocess.Popen[bytes], frame: bytes, extractor: str) -> bytes:
        """Write the task and read the answer, both without blocking beyond the deadline."""
        if process.stdin is None or process.stdout is None:
            raise EOFError
        deadline = time.monotonic() + self._limits.wall_seconds
        source, sink = process.stdout.fileno(), process.stdin.fileno()
        os.set_blocking(sink, False)
        unsent, received = memoryview(frame), bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(source, selectors.EVENT_READ)
            selector.register(sink, selectors.EVENT_WRITE)
            while True:
                ready = selector.select(max(0.0, deadline - time.monotonic()))
                if not ready:
                    raise ExtractionFailed(FailureReason.TIME_LIMIT, extractor)
                for key, _ in ready:
                    if key.fd == sink:
                        unsent = unsent[os.write(sink, unsent[:_PIPE_BYTES]) :]
                        if not unsent:
                            selector.unregister(sink)
                        continue
                    part = os.read(source, _PIPE_BYTES)
                    if not part:
                        raise EOFError
                    received += part
                body = _complete(received, extractor)
                if body is not None:
                    return body

    def _end_reason(self, process: subprocess.Popen[bytes]) -> FailureReason:
        """Reap a process that closed its pipe; tell why as far as its status says it."""
        try:
            status = process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            status = 0
        self.end()
        if status == -signal.SIGXCPU:
            return FailureReason.TIME_LIMIT
        return FailureReason.WORKER_CRASHED

    def _retire_if_worn(self, answer: Answer) -> None:
        """Replace a process that has grown or has served long; leaks of libraries end with it."""
        if (
            self._served >= self._limits.extractions_max
            or answer.resident_bytes_max > self._limits.resident_bytes_max
        ):
            self.end()


def _complete(received: bytearray, extractor: str) -> bytes | None:
    """Return the body once the frame is whole."""
    if len(received) < LENGTH_BYTES:
        return None
    size = int.from_bytes(received[:LENGTH_BYTES], "big")
    if size > _ANSWER_BYTES_MAX:
        raise ExtractionFailed(FailureReason.TEXT_TOO_LARGE, extractor)
    if len(received) < LENGTH_BYTES + size:
        return None
    return bytes(memoryview(received)[LENGTH_BYTES : LENGTH_BYTES + size])


class WorkerPool:
    """A bounded number of workers; a caller waits for a free one."""

    def __init__(self, limits: WorkerLimits | None = None, workers_max: int = WORKERS_MAX) -> None:
        self._limits = limits or WorkerLimits()
        self._free = threading.Semaphore(workers_max)
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._closed = False

    def run(self, extractor: str, request: ExtractionRequest) -> ExtractedText:
        """Carry out one extraction in a worker.

        Raises:
            ExtractionFailed: see `Worker.run`; CLOSED after `close`.
        """
        with self._free:
            worker = self._take(extractor)
            try:
                return worker.run(Task(extractor, request))
            finally:
                self._give_back(worker)

    def close(self) -> None:
        """End all workers, those at work too; their callers get CLOSED or WORKER_CRASHED."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for worker in self._busy:
                worker.interrupt()
        for worker in idle:
            worker.end()

    def _take(self, extractor: str) -> Worker:
        with self._lock:
            if self._closed:
                raise ExtractionFailed(FailureReason.CLOSED, extractor)
            # The last one used is the warmest.
            worker = self._idle.pop() if self._idle else Worker(self._limits)
            self._busy.add(worker)
            return worker

    def _give_back(self, worker: Worker) -> None:
        with self._lock:
            self._busy.discard(worker)
            if not self._closed:
                self._idle.append(worker)
                return
        worker.end()
