"""Receipts of nested tool calls: refs and lines, kept for minutes in memory, each given once.

A restart of the service forgets them, as time does: they only help to show an outer call, and what
was used stands in the run's links.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from corpus_service.domain.vocabulary import Instant
from corpus_service.presentation.records import LineRange, bounded_ranges
from corpus_service.services.failures import invalid
from corpus_service.services.limits import (
    RECEIPT_BYTES_MAX,
    RECEIPT_GAMES_MAX,
    RECEIPT_NANOSECONDS_MAX,
    RECEIPTS_BYTES_MAX,
    RECEIPTS_PENDING_MAX,
)
from corpus_service.services.refs import Ref, read_ref
from corpus_service.storage.interface import SourceReader
from sourcecorpus.rpc.limits import IDENTIFIER_BYTES_MAX


@dataclass(frozen=True, slots=True)
class ReceiptSource:
    """A source that a nested call used, by its ref, with the lines that were delivered."""

    ref: str
    ranges: tuple[LineRange, ...] = ()


@dataclass(frozen=True, slots=True)
class NestedCall:
    """Names a nested call. Another parent, tool or run names another one."""

    run_id: str
    parent_tool_call_id: str
    tool_name: str
    tool_call_id: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a nested call used; ``truncated`` where sources were cut to fit."""

    call: NestedCall
    sources: tuple[ReceiptSource, ...]
    truncated: bool


@dataclass(slots=True)
class ReceiptCounters:
    """What became of the receipts of a game."""

    pending: int = 0
    evicted: int = 0
    expired: int = 0
    truncated: int = 0
    taken: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """What was kept of a receipt."""

    sources: int
    refused: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class _Waiting:
    receipt: Receipt
    size_bytes: int
    kept_at: Instant


@dataclass(slots=True)
class _Box:
    """The receipts of one game, oldest first."""

    waiting: OrderedDict[NestedCall, _Waiting] = field(default_factory=OrderedDict)
    size_bytes: int = 0
    counters: ReceiptCounters = field(default_factory=ReceiptCounters)

    def put(self, receipt: Receipt, size_bytes: int, now: Instant) -> None:
        """Keeps a receipt, and makes room for it."""
        self.remove(receipt.call)
        self.waiting[receipt.call] = _Waiting(receipt, size_bytes, now)
        self.size_bytes += size_bytes
        self.counters.truncated += receipt.truncated
        while len(self.waiting) > RECEIPTS_PENDING_MAX or self.size_bytes > RECEIPTS_BYTES_MAX:
            self.remove(next(iter(self.waiting)))
            self.counters.evicted += 1

    def remove(self, call: NestedCall) -> None:
        """Forgets a receipt, if it is there."""
        gone = self.waiting.pop(call, None)
        if gone is not None:
            self.size_bytes -= gone.size_bytes

    def expire(self, now: Instant) -> None:
        """Forgets receipts whose time is over."""
        for call, waiting in list(self.waiting.items()):
            if now - waiting.kept_at < RECEIPT_NANOSECONDS_MAX:
                break
            self.remove(call)
            self.counters.expired += 1


class ReceiptUseCase:
    """Keeps receipts and gives each of them once. Safe from any thread."""

    def __init__(self, store: SourceReader, clock: Callable[[], Instant]) -> None:
        """Take the store, which knows the games, and a clock that never goes back."""
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._boxes: OrderedDict[str, _Box] = OrderedDict()

    def put(self, game_id: str, call: NestedCall, sources: Sequence[ReceiptSource]) -> Kept:
        """Keeps a receipt. Sources whose ref is none are left out: they fail no tool call.

        Raises:
            Failure: INVALID_ARGUMENT FIELD_REQUIRED, FIELD_TOO_LARGE; NOT_FOUND UNKNOWN_GAME.
        """
        _check(call, call.tool_call_id)
        self._store.snapshot(game_id)
        good = [source for source in sources if isinstance(read_ref(source.ref), Ref)]
        kept, size_bytes = _fitting(good)
        truncated = len(kept) < len(good)
        with self._lock:
            now = self._clock()
            box = self._box(game_id)
            box.expire(now)
            box.put(Receipt(call, kept, truncated), size_bytes, now)
        return Kept(len(kept), len(sources) - len(good), truncated)

    def take(self, game_id: str, call: NestedCall) -> tuple[list[Receipt], ReceiptCounters]:
        """Gives the receipts of a nested call, or of all calls of a parent and a tool, and forgets them.

        Raises:
            Failure: INVALID_ARGUMENT FIELD_REQUIRED, FIELD_TOO_LARGE; NOT_FOUND UNKNOWN_GAME.
        """
        _check(call, call.tool_call_id or "all")
        self._store.snapshot(game_id)
        with self._lock:
            box = self._box(game_id)
            box.expire(self._clock())
            found = [
                waiting.receipt
                for other, waiting in box.waiting.items()
                if (other.run_id, other.parent_tool_call_id, other.tool_name)
                == (call.run_id, call.parent_tool_call_id, call.tool_name)
                and call.tool_call_id in ("", other.tool_call_id)
            ]
            for receipt in found:
                box.remove(receipt.call)
            counters = box.counters
            counters.taken += len(found)
            return found, ReceiptCounters(
                len(box.waiting),
                counters.evicted,
                counters.expired,
                counters.truncated,
                counters.taken,
            )

    def _box(self, game_id: str) -> _Box:
        box = self._boxes.pop(game_id, None) or _Box()
        self._boxes[game_id] = box
        if len(self._boxes) > RECEIPT_GAMES_MAX:
            self._boxes.popitem(last=False)
        return box


def _fitting(sources: Sequence[ReceiptSource]) -> tuple[tuple[ReceiptSource, ...], int]:
    """Returns as many sources as fit, and the bytes that they take as JSON."""
    kept: list[ReceiptSource] = []
    total = 0
    for source in sources:
        ranges, _ = bounded_ranges(source.ranges)
        total += len(json.dumps([source.ref, ranges]))
        if total > RECEIPT_BYTES_MAX:
            break
        kept.append(ReceiptSource(source.ref, ranges))
    return tuple(kept), min(total, RECEIPT_BYTES_MAX)


def _check(call: NestedCall, tool_call_id: str) -> None:
    fields = {
        "run_id": call.run_id,
        "parent_tool_call_id": call.parent_tool_call_id,
        "tool_name": call.tool_name,
        "tool_call_id": tool_call_id,
    }
    for name, value in fields.items():
        if not value:
            raise invalid("FIELD_REQUIRED", name)
        if len(value.encode("utf-8", "replace")) > IDENTIFIER_BYTES_MAX:
            raise invalid("FIELD_TOO_LARGE", name, limit_bytes=IDENTIFIER_BYTES_MAX)
