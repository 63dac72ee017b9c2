"""The client's side of one capture stream: reads envelopes from the spool and makes frames of them."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from capture_service.spool import QueuedEntry, StoredContentDamagedError, contents
from sourcecorpus.capture.v1.capture_service_pb2 import (
    End,
    Finish,
    Open,
    SideFileHead,
    StreamCapturesRequest,
)
from sourcecorpus.capture.v1.envelope_pb2 import Envelope
from sourcecorpus.hermes.plugin.recorder import CLIENT_NAME, CLIENT_VERSION
from sourcecorpus.hermes.sidecar import limits
from sourcecorpus.hermes.sidecar.store import DeliveryState, SidecarStore
from sourcecorpus.rpc.limits import DATA_FRAME_BYTES_MAX

if TYPE_CHECKING:
    import apsw


class OutgoingStream:
    """State of one stream. ``frames`` is run by a thread of gRPC, everything else by the delivery's."""

    def __init__(self, store: SidecarStore, state: DeliveryState) -> None:
        self.state = state
        self.opened = False
        self.damaged_entry_id = 0
        self._store = store
        self._condition = threading.Condition()
        self._messages_max = 0
        self._bytes_max = 0
        self._sequence = state.handled
        self._under_way: deque[tuple[int, int]] = deque()
        self._not_before = 0.0
        self._finishing = False
        self._ended = False
        self._notified = 0

    def begin_behind(self, sequence: int) -> None:
        """The next envelope has the sequence behind this one."""
        self._sequence = sequence

    def open_window(self, messages_max: int, bytes_max: int) -> None:
        """Let envelopes go, so many and so large together without an acknowledgement."""
        with self._condition:
            self._messages_max, self._bytes_max = max(1, messages_max), max(1, bytes_max)
            self.opened = True
            self._condition.notify_all()

    def acknowledge(self, sequence: int) -> None:
        """Make room: everything up to the sequence is handled."""
        with self._condition:
            while self._under_way and self._under_way[0][0] <= sequence:
                self._under_way.popleft()
            self._condition.notify_all()

    def pause(self, seconds: float) -> None:
        """Send no further envelope for a while."""
        with self._condition:
            self._not_before = time.monotonic() + max(0.0, seconds)

    def notify(self) -> None:
        """There is something new in the spool."""
        with self._condition:
            self._notified += 1
            self._condition.notify_all()

    def finish(self) -> None:
        """Send no further envelope, then finish."""
        with self._condition:
            self._finishing = True
            self._condition.notify_all()

    def end(self) -> None:
        """The stream is over; the frames' thread leaves."""
        with self._condition:
            self._ended = True
            self._condition.notify_all()

    def frames(self) -> Iterator[StreamCapturesRequest]:
        """Everything that is sent, in order."""
        yield StreamCapturesRequest(
            open=Open(
                capture_session_id=self.state.capture_session_id,
                client_name=CLIENT_NAME,
                client_version=CLIENT_VERSION,
            )
        )
        if not self._wait_opened():
            return
        connection = self._store.open_reader()
        try:
            for entry in self._entries(connection):
                yield from self._frames_of(connection, entry)
        except StoredContentDamagedError:
            # Ending here leaves the envelope open, so the service keeps nothing of it.
            return
        finally:
            connection.close()
        if not self._ended:
            yield StreamCapturesRequest(finish=Finish())

    def _entries(self, connection: apsw.Connection) -> Iterator[QueuedEntry]:
        last = 0
        while True:
            seen = self._notified
            batch = self._store.entries_behind(connection, last)
            for entry in batch:
                size_bytes = sum(content.size_bytes for content in entry.contents)
                if not self._wait_for_room(size_bytes):
                    return
                last = entry.entry_id
                yield entry
            if not batch and not self._wait_for_more(seen):
                return

    def _frames_of(
        self, connection: apsw.Connection, entry: QueuedEntry
    ) -> Iterator[StreamCapturesRequest]:
        envelope = Envelope.FromString(entry.payload)
        self._sequence += 1
        envelope.head.sequence = self._sequence
        with self._condition:
            size_bytes = sum(content.size_bytes for content in entry.contents)
            self._under_way.append((self._sequence, size_bytes))
        digest = hashlib.sha256()
        length = 0
        yield StreamCapturesRequest(envelope=envelope.head)
        parts = [(None, envelope.result), *((file, file.data) for file in envelope.side_files)]
        for file, content_digest in parts:
            if file is not None:
                head = SideFileHead(name=file.name, media_type=file.media_type)
                yield StreamCapturesRequest(side_file=head)
            for data in self._data(connection, entry.entry_id, content_digest):
                digest.update(data)
                length += len(data)
                yield StreamCapturesRequest(data=data)
        end = End(length_bytes=length, content_hash=f"sha256:{digest.hexdigest()}")
        yield StreamCapturesRequest(end=end)

    def _data(
        self, connection: apsw.Connection, entry_id: int, content_digest: bytes
    ) -> Iterator[bytes]:
        if not content_digest:
            return
        digest = hashlib.sha256()
        number = 0
        try:
            while (piece := contents.read_piece(connection, content_digest, number)) is not None:
                digest.update(piece)
                number += 1
                for start in range(0, len(piece), DATA_FRAME_BYTES_MAX):
                    yield piece[start : start + DATA_FRAME_BYTES_MAX]
            if digest.digest() != content_digest:
                raise StoredContentDamagedError
        except StoredContentDamagedError:
            self.damaged_entry_id = entry_id
            raise

    def _wait_opened(self) -> bool:
        with self._condition:
            self._condition.wait_for(lambda: self.opened or self._ended)
            return self.opened and not self._ended

    def _wait_for_room(self, size_bytes: int) -> bool:
        def room() -> bool:
            under_way = sum(size for _, size in self._under_way)
            # An envelope larger than the window goes alone.
            return not self._under_way or (
                len(self._under_way) < self._messages_max
                and under_way + size_bytes <= self._bytes_max
            )

        with self._condition:
            self._condition.wait_for(lambda: self._ended or self._finishing or room())
            while not self._ended and not self._finishing:
                left = self._not_before - time.monotonic()
                if left <= 0:
                    return True
                self._condition.wait(left)
            return False

    def _wait_for_more(self, seen: int) -> bool:
        with self._condition:
            self._condition.wait_for(
                lambda: self._ended or self._finishing or self._notified != seen,
                timeout=limits.STREAM_IDLE_SECONDS,
            )
            return not self._ended and not self._finishing and self._notified != seen
