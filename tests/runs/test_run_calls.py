"""Calls about runs over a real socket: refs and uses go in, never content."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from corpus_service.services.refs import format_ref
from sourcecorpus.corpus.v1 import run_links_pb2 as pb
from sourcecorpus.corpus.v1 import search_service_pb2, source_service_pb2
from sourcecorpus.rpc.limits import LINK_SOURCES_MAX
from tests.reading.stocked import BACKENDS, GAME, Stock, Stubs, over_socket, refused, stocks

PAGE = "https://example.org/page"
RUN = "run-7"
CITED = pb.RunUse.RUN_USE_CITED
CONSULTED = pb.RunUse.RUN_USE_CONSULTED
DISCOVERED = pb.RunUse.RUN_USE_DISCOVERED


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def linking(*links: pb.RunSourceLink, **facts: Any) -> pb.LinkRunSourcesRequest:
    return pb.LinkRunSourcesRequest(**{"game_id": GAME, "run_id": RUN, "links": links} | facts)


def test_every_link_has_its_own_result(stock: Stock) -> None:
    version = stock.add(PAGE, "alpha beta gamma", title="Page")
    ref = format_ref(version, 0, 5)
    mistyped = ref.replace("#0-5", "#0-6")
    links = [
        pb.RunSourceLink(ref=ref, use=CITED),
        pb.RunSourceLink(version_id=version, use=CONSULTED),
        pb.RunSourceLink(ref=mistyped, use=CITED),
        pb.RunSourceLink(ref="The answer is that cold iron ends wards.", use=CITED),
        pb.RunSourceLink(ref=format_ref(version, 0, 999), use=CITED),
        pb.RunSourceLink(version_id="ver-00000000000000000000", use=CITED),
        pb.RunSourceLink(artifact_id="no artifact", use=CITED),
    ]

    async def body(stubs: Stubs) -> None:
        answer = await stubs.citation.LinkRunSources(linking(*links))
        assert [result.use for result in answer.results[:2]] == [CITED, CITED]
        assert [result.failure_reason for result in answer.results[2:]] == [
            "REF_CHECK_FAILED",
            "INVALID_REF",
            "SPAN_OUT_OF_RANGE",
            "VERSION_NOT_FOUND",
            "ARTIFACT_NOT_FOUND",
        ]
        listed = await stubs.citation.ListRunSources(
            pb.ListRunSourcesRequest(game_id=GAME, run_id=RUN)
        )
        (source,) = listed.sources
        assert (source.version_id, source.use, source.title) == (version, CITED, "Page")
        assert [(place.ref, place.use) for place in source.refs] == [(ref, CITED)]
        runs = await stubs.source.ListCitingRuns(
            pb.ListCitingRunsRequest(game_id=GAME, source_id=source.source_id)
        )
        assert [(run.run_id, run.use) for run in runs.runs] == [(RUN, CITED)]

    over_socket(stock, body)


def test_wrong_requests_name_their_field(stock: Stock) -> None:
    version = stock.add(PAGE, "alpha")
    good = pb.RunSourceLink(version_id=version, use=CITED)
    wrong = (
        (linking(good, game_id=""), "FIELD_REQUIRED", "game_id"),
        (linking(good, run_id=""), "FIELD_REQUIRED", "run_id"),
        (linking(good, run_id="r" * 257), "FIELD_TOO_LARGE", "run_id"),
        (linking(), "BATCH_EMPTY", "links"),
        (linking(*[good] * (LINK_SOURCES_MAX + 1)), "FIELD_TOO_MANY_VALUES", "links"),
        (linking(good, pb.RunSourceLink(use=CITED)), "LOCATOR_REQUIRED", "links[1].target"),
        (linking(pb.RunSourceLink(version_id=version)), "FIELD_REQUIRED", "links[0].use"),
        (linking(pb.RunSourceLink(version_id=version, use=9)), "FIELD_INVALID", "links[0].use"),  # type: ignore[arg-type]
        (linking(good, game_id="nowhere"), "UNKNOWN_GAME", "game_id"),
    )

    async def body(stubs: Stubs) -> None:
        for request, reason, field in wrong:
            failure = await refused(stubs.citation.LinkRunSources(request))
            assert failure[1:] == (reason, field)
        failure = await refused(stubs.source.ListCitingRuns(pb.ListCitingRunsRequest(game_id=GAME)))
        assert failure[1:] == ("LOCATOR_REQUIRED", "locator")

    over_socket(stock, body)


def test_pages_go_on_where_they_ended_and_tokens_belong_to_their_request(stock: Stock) -> None:
    versions = [stock.add(f"{PAGE}/{number}", f"text {number}") for number in range(5)]

    async def body(stubs: Stubs) -> None:
        await stubs.citation.LinkRunSources(
            linking(*[pb.RunSourceLink(version_id=name, use=CITED) for name in versions])
        )
        request = pb.ListRunSourcesRequest(game_id=GAME, run_id=RUN, page_size=2)
        found = []
        while True:
            page = await stubs.citation.ListRunSources(request)
            found += [source.version_id for source in page.sources]
            if not page.next_page_token:
                break
            request.page_token = page.next_page_token
        assert found == versions
        request.run_id = "another"
        failure = await refused(stubs.citation.ListRunSources(request))
        assert failure[1] == "PAGE_TOKEN_INVALID"

    over_socket(stock, body)


def test_runs_page_newest_first(stock: Stock) -> None:
    version = stock.add(PAGE, "alpha")

    async def body(stubs: Stubs) -> None:
        for number in range(5):
            link = pb.RunSourceLink(version_id=version, use=CITED)
            await stubs.citation.LinkRunSources(linking(link, run_id=f"r{number}"))
        request = pb.ListCitingRunsRequest(game_id=GAME, version_id=version, page_size=2)
        found = []
        while True:
            page = await stubs.source.ListCitingRuns(request)
            found += [run.run_id for run in page.runs]
            if not page.next_page_token:
                break
            request.page_token = page.next_page_token
        assert found == ["r4", "r3", "r2", "r1", "r0"]

    over_socket(stock, body)


def test_an_answer_given_in_every_text_of_a_link_becomes_nothing(stock: Stock) -> None:
    stock.add(PAGE, "alpha")
    answer = "Cold iron ends every ember ward, says the oracle."

    async def body(stubs: Stubs) -> None:
        before = await stubs.source.ListSources(source_service_pb2.ListSourcesRequest(game_id=GAME))
        link = pb.RunSourceLink(ref=answer, use=CITED)
        results = (await stubs.citation.LinkRunSources(linking(link, run_id=answer))).results
        assert [result.failure_reason for result in results] == ["INVALID_REF"]
        after = await stubs.source.ListSources(source_service_pb2.ListSourcesRequest(game_id=GAME))
        assert after == before
        found = await stubs.search.Search(
            search_service_pb2.SearchRequest(game_id=GAME, query="oracle ember")
        )
        assert list(found.hits) == []

    over_socket(stock, body)


def test_a_link_has_no_field_that_could_carry_content() -> None:
    def fields(message: Descriptor) -> Iterator[FieldDescriptor]:
        for field in message.fields:
            yield field
            if field.message_type is not None:
                yield from fields(field.message_type)

    found = list(fields(pb.LinkRunSourcesRequest.DESCRIPTOR))
    assert {field.name for field in found} == {
        "game_id", "run_id", "links", "ref", "version_id", "artifact_id", "use",
    }  # fmt: skip
    assert all(field.type != FieldDescriptor.TYPE_BYTES for field in found)
