"""What the sender reads from the outbox, and what it writes when the corpus has answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass

import apsw

from capture_service.outbox import counters, dedupe, sessions
from capture_service.spool import QueuedEntry, StoredContentDamagedError, queue
from capture_service.spool.contents import StoredContent, read_all
from sourcecorpus.rpc.limits import INGEST_INLINE_CONTENT_BYTES_MAX

LaneContent = tuple[str, bytes]
"""A game and the digest of a content."""


@dataclass(frozen=True, slots=True)
class Outbound:
    """One entry, ready to be sent.

    Attributes:
        entry: The entry.
        inline: Bytes that travel in the batch, by digest.
        uploads: Contents that are uploaded before it.
        damaged: A content of it cannot be read; it cannot be sent.
    """

    entry: QueuedEntry
    inline: dict[bytes, bytes]
    uploads: tuple[StoredContent, ...]
    damaged: bool = False

    @property
    def size_bytes(self) -> int:
        """About the bytes that it takes in a batch."""
        return len(self.entry.payload) + sum(len(data) + 80 for data in self.inline.values())


@dataclass(frozen=True, slots=True)
class Settlement:
    """What becomes of one entry after an answer.

    Attributes:
        entry: The entry.
        delivered: The corpus has it; the entry leaves the outbox.
        refusal: Reason for which the corpus will never take it; the entry becomes a dead letter.
        refused_field: Field that the reason is about.
        missing: Digests that the corpus asks for; the entry stays.
        status: Name under which the answer is counted.
    """

    entry: QueuedEntry
    status: str
    delivered: bool = False
    refusal: str = ""
    refused_field: str = ""
    missing: tuple[bytes, ...] = ()


def load_batch(
    connection: apsw.Connection,
    *,
    records_max: int,
    bytes_max: int,
    after_entry_id: int,
    excluded_lanes: Collection[str],
    under_way: Set[LaneContent],
) -> Sequence[Outbound]:
    """Read the next batch in order.

    Args:
        connection: Connection of a reader.
        records_max: At most so many entries.
        bytes_max: At most so many bytes, except that one entry always comes.
        after_entry_id: Only entries behind this id.
        excluded_lanes: Games that have to wait.
        under_way: Contents that an unanswered batch carries; the corpus will have them.
    """
    batch: list[Outbound] = []
    sent = set(under_way)
    size_bytes = 0
    for entry in queue.peek(
        connection,
        entries_max=records_max,
        payload_bytes_max=bytes_max,
        after_entry_id=after_entry_id,
        excluded_lanes=excluded_lanes,
    ):
        room = bytes_max - size_bytes if batch else bytes_max
        outbound = _outbound(connection, entry, bytes_max - len(entry.payload), sent)
        if batch and outbound.size_bytes > room:
            break
        size_bytes += outbound.size_bytes
        sent |= {(entry.lane, content.digest) for content in entry.contents}
        batch.append(outbound)
    return batch


def _outbound(
    connection: apsw.Connection, entry: QueuedEntry, inline_room: int, sent: Set[LaneContent]
) -> Outbound:
    inline: dict[bytes, bytes] = {}
    uploads: list[StoredContent] = []
    for content in entry.contents:
        if (entry.lane, content.digest) in sent:
            continue
        if dedupe.corpus_holds(connection, entry.lane, content.digest):
            continue
        if content.size_bytes > min(inline_room, INGEST_INLINE_CONTENT_BYTES_MAX):
            uploads.append(content)
            continue
        try:
            inline[content.digest] = read_all(connection, content.digest)
        except StoredContentDamagedError:
            return Outbound(entry, {}, (), damaged=True)
        inline_room -= content.size_bytes + 80
    return Outbound(entry, inline, tuple(uploads))


def settle(
    connection: apsw.Connection, settlements: Sequence[Settlement], now_milliseconds: int
) -> None:
    """Write what the corpus has answered."""
    delivered: Counter[str] = Counter()
    tally = counters.Tally()
    for settlement in settlements:
        entry = settlement.entry
        tally.add(entry.session, counters.DELIVERY, {settlement.status: 1})
        if settlement.delivered:
            dedupe.note_held(connection, entry.lane, [content.digest for content in entry.contents])
            if queue.settle(connection, entry.entry_id):
                delivered[entry.session] += 1
        elif settlement.refusal:
            queue.bury(
                connection,
                entry.entry_id,
                reason=settlement.refusal,
                field=settlement.refused_field,
                refused_milliseconds=now_milliseconds,
            )
        elif settlement.missing:
            dedupe.note_missing(connection, entry.lane, settlement.missing)
    tally.write(connection)
    for session, amount in delivered.items():
        sessions.count_delivered(connection, session, amount)
