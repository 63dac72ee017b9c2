"""Extraction and chunking speed by kind, the worst document and the memory ceiling, as JSON.

Run from the root of the repository:

    python -m bench.extraction.run --megabytes 300 [--corpus corpus.jsonl] [--output result.json]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from bench.extraction.mixture import Document, mixture
from corpus_service.chunking import chunk_text
from corpus_service.extraction import ExtractionFailed, ExtractionRequest, TextExtraction


@dataclass(slots=True)
class Tally:
    """Sums of one kind."""

    documents: int = 0
    content_bytes: int = 0
    text_characters: int = 0
    chunks: int = 0
    extract_seconds: float = 0.0
    chunk_seconds: float = 0.0
    floor_seconds: float = 0.0
    worst_seconds: float = 0.0
    worst_bytes: int = 0
    failures: Counter[str] = field(default_factory=Counter)

    def report(self) -> dict[str, object]:
        """Return figures; MB are 10^6 content bytes, seconds are wall-clock."""
        megabytes = self.content_bytes / 1e6
        return {
            "documents": self.documents,
            "megabytes": round(megabytes, 2),
            "extract_mb_per_s": round(megabytes / max(self.extract_seconds, 1e-9), 1),
            "extract_us_per_document": round(1e6 * self.extract_seconds / self.documents),
            "chunk_us_per_document": round(1e6 * self.chunk_seconds / self.documents),
            "chunks": self.chunks,
            "text_characters": self.text_characters,
            "floor_us_per_document": round(1e6 * self.floor_seconds / self.documents),
            "worst_document_s": round(self.worst_seconds, 3),
            "worst_document_bytes": self.worst_bytes,
            "failures": dict(self.failures),
        }


def measure(document: Document, extraction: TextExtraction, tally: Tally) -> None:
    """Extract and chunk one document and add its figures."""
    request = ExtractionRequest(document.content, document.content_type)
    start = time.perf_counter()
    found = None
    try:
        found = extraction.extract(request)
    except ExtractionFailed as failure:
        tally.failures[failure.reason.value] += 1
    taken = time.perf_counter() - start
    tally.documents += 1
    tally.content_bytes += len(document.content)
    tally.extract_seconds += taken
    if taken > tally.worst_seconds:
        tally.worst_seconds, tally.worst_bytes = taken, len(document.content)
    if found is None:
        return
    start = time.perf_counter()
    tally.chunks += len(chunk_text(found.text, format=found.format))
    tally.chunk_seconds += time.perf_counter() - start
    tally.text_characters += len(found.text)
    if document.kind == "text/html":
        tally.floor_seconds += _floor(document.content)


def _floor(content: bytes) -> float:
    """Time the plainest reading: parse, drop scripts and navigation, dump the text."""
    start = time.perf_counter()
    parser = LexborHTMLParser(content)
    parser.strip_tags(["script", "style", "nav"])
    if parser.body is not None:
        parser.body.text(separator="\n")
    return time.perf_counter() - start


def main() -> int:
    """Measure the mixture; any fault other than a reasoned failure ends the run."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--megabytes", type=float, default=20.0)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--corpus", type=Path)
    arguments.add_argument("--output", type=Path)
    options = arguments.parse_args()
    extraction = TextExtraction()
    extraction.warm_up()
    tallies: dict[str, Tally] = {}
    for document in mixture(options.megabytes, options.seed, options.corpus):
        measure(document, extraction, tallies.setdefault(document.kind, Tally()))
    extraction.close()
    result = {
        "machine": {
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "load": os.getloadavg(),
        },
        "kinds": {kind: tally.report() for kind, tally in sorted(tallies.items())},
        "memory_mb": {
            "process": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "largest_worker": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
        },
    }
    text = json.dumps(result, indent=2)
    if options.output:
        options.output.write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
