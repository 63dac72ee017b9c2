"""DeleteSource over a socket: what it answers, and that nothing is looked at with an old token."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corpus_service.services.refs import format_ref
from corpus_service.storage.interface import CorpusStore
from sourcecorpus.corpus.v1 import (
    citation_service_pb2,
    deletion_pb2,
    search_service_pb2,
    source_service_pb2,
)
from tests.reading.stocked import (
    BACKENDS,
    GAME,
    Stock,
    Stubs,
    over_socket,
    refused,
    serving,
    stocks,
)

WRONG = deletion_pb2.DELETION_REASON_WRONG


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def request_for(uri: str, /, **facts: Any) -> deletion_pb2.DeleteSourceRequest:
    fields: dict[str, Any] = {"game_id": GAME, "uri": uri, "reason": WRONG} | facts
    return deletion_pb2.DeleteSourceRequest(**fields)


def test_a_source_is_deleted_by_any_spelling_and_cited_no_more(stock: Stock) -> None:
    version = stock.add("https://a.example/gate", "portcullis")
    stock.add("https://a.example/roses", "roses")

    async def body(stubs: Stubs) -> None:
        reply = await stubs.source.DeleteSource(request_for("HTTPS://A.example:443/gate#top"))
        assert reply.source_deleted
        assert list(reply.version_ids) == [version]
        assert (reply.version_count, reply.content_count) == (1, 1)
        assert reply.content_bytes == len("portcullis")
        found = await stubs.search.Search(
            search_service_pb2.SearchRequest(game_id=GAME, query="portcullis")
        )
        assert not found.hits
        resolved = await stubs.citation.ResolveCitations(
            citation_service_pb2.ResolveCitationsRequest(
                game_id=GAME, refs=[format_ref(version, 0, 4)]
            )
        )
        assert "VERSION_DELETED" in str(resolved)
        read = source_service_pb2.ReadDocumentRequest(game_id=GAME, version_id=version)
        code, reason, _ = await refused(stubs.source.ReadDocument(read))
        assert (code, reason) == ("FAILED_PRECONDITION", "VERSION_DELETED")
        again = await refused(stubs.source.DeleteSource(request_for("https://a.example/gate")))
        assert again == ("NOT_FOUND", "SOURCE_NOT_FOUND", "uri")

    over_socket(stock, body)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"reason": 0}, ("INVALID_ARGUMENT", "FIELD_REQUIRED", "reason")),
        ({"reason": 99}, ("INVALID_ARGUMENT", "FIELD_INVALID", "reason")),
        ({"uri": ""}, ("INVALID_ARGUMENT", "LOCATOR_REQUIRED", "locator")),
        ({"note": "x" * 201}, ("INVALID_ARGUMENT", "FIELD_TOO_LARGE", "note")),
        ({"note": "two\nlines"}, ("INVALID_ARGUMENT", "FIELD_INVALID", "note")),
        ({"game_id": ""}, ("INVALID_ARGUMENT", "FIELD_REQUIRED", "game_id")),
        ({"game_id": "unknown-game"}, ("NOT_FOUND", "UNKNOWN_GAME", "game_id")),
        ({"version_id": "unknown"}, ("NOT_FOUND", "VERSION_NOT_FOUND", "version_id")),
    ],
)
def test_bad_requests_are_refused_and_delete_nothing(
    stock: Stock, facts: dict[str, Any], expected: tuple[str, str, str]
) -> None:
    stock.add("https://a.example/gate", "portcullis")

    async def body(stubs: Stubs) -> None:
        request = request_for("https://a.example/gate", **facts)
        assert await refused(stubs.source.DeleteSource(request)) == expected
        listed = await stubs.source.ListSources(source_service_pb2.ListSourcesRequest(game_id=GAME))
        assert len(listed.sources) == 1

    over_socket(stock, body)


class Spy:
    """A store that notes which calls reach it."""

    def __init__(self, store: CorpusStore) -> None:
        self._store = store
        self.called: list[str] = []

    def __getattr__(self, name: str) -> Any:
        self.called.append(name)
        return getattr(self._store, name)


def test_tokens_of_before_are_refused_before_anything_is_scanned(stock: Stock) -> None:
    for number in range(3):
        stock.add(f"https://a.example/{number}", f"gate {number}")

    async def body() -> None:
        spy: Any = Spy(stock.store)
        async with serving(spy) as stubs:
            search = search_service_pb2.SearchRequest(game_id=GAME, query="gate", page_size=1)
            listing = source_service_pb2.ListSourcesRequest(game_id=GAME, page_size=1)
            search.page_token = (await stubs.search.Search(search)).next_page_token
            listing.page_token = (await stubs.source.ListSources(listing)).next_page_token
            assert search.page_token
            assert listing.page_token
            await stubs.source.DeleteSource(request_for("https://a.example/0"))
            for call in (stubs.search.Search(search), stubs.source.ListSources(listing)):
                spy.called.clear()
                code, reason, _ = await refused(call)
                assert (code, reason) == ("FAILED_PRECONDITION", "SNAPSHOT_CHANGED")
                assert set(spy.called) <= {"snapshot"}

    asyncio.run(body())
