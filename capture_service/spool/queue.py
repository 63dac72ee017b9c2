"""The durable queue: functions on a connection, so that an owner can put its own rows beside.

Order within a lane is the order of commits. The functions that write run inside a unit of work of
``GroupCommitWriter``; those that read take any connection.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import apsw

from capture_service.spool import contents, limits
from capture_service.spool.contents import Content, StoredContent
from capture_service.spool.database import migrations_of
from capture_service.spool.errors import SpoolFullError

__all__ = [
    "QUEUE_MIGRATIONS",
    "Content",
    "DeadLetter",
    "QueueLimits",
    "QueueTotals",
    "QueuedEntry",
    "StoredContent",
    "append",
    "bury",
    "dead_letters",
    "peek",
    "settle",
    "totals",
    "waiting_of_session",
]

QUEUE_MIGRATIONS: Final = migrations_of("capture_service.spool")
# What an entry costs beside its payload and contents: rows, indexes, page slack.
_ENTRY_OVERHEAD_BYTES: Final = 512


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """Bounds of a queue; an entry that would break one is refused, nothing is dropped.

    Attributes:
        bytes_max: Stored bytes of entries, dead letters and contents together.
        entries_max: Entries and dead letters together.
    """

    bytes_max: int = limits.QUEUE_BYTES_MAX_DEFAULT
    entries_max: int = limits.QUEUE_ENTRIES_MAX_DEFAULT


@dataclass(frozen=True, slots=True)
class QueueTotals:
    """What the queue holds."""

    entries: int
    dead_letters: int
    stored_bytes: int


@dataclass(frozen=True, slots=True)
class QueuedEntry:
    """An entry that waits for delivery, with what it refers to."""

    entry_id: int
    lane: str
    entry_key: str
    session: str
    sequence: int
    payload: bytes
    contents: tuple[StoredContent, ...]


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """An entry that the receiver refused for good; its payload and contents are kept."""

    entry_id: int
    lane: str
    entry_key: str
    session: str
    sequence: int
    reason: str
    field: str
    refused_milliseconds: int


def totals(connection: apsw.Connection) -> QueueTotals:
    """What the queue holds, without counting rows."""
    row = connection.execute(
        "SELECT entries, dead_letters, stored_bytes FROM queue_totals"
    ).fetchone()
    assert row is not None, "the first migration inserts the row"
    return QueueTotals(int(row[0]), int(row[1]), int(row[2]))


def append(
    connection: apsw.Connection,
    bounds: QueueLimits,
    *,
    lane: str,
    entry_key: str,
    session: str,
    sequence: int,
    queued_milliseconds: int,
    payload: bytes,
    entry_contents: Sequence[Content],
) -> int:
    """Append an entry with its contents.

    Args:
        connection: Connection of the writer.
        bounds: Bounds of the queue.
        lane: Entries of one lane are delivered in order; lanes do not wait for each other.
        entry_key: Idempotency key, unique among the waiting entries of its lane.
        session: Session that the entry belongs to, "" for none.
        sequence: Number within the session, 0 for none.
        queued_milliseconds: Unix time in milliseconds.
        payload: What is delivered, without contents.
        entry_contents: Distinct contents.

    Returns:
        The id of the entry.

    Raises:
        SpoolFullError: OUTBOX_FULL; a bound would be broken.
    """
    assert len(entry_contents) <= limits.ENTRY_CONTENTS_MAX, "the owner bounds its entries"
    before = totals(connection)
    if before.entries + before.dead_letters >= bounds.entries_max:
        raise SpoolFullError("OUTBOX_FULL")
    entry_id = int(
        connection.execute(
            "INSERT INTO queue_entries"
            " (lane, entry_key, session, sequence, queued_milliseconds, payload)"
            " VALUES (?, ?, ?, ?, ?, ?) RETURNING entry_id",
            (lane, entry_key, session, sequence, queued_milliseconds, payload),
        ).get
    )
    added = len(payload) + _ENTRY_OVERHEAD_BYTES
    for content in entry_contents:
        added += contents.add_reference(connection, entry_id, content)
        if before.stored_bytes + added > bounds.bytes_max:
            raise SpoolFullError("OUTBOX_FULL")
    if before.stored_bytes + added > bounds.bytes_max:
        raise SpoolFullError("OUTBOX_FULL")
    _change_totals(connection, entries=1, stored_bytes=added)
    return entry_id


def peek(
    connection: apsw.Connection,
    *,
    entries_max: int,
    payload_bytes_max: int,
    after_entry_id: int = 0,
    excluded_lanes: Collection[str] = (),
) -> Sequence[QueuedEntry]:
    """The oldest waiting entries behind an id, in order, except those of some lanes.

    Args:
        connection: Any connection.
        entries_max: At most so many entries.
        payload_bytes_max: No further entry once the payloads have so many bytes; the first entry
            always comes.
        after_entry_id: Only entries behind this id.
        excluded_lanes: Lanes to leave out.
    """
    marks = ",".join("?" * len(excluded_lanes))
    exclusion = f" AND lane NOT IN ({marks})" if excluded_lanes else ""
    rows = connection.execute(
        "SELECT entry_id, lane, entry_key, session, sequence, payload FROM queue_entries"  # noqa: S608 - marks only
        f" WHERE entry_id > ?{exclusion} ORDER BY entry_id LIMIT ?",
        (after_entry_id, *excluded_lanes, entries_max),
    )
    entries: list[QueuedEntry] = []
    payload_bytes = 0
    row: Any
    for row in rows:
        payload_bytes += len(row[5])
        if entries and payload_bytes > payload_bytes_max:
            break
        entries.append(
            QueuedEntry(
                entry_id=int(row[0]),
                lane=str(row[1]),
                entry_key=str(row[2]),
                session=str(row[3]),
                sequence=int(row[4]),
                payload=bytes(row[5]),
                contents=tuple(contents.contents_of(connection, int(row[0]))),
            )
        )
    return entries


def settle(connection: apsw.Connection, entry_id: int) -> bool:
    """Remove a delivered entry and the contents that nobody else refers to.

    Returns:
        False where the entry is not there, which is harmless: it was settled before.
    """
    size = connection.execute(
        "DELETE FROM queue_entries WHERE entry_id = ? RETURNING length(payload)", (entry_id,)
    ).get
    if size is None:
        return False
    freed = contents.drop_references(connection, entry_id)
    _change_totals(
        connection, entries=-1, stored_bytes=-(int(size) + _ENTRY_OVERHEAD_BYTES + freed)
    )
    return True


def bury(
    connection: apsw.Connection,
    entry_id: int,
    *,
    reason: str,
    field: str,
    refused_milliseconds: int,
) -> bool:
    """Set an entry aside that the receiver refused for good; it keeps payload and contents."""
    moved = connection.execute(
        "INSERT INTO queue_dead_letters (entry_id, lane, entry_key, session, sequence,"
        " queued_milliseconds, refused_milliseconds, reason, field, payload)"
        " SELECT entry_id, lane, entry_key, session, sequence, queued_milliseconds, ?, ?, ?,"
        " payload FROM queue_entries WHERE entry_id = ? RETURNING entry_id",
        (refused_milliseconds, reason, field, entry_id),
    ).get
    if moved is None:
        return False
    connection.execute("DELETE FROM queue_entries WHERE entry_id = ?", (entry_id,))
    _change_totals(connection, entries=-1, dead_letters=1)
    return True


def dead_letters(connection: apsw.Connection) -> Sequence[DeadLetter]:
    """The oldest dead letters, at most ``DEAD_LETTERS_LISTED_MAX``."""
    rows = connection.execute(
        "SELECT entry_id, lane, entry_key, session, sequence, reason, field, refused_milliseconds"
        " FROM queue_dead_letters ORDER BY entry_id LIMIT ?",
        (limits.DEAD_LETTERS_LISTED_MAX,),
    )
    return [DeadLetter(*row) for row in rows]


def waiting_of_session(connection: apsw.Connection, session: str) -> int:
    """Number of entries of a session that wait."""
    return int(
        connection.execute("SELECT count(*) FROM queue_entries WHERE session = ?", (session,)).get
    )


def _change_totals(
    connection: apsw.Connection, *, entries: int = 0, dead_letters: int = 0, stored_bytes: int = 0
) -> None:
    connection.execute(
        "UPDATE queue_totals SET entries = entries + ?, dead_letters = dead_letters + ?,"
        " stored_bytes = stored_bytes + ?",
        (entries, dead_letters, stored_bytes),
    )
