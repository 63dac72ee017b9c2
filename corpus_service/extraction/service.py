"""Text extraction as the corpus uses it: choose the extractor, and where it runs."""

from __future__ import annotations

from corpus_service.extraction.allocator import keep_freed_memory
from corpus_service.extraction.catalogue import EXTRACTORS, IN_PROCESS_BYTES
from corpus_service.extraction.language import preload
from corpus_service.extraction.limits import CONTENT_BYTES_MAX
from corpus_service.extraction.types import (
    ExtractedText,
    ExtractionFailed,
    ExtractionRequest,
    Extractor,
    FailureReason,
)
from corpus_service.extraction.workers import WorkerPool


class TextExtraction:
    """Chooses an extractor by the bytes and their declaration and runs it.

    Cheap and bounded formats are read in the calling process; PDF, EPUB, DOCX, ODT and anything large
    in a limited worker. Safe to call from several threads.
    """

    def __init__(self, workers: WorkerPool | None = None) -> None:
        """Take the workers to use; none is started before the first document needs one."""
        self._workers = workers or WorkerPool()

    def extract(self, request: ExtractionRequest) -> ExtractedText:
        """Return the text of stored bytes.

        Raises:
            ExtractionFailed: there is no text; the reason is machine-readable. Nothing else is
                raised, whatever the bytes.
        """
        if len(request.content) > CONTENT_BYTES_MAX:
            raise ExtractionFailed(FailureReason.CONTENT_TOO_LARGE)
        name = ""
        try:
            extractor = choose(request)
            name = extractor.name
            if len(request.content) > IN_PROCESS_BYTES.get(name, -1):
                return self._workers.run(name, request)
            return extractor.extract(request)
        except ExtractionFailed:
            raise
        except Exception as error:  # any fault of a library is one kind of failure
            raise ExtractionFailed(FailureReason.EXTRACTOR_ERROR, name) from error

    def warm_up(self) -> None:
        """Load what the first document would wait for (the language model, about 0.5 s).

        Also lets the process keep freed memory between documents; call it once at the start.
        """
        keep_freed_memory()
        preload()

    def close(self) -> None:
        """End the workers; a second call does nothing."""
        self._workers.close()


def choose(request: ExtractionRequest) -> Extractor:
    """Return the extractor that reads a content.

    Raises:
        ExtractionFailed: UNSUPPORTED_TYPE where none does.
    """
    for extractor in EXTRACTORS:
        if extractor.accepts(request):
            return extractor
    raise ExtractionFailed(FailureReason.UNSUPPORTED_TYPE)


def extractor_versions() -> tuple[tuple[str, str], ...]:
    """Return every extractor's name and version, for finding what was read by an older one."""
    return tuple((extractor.name, extractor.version) for extractor in EXTRACTORS)
