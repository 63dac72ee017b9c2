"""The sidecar's durable state: the spool, and beside it what must change in the same transaction.

Envelopes lie in the queue of ``capture_service.spool``, redacted. The payload of an entry is an ``Envelope``
message in which the bytes of the result and of each side file are replaced by the 32 bytes of their SHA-256.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import apsw

from capture_service.spool import (
    QUEUE_MIGRATIONS,
    Content,
    GroupCommitWriter,
    QueuedEntry,
    QueueLimits,
    Schema,
    open_reader,
    open_writer,
    queue,
)
from capture_service.spool.database import migrations_of
from capture_service.spool.group_commit import CommitHooks
from sourcecorpus.hermes.sidecar import limits
from sourcecorpus.hermes.sidecar.run_links import RunLink, add_links, waiting_links
from sourcecorpus.rpc import faults

Result = TypeVar("Result")
# Kind and name of a counter, such as ("refused", "NO_GAME").
CounterKey = tuple[str, str]

LANE: Final = "capture"
SCHEMA: Final = Schema(
    application_id=0x53434853,
    migrations=(*QUEUE_MIGRATIONS, *migrations_of("sourcecorpus.hermes.sidecar")),
)


@dataclass(frozen=True, slots=True)
class SpooledEnvelope:
    """An envelope ready for the spool: redacted, its bytes named by their hashes."""

    envelope_id: str
    session_id: str
    payload: bytes
    contents: tuple[Content, ...]

    @property
    def size_bytes(self) -> int:
        """About how much is written."""
        return len(self.payload) + sum(content.size_bytes for content in self.contents)


@dataclass(frozen=True, slots=True)
class DeliveryState:
    """The capture session and how many of its envelopes are handled."""

    capture_session_id: str
    handled: int


@dataclass(frozen=True, slots=True)
class SessionGame:
    """Game of a Hermes session; ``confirmed`` says that the capture service knows it."""

    game_id: str
    confirmed: bool


class SidecarStore:
    """One file, one writing thread. Safe for several threads."""

    def __init__(
        self,
        path: Path,
        *,
        bytes_max: int,
        wall_milliseconds: Callable[[], int],
    ) -> None:
        """Open or make the file.

        Raises:
            DatabaseRefusedError: The file is foreign, newer or unusable.
            SpoolFullError: There is no space for the schema.
        """
        self._path = path
        self._bounds = QueueLimits(bytes_max=bytes_max, entries_max=limits.SPOOL_ENTRIES_MAX)
        self._wall_milliseconds = wall_milliseconds
        self._unwritten: dict[CounterKey, int] = {}
        self._lock = threading.Lock()
        hooks = CommitHooks(
            before_commit=lambda: faults.reach("sidecar.before_commit"),
            after_commit=lambda: faults.reach("sidecar.after_commit"),
        )
        self._writer = GroupCommitWriter(open_writer(path, SCHEMA), hooks)
        self._reader = open_reader(path)
        self._reader_lock = threading.Lock()
        self.write(_begin_delivery).result()

    def write(
        self, work: Callable[[apsw.Connection], Result], size_bytes: int = 0
    ) -> Future[Result]:
        """Queue a unit of work for the writing thread; see ``GroupCommitWriter.submit``."""
        return self._writer.submit(work, size_bytes)

    def read(self, work: Callable[[apsw.Connection], Result]) -> Result:
        """Read from the last durable state."""
        with self._reader_lock:
            return work(self._reader)

    def open_reader(self) -> apsw.Connection:
        """A reading connection for one thread's own use."""
        return open_reader(self._path)

    def close(self) -> None:
        """Finish what waits and close the file."""
        self._writer.close()
        with self._reader_lock:
            self._reader.close(True)

    def take(
        self,
        instance: str,
        sequence: int,
        envelope: SpooledEnvelope | None,
        counts: Mapping[CounterKey, int],
        links: Sequence[RunLink] = (),
    ) -> Future[bool]:
        """Take one event of a plugin, once.

        Args:
            instance: The plugin's process.
            sequence: Number of the event there.
            envelope: What to keep; None where the event is counted only.
            counts: Counters that rise with it.
            links: Links of a run to keep.

        Returns:
            A future that resolves once the event is durable; False means it was taken before. It fails with
            ``SpoolFullError`` where there is no room, with nothing written.
        """
        now = self._wall_milliseconds()

        def work(connection: apsw.Connection) -> bool:
            if not _advance_producer(connection, instance, sequence, now):
                return False
            if envelope is not None:
                queue.append(
                    connection,
                    self._bounds,
                    lane=LANE,
                    entry_key=envelope.envelope_id,
                    session=envelope.session_id,
                    sequence=0,
                    queued_milliseconds=now,
                    payload=envelope.payload,
                    entry_contents=envelope.contents,
                )
            raise_counters(connection, counts)
            if links:
                keep_links(connection, links)
            return True

        return self.write(work, envelope.size_bytes if envelope else 0)

    def durable_sequence(self, instance: str) -> int:
        """How far the events of a plugin's process are taken."""
        found: Any = self.read(
            lambda connection: (
                connection.execute(
                    "SELECT durable_sequence FROM producers WHERE instance = ?", (instance,)
                ).get
            )
        )
        return int(found or 0)

    def delivery(self) -> DeliveryState:
        """Where the delivery stands."""
        return self.read(_delivery)

    def settle(self, handled: int, counts: Mapping[CounterKey, int]) -> None:
        """Remove the envelopes up to a sequence of the capture session; durable on return.

        Raises:
            SpoolFullError: The disk is full; nothing changed.
        """

        def work(connection: apsw.Connection) -> None:
            state = _delivery(connection)
            rows: list[Any] = connection.execute(
                "SELECT entry_id FROM queue_entries ORDER BY entry_id LIMIT ?",
                (max(0, handled - state.handled),),
            ).fetchall()
            for (entry_id,) in rows:
                queue.settle(connection, int(entry_id))
            raise_counters(connection, counts)
            connection.execute("UPDATE delivery SET handled = ?", (state.handled + len(rows),))

        self.write(work).result()

    def begin_capture_session(self) -> None:
        """Number the waiting envelopes from 1 in a new capture session; durable on return."""

        def work(connection: apsw.Connection) -> None:
            connection.execute(
                "UPDATE delivery SET capture_session_id = ?, handled = 0", (_new_session_id(),)
            )

        self.write(work).result()

    def bury(self, entry_id: int, reason: str) -> None:
        """Set an envelope aside that cannot be delivered; those behind it move up. Durable on return."""
        now = self._wall_milliseconds()

        def work(connection: apsw.Connection) -> None:
            queue.bury(connection, entry_id, reason=reason, field="", refused_milliseconds=now)
            raise_counters(connection, {("undeliverable", reason): 1})

        self.write(work).result()

    def link(self, links: Sequence[RunLink]) -> None:
        """Keep links of a run; durable on return.

        Raises:
            SpoolFullError: The disk is full; nothing changed.
        """
        self.write(lambda connection: keep_links(connection, links)).result()

    def links_waiting(self) -> int:
        """Number of links that the corpus has not taken."""
        return self.read(waiting_links)

    def entries_behind(self, connection: apsw.Connection, entry_id: int) -> Sequence[QueuedEntry]:
        """The next waiting envelopes, on a connection of ``open_reader``."""
        return queue.peek(
            connection,
            entries_max=limits.PEEK_ENTRIES_MAX,
            payload_bytes_max=limits.PEEK_PAYLOAD_BYTES_MAX,
            after_entry_id=entry_id,
        )

    def waiting(self) -> int:
        """Number of envelopes that wait."""
        return self.read(queue.totals).entries

    def count_unwritten(self, key: CounterKey, amount: int = 1) -> None:
        """Count what happened while the disk took nothing; written with the next success."""
        with self._lock:
            self._unwritten[key] = self._unwritten.get(key, 0) + amount

    def write_counters(self) -> None:
        """Try to write the counts that are in memory only."""
        with self._lock:
            counts = dict(self._unwritten)
        if not counts:
            return
        try:
            self.write(lambda connection: raise_counters(connection, counts)).result()
        except Exception:  # noqa: BLE001 - still no room: they stay in memory and are tried again
            return
        with self._lock:
            for key, amount in counts.items():
                self._unwritten[key] -= amount
                if not self._unwritten[key]:
                    del self._unwritten[key]

    def counters(self) -> dict[str, dict[str, int]]:
        """All counters by kind and name, those in memory included."""
        found = self.read(read_counters)
        with self._lock:
            for (kind, name), amount in self._unwritten.items():
                kinds = found.setdefault(kind, {})
                kinds[name] = kinds.get(name, 0) + amount
        return found


def raise_counters(connection: apsw.Connection, counts: Mapping[CounterKey, int]) -> None:
    """Add to counters, inside a unit of work."""
    connection.executemany(
        "INSERT INTO counters VALUES (?, ?, ?)"
        " ON CONFLICT DO UPDATE SET amount = amount + excluded.amount",
        [(kind, name, amount) for (kind, name), amount in counts.items()],
    )


def keep_links(connection: apsw.Connection, links: Sequence[RunLink]) -> None:
    """Add links and count those that were given up for them, inside a unit of work."""
    given_up = add_links(connection, links)
    if given_up:
        raise_counters(connection, {("link_lost", "QUEUE_FULL"): given_up})


def read_counters(connection: apsw.Connection) -> dict[str, dict[str, int]]:
    """Counters by kind and name, at most ``COUNTER_NAMES_MAX``."""
    found: dict[str, dict[str, int]] = {}
    rows: list[Any] = connection.execute(
        "SELECT kind, name, amount FROM counters ORDER BY kind, name LIMIT ?",
        (limits.COUNTER_NAMES_MAX,),
    ).fetchall()
    for kind, name, amount in rows:
        found.setdefault(str(kind), {})[str(name)] = int(amount)
    return found


def _advance_producer(
    connection: apsw.Connection, instance: str, sequence: int, now_milliseconds: int
) -> bool:
    found: Any = connection.execute(
        "SELECT durable_sequence FROM producers WHERE instance = ?", (instance,)
    ).get
    if found is not None and sequence <= int(found):
        return False
    connection.execute(
        "INSERT INTO producers VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET"
        " durable_sequence = excluded.durable_sequence,"
        " last_seen_milliseconds = excluded.last_seen_milliseconds",
        (instance, sequence, now_milliseconds),
    )
    if found is None:
        connection.execute(
            "DELETE FROM producers WHERE instance IN (SELECT instance FROM producers"
            " ORDER BY last_seen_milliseconds DESC LIMIT -1 OFFSET ?)",
            (limits.PRODUCERS_MAX,),
        )
    return True


def _begin_delivery(connection: apsw.Connection) -> None:
    connection.execute("INSERT OR IGNORE INTO delivery VALUES (1, ?, 0)", (_new_session_id(),))


def _delivery(connection: apsw.Connection) -> DeliveryState:
    row: Any = connection.execute("SELECT capture_session_id, handled FROM delivery").fetchone()
    return DeliveryState(str(row[0]), int(row[1]))


def _new_session_id() -> str:
    return f"hermes-{uuid.uuid4()}"
