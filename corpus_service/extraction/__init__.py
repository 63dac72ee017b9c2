"""Text extraction: stored bytes to normalised text, by named extractors with versions.

Extraction never touches the raw artifact and can be repeated; a failure is `ExtractionFailed` with a
reason. It may import the standard library, its format libraries and `corpus_service.chunking`.
"""

from corpus_service.extraction.service import TextExtraction, extractor_versions
from corpus_service.extraction.types import (
    CharsetReason,
    Claim,
    ClaimKind,
    ExtractedText,
    ExtractionFailed,
    ExtractionRequest,
    Extractor,
    FailureReason,
    Flag,
)
from corpus_service.extraction.workers import WorkerLimits, WorkerPool

__all__ = [
    "CharsetReason",
    "Claim",
    "ClaimKind",
    "ExtractedText",
    "ExtractionFailed",
    "ExtractionRequest",
    "Extractor",
    "FailureReason",
    "Flag",
    "TextExtraction",
    "WorkerLimits",
    "WorkerPool",
    "extractor_versions",
]
