"""Warming up changes the cost of documents and nothing else."""

from __future__ import annotations

import platform
import resource

import pytest
from selectolax.lexbor import LexborHTMLParser

from corpus_service.extraction import ExtractionRequest, TextExtraction
from corpus_service.extraction.allocator import keep_freed_memory


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the setting is glibc's")
def test_a_tree_reuses_the_memory_of_the_one_before() -> None:
    assert keep_freed_memory()
    page = "<div><p>words <a href=x>link</a></p></div>" * 400
    for _ in range(5):
        LexborHTMLParser(page)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(50):
        LexborHTMLParser(page)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 500


def test_text_is_the_same_after_warming_up() -> None:
    request = ExtractionRequest("<p>Größe der Türen".encode(), "text/html")
    extraction = TextExtraction()
    before = extraction.extract(request)
    extraction.warm_up()
    assert extraction.extract(request) == before
    extraction.close()
