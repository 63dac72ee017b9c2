"""VerifyQuotes over a real socket: the verdict, where, and what was not looked at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus_service.domain.vocabulary import Completeness, SourceRole
from corpus_service.services import quote_places
from corpus_service.services.refs import format_ref
from sourcecorpus.corpus.v1 import quotes_pb2 as pb
from sourcecorpus.rpc.limits import QUOTE_CODE_POINTS_MAX, VERIFY_QUOTES_MAX
from tests.reading.stocked import (
    BACKENDS,
    GAME,
    Stock,
    Stubs,
    hash_of,
    over_socket,
    refused,
    stocks,
)

PAGE = "https://example.org/gate"
OTHER = "https://example.org/harbour"
EXACT = pb.QuoteVerdict.QUOTE_VERDICT_EXACT
NORMALISED = pb.QuoteVerdict.QUOTE_VERDICT_NORMALISED
ELSEWHERE = pb.QuoteVerdict.QUOTE_VERDICT_ELSEWHERE
ABSENT = pb.QuoteVerdict.QUOTE_VERDICT_ABSENT
TEXT = "The keeper closed the “iron” gate.\nNobody saw him do it at dawn.\n"


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def asked(quote: str, version: str = "", ref: str = "") -> pb.QuoteToVerify:
    if ref:
        return pb.QuoteToVerify(quote=quote, ref=ref)
    if version:
        return pb.QuoteToVerify(quote=quote, version_id=version)
    return pb.QuoteToVerify(quote=quote)


def verify(
    stock: Stock,
    *quotes: pb.QuoteToVerify,
    scope: pb.QuoteScope.ValueType = pb.QuoteScope.QUOTE_SCOPE_UNSPECIFIED,
    run_id: str = "",
) -> list[pb.QuoteResult]:
    found: list[pb.QuoteResult] = []

    async def body(stubs: Stubs) -> None:
        request = pb.VerifyQuotesRequest(game_id=GAME, quotes=quotes, scope=scope, run_id=run_id)
        found.extend((await stubs.citation.VerifyQuotes(request)).results)

    over_socket(stock, body)
    return found


def test_every_quote_has_its_own_verdict(stock: Stock) -> None:
    version = stock.add(PAGE, TEXT, title="Gate")
    other = stock.add(OTHER, "Boats left the old harbour before the storm came up.")
    results = verify(
        stock,
        asked("closed the “iron” gate", version),
        asked('the "Iron"  gate. nobody saw', version),
        asked("Boats left the old harbour", version),
        asked("The keeper opened the “iron” gate.", version),
        asked("anything", "ver-00000000000000000000"),
        asked("anything", ref="nonsense"),
    )
    verdicts = [result.verification.verdict for result in results[:4]]
    assert verdicts == [EXACT, NORMALISED, ELSEWHERE, ABSENT]
    exact, normalised, elsewhere, absent = (result.verification for result in results[:4])
    start = TEXT.index("closed")
    assert (exact.citation.span.start, exact.citation.span.end) == (start, start + 22)
    assert exact.citation.ref == format_ref(version, start, start + 22)
    assert exact.citation.quote == "closed the “iron” gate"
    assert exact.citation.quote_hash == hash_of("closed the “iron” gate".encode())
    assert not exact.HasField("nearest")
    assert normalised.citation.quote == "the “iron” gate.\nNobody saw"
    assert (normalised.citation.lines.first, normalised.citation.lines.last) == (1, 2)
    assert elsewhere.citation.version_id == other
    assert elsewhere.citation.quote == "Boats left the old harbour"
    assert not absent.HasField("citation")
    assert absent.nearest.text == "The keeper closed the “iron” gate."
    assert absent.nearest.ref == format_ref(version, 0, 34)
    assert not absent.scope_cut
    assert results[4].failure.reason == "VERSION_NOT_FOUND"
    assert (results[5].failure.reason, results[5].failure.field) == ("INVALID_REF", "quotes[5].ref")


def test_an_ellipsis_names_its_parts(stock: Stock) -> None:
    version = stock.add(PAGE, TEXT)
    (result,) = verify(stock, asked("the keeper closed … saw him do it", version))
    found = result.verification
    assert found.verdict == NORMALISED
    assert [TEXT[part.start : part.end] for part in found.parts] == [
        "The keeper closed",
        "saw him do it",
    ]
    assert found.citation.span.start == found.parts[0].start
    assert found.citation.span.end == found.parts[1].end


def test_an_old_version_is_asked_as_it_was(stock: Stock) -> None:
    old = stock.add(PAGE, "The gate costs 300 coins to open.")
    new = stock.add(PAGE, "The gate costs 500 coins to open.")
    then, now, back = verify(
        stock,
        asked("costs 300 coins", old),
        asked("costs 300 coins", new, ""),
        asked("costs 500 coins", old),
    )
    assert then.verification.verdict == EXACT
    assert then.verification.citation.superseded
    assert now.verification.verdict == ELSEWHERE
    assert now.verification.citation.version_id == old
    assert back.verification.citation.version_id == new
    assert not back.verification.citation.superseded


def test_scopes_bound_where_it_is_looked(stock: Stock) -> None:
    version = stock.add(PAGE, "first words of the page", run_id="run-1")
    stock.add(PAGE, "second words of the page", run_id="run-2")
    stock.add(OTHER, "other words of another page", run_id="run-1")
    stock.add("https://example.org/third", "third words entirely different", run_id="run-2")
    quotes = [
        asked(quote, version)
        for quote in ("second words of the", "other words of another", "third words entirely")
    ]
    wanted = {
        pb.QuoteScope.QUOTE_SCOPE_VERSION: [ABSENT, ABSENT, ABSENT],
        pb.QuoteScope.QUOTE_SCOPE_SOURCE: [ELSEWHERE, ABSENT, ABSENT],
        pb.QuoteScope.QUOTE_SCOPE_RUN: [ELSEWHERE, ELSEWHERE, ABSENT],
        pb.QuoteScope.QUOTE_SCOPE_GAME: [ELSEWHERE, ELSEWHERE, ELSEWHERE],
    }
    for scope, verdicts in wanted.items():
        results = verify(stock, *quotes, scope=scope, run_id="run-1")
        assert [result.verification.verdict for result in results] == verdicts, scope


def test_single_words_are_looked_for_too(stock: Stock) -> None:
    version = stock.add(PAGE, "one page")
    other = stock.add(OTHER, "unbreakable things")
    cjk = stock.add("https://example.org/cjk", "他关上了悬空之城的大门。")
    results = verify(
        stock, asked("break", version), asked("空之", version), asked("悬空之城", version)
    )
    assert [result.verification.citation.version_id for result in results] == [other, cjk, cjk]


def test_the_bound_of_a_search_is_told(stock: Stock, monkeypatch: pytest.MonkeyPatch) -> None:
    version = stock.add(PAGE, "a page of its own")
    for number in range(4):
        stock.add(f"https://example.org/{number}", f"many words are the same here {number}")
    monkeypatch.setattr(quote_places, "ELSEWHERE_VERSIONS_MAX", 2)
    cut, found = verify(
        stock, asked("words are the same there", version), asked("same here 0", version)
    )
    assert cut.verification.verdict == ABSENT
    assert found.verification.verdict == ELSEWHERE
    assert not found.verification.scope_cut
    assert cut.verification.scope_cut or cut.verification.versions_searched < 2
    monkeypatch.setattr(quote_places, "ELSEWHERE_CODE_POINTS_MAX", 10)
    (cut,) = verify(stock, asked("words are the same her", version))
    assert cut.verification.scope_cut


def test_words_side_by_side_are_looked_for_first(
    stock: Stock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quote_places, "ELSEWHERE_VERSIONS_MAX", 4)
    version = stock.add(PAGE, "a page of its own")
    for number in range(6):
        stock.add(f"https://example.org/amber/{number}", f"walls of amber alone {number}")
        stock.add(f"https://example.org/basalt/{number}", f"walls of basalt alone {number}")
    last = stock.add(OTHER, "walls of amber basalt together")
    (found,) = verify(stock, asked("of amber basalt together", version))
    assert found.verification.citation.version_id == last


def test_the_span_of_a_ref_is_where_it_was_expected(stock: Stock) -> None:
    text = "same words, then the same words again"
    version = stock.add(PAGE, text)
    second = text.rindex("same words")
    inside, outside = verify(
        stock,
        asked("same words", ref=format_ref(version, second, len(text))),
        asked("same words", ref=format_ref(version, 2, 9)),
    )
    assert inside.verification.citation.span.start == second
    assert not inside.verification.outside_ref
    assert outside.verification.citation.span.start == 0
    assert outside.verification.outside_ref


def test_what_is_not_safe_to_cite_says_so(stock: Stock) -> None:
    listed = stock.add(PAGE, "a list of pages", role=SourceRole.ARTIFACT)
    made = stock.add(OTHER, "a summary by a model", synthetic=True)
    part = stock.add("https://example.org/p", "a part", completeness=Completeness.TRUNCATED)
    results = verify(stock, asked("list", listed), asked("summary", made), asked("part", part))
    citations = [result.verification.citation for result in results]
    assert [list(citation.cautions) for citation in citations] == [
        ["DISCOVERY"],
        ["SYNTHETIC"],
        ["INCOMPLETE"],
    ]
    assert [citation.safe_to_cite for citation in citations] == [False, False, True]


@pytest.mark.parametrize("quote", ["", "  \n", "\u00ad"])
def test_an_empty_quote_is_refused_with_its_position(stock: Stock, quote: str) -> None:
    version = stock.add(PAGE, TEXT)

    async def body(stubs: Stubs) -> None:
        request = pb.VerifyQuotesRequest(
            game_id=GAME, quotes=[asked("gate", version), asked(quote, version)]
        )
        answer = await refused(stubs.citation.VerifyQuotes(request))
        assert answer == ("INVALID_ARGUMENT", "QUOTE_EMPTY", "quotes[1].quote")

    over_socket(stock, body)


def test_requests_are_bounded(stock: Stock) -> None:
    version = stock.add(PAGE, TEXT)
    run = pb.QuoteScope.QUOTE_SCOPE_RUN
    one = [asked("a", version)]
    requests = [
        (pb.VerifyQuotesRequest(), "BATCH_EMPTY", "quotes"),
        (pb.VerifyQuotesRequest(quotes=one * 51), "FIELD_TOO_MANY_VALUES", "quotes"),
        (
            pb.VerifyQuotesRequest(quotes=[asked("a" * (QUOTE_CODE_POINTS_MAX + 1), version)]),
            "FIELD_TOO_LARGE",
            "quotes[0].quote",
        ),
        (pb.VerifyQuotesRequest(quotes=[asked("a")]), "LOCATOR_REQUIRED", "quotes[0]"),
        (pb.VerifyQuotesRequest(quotes=one, scope=run), "FIELD_REQUIRED", "run_id"),
    ]
    assert VERIFY_QUOTES_MAX == 50

    async def body(stubs: Stubs) -> None:
        for request, reason, field in requests:
            request.game_id = GAME
            answer = await refused(stubs.citation.VerifyQuotes(request))
            assert answer == ("INVALID_ARGUMENT", reason, field)

    over_socket(stock, body)
