"""A process that makes texts for the corpus service: wires the extractors and serves its pipes."""

from __future__ import annotations

from corpus_service.extraction import TextExtraction, extractor_versions
from corpus_service.search.preparation import prepare_all_for_index
from corpus_service.services.ingest_pool import serve
from corpus_service.services.ingest_texts import TextPreparation


def main() -> None:
    """Serve until the parent closes the pipe."""
    extraction = TextExtraction()
    try:
        serve(TextPreparation(extraction, extractor_versions(), prepare_all_for_index))
    finally:
        extraction.close()


if __name__ == "__main__":
    main()
