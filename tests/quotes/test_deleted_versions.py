"""Deleted and withdrawn versions: a tombstone, never a neighbour and never what is current."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus_service.domain.deletions import Deletion, DeletionReason
from corpus_service.services.refs import format_ref
from sourcecorpus.corpus.v1 import citation_pb2, citation_service_pb2, deletion_pb2
from sourcecorpus.corpus.v1 import quotes_pb2 as pb
from tests.reading.stocked import (
    BACKENDS,
    GAME,
    SECOND,
    Stock,
    Stubs,
    hash_of,
    over_socket,
    refused,
    stocks,
)

PAGE = "https://example.org/gate"


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def source_of(stock: Stock, version: str) -> str:
    return stock.store.get_versions(GAME, (version,))[version].source_id


def test_a_withdrawn_version_has_a_tombstone_and_the_other_still_says_what_it_said(
    stock: Stock,
) -> None:
    old = stock.add(PAGE, "The gate costs 300 coins.", title="Gate")
    new = stock.add(PAGE, "The gate costs 500 coins.", title="Gate")
    source = source_of(stock, old)
    withdrawal = Deletion(source, DeletionReason.WRONG, 77 * SECOND, version_id=old, note="a hoax")
    stock.store.delete_source(GAME, withdrawal)

    async def body(stubs: Stubs) -> None:
        refs = [format_ref(old, 0, 8), format_ref(new, 0, 8)]
        opened = await stubs.citation.ResolveCitations(
            citation_service_pb2.ResolveCitationsRequest(game_id=GAME, refs=refs)
        )
        failure = opened.results[0].failure
        assert failure.reason == "VERSION_DELETED"
        tombstone = failure.tombstone
        assert tombstone.version_id == old
        assert tombstone.source_id == source
        assert (tombstone.title, tombstone.canonical_uri) == ("Gate", PAGE)
        assert tombstone.content_hash == hash_of(b"The gate costs 300 coins.")
        assert tombstone.deleted_time.seconds == 77
        assert tombstone.fetched_time.seconds == 1
        assert tombstone.reason == deletion_pb2.DeletionReason.DELETION_REASON_WRONG
        assert tombstone.note == "a hoax"
        assert opened.results[1].citation.quote == "The gate"
        assert not opened.results[1].citation.superseded
        verified = await stubs.citation.VerifyQuotes(
            pb.VerifyQuotesRequest(
                game_id=GAME,
                quotes=[
                    pb.QuoteToVerify(quote="costs 500 coins", version_id=old),
                    pb.QuoteToVerify(quote="costs 300 coins", version_id=new),
                ],
            )
        )
        assert verified.results[0].failure.reason == "VERSION_DELETED"
        assert verified.results[0].failure.tombstone == tombstone
        absent = verified.results[1].verification
        assert absent.verdict == pb.QuoteVerdict.QUOTE_VERDICT_ABSENT
        create = pb.CreateCitationRequest(
            game_id=GAME, version_id=old, span=citation_pb2.Span(start=0, end=3)
        )
        answer = await refused(stubs.citation.CreateCitation(create))
        assert answer == ("FAILED_PRECONDITION", "VERSION_DELETED", "version_id")

    over_socket(stock, body)


def test_what_was_sensitive_is_not_named(stock: Stock) -> None:
    version = stock.add(PAGE, "a secret", title="Secret")
    deletion = Deletion(source_of(stock, version), DeletionReason.SENSITIVE, 9 * SECOND)
    stock.store.delete_source(GAME, deletion)

    async def body(stubs: Stubs) -> None:
        opened = await stubs.citation.ResolveCitations(
            citation_service_pb2.ResolveCitationsRequest(game_id=GAME, refs=[version])
        )
        tombstone = opened.results[0].failure.tombstone
        assert tombstone.version_id == version
        assert (tombstone.title, tombstone.canonical_uri) == ("", "")

    over_socket(stock, body)
