"""What counts as delivered, and what an absent source leaves as it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corpus_service.domain.run_links import RunLink
from corpus_service.domain.vocabulary import RunUse, SourceRole
from sourcecorpus.corpus.v1.citation_service_pb2 import ResolveCitationsRequest
from sourcecorpus.corpus.v1.presentation_pb2 import ListPresentationRecordsRequest
from sourcecorpus.corpus.v1.quotes_pb2 import (
    QUOTE_VERDICT_EXACT,
    QuoteToVerify,
    VerifyQuotesRequest,
)
from sourcecorpus.corpus.v1.run_links_pb2 import (
    RUN_USE_CONSULTED,
    RUN_USE_DISCOVERED,
    ListRunSourcesRequest,
)
from sourcecorpus.corpus.v1.search_service_pb2 import SearchRequest
from sourcecorpus.corpus.v1.source_service_pb2 import ListSourcesRequest
from tests.reading.stocked import BACKENDS, GAME, Stock, Stubs, over_socket, stocks

FILE = "file:notes/wards.md"
WORDS = "Cold iron ends every ward.\n"


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def test_a_title_inside_a_text_that_was_delivered_delivers_nothing(stock: Stock) -> None:
    listed: dict[str, Any] = {"role": SourceRole.ARTIFACT, "run_id": "r1"}
    stock.add("https://wiki.example/lone", "孤 is a short page", title="孤", **listed)
    stock.add("https://wiki.example/star", "《孤星》 孤 孤", title="《孤星》", run_id="r1")

    async def body(stubs: Stubs) -> None:
        wanted = ListPresentationRecordsRequest(game_id=GAME, run_id="r1")
        answer = await stubs.discovery.ListPresentationRecords(wanted)
        shown = {record.title: (record.state, record.excerpt) for record in answer.records}
        assert shown == {
            "孤": (RUN_USE_DISCOVERED, ""),
            "《孤星》": (RUN_USE_CONSULTED, "《孤星》 孤 孤"),
        }
        read = await stubs.citation.ListRunSources(
            ListRunSourcesRequest(game_id=GAME, run_id="r1", least_use=RUN_USE_CONSULTED)
        )
        assert [source.title for source in read.sources] == ["《孤星》"]

    over_socket(stock, body)


def test_a_text_that_names_another_source_raises_no_use_of_it(stock: Stock) -> None:
    lone = stock.add("https://wiki.example/lone", "a page", title="孤", run_id="other")
    star = stock.add("https://wiki.example/star", "《孤星》 孤", title="《孤星》", run_id="r1")
    stock.store.link_run(GAME, "r1", [RunLink(RunUse.CITED, version_id=star)], at=9)
    used = stock.store.list_run_sources(GAME, "r1", least_use=RunUse.DISCOVERED, limit=9)
    assert [(source.version_id, source.use) for source in used] == [(star, RunUse.CITED)]
    assert lone not in {source.version_id for source in used}


@pytest.mark.parametrize("polls", [1, 2, 3])
def test_a_source_that_is_gone_leaves_what_was_cited(stock: Stock, polls: int) -> None:
    """A tool that finds nothing any more is no deletion, however often it says so."""
    version = stock.add(FILE, WORDS, title="Wards")
    ref = f"v-{version.removeprefix('ver-')}#5-9"
    for _ in range(polls):
        gone: dict[str, Any] = {
            "role": SourceRole.FAILED,
            "error": "no such file",
            "http_status": 404,
        }
        assert stock.ingest(FILE, b"no such file", "no such file", **gone) == ""

    async def unharmed(stubs: Stubs) -> None:
        resolved = await stubs.citation.ResolveCitations(
            ResolveCitationsRequest(game_id=GAME, refs=[ref])
        )
        citation = resolved.results[0].citation
        assert (citation.quote, citation.superseded) == ("iron", False)
        verified = await stubs.citation.VerifyQuotes(
            VerifyQuotesRequest(
                game_id=GAME, quotes=[QuoteToVerify(quote=WORDS.strip(), version_id=version)]
            )
        )
        assert verified.results[0].verification.verdict == QUOTE_VERDICT_EXACT
        found = await stubs.search.Search(SearchRequest(game_id=GAME, query="iron file"))
        assert [hit.version_id for hit in found.hits] == [version]
        listed = (await stubs.source.ListSources(ListSourcesRequest(game_id=GAME))).sources
        assert [(source.title, source.version_count) for source in listed] == [("Wards", 1)]

    over_socket(stock, unharmed)
    assert stock.add(FILE, WORDS, title="Wards") == version
    over_socket(stock, unharmed)
