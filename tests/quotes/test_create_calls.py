"""CreateCitation over a real socket: spans, lines, quotes that stand in one place or several."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from corpus_service.services.limits import QUOTE_CANDIDATES_MAX
from corpus_service.services.refs import format_ref
from sourcecorpus.corpus.v1 import citation_pb2, citation_service_pb2
from sourcecorpus.corpus.v1 import quotes_pb2 as pb
from sourcecorpus.rpc.status import failure_from_rpc_error
from tests.reading.stocked import BACKENDS, GAME, Stock, Stubs, over_socket, refused, stocks

PAGE = "https://example.org/gate"
TEXT = "one gate\nTwo “gate” here\n\nthree gates\n"


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def of_quote(
    version: str, exact: str, prefix: str = "", suffix: str = ""
) -> pb.CreateCitationRequest:
    return pb.CreateCitationRequest(
        game_id=GAME,
        version_id=version,
        quote=pb.QuoteSelector(exact=exact, prefix=prefix, suffix=suffix),
    )


def of_span(version: str, start: int, end: int) -> pb.CreateCitationRequest:
    return pb.CreateCitationRequest(
        game_id=GAME, version_id=version, span=citation_pb2.Span(start=start, end=end)
    )


def of_lines(version: str, first: int, last: int) -> pb.CreateCitationRequest:
    return pb.CreateCitationRequest(
        game_id=GAME, version_id=version, lines=citation_pb2.LineRange(first=first, last=last)
    )


def test_what_is_made_resolves_to_the_same(stock: Stock) -> None:
    version = stock.add(PAGE, TEXT)
    requests = [
        (of_span(version, 4, 8), "gate"),
        (of_lines(version, 1, 2), "one gate\nTwo “gate” here"),
        (of_lines(version, 3, 4), "\nthree gates"),
        (of_lines(version, 4, 4), "three gates"),
        (of_quote(version, "two \"GATE\""), "Two “gate”"),
    ]  # fmt: skip

    async def body(stubs: Stubs) -> None:
        for request, quote in requests:
            made = (await stubs.citation.CreateCitation(request)).citation
            assert made.quote == quote
            assert TEXT[made.span.start : made.span.end] == quote
            assert made.ref == format_ref(version, made.span.start, made.span.end)
            opened = await stubs.citation.ResolveCitations(
                citation_service_pb2.ResolveCitationsRequest(game_id=GAME, refs=[made.ref])
            )
            assert opened.results[0].citation == made

    over_socket(stock, body)


def test_a_quote_in_several_places_is_chosen_or_refused(stock: Stock) -> None:
    version = stock.add(PAGE, TEXT)

    async def body(stubs: Stubs) -> None:
        create = stubs.citation.CreateCitation
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await create(of_quote(version, "gate"))
        failure = failure_from_rpc_error(caught.value)
        assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
        assert (failure.reason, failure.field) == ("AMBIGUOUS_QUOTE", "quote.exact")
        assert failure.metadata["count"] == "3"
        assert failure.metadata["candidates"].split() == [
            format_ref(version, start, start + 4) for start in (4, 14, 32)
        ]
        second = of_quote(version, "gate")
        second.quote.occurrence = 2
        for request, start in (
            (second, 14),
            (of_quote(version, "gate", prefix='TWO  "'), 14),
            (of_quote(version, "gate", suffix="s"), 32),
            (of_quote(version, "gate", suffix="two"), 4),
            (of_quote(version, "gate", prefix="here\nthree"), 32),
        ):
            answer = await create(request)
            assert answer.citation.span.start == start
            assert answer.verdict == pb.QuoteVerdict.QUOTE_VERDICT_EXACT
        answer = await create(of_quote(version, "ONE gate"))
        assert answer.verdict == pb.QuoteVerdict.QUOTE_VERDICT_NORMALISED

    over_socket(stock, body)


def test_candidates_are_bounded(stock: Stock) -> None:
    version = stock.add(PAGE, "gate " * 3_000)

    async def body(stubs: Stubs) -> None:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stubs.citation.CreateCitation(of_quote(version, "gate"))
        failure = failure_from_rpc_error(caught.value)
        assert len(failure.metadata["candidates"].split()) == QUOTE_CANDIDATES_MAX

    over_socket(stock, body)


def test_what_cannot_be_cited(stock: Stock) -> None:
    version = stock.add(PAGE, TEXT)
    fourth = of_quote(version, "gate")
    fourth.quote.occurrence = 4
    long = "x" * 1_025
    invalid, absent = "INVALID_ARGUMENT", "NOT_FOUND"
    cases = [
        (of_span(version, 3, 3), (invalid, "SPAN_OUT_OF_RANGE", "span")),
        (of_span(version, 3, len(TEXT) + 1), (invalid, "SPAN_OUT_OF_RANGE", "span")),
        (of_lines(version, 0, 1), (invalid, "SPAN_OUT_OF_RANGE", "lines")),
        (of_lines(version, 2, 5), (invalid, "SPAN_OUT_OF_RANGE", "lines")),
        (of_lines(version, 2, 1), (invalid, "SPAN_OUT_OF_RANGE", "lines")),
        (of_quote(version, " \n"), (invalid, "QUOTE_EMPTY", "quote.exact")),
        (of_quote(version, "gate", prefix=long), (invalid, "FIELD_TOO_LARGE", "quote.prefix")),
        (of_quote(version, "door"), (absent, "QUOTE_NOT_FOUND", "quote.exact")),
        (of_quote(version, "gate", prefix="no"), (absent, "QUOTE_NOT_FOUND", "quote.exact")),
        (fourth, (absent, "QUOTE_NOT_FOUND", "quote.occurrence")),
        (of_span("", 0, 1), (invalid, "FIELD_REQUIRED", "version_id")),
        (of_span("ver-00000000000000000000", 0, 1), (absent, "VERSION_NOT_FOUND", "version_id")),
        (
            pb.CreateCitationRequest(game_id=GAME, version_id=version),
            (invalid, "LOCATOR_REQUIRED", "place"),
        ),
    ]

    async def body(stubs: Stubs) -> None:
        for request, expected in cases:
            assert await refused(stubs.citation.CreateCitation(request)) == expected

    over_socket(stock, body)
