"""A text that was changed behind the store's back is never cited."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator
from pathlib import Path

import apsw
import grpc
import pytest

from corpus_service.services.refs import format_ref
from sourcecorpus.corpus.v1 import citation_pb2, citation_service_pb2
from sourcecorpus.corpus.v1 import quotes_pb2 as pb
from sourcecorpus.rpc.failures import Failure
from sourcecorpus.rpc.status import failure_from_rpc_error
from tests.reading.stocked import GAME, Stock, Stubs, hash_of, over_socket, stocks

TEXT = "The gate costs 300 coins."


@pytest.fixture
def stock(tmp_path: Path) -> Iterator[Stock]:
    yield from stocks("sqlite", tmp_path)


def change(folder: Path, version: str, text: str) -> None:
    """Writes another text of the same length into the file, past the store."""
    connection = apsw.Connection(str(next(folder.rglob(f"{GAME}.db"))))
    connection.set_busy_timeout(5_000)
    connection.execute("UPDATE source_chunks SET text = ? WHERE version_id = ?", (text, version))
    connection.close()


def resolve(*refs: str) -> citation_service_pb2.ResolveCitationsRequest:
    return citation_service_pb2.ResolveCitationsRequest(game_id=GAME, refs=refs)


async def lost(call: Awaitable[object]) -> Failure:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    assert caught.value.code() is grpc.StatusCode.DATA_LOSS
    return failure_from_rpc_error(caught.value)


def test_a_changed_text_is_data_loss_also_where_it_was_cited_before(
    stock: Stock, tmp_path: Path
) -> None:
    version = stock.add("https://example.org/gate", TEXT)
    whole = stock.add("https://example.org/other", "another text")
    ref, other = format_ref(version, 4, 24), format_ref(whole, 0, 7)

    async def body(stubs: Stubs) -> None:
        before = await stubs.citation.ResolveCitations(resolve(ref, other))
        assert before.results[0].citation.quote == "gate costs 300 coins"
        change(tmp_path, version, TEXT.replace("300", "900"))
        create = pb.CreateCitationRequest(
            game_id=GAME, version_id=version, span=citation_pb2.Span(start=4, end=24)
        )
        quote = pb.QuoteToVerify(quote="costs 900", version_id=version)
        verify = pb.VerifyQuotesRequest(game_id=GAME, quotes=[quote])
        for call in (
            stubs.citation.ResolveCitations(resolve(ref, ref)),
            stubs.citation.CreateCitation(create),
            stubs.citation.VerifyQuotes(verify),
        ):
            failure = await lost(call)
            assert failure.reason == "STORED_HASH_MISMATCH"
            assert failure.metadata["expected"] == hash_of(TEXT.encode())
            changed = TEXT.replace("300", "900")
            assert failure.metadata["actual"] == hash_of(changed.encode())
        batch = await stubs.citation.ResolveCitations(resolve(ref, other))
        assert batch.results[0].failure.reason == "STORED_HASH_MISMATCH"
        assert batch.results[1].citation.quote == "another"
        verify.quotes.add(quote="another", version_id=whole)
        verified = await stubs.citation.VerifyQuotes(verify)
        assert verified.results[0].failure.reason == "STORED_HASH_MISMATCH"
        assert verified.results[1].verification.citation.version_id == whole
        change(tmp_path, version, TEXT)
        again = await stubs.citation.ResolveCitations(resolve(ref))
        assert again.results[0].citation == before.results[0].citation

    over_socket(stock, body)
