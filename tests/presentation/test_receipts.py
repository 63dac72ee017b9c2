"""Receipts: one taker, the bounds with their counters, and time that a test moves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from corpus_service.domain.games import Game
from corpus_service.services.limits import (
    RECEIPT_BYTES_MAX,
    RECEIPT_GAMES_MAX,
    RECEIPT_NANOSECONDS_MAX,
    RECEIPTS_PENDING_MAX,
)
from corpus_service.services.receipts import NestedCall, ReceiptSource, ReceiptUseCase
from corpus_service.storage.memory import MemoryStore
from sourcecorpus.corpus.v1 import receipts_pb2 as pb
from sourcecorpus.rpc.failures import Failure
from tests.reading.stocked import GAME, Stock, Stubs, over_socket, refused

REF = "v-0123456789abcdefghjk#0-4"


class Clock:
    now = 0

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def receipts(clock: Clock) -> Iterator[ReceiptUseCase]:
    store = MemoryStore()
    for game in (GAME, *(f"game-{number}" for number in range(RECEIPT_GAMES_MAX))):
        store.create_game(Game(game))
    yield ReceiptUseCase(store, clock)
    store.close()


def call(
    nested: str = "", *, parent: str = "p1", tool: str = "search", run: str = "r1"
) -> NestedCall:
    return NestedCall(run, parent, tool, nested)


def large(parts: int) -> list[ReceiptSource]:
    """Sources of about ``parts`` times 1,800 bytes."""
    lines = tuple((line, line) for line in range(100_001, 100_101))
    return [ReceiptSource(REF, lines)] * parts


def taken(receipts: ReceiptUseCase, wanted: NestedCall) -> list[str]:
    return [receipt.call.tool_call_id for receipt in receipts.take(GAME, wanted)[0]]


def test_a_receipt_is_given_once_and_to_its_own_call(receipts: ReceiptUseCase) -> None:
    kept = receipts.put(
        GAME, call("c1"), [ReceiptSource(REF, ((2, 3), (2, 3), (0, 1), (5, 4))), ReceiptSource("x")]
    )
    assert (kept.sources, kept.refused, kept.truncated) == (1, 1, False)
    assert taken(receipts, call("c1", parent="p2")) == []
    assert taken(receipts, call("c1", tool="read")) == []
    assert taken(receipts, call("c1", run="r2")) == []
    assert taken(receipts, call("c2")) == []
    (found,), counters = receipts.take(GAME, call("c1"))
    assert found.sources == (ReceiptSource(REF, ((2, 3),)),)
    assert (counters.pending, counters.taken) == (0, 1)
    assert taken(receipts, call("c1")) == []


def test_all_calls_of_a_parent_come_in_order(receipts: ReceiptUseCase) -> None:
    for nested in ("c1", "c2", "c3"):
        receipts.put(GAME, call(nested), [])
    receipts.put(GAME, call("c2"), [ReceiptSource(REF)])
    assert taken(receipts, call()) == ["c1", "c3", "c2"]


def test_one_too_many_drops_the_first(receipts: ReceiptUseCase) -> None:
    for number in range(RECEIPTS_PENDING_MAX + 1):
        receipts.put(GAME, call(f"c{number}"), [])
    found, counters = receipts.take(GAME, call())
    assert found[0].call.tool_call_id == "c1"
    assert len(found) == RECEIPTS_PENDING_MAX
    assert counters.evicted == 1


def test_an_oversize_receipt_is_cut_and_bytes_together_are_bounded(
    receipts: ReceiptUseCase,
) -> None:
    sources = large(RECEIPT_BYTES_MAX // 1_000)
    for number in range(6):
        kept = receipts.put(GAME, call(f"c{number}"), sources)
        assert kept.truncated
        assert 0 < kept.sources < len(sources)
    found, counters = receipts.take(GAME, call())
    assert [receipt.call.tool_call_id for receipt in found] == ["c2", "c3", "c4", "c5"]
    assert all(receipt.truncated for receipt in found)
    assert (counters.evicted, counters.truncated) == (2, 6)


def test_time_forgets_a_receipt(receipts: ReceiptUseCase, clock: Clock) -> None:
    receipts.put(GAME, call("c1"), [])
    clock.now = 1
    receipts.put(GAME, call("c2"), [])
    clock.now = RECEIPT_NANOSECONDS_MAX
    found, counters = receipts.take(GAME, call())
    assert [receipt.call.tool_call_id for receipt in found] == ["c2"]
    assert counters.expired == 1


def test_games_do_not_see_each_other_and_are_bounded(receipts: ReceiptUseCase) -> None:
    receipts.put(GAME, call("c1"), [])
    assert receipts.take("game-0", call())[0] == []
    for number in range(RECEIPT_GAMES_MAX):
        receipts.put(f"game-{number}", call("c1"), [])
    assert taken(receipts, call()) == []
    with pytest.raises(Failure, match="UNKNOWN_GAME"):
        receipts.put("nowhere", call("c1"), [])


def put(tool_call_id: str, *sources: pb.ReceiptSource) -> pb.PutReceiptRequest:
    return pb.PutReceiptRequest(
        game_id=GAME,
        run_id="r1",
        parent_tool_call_id="p1",
        tool_name="search",
        tool_call_id=tool_call_id,
        sources=sources,
    )


def listing(run_id: str = "r1") -> pb.ListReceiptsRequest:
    return pb.ListReceiptsRequest(
        game_id=GAME, run_id=run_id, parent_tool_call_id="p1", tool_name="search"
    )


def test_calls_over_a_socket() -> None:
    stock = Stock(MemoryStore())
    source = pb.ReceiptSource(ref=stock.add("https://castle.example/", "text"))

    async def body(stubs: Stubs) -> None:
        keep, take = stubs.discovery.PutReceipt, stubs.discovery.ListReceipts
        assert (await keep(put("c1", source))).sources_kept == 1
        found = await take(listing())
        assert [receipt.tool_call_id for receipt in found.receipts] == ["c1"]
        assert found.receipts[0].sources[0] == source
        assert found.counters.taken == 1
        assert not (await take(listing())).receipts
        absent = await refused(keep(put("")))
        assert absent == ("INVALID_ARGUMENT", "FIELD_REQUIRED", "tool_call_id")
        long = await refused(take(listing("r" * 257)))
        assert long == ("INVALID_ARGUMENT", "FIELD_TOO_LARGE", "run_id")

    over_socket(stock, body)
    stock.store.close()
