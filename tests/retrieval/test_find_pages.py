"""FindText over a socket: pages, tokens and snapshots, filters, sections, busy threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corpus_service.services import find_text
from sourcecorpus.corpus.v1 import deletion_pb2, source_service_pb2
from sourcecorpus.corpus.v1 import search_service_pb2 as pb
from sourcecorpus.rpc.limits import FILTER_VALUE_CODE_POINTS_MAX
from tests.reading.stocked import BACKENDS, GAME, Stock, Stubs, over_socket, refused, stocks

TOKEN_REFUSED = ("INVALID_ARGUMENT", "PAGE_TOKEN_INVALID", "page_token")
WAIT_SECONDS = 20.0


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


async def all_pages(stubs: Stubs, request: pb.FindTextRequest) -> list[pb.FindTextResponse]:
    pages = [await stubs.search.FindText(request)]
    while not pages[-1].exhausted:
        assert pages[-1].next_page_token
        request.page_token = pages[-1].next_page_token
        pages.append(await stubs.search.FindText(request))
    assert pages[-1].next_page_token == ""
    return pages


def names(page: pb.FindTextResponse) -> list[str]:
    return [document.version.canonical_uri.rpartition("/")[2] for document in page.documents]


def test_thirty_documents_come_by_twelve_in_order(stock: Stock) -> None:
    for number in range(30):
        stock.add(f"https://one.example/{number}", f"命中 {number}")

    async def body(stubs: Stubs) -> None:
        pages = await all_pages(stubs, pb.FindTextRequest(game_id=GAME, query="命中"))
        assert [len(page.documents) for page in pages] == [12, 12, 6]
        full, done = pb.FIND_PAGE_END_FULL, pb.FIND_PAGE_END_EXHAUSTED
        assert [page.page_end for page in pages] == [full, full, done]
        assert [name for page in pages for name in names(page)] == [str(n) for n in range(30)]

    over_socket(stock, body)


def test_a_page_may_hold_nothing_and_not_be_the_last(
    stock: Stock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find_text, "FIND_DOCUMENTS_SCANNED_MAX", 8)
    for number in range(12):
        stock.add(f"https://one.example/{number}", "针尖" if number == 11 else "hay")

    async def body(stubs: Stubs) -> None:
        regex = pb.FindTextRequest(game_id=GAME, query="针.", match_mode=pb.MATCH_MODE_REGEX)
        pages = await all_pages(stubs, regex)
        assert [names(page) for page in pages] == [[], ["11"]]
        assert [page.scanned_documents for page in pages] == [8, 4]
        assert pages[0].page_end == pb.FIND_PAGE_END_WORK
        # The index leads straight to a literal.
        pages = await all_pages(stubs, pb.FindTextRequest(game_id=GAME, query="针尖"))
        assert [names(page) for page in pages] == [["11"]]

    over_socket(stock, body)


def test_what_is_captured_between_pages_waits_for_a_new_search(stock: Stock) -> None:
    for number in range(3):
        stock.add(f"https://one.example/{number}", "needle")

    async def body(stubs: Stubs) -> None:
        request = pb.FindTextRequest(game_id=GAME, query="needle", page_size=2)
        first = await stubs.search.FindText(request)
        stock.add("https://one.example/new", "needle")
        request.page_token = first.next_page_token
        second = await stubs.search.FindText(request)
        assert names(first) + names(second) == ["0", "1", "2"]
        assert second.exhausted
        fresh = await all_pages(stubs, pb.FindTextRequest(game_id=GAME, query="needle"))
        assert names(fresh[0]) == ["0", "1", "2", "new"]

    over_socket(stock, body)


def test_a_deletion_between_pages_is_told_before_any_row_is_read(
    stock: Stock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        stock.add(f"https://one.example/{number}", "needle")

    async def body(stubs: Stubs) -> None:
        request = pb.FindTextRequest(game_id=GAME, query="needle", page_size=1)
        request.page_token = (await stubs.search.FindText(request)).next_page_token
        await stubs.source.DeleteSource(
            deletion_pb2.DeleteSourceRequest(
                game_id=GAME,
                uri="https://one.example/2",
                reason=deletion_pb2.DELETION_REASON_WRONG,
            )
        )
        read: list[str] = []
        for call in ("scan_versions", "get_versions", "read_span", "count_matches"):
            monkeypatch.setattr(stock.store, call, lambda *_, call=call, **__: read.append(call))
        refusal = await refused(stubs.search.FindText(request))
        assert refusal == ("FAILED_PRECONDITION", "SNAPSHOT_CHANGED", "page_token")
        assert read == []

    over_socket(stock, body)


def test_tokens_fit_one_method_game_and_request(stock: Stock) -> None:
    for game in (GAME, "g2"):
        for number in range(3):
            stock.add(f"https://one.example/{number}", f"needle of {game}", game=game)

    async def body(stubs: Stubs) -> None:
        facts: dict[str, Any] = {"game_id": GAME, "query": "needle", "page_size": 1}
        token = (await stubs.search.FindText(pb.FindTextRequest(**facts))).next_page_token
        searched = await stubs.search.Search(pb.SearchRequest(**facts))
        flipped = token[:20] + ("A" if token[20] != "A" else "B") + token[21:]
        for changed in (
            {"query": "Needle"},
            {"filter": pb.SearchFilter(kinds=["page"])},
            {"speakers": ["W"]},
            {"sections": ["W"]},
            {"match_mode": pb.MATCH_MODE_REGEX},
            {"game_id": "g2"},
            {"page_token": flipped},
            {"page_token": searched.next_page_token},
        ):
            request = pb.FindTextRequest(**(facts | {"page_token": token} | changed))
            assert await refused(stubs.search.FindText(request)) == TOKEN_REFUSED, changed
        ranked = pb.SearchRequest(game_id=GAME, query="needle", page_size=1, page_token=token)
        assert await refused(stubs.search.Search(ranked)) == TOKEN_REFUSED

    over_socket(stock, body)


def test_filters_are_or_inside_and_and_across_and_as_wide_as_allowed(stock: Stock) -> None:
    stock.add("https://one.example/a", "x", kind="guide", title="第1章")
    stock.add("https://one.example/b", "x", kind="guide", title="第11章")
    stock.add("https://one.example/c", "x", kind="patch", title="第1章")
    kinds = ["guide", "patch"]
    kinds += [f"{'字' * (FILTER_VALUE_CODE_POINTS_MAX - 2)}{number:02}" for number in range(14)]

    async def body(stubs: Stubs) -> None:
        narrowing = pb.SearchFilter(kinds=kinds, titles=["第1章"])
        for query in ("x", ""):
            request = pb.FindTextRequest(game_id=GAME, query=query, filter=narrowing, page_size=1)
            assert [names(page) for page in await all_pages(stubs, request)] == [["a"], ["c"]]
        titled = await stubs.search.FindText(pb.FindTextRequest(game_id=GAME, query="第1章"))
        assert names(titled) == ["a", "c"]

    over_socket(stock, body)


def test_korean_is_found_in_both_forms_and_its_bytes_stay(stock: Stock) -> None:
    composed = "관리자님, 오셨군요."
    decomposed = "\u1100\u116a\u11ab\u1105\u1175\u110c\u1161님, 오셨군요."
    texts = {stock.add("https://one.example/c", composed): composed}
    texts[stock.add("https://one.example/d", decomposed)] = decomposed

    async def body(stubs: Stubs) -> None:
        for query in (composed[:2], composed[:3], decomposed[:5], decomposed[:7]):
            page = await stubs.search.FindText(pb.FindTextRequest(game_id=GAME, query=query))
            assert names(page) == ["c", "d"], query
        for version, text in texts.items():
            request = source_service_pb2.ReadRawContentRequest(game_id=GAME, version_id=version)
            parts = [part.data async for part in stubs.source.ReadRawContent(request)]
            assert b"".join(parts).decode() == text

    over_socket(stock, body)


def test_whole_sections_and_lines_below_headings(stock: Stock) -> None:
    text = "# Gate\n\nintro\n\n## Bosses\n\niron one\n\n### Loot\n\nring\n\n## Other\n\niron two"
    text += "\n\n## ＢＯＳＳＥＳ\n\nlast"
    stock.add("https://one.example/a", text)
    stock.add("https://one.example/b", "no heading")

    async def body(stubs: Stubs) -> None:
        request = pb.FindTextRequest(game_id=GAME, sections=["bosses"])
        page = await stubs.search.FindText(request)
        assert page.result_kind == pb.FIND_RESULT_KIND_SECTIONS
        (document,) = page.documents
        sections = [text[part.span.start : part.span.end].strip() for part in document.passages]
        assert sections == ["## Bosses\n\niron one\n\n### Loot\n\nring", "## ＢＯＳＳＥＳ\n\nlast"]
        roles = {line.role for passage in document.passages for line in passage.lines}
        assert roles == {pb.FOUND_LINE_ROLE_SECTION}
        request = pb.FindTextRequest(game_id=GAME, query="iron", sections=["Bosses", "Loot"])
        (document,) = (await stubs.search.FindText(request)).documents
        matched = [
            line.text
            for passage in document.passages
            for line in passage.lines
            if line.role == pb.FOUND_LINE_ROLE_MATCH
        ]
        assert matched == ["iron one"]
        # A title stands above no heading.
        request = pb.FindTextRequest(game_id=GAME, query="Gate", sections=["Loot"])
        assert not (await stubs.search.FindText(request)).documents

    over_socket(stock, body)


@pytest.mark.parametrize(
    ("facts", "refusal"),
    [
        ({}, ("FIELD_REQUIRED", "query")),
        ({"filter": pb.SearchFilter(version_scope=pb.VERSION_SCOPE_ALL)}, ("FIELD_REQUIRED", "query")),
        ({"context_terms": ["a"]}, ("FIELD_REQUIRED", "query")),
        ({"sections": ["a", "b"]}, ("FIELD_TOO_MANY_VALUES", "sections")),
        ({"sections": [" "]}, ("FIELD_VALUE_EMPTY", "sections[0]")),
        ({"sections": ["字" * 513]}, ("FIELD_TOO_LARGE", "sections[0]")),
        ({"query": "a", "sections": ["a"] * 17}, ("FIELD_TOO_MANY_VALUES", "sections")),
        ({"query": "a", "filter": pb.SearchFilter(kinds=["字" * 513])}, ("FIELD_TOO_LARGE", "filter.kinds[0]")),
        ({"query": r"ab\1", "match_mode": pb.MATCH_MODE_REGEX}, ("PATTERN_INVALID", "query")),
    ],
)  # fmt: skip
def test_requests_that_ask_for_nothing_or_too_much(
    stock: Stock, facts: dict[str, Any], refusal: tuple[str, str]
) -> None:
    stock.add("https://one.example/a", "a")

    async def body(stubs: Stubs) -> None:
        request = pb.FindTextRequest(game_id=GAME, **facts)
        answer = await refused(stubs.search.FindText(request))
        assert answer == ("INVALID_ARGUMENT", *refusal)

    over_socket(stock, body)


def test_searches_find_a_thread_beside_any_number_of_finds(
    stock: Stock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stock.add("https://one.example/a", "needle")
    scan, gate = stock.store.scan_versions, threading.Event()

    def waiting(*arguments: Any, **named: Any) -> Any:
        assert gate.wait(WAIT_SECONDS)
        return scan(*arguments, **named)

    monkeypatch.setattr(stock.store, "scan_versions", waiting)

    async def body(stubs: Stubs) -> None:
        request = pb.FindTextRequest(game_id=GAME, query="needle")
        finds = [asyncio.ensure_future(stubs.search.FindText(request)) for _ in range(6)]
        given_up = asyncio.ensure_future(stubs.search.FindText(request))
        await asyncio.sleep(0)
        given_up.cancel()
        answer = await stubs.search.Search(pb.SearchRequest(game_id=GAME, query="needle"))
        assert len(answer.hits) == 1
        gate.set()
        assert [names(await find) for find in finds] == [["a"]] * 6

    over_socket(stock, body)
