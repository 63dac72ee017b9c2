"""FindText over a socket: messages, page tokens, refusals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus_service.domain.sources import Snapshot
from sourcecorpus.corpus.v1 import citation_service_pb2
from sourcecorpus.corpus.v1 import search_service_pb2 as pb
from tests.reading.stocked import BACKENDS, GAME, Stock, Stubs, over_socket, refused, stocks


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def test_a_passage_is_ready_to_cite(stock: Stock) -> None:
    text = "one\nＷ：the İron sword\nthree"
    stock.add("https://example.org/a", text, title="Arms")

    async def body(stubs: Stubs) -> None:
        answer = await stubs.search.FindText(pb.FindTextRequest(game_id=GAME, query="iron SWORD"))
        assert not answer.documents
        answer = await stubs.search.FindText(pb.FindTextRequest(game_id=GAME, query="RON  sword"))
        assert answer.exhausted
        assert answer.scanned_documents == 1
        (document,) = answer.documents
        (passage,) = document.passages
        line = passage.lines[1]
        assert (line.number, line.role, line.speaker) == (2, pb.FOUND_LINE_ROLE_MATCH, "Ｗ")
        assert text[line.matches[0].start : line.matches[0].end] == "ron sword"
        resolved = await stubs.citation.ResolveCitations(
            citation_service_pb2.ResolveCitationsRequest(game_id=GAME, refs=[passage.ref])
        )
        assert resolved.results[0].citation.quote == line.text

    over_socket(stock, body)


def test_tokens_belong_to_their_request_and_snapshot(stock: Stock) -> None:
    for number in range(3):
        stock.add(f"https://example.org/{number}", "needle")

    async def body(stubs: Stubs) -> None:
        first = pb.FindTextRequest(game_id=GAME, query="needle", page_size=2)
        answer = await stubs.search.FindText(first)
        token = answer.next_page_token
        assert not answer.exhausted
        second = pb.FindTextRequest(game_id=GAME, query="needle", page_size=2, page_token=token)
        answer = await stubs.search.FindText(second)
        assert answer.exhausted
        assert len(answer.documents) == 1
        assert answer.next_page_token == ""
        other = pb.FindTextRequest(game_id=GAME, query="other", page_size=2, page_token=token)
        assert await refused(stubs.search.FindText(other)) == (
            "INVALID_ARGUMENT", "PAGE_TOKEN_INVALID", "page_token")  # fmt: skip
        flipped = pb.FindTextRequest(
            game_id=GAME, query="needle", page_size=2, page_token="A" + token
        )
        assert (await refused(stubs.search.FindText(flipped)))[1] == "PAGE_TOKEN_INVALID"
        strict = pb.FindTextRequest(game_id=GAME, query="needle", page_size=2, require_latest=True)
        strict.page_token = (await stubs.search.FindText(strict)).next_page_token
        stock.add("https://example.org/new", "needle")
        assert await refused(stubs.search.FindText(strict)) == (
            "FAILED_PRECONDITION", "SNAPSHOT_CHANGED", "page_token")  # fmt: skip

    over_socket(stock, body)


def test_another_epoch_is_refused_before_any_scan(
    stock: Stock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        stock.add(f"https://example.org/{number}", "needle")

    async def body(stubs: Stubs) -> None:
        request = pb.FindTextRequest(game_id=GAME, query="needle", page_size=1)
        request.page_token = (await stubs.search.FindText(request)).next_page_token
        scans: list[str] = []
        monkeypatch.setattr(stock.store, "snapshot", lambda _game: Snapshot("rebuilt", 9))
        monkeypatch.setattr(stock.store, "scan_versions", lambda *_, **__: scans.append("scan"))
        assert (await refused(stubs.search.FindText(request)))[1] == "SNAPSHOT_CHANGED"
        assert scans == []

    over_socket(stock, body)


@pytest.mark.parametrize(
    ("request_", "code", "reason", "field"),
    [
        (pb.FindTextRequest(query="a"), "INVALID_ARGUMENT", "FIELD_REQUIRED", "game_id"),
        (pb.FindTextRequest(game_id="other", query="a"), "NOT_FOUND", "UNKNOWN_GAME", "game_id"),
        (pb.FindTextRequest(game_id=GAME, query="(", match_mode=pb.MATCH_MODE_REGEX), "INVALID_ARGUMENT",
         "PATTERN_INVALID", "query"),
        (pb.FindTextRequest(game_id=GAME, query="a", page_size=-1), "INVALID_ARGUMENT", "PAGE_SIZE_NEGATIVE",
         "page_size"),
        (pb.FindTextRequest(game_id=GAME, query="a", speakers=[""]), "INVALID_ARGUMENT", "FIELD_VALUE_EMPTY",
         "speakers[0]"),
        (pb.FindTextRequest(game_id=GAME, query="a", speakers=["a"] * 17), "INVALID_ARGUMENT",
         "FIELD_TOO_MANY_VALUES", "speakers"),
    ],
)  # fmt: skip
def test_refusals_name_the_field(
    stock: Stock, request_: pb.FindTextRequest, code: str, reason: str, field: str
) -> None:
    stock.add("https://example.org/a", "a")

    async def body(stubs: Stubs) -> None:
        assert await refused(stubs.search.FindText(request_)) == (code, reason, field)

    over_socket(stock, body)
