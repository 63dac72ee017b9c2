"""What is read is one state of the game and has its hash, whatever happens meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import grpc
import pytest

from corpus_service.domain.deletions import Deletion, DeletionReason
from corpus_service.storage.pieces import compress_content
from sourcecorpus.corpus.v1 import source_service_pb2 as pb
from sourcecorpus.identity.identifiers import source_id as source_id_of
from sourcecorpus.rpc.status import failure_from_rpc_error
from tests.reading.stocked import (
    BACKENDS,
    GAME,
    Stock,
    Stubs,
    hash_of,
    over_socket,
    refused,
    serving,
    stocks,
)
from tests.reading.test_selections import failure_of, read

PAGE = "https://example.org/page"
OLD = "old first\nold second\nold third"
NEW = "new first\nnew second\nnew third\nnew fourth"


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


class Interposed:
    """A store in which something happens once, before the first call of a method."""

    def __init__(self, store: Any, method: str, happening: Callable[[], object]) -> None:
        self._store = store
        self._method = method
        self._happening: Callable[[], object] | None = happening

    def __getattr__(self, name: str) -> Any:
        if name == self._method and self._happening is not None:
            happening, self._happening = self._happening, None
            happening()
        return getattr(self._store, name)


def read_while(
    stock: Stock, method: str, happening: Callable[[], object], **fields: Any
) -> pb.ReadDocumentResponse:
    async def run() -> pb.ReadDocumentResponse:
        async with serving(Interposed(stock.store, method, happening)) as stubs:
            return await read(stubs, **fields)

    return asyncio.run(run())


@pytest.mark.parametrize("method", ["get_versions", "line_numbers", "list_headings", "read_lines"])
def test_a_version_that_comes_during_a_read_is_not_mixed_in(stock: Stock, method: str) -> None:
    old = stock.add(PAGE, OLD)
    selections: dict[str, dict[str, Any]] = {
        "line_numbers": {"citation": f"v-{old.removeprefix('ver-')}#10-13"},
        "list_headings": {"canonical_uri": PAGE, "range": {"first": 1, "last": 3}},
    }
    fields = selections.get(method, {"canonical_uri": PAGE, "with_adjacent": True})
    answer = read_while(stock, method, lambda: stock.add(PAGE, NEW), **fields)
    assert answer.version.version_id == old
    assert {line.text.partition(" ")[0] for line in answer.lines} == {"old"}
    assert answer.integrity.text_hash == answer.version.text_hash == hash_of(OLD.encode())
    assert answer.version.line_count == 3


def test_documents_that_move_in_a_collection_during_a_read_are_one_state(stock: Stock) -> None:
    pages = [(f"{PAGE}/{number}", f"Page {number}", f"text {number}") for number in range(3)]
    stock.job("tool:crawl/1", "Job", pages)
    deletion = Deletion(source_id_of(GAME, f"{PAGE}/2"), DeletionReason.WRONG, 9)

    def happen() -> None:
        stock.store.delete_source(GAME, deletion)
        stock.add(f"{PAGE}/0", "changed", title="Changed")

    answer = read_while(stock, "place", happen, collection="Job", max_lines=1)
    assert answer.lines[0].text == "text 0"
    assert answer.place.collection.document_count == 2
    assert answer.place.next.title == "Page 1"
    assert answer.continuation.version_id == answer.place.next.version_id


def test_a_document_that_is_deleted_during_a_read_is_refused(stock: Stock) -> None:
    version = stock.add(PAGE, OLD)
    deletion = Deletion(source_id_of(GAME, PAGE), DeletionReason.WRONG, 9)

    async def run() -> None:
        store: Any = Interposed(
            stock.store, "read_lines", lambda: stock.store.delete_source(GAME, deletion)
        )
        async with serving(store) as stubs:
            code, reason, _ = await refused(read(stubs, canonical_uri=PAGE))
            assert (code, reason) == ("NOT_FOUND", "VERSION_NOT_FOUND")
            failure = await failure_of(stubs, version_id=version)
            assert failure.reason == "VERSION_DELETED"

    asyncio.run(run())


def test_pages_of_a_pinned_version_stay_while_newer_ones_come(stock: Stock) -> None:
    old = stock.add(PAGE, OLD)

    async def body(stubs: Stubs) -> None:
        request = pb.ReadDocumentRequest(game_id=GAME, canonical_uri=PAGE, max_lines=1)
        texts: list[str] = []
        while True:
            answer = await stubs.source.ReadDocument(request)
            assert answer.version.version_id == old
            texts += [line.text for line in answer.lines]
            if not answer.HasField("continuation"):
                break
            request = answer.continuation
            stock.add(PAGE, NEW + str(len(texts)))
        assert "\n".join(texts) == OLD

    over_socket(stock, body)


def damage(folder: Path, statement: str, *values: Any) -> None:
    """Changes the file of the game behind the store's back."""
    (path,) = (folder / "games").glob("*.db")
    connection = apsw.Connection(str(path))
    connection.execute(statement, values)
    assert connection.changes() == 1
    connection.close()


def test_a_part_of_a_changed_text_is_not_served_either(tmp_path: Path) -> None:
    for stock in stocks("sqlite", tmp_path):
        stock.add(PAGE, OLD)

        async def body(stubs: Stubs) -> None:
            last = {"first_line": 3, "max_lines": 1}
            assert (await read(stubs, canonical_uri=PAGE, **last)).lines[0].text == "old third"
            changed = OLD.replace("first", "worst")
            damage(tmp_path, "update source_chunks set text = ?", changed)
            # The third line is as it was, but the text as a whole is not what was stored.
            failure = await failure_of(stubs, canonical_uri=PAGE, **last)
            assert (failure.code.name, failure.reason) == ("DATA_LOSS", "STORED_HASH_MISMATCH")
            assert failure.metadata["expected"] == hash_of(OLD.encode())
            assert failure.metadata["actual"] == hash_of(changed.encode())

        over_socket(stock, body)


def test_changed_bytes_are_refused_with_both_hashes(tmp_path: Path) -> None:
    for stock in stocks("sqlite", tmp_path):
        stock.add(PAGE, OLD)
        (piece,) = compress_content(NEW.encode()[: len(OLD)])
        damage(tmp_path, "update blob_pieces set frame = ?", piece.frame)

        async def body(stubs: Stubs) -> None:
            async def raw() -> None:
                request = pb.ReadRawContentRequest(game_id=GAME, content_hash=hash_of(OLD.encode()))
                async for _ in stubs.source.ReadRawContent(request):
                    pass

            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await raw()
            failure = failure_from_rpc_error(caught.value)
            assert (failure.code.name, failure.reason) == ("DATA_LOSS", "STORED_HASH_MISMATCH")
            assert failure.metadata["expected"] == hash_of(OLD.encode())
            assert failure.metadata["actual"] == hash_of(NEW.encode()[: len(OLD)])

        over_socket(stock, body)
