"""Speed of redaction on ordinary, dense and hostile texts, and files of a corpus that it changes, as JSON.

Run from the root of the repository:

    python -m bench.redaction.run [--corpus DIRECTORY …] [--megabytes 20] [--hostile-megabytes 1 4]

Times are processor seconds of one thread. A corpus is a set of directories with text files of 400 bytes to 400 KB.
"""

import argparse
import gzip
import json
import platform
import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.redaction.dense_text import dense_text
from bench.redaction.hostile_shapes import SHAPES, hostile_text
from capture_service.redaction import RedactionKey, RedactionPolicy, RedactionRefused, Redactor
from capture_service.redaction.command import explain

MEGABYTE = 1_000_000
MIN_FILE_BYTES = 400
MAX_FILE_BYTES = 400_000
LIMIT_SECONDS_PER_MEGABYTE = 2.0


def corpus_files(directories: Sequence[Path], limit: int) -> Iterator[tuple[Path, bytes]]:
    """Yield text files in an order that only their paths decide until `limit` bytes are reached."""
    total = 0
    paths = sorted(path for directory in directories for path in directory.rglob("*"))
    random.Random(7).shuffle(paths)
    for path in paths:
        if path.is_symlink() or not path.is_file():
            continue
        try:
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            data.decode("utf-8")
        except (OSError, UnicodeDecodeError, EOFError):
            continue
        if MIN_FILE_BYTES <= len(data) <= MAX_FILE_BYTES and b"\0" not in data:
            yield path, data
            total += len(data)
            if total >= limit:
                return


def measure_corpus(
    redactor: Redactor, directories: Sequence[Path], limit: int
) -> dict[str, object]:
    """Return speed and the changed files, each with its rules."""
    seconds = 0.0
    size = files = 0
    changed: dict[str, list[str]] = {}
    for path, data in corpus_files(directories, limit):
        start = time.process_time()
        result = redactor.redact(data)
        seconds += time.process_time() - start
        files += 1
        size += len(data)
        if result.findings:
            rows = explain(data, redactor)
            changed[str(path)] = [f"{row.rule} line {row.line}" for row in rows[:20]]
    return {
        "files": files,
        "megabytes": round(size / MEGABYTE, 2),
        "megabytes_per_second": round(size / MEGABYTE / seconds, 1) if seconds else None,
        "changed_files": len(changed),
        "changed_percent": round(100 * len(changed) / files, 2) if files else None,
        "changed": changed,
    }


def measure_dense(redactor: Redactor, text: bytes) -> tuple[float, float]:
    """Return megabytes per second, the best of three, and bytes per masked secret."""
    seconds = []
    for _ in range(3):
        start = time.process_time()
        found = len(redactor.redact(text).findings)
        seconds.append(time.process_time() - start)
    return round(len(text) / MEGABYTE / min(seconds), 2), round(len(text) / found, 1)


def measure_messages(redactor: Redactor) -> dict[str, float]:
    """Return percentiles in microseconds for an ordinary message of 2 KB, and the speed of dense text."""
    message = (
        b"The tool returned a list of ordinary things, one after another, and went on. " * 30
    )[:2048]
    times = []
    for _ in range(5000):
        start = time.perf_counter()
        redactor.redact(message)
        times.append(time.perf_counter() - start)
    times.sort()
    dense, bytes_per_secret = measure_dense(redactor, dense_text(MEGABYTE))
    densest, _ = measure_dense(redactor, hostile_text("random-secrets", MEGABYTE)[0])
    return {
        "message_p50_microseconds": round(times[2500] * 1e6, 1),
        "message_p99_microseconds": round(times[4950] * 1e6, 1),
        "dense_bytes_per_secret": bytes_per_secret,
        "dense_megabytes_per_second": dense,
        "one_secret_per_26_bytes_megabytes_per_second": densest,
    }


def measure_hostile(redactor: Redactor, megabytes: Sequence[float]) -> dict[str, object]:
    """Return seconds per megabyte of every shape and size, and the shapes beyond the limit."""
    rows: dict[str, dict[str, float | str]] = {}
    slow = []
    for name in SHAPES:
        for size in megabytes:
            text, token = hostile_text(name, int(size * MEGABYTE))
            start = time.process_time()
            try:
                leaked = token in redactor.redact(text).data
            except RedactionRefused as refusal:
                rows.setdefault(name, {})[f"{size:g}"] = refusal.reason
                continue
            seconds = (time.process_time() - start) / len(text) * MEGABYTE
            rows.setdefault(name, {})[f"{size:g}"] = "LEAKED" if leaked else round(seconds, 3)
            if seconds > LIMIT_SECONDS_PER_MEGABYTE:
                slow.append(f"{name} at {size:g} MB")
    return {"seconds_per_megabyte": rows, "beyond_limit": slow}


def main() -> int:
    """Measure and print; status 1 when a hostile text is too slow."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--corpus", type=Path, nargs="*", default=[Path("/usr/share/doc")])
    parser.add_argument("--megabytes", type=float, default=20.0)
    parser.add_argument("--hostile-megabytes", type=float, nargs="*", default=[1.0, 4.0])
    parser.add_argument("--engine", choices=["hyperscan", "re2"], default="hyperscan")
    arguments = parser.parse_args()
    redactor = Redactor(RedactionPolicy.build(RedactionKey.ephemeral(), engine=arguments.engine))
    hostile = measure_hostile(redactor, arguments.hostile_megabytes)
    json.dump(
        {
            "python": platform.python_version(),
            "engine": redactor.policy.engine.name,
            "rule_set_version": redactor.policy.rule_set_version,
            "messages": measure_messages(redactor),
            "corpus": measure_corpus(
                redactor, arguments.corpus, int(arguments.megabytes * MEGABYTE)
            ),
            "hostile": hostile,
        },
        sys.stdout,
        indent=2,
    )
    sys.stdout.write("\n")
    return 1 if hostile["beyond_limit"] else 0


if __name__ == "__main__":
    sys.exit(main())
