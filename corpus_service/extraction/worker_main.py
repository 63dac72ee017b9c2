"""The worker process: reads one task after the other from standard input, answers on standard output.

Limits are set before the first byte of a document is read. Whatever happens to this process, the
corpus sees an answer, a closed pipe or its own deadline.
"""

from __future__ import annotations

import os
import re
import resource
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, Final

from corpus_service.extraction.catalogue import EXTRACTORS
from corpus_service.extraction.language import preload
from corpus_service.extraction.limits import TEXT_BYTES_MAX
from corpus_service.extraction.types import ExtractionFailed, Extractor, FailureReason
from corpus_service.extraction.worker_frames import (
    LENGTH_BYTES,
    Answer,
    decode_task,
    encode,
)

_PEAK: Final = re.compile(r"VmPeak:\s*(\d+) kB")
_RETIRE: Final = 1 << 62
"""Peak memory that makes the corpus replace this process whatever its limit."""


def main() -> int:
    """Serve until standard input ends.

    Arguments: address space in bytes, CPU seconds per task.
    """
    address_space, cpu_seconds = int(sys.argv[1]), int(sys.argv[2])
    tasks = os.fdopen(os.dup(0), "rb", buffering=0)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    # Libraries may print: nothing of theirs may reach the pipe, which carries frames only.
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    preload()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    extractors = {extractor.name: extractor for extractor in EXTRACTORS}
    while True:
        body = _read_frame(tasks)
        if body is None:
            return 0
        _allow_cpu(cpu_seconds)
        frame = encode(_answer(extractors, body))
        del body
        _write(answers, frame)


def _allow_cpu(seconds: int) -> None:
    """Let this task use that much CPU time; the kernel ends the process beyond it."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = int(usage.ru_utime + usage.ru_stime) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, hard))


def _answer(extractors: Mapping[str, Extractor], body: bytes) -> Answer:
    try:
        task = decode_task(body)
        extracted = extractors[task.extractor].extract(task.request)
        if len(extracted.text) > TEXT_BYTES_MAX:
            return _failed(FailureReason.TEXT_TOO_LARGE)
        return Answer(extracted=extracted, resident_bytes_max=_resident_bytes_max())
    except ExtractionFailed as failure:
        return _failed(failure.reason)
    except MemoryError:
        return _failed(FailureReason.MEMORY_LIMIT)
    except Exception:  # noqa: BLE001 -- any fault of a library is one kind of failure
        return _failed(FailureReason.EXTRACTOR_ERROR)


def _failed(reason: FailureReason) -> Answer:
    if reason is FailureReason.EXTRACTOR_ERROR and _is_near_memory_limit():
        # A library that got no memory says only that it failed.
        reason = FailureReason.MEMORY_LIMIT
    if reason is FailureReason.MEMORY_LIMIT:
        # What the failure left allocated ends with the process.
        return Answer(failure=reason, resident_bytes_max=_RETIRE)
    return Answer(failure=reason, resident_bytes_max=_resident_bytes_max())


def _is_near_memory_limit() -> bool:
    """Say whether the address space was once within an eighth of its limit (proc(5), VmPeak)."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    found = _PEAK.search(Path("/proc/self/status").read_text("ascii", "replace"))
    return found is not None and int(found[1]) * 1024 > limit - limit // 8


def _resident_bytes_max() -> int:
    # Linux counts ru_maxrss in KiB (getrusage(2)).
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _read_frame(stream: BinaryIO) -> bytes | None:
    head = _read_exactly(stream, LENGTH_BYTES)
    return None if head is None else _read_exactly(stream, int.from_bytes(head, "big"))


def _read_exactly(stream: BinaryIO, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        part = stream.read(min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _write(stream: BinaryIO, frame: bytes) -> None:
    view = memoryview(frame)
    while view:
        view = view[stream.write(view) :]


if __name__ == "__main__":
    sys.exit(main())
